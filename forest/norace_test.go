//go:build !race

package forest

const underRace = false
