package sim

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

var (
	// quadraticClasses have the same mean and other covariances.
	quadraticClasses = GaussianClasses{[]Gaussian{
		{Class: 0, Mean: []float64{0, 0}, Covariance: [][]float64{{4, 1.5}, {1.5, 1}}},
		{Class: 1, Mean: []float64{0, 0}, Covariance: [][]float64{{0.5, -0.2}, {-0.2, 2}}, Weight: 2},
	}}

	// misleadingClasses have two clusters, along x1, each with both classes, which differ in x2.
	misleadingClasses = GaussianClasses{[]Gaussian{
		{Class: 0, Mean: []float64{-5, -0.5}, Covariance: [][]float64{{1, 0}, {0, 0.0625}}},
		{Class: 1, Mean: []float64{-5, 0.5}, Covariance: [][]float64{{1, 0}, {0, 0.0625}}},
		{Class: 0, Mean: []float64{5, -0.5}, Covariance: [][]float64{{1, 0}, {0, 0.0625}}},
		{Class: 1, Mean: []float64{5, 0.5}, Covariance: [][]float64{{1, 0}, {0, 0.0625}}},
	}}

	// threeGaussians have three features, one class of two components, and unequal weights.
	threeGaussians = GaussianClasses{[]Gaussian{
		{Class: 2, Mean: []float64{1, 2, 3}, Covariance: [][]float64{{2, 0.5, -0.3}, {0.5, 1, 0.2}, {-0.3, 0.2, 0.7}},
			Weight: 3},
		{Class: 0, Mean: []float64{0, 0, 4}},
		{Class: 1, Mean: []float64{-1, 1, 2}, Covariance: [][]float64{{1, 0.9, 0}, {0.9, 1, 0}, {0, 0, 4}}, Weight: 0.5},
		{Class: 0, Mean: []float64{3, 0, 0}, Weight: 1.5},
	}}
)

// shareOf returns the weight of component k divided by the sum of weights.
func shareOf(g GaussianClasses, k int) float64 {
	var total float64
	for _, c := range g.Components {
		total += cmp.Or(c.Weight, 1)
	}
	return cmp.Or(g.Components[k].Weight, 1) / total
}

func covarianceOf(c Gaussian) *mat.SymDense {
	s := mat.NewSymDense(len(c.Mean), nil)
	for j := range c.Mean {
		for k := range c.Mean {
			switch {
			case c.Covariance != nil:
				s.SetSym(j, k, c.Covariance[j][k])
			case j == k:
				s.SetSym(j, k, 1)
			}
		}
	}
	return s
}

// densityOf returns a function for the density of a component.
func densityOf(c Gaussian) func(x []float64) float64 {
	var cholesky mat.Cholesky
	if !cholesky.Factorize(covarianceOf(c)) {
		panic("not positive definite")
	}
	p := len(c.Mean)
	scale := math.Sqrt(math.Pow(2*math.Pi, float64(p)) * cholesky.Det())
	mean := mat.NewVecDense(p, c.Mean)
	return func(x []float64) float64 {
		distance := stat.Mahalanobis(mat.NewVecDense(p, x), mean, &cholesky)
		return math.Exp(-distance*distance/2) / scale
	}
}

// densitiesOf returns the density of each class at x times the class's share.
func densitiesOf(g GaussianClasses, classes int, x []float64) []float64 {
	densities := make([]float64, classes)
	for k, c := range g.Components {
		densities[c.Class] += shareOf(g, k) * densityOf(c)(x)
	}
	return densities
}

func TestGaussianClassesPosterior(t *testing.T) {
	for _, c := range []struct {
		of      GaussianClasses
		classes int
	}{{quadraticClasses, 2}, {misleadingClasses, 2}, {threeGaussians, 3}} {
		d := c.of.Sample(300, 6)
		for i := range d.N() {
			x := d.Row(nil, i)
			wide := make([]float64, len(x))
			for j, v := range x {
				wide[j] = float64(v)
			}
			want := densitiesOf(c.of, c.classes, wide)
			var sum float64
			for _, v := range want {
				sum += v
			}
			for class, got := range c.of.Bayes().Posterior(x) {
				if math.Abs(got-want[class]/sum) > 1e-9 {
					t.Fatalf("%s: class %d at %v has probability %v, want %v", name(c.of), class, x, got, want[class]/sum)
				}
			}
		}
	}
}

// By hand: the default's inverse covariance is ((4, −2), (−2, 4))/3, so the log odds of class "1"
// are δ·Σ⁻¹x with δ = (2, −2), which is 4(x1 − x2).
func TestGaussianClassesDefault(t *testing.T) {
	for _, x := range [][]float32{{0, 0}, {0.5, 0.25}, {-1, 1}, {0.125, 0.5}, {3, -2}} {
		odds := 4 * (float64(x[0]) - float64(x[1]))
		if got, want := (GaussianClasses{}).Bayes().Posterior(x)[1], 1/(1+math.Exp(-odds)); math.Abs(got-want) > 1e-12 {
			t.Errorf("class 1 at %v has probability %v, want %v", x, got, want)
		}
	}
}

// TestGaussianClassesBayesError: for two components with the same covariance by hand; else the
// sum over a grid of the plane of all densities but the largest.
func TestGaussianClassesBayesError(t *testing.T) {
	grid := func(g GaussianClasses, from, to float64) float64 {
		const step = 0.1
		var densities []func(x []float64) float64
		for _, c := range g.Components {
			densities = append(densities, densityOf(c))
		}
		var wrong float64
		for x := from; x < to; x += step {
			for y := from; y < to; y += step {
				var density [2]float64
				for k, f := range densities {
					density[g.Components[k].Class] += shareOf(g, k) * f([]float64{x, y})
				}
				wrong += min(density[0], density[1]) * step * step
			}
		}
		return wrong
	}
	line := func(mean, weight float64) GaussianClasses {
		return GaussianClasses{[]Gaussian{{Class: 0, Mean: []float64{0}, Weight: weight}, {Class: 1, Mean: []float64{mean}}}}
	}
	// With weights 3 and 1 and distance 2, classes are equally likely at 1 + ln(3)/2.
	cut := 1 + math.Log(3)/2
	for _, c := range []struct {
		what      string
		of        GaussianClasses
		want, tol float64
	}{
		{"default", GaussianClasses{}, phi(-2), 1e-12},
		{"two on a line", line(2, 1), phi(-1), 1e-12},
		{"unequal weights", line(2, 3), 0.75*phi(-cut) + 0.25*phi(cut-2), 1e-12},
		{"the same mean", line(0, 3), 0.25, 0},
		{"quadratic", quadraticClasses, grid(quadraticClasses, -14, 14), 2e-3},
		{"misleading clusters", misleadingClasses, phi(-2), 1e-3},
		{"one class", GaussianClasses{[]Gaussian{{Mean: []float64{0}}, {Mean: []float64{1}}}}, 0, 1e-12},
	} {
		if got := c.of.Bayes().Error(); math.Abs(got-c.want) > c.tol {
			t.Errorf("%s: %v, want %v ± %v", c.what, got, c.want, c.tol)
		}
	}
}

// Shares, means and covariances of a sample's components.
func TestGaussianClassesMoments(t *testing.T) {
	const n = 60000
	for k, c := range threeGaussians.Components[:3] {
		d := GaussianClasses{[]Gaussian{c}}.Sample(n, uint64(k))
		mean := func(j int) float64 { return c.Mean[j] }
		checkMoments(t, fmt.Sprintf("%+v", c), d, int32(c.Class), mean, covarianceOf(c).At)
	}
	checkShares(t, threeGaussians.Sample(n, 3), func(class int) float64 { return []float64{2.5, 0.5, 3}[class] / 6 })
}
