package kernel

// Padded returns n rounded up to a multiple of four: the length of a row of the matrices of [AddSquares4] and
// [Quadratics].
func Padded(n int) int { return (n + 3) &^ 3 }

// AddSquares4 adds Σ g·xxᵀ over four rows of p cells, which begin stride cells apart, to the lower triangle of a p×p
// matrix, whose rows are [Padded]: to element (i, j) the sum (g[0]·a[i])·a[j] + (g[1]·b[i])·b[j] of two rows, plus that
// of the other two. Up to three cells after a row are read, and elements above the diagonal become arbitrary.
func AddSquares4(sum []float64, p int, x []float64, stride int, g *[4]float64) {
	if p > 0 {
		addSquares4(sum[:p*Padded(p)], p, x[:3*stride+Padded(p)], stride, g)
	}
}

func addSquares4Go(sum []float64, p int, x []float64, stride int, g *[4]float64) {
	a, b, c, d := x[:p], x[stride:][:p], x[2*stride:][:p], x[3*stride:][:p]
	for i := range p {
		factors := [4]float64{float64(g[0] * a[i]), float64(g[1] * b[i]), float64(g[2] * c[i]), float64(g[3] * d[i])}
		addRows4Go(sum[i*Padded(p):][:i+1], a, b, c, d, &factors)
	}
}

// Quadratics sets t, whose length is a multiple of four, to Σ x[i]·(w[i] + Σ q[i,j]·x[j]), the inner sum over the lower
// triangle, j ≤ i, of a p×p matrix, for rows x of p cells, one after another. Rows of q are [Padded] with zeros, which
// are above the diagonal, too. Either sum is of four, over the j and over the i with the same j modulo 4, which are
// added as [Dot4] does; w[i] is the first term of the sum for j = 0. Up to three cells after the rows are read.
func Quadratics(t, q, w []float64, p int, x []float64) {
	if p == 0 || len(t) == 0 {
		clear(t)
		return
	}
	quadratics(t, q[:p*Padded(p)], w[:p], p, x[:len(t)*p+Padded(p)-p])
}

func quadraticsGo(t, q, w []float64, p int, x []float64) {
	for r := range t {
		row := x[r*p:][:p]
		var total [4]float64
		for i := range p {
			inner := [4]float64{w[i]}
			for j, v := range q[i*Padded(p):][:i+1] {
				inner[j%4] += float64(v * row[j])
			}
			for k, v := range inner {
				total[k] += float64(row[i] * v)
			}
		}
		t[r] = (total[0] + total[2]) + (total[1] + total[3])
	}
}
