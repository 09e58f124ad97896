//go:build !noasm

package kernel

// addSquares4AVX2 is addSquares4Go for p ≥ 1.
//
//go:noescape
func addSquares4AVX2(sum *float64, p int, x *float64, stride int, factors *[4]float64)

// quadraticsAVX2 is quadraticsGo for p ≥ 1 and n rows, a positive multiple of four.
//
//go:noescape
func quadraticsAVX2(t *float64, n int, q, w *float64, p int, x *float64)

func addSquares4(sum []float64, p int, x []float64, stride int, g *[4]float64) {
	if !hasAVX2 {
		addSquares4Go(sum, p, x, stride, g)
		return
	}
	addSquares4AVX2(&sum[0], p, &x[0], stride, g)
}

func quadratics(t, q, w []float64, p int, x []float64) {
	if !hasAVX2 {
		quadraticsGo(t, q, w, p, x)
		return
	}
	quadraticsAVX2(&t[0], len(t), &q[0], &w[0], p, &x[0])
}
