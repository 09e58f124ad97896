package tao

import (
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// Of one feature that is 0 in n rows of the first class and 1 in n of the second, the split minimises
// n·log(1 + exp(b)) + n·log(1 + exp(−w − b)) + λ·s·|w| + λ·|b|, where s is 1 or, standardised, ½. With λ = n/10 and
// b < 0 < w the derivatives are 0 where the rows' probabilities of the wrong side are s/10 (x = 1) and (1 + s)/10
// (x = 0). With a free bias both are s/10. Columns of zeros make the data sparse.
func TestPenalisedBias(t *testing.T) {
	const n = 50
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	for _, sparse := range []bool{false, true} {
		for _, l := range []Learner{{}, {PenalisedBias: true}, {Unscaled: true}, {Unscaled: true, PenalisedBias: true}} {
			d := &datasets.Dataset{Classes: []string{"a", "b"}, Features: []datasets.Feature{{Name: "x"}, {Name: "zero"}},
				Columns: [][]float32{make([]float32, 2*n), make([]float32, 2*n)}, Labels: make([]int32, 2*n)}
			if !sparse {
				d.Features, d.Columns = d.Features[:1], d.Columns[:1]
			}
			for i := n; i < 2*n; i++ {
				d.Columns[0][i], d.Labels[i] = 1, 1
			}
			s, both := 0.5, 0.0
			if l.Unscaled {
				s = 1
			}
			if l.PenalisedBias {
				both = 1
			}
			b := logit((s + both) / 10)
			w := -logit(s/10) - b
			l.Trees, l.Depth, l.Lambda, l.Acceptance, l.Sampling = 1, 1, n/10, Free, forest.AllRows
			o, _ := started(t, l, d)
			for range 40 {
				o.step(new(scratch), 0, o.sample)
			}
			threshold, weight := float64(o.nodes[0].threshold), float64(o.nodes[0].fn.Weights[0])
			if weight < 0 { // sides are exchanged
				threshold, weight = -threshold, -weight
			}
			if math.Abs(weight-w) > 1e-3 || math.Abs(threshold+b) > 1e-3 {
				t.Errorf("sparse %v, %+v: %v x > %v, want %v x > %v", sparse, l, weight, threshold, w, -b)
			}
			if got, want := o.state().Penalty, n/10*(s*w-both*b); math.Abs(got-want) > 1e-2 {
				t.Errorf("sparse %v, %+v: penalty %v, want %v", sparse, l, got, want)
			}
		}
	}
}
