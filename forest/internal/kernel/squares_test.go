package kernel

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawSquares draws a lower triangle of side p, and four rows of data with what follows them.
func drawSquares(t *rapid.T) (triangle []float64, p int, x []float64) {
	p = rapid.IntRange(0, 21).Draw(t, "p")
	number := rapid.Float64Range(-3, 3)
	triangle = make([]float64, p*Padded(p))
	for i := range p {
		for j := range i + 1 {
			triangle[i*Padded(p)+j] = number.Draw(t, "element")
		}
	}
	return triangle, p, rapid.SliceOfN(number, 4*p+3, 4*p+3).Draw(t, "rows")
}

// The ways agree in every bit, and with the definition but for rounding.
func TestAddSquares4(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum, p, x := drawSquares(t)
		g := [4]float64{0.3, -2, 0, 1e3}
		plain := slices.Clone(sum)
		addSquares4Go(plain, p, x, p, &g)
		for _, way := range ways() {
			got := slices.Clone(sum)
			way.use()
			AddSquares4(got, p, x, p, &g)
			way.restore()
			for i := range p {
				for j := range i + 1 {
					k := i*Padded(p) + j
					want := sum[k]
					for r, factor := range g {
						want += factor * x[r*p+i] * x[r*p+j]
					}
					if got[k] != plain[k] || !(math.Abs(got[k]-want) <= 1e-11) {
						t.Fatalf("%s: element (%d, %d): %v, plain %v, want %v", way.name, i, j, got[k], plain[k], want)
					}
				}
			}
		}
	})
}

func TestQuadratics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, p, x := drawSquares(t)
		x = slices.Concat(x[:4*p], x) // eight rows
		w := slices.Clone(x[3*p:][:p])
		plain := make([]float64, 8)
		quadraticsGo(plain, q, w, p, x)
		for _, way := range ways() {
			got := make([]float64, 8)
			way.use()
			Quadratics(got, q, w, p, x)
			way.restore()
			for r, v := range got {
				want := 0.0
				for i, a := range x[r*p:][:p] {
					want += a * w[i]
					for j := range i + 1 {
						want += q[i*Padded(p)+j] * a * x[r*p+j]
					}
				}
				if v != plain[r] || !(math.Abs(v-want) <= 1e-10) {
					t.Fatalf("%s: row %d: %v, plain %v, want %v", way.name, r, v, plain[r], want)
				}
			}
		}
	})
}
