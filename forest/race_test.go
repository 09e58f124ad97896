//go:build race

package forest

const underRace = true
