//go:build !amd64

package graf

// sidesFast does none of the rows: there are no vector instructions for this
// processor.
func sidesFast([]uint8, []float32, int, []int32, []float32, *[lanes]float32) int { return 0 }
