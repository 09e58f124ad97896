package sim

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Threenorm is a problem of Breiman's report (see [Twonorm]): three Gaussians of
// identity covariance. Class "0" is an equal mixture of those with means
// (a, a, …, a) and (−a, −a, …, −a), and class "1" has mean (a, −a, a, −a, …), where
// a = 2/√p.
//
// Breiman has 20 features. The tables of the Heterogeneous Random Forest (Kim,
// Kim and Kim), which call the problem trn, have 10, and 1000 rows.
type Threenorm struct {
	Features int // number of features p ≥ 2; 0 means 10
}

func (t Threenorm) params() (p int, a float64) {
	p = orDefault(t.Features, 10, maxFeatures, "Threenorm.Features")
	if p < 2 {
		panic("sim: Threenorm.Features is 1; want at least 2")
	}
	return p, 2 / math.Sqrt(float64(p))
}

// Sample returns n independent rows. Both classes are equally likely.
func (t Threenorm) Sample(n int, seed uint64) *datasets.Dataset {
	p, a := t.params()
	d := newDataset("threenorm", n, p, 2, 0)
	rng := newRand(seed)
	gaussian := make([]int32, n) // 0 and 1: those of class "0"; 2 and 3: that of class "1"
	fairLabels(gaussian, 4, rng)
	for i, g := range gaussian {
		d.Labels[i] = g / 2
	}
	for j, col := range d.Columns {
		means := [...]float64{a, -a, a, a}
		if j%2 == 1 {
			means[2], means[3] = -a, -a
		}
		for i, g := range gaussian {
			col[i] = float32(normal(rng) + means[g])
		}
	}
	return d
}

// Bayes returns the rule. Its error is 0.10463 for even p.
func (t Threenorm) Bayes() Rule {
	p, a := t.params()
	logOdds := func(x []float32) float64 {
		var sums [2]float64 // of x1, x3, … and of x2, x4, …
		for j, v := range x[:p] {
			sums[j%2] += float64(v)
		}
		return a*(sums[0]-sums[1]) - logCosh(a*(sums[0]+sums[1]))
	}
	return ofLogOdds(logOdds, func() float64 { return threenormError(p) })
}

// logCosh returns ln cosh x.
func logCosh(x float64) float64 {
	x = math.Abs(x)
	return x + math.Log1p(math.Exp(-2*x)) - math.Ln2
}

// threenormError returns the Bayes error, with an error below 1e-12. The three means lie in a plane, at distance 2 from
// the origin, so only two coordinates of a row matter, both normal: u along (1, …, 1), and v perpendicular to it in the
// plane. The classes are equally likely where αu + βv = ln cosh 2u, where (α, β) is the mean of class "1", (0, 2) for
// even p. The integral over v is a value of Φ, and the one over u is computed by the trapezoidal rule.
func threenormError(p int) float64 {
	alpha := 2 / float64(p) * float64(p%2)
	beta := math.Sqrt(4 - alpha*alpha)
	density := func(u float64) float64 { return math.Exp(-u*u/2) / math.Sqrt(2*math.Pi) }
	const step = 1. / 64
	var wrong float64
	for k := -12 / step; k <= 12/step; k++ {
		u := k * step
		boundary := (logCosh(2*u) - alpha*u) / beta // the least v of class "1"
		wrong += density(u-alpha)*phi(boundary-beta) + (density(u-2)+density(u+2))/2*phi(-boundary)
	}
	return wrong * step / 2
}
