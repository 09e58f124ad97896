//go:build !amd64 || noasm

package kernel

// combine is combineGo: there is no assembly for this processor or build.
func combine(sums *[4][4]float64, z [][4]float64, rows *quads) { combineGo(sums, z, rows) }
