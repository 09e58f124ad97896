//go:build !amd64 || noasm

package kernel

// sumFour is sumFourGo: there is no assembly for this processor or build.
func sumFour(sums *[4][RotateRows]float32, cells, weights []float32) { sumFourGo(sums, cells, weights) }
