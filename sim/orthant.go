package sim

import "github.com/obliqua-ml/obliqua/datasets"

// Orthant is the problem of Tomita et al. (2020), section 4.2: features
// uniform on (−1, 1), and one class for each of the 2^p orthants. Axis-aligned
// splits suffice.
//
// Classes are named "1" … "2^p"; class index c has feature j positive where
// bit j of c is set, both counted from 0.
type Orthant struct {
	Features int // number of features p ≤ 20; 0 means 6
}

func (o Orthant) params() (p int) { return orDefault(o.Features, 6, 20, "Orthant.Features") }

// Sample returns n independent rows.
func (o Orthant) Sample(n int, seed uint64) *datasets.Dataset {
	p := o.params()
	return sampleUniform("orthant", n, p, 1<<p, 1, seed, o.Bayes())
}

// Bayes returns the rule. A row determines its class.
func (o Orthant) Bayes() Rule {
	p := o.params()
	return withoutOverlap(1<<p, func(x []float32) (y int32) {
		for j, v := range x[:p] {
			if v > 0 {
				y |= 1 << j
			}
		}
		return y
	})
}
