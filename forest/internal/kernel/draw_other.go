//go:build !amd64 || noasm

package kernel

// Draw does nothing and returns false: there is no assembly for this processor or build.
func Draw([]float32, *[8]float64, *[8]float64, uint64, []float64, []float64, []float64, float64) bool {
	return false
}
