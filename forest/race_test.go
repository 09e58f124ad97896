//go:build race

package forest

// UnderRace says whether the race detector runs.
const UnderRace = true
