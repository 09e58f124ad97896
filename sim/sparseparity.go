package sim

import "github.com/obliqua-ml/obliqua/datasets"

// SparseParity is the generalised exclusive-or of Tomita et al. (2020),
// section 4.2: features uniform on (−1, 1), and class "1" where an odd number
// of the first Informative features is positive, else class "0". Fewer than
// Informative features carry no information about the class.
type SparseParity struct {
	Features    int // number of features p; 0 means 20
	Informative int // number of informative features p* ≤ p; 0 means 3
}

func (s SparseParity) params() (p, informative int) {
	p = orDefault(s.Features, 20, maxFeatures, "SparseParity.Features")
	return p, orDefault(s.Informative, 3, p, "SparseParity.Informative")
}

// Sample returns n independent rows.
func (s SparseParity) Sample(n int, seed uint64) *datasets.Dataset {
	p, _ := s.params()
	return sampleUniform("sparse parity", n, p, 2, 0, seed, s.Bayes())
}

// Bayes returns the rule. A row determines its class.
func (s SparseParity) Bayes() Rule {
	_, informative := s.params()
	return withoutOverlap(2, func(x []float32) (y int32) {
		for _, v := range x[:informative] {
			if v > 0 {
				y ^= 1
			}
		}
		return y
	})
}
