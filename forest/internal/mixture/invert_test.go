package mixture

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Inverses and determinants are those that gonum finds.
func TestInvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, p := range []int{1, 2, 3, 4, 5, 8, 13, 40, 90, 300} {
		for _, scale := range []float64{1, 1e-40, 1e38} {
			x := mat.NewDense(p, 2*p, nil)
			x.Apply(func(i, _ int, _ float64) float64 { return math.Sqrt(scale) * float64(1+i%3) * rng.NormFloat64() }, x)
			var a mat.SymDense
			a.SymOuterK(1, x)
			total, ridge := 3.0, 0.01*scale
			c := new(covariance)
			c.reset(p)
			for i := range p {
				for j := range c.row(c.sum, i) {
					c.row(c.sum, i)[j] = a.At(i, j)
				}
			}
			if !c.invert(total, ridge, nil) {
				t.Fatalf("side %d: not inverted", p)
			}
			a.ScaleSym(1/total, &a)
			for i := range p {
				a.SetSym(i, i, a.At(i, i)+ridge)
			}
			var factor mat.Cholesky
			var want mat.SymDense
			if !factor.Factorize(&a) || factor.InverseTo(&want) != nil {
				t.Fatalf("side %d: singular", p)
			}
			largest := mat.Max(&want)
			for i := range p {
				for j, v := range c.row(c.inverse, i) {
					if !(math.Abs(v-want.At(i, j)) <= 1e-9*largest) {
						t.Fatalf("side %d: element (%d, %d) is %v, want %v", p, i, j, v, want.At(i, j))
					}
				}
			}
			if d := factor.LogDet(); !near(c.logDeterminant, d, d, 1e-10) {
				t.Errorf("side %d: log determinant %v, want %v", p, c.logDeterminant, d)
			}
		}
	}
}

func TestInvertRefuses(t *testing.T) {
	for _, sum := range [][]float64{{0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 2, 1, 0, 0},
		{math.NaN(), 0, 0, 0, 0, 1, 0, 0}} {
		c := new(covariance)
		c.reset(2)
		copy(c.sum, sum)
		if c.invert(1, 0, nil) {
			t.Errorf("%v was inverted", sum)
		}
	}
}
