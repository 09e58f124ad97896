package auto

import (
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
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

// A row of weight 0 has the score of an equal row of its group, which trees are grown on.
func TestScoresOfWeightlessRows(t *testing.T) {
	once := sim.RandomIntercepts{}.Sample(60, 1)
	var rows []int32
	var weights []float32
	for i := range int32(2 * 60) {
		rows, weights = append(rows, i%60), append(weights, float32(i/60)) // 0, then 1
	}
	d := once.Subset(rows)
	d.Weights = weights
	f := must.Value(rf.Learner{Trees: 100, Seed: 1}.Fit(t.Context(), d))
	r := newResiduals(d, len(d.Classes))
	must.Do(r.add(t.Context(), f, d))
	if scores := r.scores(2 * 60); !slices.Equal(scores[:60], scores[60:]) {
		t.Errorf("scores %v of weight 0, and %v of weight 1", scores[:60], scores[60:])
	}
}
