//go:build !amd64 || noasm

package kernel

// boundsFast does nothing: there is no assembly for this processor or build.
func boundsFast([]float32, []float32, []float64, []float32, []int32) bool { return false }
