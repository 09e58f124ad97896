//go:build !noasm

package kernel

// dot4AVX2 is dot4Go for n cells, a positive multiple of four.
//
//go:noescape
func dot4AVX2(sums *[4]float64, w, a, b, c, d *float64, n int)

// addRows4AVX2 is addRows4Go for n cells, a positive multiple of four.
//
//go:noescape
func addRows4AVX2(sum, a, b, c, d *float64, n int, factors *[4]float64)

func dot4(sums *[4]float64, w, a, b, c, d []float64) {
	if !hasAVX2 {
		dot4Go(sums, w, a, b, c, d)
		return
	}
	dot4AVX2(sums, &w[0], &a[0], &b[0], &c[0], &d[0], len(w))
}

func addRows4(sum, a, b, c, d []float64, g *[4]float64) {
	if !hasAVX2 {
		addRows4Go(sum, a, b, c, d, g)
		return
	}
	addRows4AVX2(&sum[0], &a[0], &b[0], &c[0], &d[0], len(sum), g)
}
