package sim

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Ringnorm is a problem of Breiman's report (see [Twonorm]): two Gaussians, one
// inside the other. Class "0" has mean 0 and covariance 4·I, class "1" mean
// (a, …, a) and covariance I.
//
// Sources differ in a. With a = 2/√p, the default, the Bayes error for 20
// features is 1.24 %; Breiman's report gives 1.3 %, and DELVE's data set is made
// with this a. With 1/√p, as in R's package mlbench, the error is 1.50 %. The
// tables of the Heterogeneous Random Forest (Kim, Kim and Kim), which call the
// problem rng and name mlbench, have 10 features and 1000 rows, but forests come
// nearer to their accuracies with 2/√p than with 1/√p.
type Ringnorm struct {
	Features int     // number of features p; 0 means 10
	Distance float64 // distance a·√p between the two means, ≤ 1000; 0 means 2
}

func (r Ringnorm) params() (p int, distance float64) {
	return orDefault(r.Features, 10, maxFeatures, "Ringnorm.Features"), orDefault(r.Distance, 2, 1000, "Ringnorm.Distance")
}

// Sample returns n independent rows. Both classes are equally likely.
func (r Ringnorm) Sample(n int, seed uint64) *datasets.Dataset {
	p, distance := r.params()
	d := newDataset("ringnorm", n, p, 2, 0)
	rng := newRand(seed)
	fairLabels(d.Labels, 2, rng)
	a := distance / math.Sqrt(float64(p))
	for _, col := range d.Columns {
		for i, y := range d.Labels {
			z := normal(rng)
			if y == 0 {
				col[i] = float32(2 * z)
			} else {
				col[i] = float32(z + a)
			}
		}
	}
	return d
}

// Bayes returns the rule. It takes class "1" inside a ball around (4a/3, …, 4a/3).
func (r Ringnorm) Bayes() Rule {
	p, distance := r.params()
	a := distance / math.Sqrt(float64(p))
	logOdds := func(x []float32) float64 {
		var sum float64
		for _, v := range x[:p] {
			z := float64(v)
			sum += math.Ln2 + z*z/8 - (z-a)*(z-a)/2
		}
		return sum
	}
	return ofLogOdds(logOdds, func() float64 { return ringnormError(p, distance) })
}

// ringnormError returns the mean of two probabilities: that a row of class "1" lies
// outside of the ball in which that class is likelier, and that a row of class "0"
// lies inside. The squared distance of a row from the centre of the ball is
// non-central χ² (for class "0", four times such a number). With the default
// Distance, the error of the result is about 1e-14.
func ringnormError(p int, distance float64) float64 {
	s2 := distance * distance
	radius2 := 4. / 3 * (2*float64(p)*math.Ln2 + s2/3)
	outside := 1 - chiSquaredBelow(radius2, p, s2/9)
	inside := chiSquaredBelow(radius2/4, p, 4*s2/9)
	return max(0, outside+inside) / 2
}

// chiSquaredBelow returns the distribution function at x of the χ² distribution
// with p degrees of freedom and the given non-centrality. It is the mean of those of
// the central distributions with p+2k degrees, over Poisson k of mean noncentrality/2.
func chiSquaredBelow(x float64, p int, noncentrality float64) float64 {
	// F(d+2) = F(d) − (x/2)^(d/2)·exp(−x/2)/Γ(d/2+1), from d = 1 or 2.
	central := -math.Expm1(-x / 2)
	d := 2.
	if p%2 == 1 {
		central, d = math.Erf(math.Sqrt(x/2)), 1
	}
	next := func() {
		central -= poisson(x/2, d/2)
		d += 2
	}
	for d < float64(p) {
		next()
	}
	mean := noncentrality / 2
	var sum float64
	for k := 0.; k < mean+12*math.Sqrt(mean)+40; k++ {
		sum += poisson(mean, k) * central
		next()
	}
	return sum
}

// poisson returns mean^k·exp(−mean)/Γ(k+1), for whole k the Poisson probability.
func poisson(mean, k float64) float64 {
	gamma, _ := math.Lgamma(k + 1)
	return math.Exp(k*math.Log(mean) - mean - gamma)
}
