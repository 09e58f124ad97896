//go:build !amd64 || noasm

package kernel

// AddNarrowGains does nothing and returns false: there is no assembly for this processor or
// build.
func AddNarrowGains(*[8]float64, float64, int32, []Run, []uint64, []float64) bool { return false }

// AddWideGains does nothing and returns false, too.
func AddWideGains(*[8]float64, float64, int32, []Run, [][8]int32, []float64) bool { return false }
