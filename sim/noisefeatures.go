package sim

import (
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
)

// NoiseFeatures is the second simulation of the Heterogeneous Random Forest
// (Kim, Kim and Kim), section 3.3 and figure 5: features uniform on the whole
// numbers from 0 to 4. The last Noise features are independent of the class. With
// η the sum of the others, the class is "1" with probability σ(η − median η),
// where σ(t) = 1/(1+exp(−t)). The median is that of the distribution, as in
// [SelectionBias]: twice the number of informative features.
//
// The paper draws 1000 rows, 700 for training, and raises the share of noise
// features from 0 to 0.9 in steps of 0.1: Noise is 0, 3, … 27.
type NoiseFeatures struct {
	Features int // number of features p ≤ 1024; 0 means 30
	Noise    int // number of noise features, less than p
}

// maxIntegerFeatures limits the work of the Bayes error, which is O(p²).
const maxIntegerFeatures = 1 << 10

func (f NoiseFeatures) params() (p int, informative integerSum) {
	p = orDefault(f.Features, 30, maxIntegerFeatures, "NoiseFeatures.Features")
	if f.Noise < 0 || f.Noise >= p {
		panic(fmt.Sprintf("sim: NoiseFeatures.Noise is %d; want 0 to %d", f.Noise, p-1))
	}
	informative = make(integerSum, p-f.Noise)
	for j := range informative {
		informative[j] = zeroToFour
	}
	return p, informative
}

var zeroToFour = integerFeature{most: 4, step: 1}

// Sample returns n independent rows. With the same seed, the features are the same
// for every Noise.
func (f NoiseFeatures) Sample(n int, seed uint64) *datasets.Dataset {
	p, informative := f.params()
	d := newDataset("noise features", n, p, 2, 0)
	rng := newRand(seed)
	for _, col := range d.Columns {
		zeroToFour.fill(col, rng)
	}
	informative.label(d, rng)
	return d
}

// Bayes returns the rule. It takes class "1" where η exceeds its median, else class "0".
func (f NoiseFeatures) Bayes() Rule {
	_, informative := f.params()
	return informative.bayes(1)
}
