package sim

import (
	"math/rand/v2"

	"github.com/obliqua-ml/obliqua/datasets"
)

// An integerFeature is uniform on 0, step, 2·step, … most·step.
type integerFeature struct {
	most int32
	step float64
}

// fill draws a column.
func (f integerFeature) fill(col []float32, rng *rand.Rand) {
	for i := range col {
		col[i] = float32(float64(rng.Int32N(f.most+1)) * f.step) // exact: steps are powers of two
	}
}

// An integerSum is the sum η of independent features, on which the class
// depends: it is "1" with probability σ(η − median η), where σ(t) = 1/(1+exp(−t)).
type integerSum []integerFeature

// logOdds returns η − median η of a row. The distribution of η is symmetric, so
// its median is half of its largest value.
func (s integerSum) logOdds(x []float32) float64 {
	var sum float64
	for j, f := range s {
		sum += float64(x[j]) - float64(float64(f.most)*f.step)/2
	}
	return sum
}

// label draws the classes of d, whose first columns are the features of s.
func (s integerSum) label(d *datasets.Dataset, rng *rand.Rand) {
	x := make([]float32, d.P())
	for i := range d.Labels {
		if bernoulliLogistic(rng, s.logOdds(d.Row(x, i))) {
			d.Labels[i] = 1
		}
	}
}

// bayes returns the rule. All steps must be multiples of unit.
func (s integerSum) bayes(unit float64) Rule {
	return ofLogOdds(s.logOdds, func() float64 { return s.bayesError(unit) })
}

// bayesError returns the mean of min(σ, 1−σ) over the distribution of η, which it
// computes by adding one feature at a time.
func (s integerSum) bayesError(unit float64) float64 {
	shares := []float64{1} // of η = 0, unit, 2·unit, …
	for _, f := range s {
		stride := int(f.step / unit)
		sum := make([]float64, len(shares)+int(f.most)*stride)
		for v, share := range shares {
			for k := range int(f.most) + 1 {
				sum[v+k*stride] += share / float64(f.most+1)
			}
		}
		shares = sum
	}
	var wrong float64
	for v, share := range shares {
		distance := unit * (float64(v) - float64(len(shares)-1)/2)
		wrong += share * logistic(-max(distance, -distance))
	}
	return wrong
}
