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

func (t Twonorm) logOdds(x []float32) float64 {
	p, a := t.params()
	var sum float64
	for _, v := range x[:p] {
		sum += float64(v)
	}
	return -2 * a * sum
}

// Posterior returns the probabilities of the two classes at x.
func (t Twonorm) Posterior(x []float32) []float64 { return posteriorOf(t.logOdds(x)) }

// Bayes returns the class whose mean is nearer to x: "1" where the sum of the
// features is negative.
func (t Twonorm) Bayes(x []float32) int32 { return likelier(t.logOdds(x)) }

// BayesError returns Φ(−2) = 0.0228, for every p.
func (t Twonorm) BayesError() float64 { return phi(-2) }
