//go:build !noasm

package kernel

// sumFourAVX2 is sumFourGo for m ≥ 1 features.
//
//go:noescape
func sumFourAVX2(sums *[4][RotateRows]float32, cells, weights *float32, m int)

// sumFour is sumFourGo, by vector instructions if the processor has them.
func sumFour(sums *[4][RotateRows]float32, cells, weights []float32) {
	if !hasAVX2 {
		sumFourGo(sums, cells, weights)
		return
	}
	m := len(weights) / 4
	_, _ = cells[m*RotateRows-1], weights[4*m-1]
	sumFourAVX2(sums, &cells[0], &weights[0], m)
}
