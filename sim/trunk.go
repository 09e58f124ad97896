package sim

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Trunk is the problem of Trunk (1979) as Tomita et al. (2020), section 4.2,
// use it: two Gaussians of identity covariance, with mean μ = (1, 1/√2, …, 1/√p)
// for class "1" and −μ for class "0". Every feature is informative, each less than
// the one before.
type Trunk struct {
	Features int // number of features p; 0 means 10
}

func (t Trunk) params() (p int) { return orDefault(t.Features, 10, maxFeatures, "Trunk.Features") }

// Sample returns n rows in random order, half of them of each class; for odd n,
// class "0" has one more. The paper calls the problem balanced, and tries it on
// ten rows, where random classes would sometimes be all the same.
func (t Trunk) Sample(n int, seed uint64) *datasets.Dataset {
	d := newDataset("trunk", n, t.params(), 2, 0)
	rng := newRand(seed)
	for i := n - n/2; i < n; i++ {
		d.Labels[i] = 1
	}
	rng.Shuffle(n, func(i, k int) { d.Labels[i], d.Labels[k] = d.Labels[k], d.Labels[i] })
	for j, col := range d.Columns {
		mean := mu(j)
		for i := range col {
			col[i] = float32(rng.NormFloat64() + float64(2*d.Labels[i]-1)*mean)
		}
	}
	return d
}

// mu returns the mean of feature j = 0, 1, … in class "1".
func mu(j int) float64 { return 1 / math.Sqrt(float64(j+1)) }

// Bayes returns the rule. It takes the class whose mean is nearer: "1" where x·μ > 0. The log odds are 2x·μ, and the
// error is Φ(−‖μ‖), where ‖μ‖² = 1 + 1/2 + … + 1/p.
func (t Trunk) Bayes() Rule {
	p := t.params()
	logOdds := func(x []float32) float64 {
		var dot float64
		for j, v := range x[:p] {
			dot += float64(v) * mu(j)
		}
		return 2 * dot
	}
	return ofLogOdds(logOdds, func() float64 {
		var norm2 float64
		for j := range p {
			norm2 += 1 / float64(j+1)
		}
		return phi(-math.Sqrt(norm2))
	})
}
