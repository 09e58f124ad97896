package sim

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// RandomIntercepts is a problem whose rows come in groups, such as the visits of a patient: a mixed model with a random
// intercept, by which error estimates that don't know of groups go wrong. It is ours.
//
// A group has a centre, whose features are normal, and an effect u, which is normal with standard deviation Effect. A
// row's features are the centre's plus a fifth of normal numbers, and its class is "1" if x1 + u + e > 0, where e is
// normal with standard deviation 0.3. So the rows of a group are near each other and mostly of one class. That helps
// to predict further rows of the same groups, as those that are left out of a bootstrap sample of rows are. Rows of
// new groups, whose effects nothing tells, are much harder.
type RandomIntercepts struct {
	Features int     // 0 means 10; all but x1 are noise
	Size     int     // rows of a group; 0 means 10
	Effect   float64 // 0 means 1.5; up to 1000
}

const (
	interceptWithin = 0.2 // standard deviation of a feature within a group
	interceptNoise  = 0.3
)

func (r RandomIntercepts) params() (p, size int, effect float64) {
	return orDefault(r.Features, 10, maxFeatures, "RandomIntercepts.Features"),
		orDefault(r.Size, 10, math.MaxInt32, "RandomIntercepts.Size"),
		orDefault(r.Effect, 1.5, 1000, "RandomIntercepts.Effect")
}

// Sample returns n rows, one group after another; only the last group may have fewer than Size.
func (r RandomIntercepts) Sample(n int, seed uint64) *datasets.Dataset {
	p, size, effect := r.params()
	d := newDataset("random intercepts", n, p, 2, 0)
	d.Groups = make([]int32, n)
	rng := newRand(seed)
	centre, u := make([]float64, p), 0.0
	for i := range n {
		d.Groups[i] = int32(i / size)
		if i%size == 0 {
			for j := range centre {
				centre[j] = normal(rng)
			}
			u = float64(effect * normal(rng))
		}
		for j, c := range centre {
			d.Columns[j][i] = float32(c + float64(interceptWithin*normal(rng)))
		}
		d.Labels[i] = likelier(float64(d.Columns[0][i]) + u + float64(interceptNoise*normal(rng)))
	}
	return d
}

// Bayes returns the rule for rows of new groups. It takes class "1" where x1 > 0. With s the standard deviation of x1
// and t that of u + e, its error is arctan(t/s)/π: the angle between the line of x1 and u + e on which the class
// changes and the line on which x1 does, as a share of half a turn.
func (r RandomIntercepts) Bayes() Rule {
	_, _, effect := r.params()
	t := math.Hypot(effect, interceptNoise)
	posterior := func(x []float32) []float64 {
		z := float64(x[0]) / t
		return []float64{phi(-z), phi(z)}
	}
	return ofPosterior(posterior, func() float64 { return math.Atan(t/math.Hypot(1, interceptWithin)) / math.Pi })
}
