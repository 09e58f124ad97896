package auto

import (
	"testing"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// The report's interval holds the error on new groups if the data set has them, and is far below it otherwise.
func TestReportOfGroups(t *testing.T) {
	test := sim.RandomIntercepts{}.Sample(4000, 100)
	for seed := range uint64(3) {
		d := sim.RandomIntercepts{}.Sample(300, seed)
		for _, grouped := range []bool{true, false} {
			if !grouped {
				d.Groups = nil
			}
			model, r := fitted(t, Learner{Trees: 40, Seed: 1}, d)
			wrong := eval.Error(must.Value(model.Predict(t.Context(), test)), test.Labels)
			if holds := r.Interval.Low <= wrong && wrong <= r.Interval.High; holds != grouped {
				t.Errorf("seed %d, groups %v: an error of %.3f, interval %.3f", seed, grouped, wrong, r.Interval)
			}
			if d := r.Error - wrong; !grouped && d > -0.15 {
				t.Errorf("seed %d: without groups it is %.3f, and %.3f was expected", seed, wrong, r.Error)
			}
		}
	}
}

// Of a single group no row is out of bag.
func TestOneGroup(t *testing.T) {
	d := sim.RandomIntercepts{}.Sample(60, 1)
	for i := range d.Groups {
		d.Groups[i] = 0
	}
	if _, err := (Learner{Trees: 10}).Fit(t.Context(), d); err == nil {
		t.Error("a race on one group, of which nothing is out of bag")
	}
}
