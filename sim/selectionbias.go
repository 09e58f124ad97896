package sim

import "github.com/obliqua-ml/obliqua/datasets"

// SelectionBias is the first simulation of the Heterogeneous Random Forest
// (Kim, Kim and Kim), sections 3.1 and 3.2, figures 3 and 4: five features,
// uniform on the whole numbers from 0 to 128, 64, 32, 16 and 8, both ends
// included. With η their sum, the class is "1" with probability σ(η − median η),
// where σ(t) = 1/(1+exp(−t)). The paper draws 1000 rows, 700 for training, and
// asks whether forests prefer features with many values.
//
// The paper calls the features equally important, but they have 74.6, 18.9, 4.9,
// 1.3 and 0.4 % of the variance of η, so a forest has reason to prefer x1. The
// other two settings are ours, and remove that reason.
//
// The median is that of the distribution, 124. The paper may mean the median of
// its 1000 rows, which has a standard deviation of 2.0. Rows would then depend on
// each other, and the best boundary on the sample.
type SelectionBias struct {
	// EqualScale scales every feature so that its largest value is 8. The features
	// then have 18.5 (x1) to 22.8 % (x5) of the variance of η, but still differ in
	// their number of values.
	EqualScale bool

	// Null makes the class a fair coin, independent of the features.
	Null bool
}

func (s SelectionBias) sum() integerSum {
	sum := make(integerSum, 5)
	for j := range sum {
		sum[j] = integerFeature{most: 128 >> j, step: 1}
		if s.EqualScale {
			sum[j].step = 8 / float64(sum[j].most)
		}
	}
	return sum
}

// Sample returns n independent rows. With the same seed, the features are the same
// in all settings, except for their scale.
func (s SelectionBias) Sample(n int, seed uint64) *datasets.Dataset {
	sum := s.sum()
	d := newDataset("selection bias", n, len(sum), 2, 0)
	rng := newRand(seed)
	for j, f := range sum {
		f.fill(d.Columns[j], rng)
	}
	if s.Null {
		fairLabels(d.Labels, 2, rng)
	} else {
		sum.label(d, rng)
	}
	return d
}

// Bayes returns the rule. It takes class "1" where η exceeds its median, else class "0"; always "0" with Null.
func (s SelectionBias) Bayes() Rule {
	if s.Null {
		return ofLogOdds(func([]float32) float64 { return 0 }, func() float64 { return 0.5 })
	}
	sum := s.sum()
	return sum.bayes(sum[0].step)
}
