//go:build !amd64 || noasm

package kernel

// sidesFast computes no rows: there is no assembly for this processor or build.
func sidesFast([]uint8, []float32, int, []int32, []float32, *[Lanes]float32) int { return 0 }
