//go:build !amd64 || noasm

package kernel

// sidesFast does nothing: there is no assembly for this processor or build.
func sidesFast([]uint8, int, []float32, int, []int32, []float32, *[Panel]float32, int) bool {
	return false
}

// prefetchRows does nothing.
func prefetchRows([]float32, int, []int32) {}
