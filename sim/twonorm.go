package sim

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Twonorm is a problem of Breiman (1996, "Bias, variance, and arcing
// classifiers", technical report 460, Berkeley): two Gaussians of identity
// covariance, with mean (a, …, a) for class "0" and (−a, …, −a) for class "1",
// where a = 2/√p. The best boundary is oblique to all features.
//
// Breiman has 20 features. The tables of the Heterogeneous Random Forest (Kim,
// Kim and Kim), which call the problem twn, have 10, and 1000 rows.
type Twonorm struct {
	Features int // number of features p; 0 means 10
}

func (t Twonorm) params() (p int, a float64) {
	p = orDefault(t.Features, 10, maxFeatures, "Twonorm.Features")
	return p, 2 / math.Sqrt(float64(p))
}

// Sample returns n independent rows. Both classes are equally likely.
func (t Twonorm) Sample(n int, seed uint64) *datasets.Dataset {
	p, a := t.params()
	d := newDataset("twonorm", n, p, 2, 0)
	rng := newRand(seed)
	fairLabels(d.Labels, 2, rng)
	means := [...]float64{a, -a}
	for _, col := range d.Columns {
		for i, y := range d.Labels {
			col[i] = float32(normal(rng) + means[y])
		}
	}
	return d
}

// Bayes returns the rule. It takes the class whose mean is nearer: "1" where the sum of the features is negative. Its
// error is Φ(−2) = 0.0228, for every p.
func (t Twonorm) Bayes() Rule {
	p, a := t.params()
	logOdds := func(x []float32) float64 {
		var sum float64
		for _, v := range x[:p] {
			sum += float64(v)
		}
		return -2 * a * sum
	}
	return ofLogOdds(logOdds, func() float64 { return phi(-2) })
}
