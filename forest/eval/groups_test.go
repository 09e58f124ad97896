package eval_test

import (
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// Cross-validation, its repetitions, tuning and races all see how much harder new groups are.
func TestErrorsOfNewGroups(t *testing.T) {
	grouped := sim.RandomIntercepts{}.Sample(600, 1)
	plain := *grouped
	plain.Groups = nil
	learners := []rf.Learner{{Trees: 30, Seed: 1}, {Trees: 30, NodeFeatures: 1, Seed: 1}}
	withTrees := func(l rf.Learner, trees int) rf.Learner {
		l.Trees = trees
		return l
	}
	for name, loss := range map[string]func(d *datasets.Dataset) float64{
		"folds": func(d *datasets.Dataset) float64 {
			mean, _ := must.Value(eval.CrossValidate(t.Context(), learners[0], d, datasets.KFold{Stratified: true})).Loss()
			return mean
		},
		"repeated": func(d *datasets.Dataset) float64 {
			mean, _ := must.Value(eval.CrossValidate(t.Context(), learners[0], d, eval.RepeatedKFold(4, 2, 1))).Loss()
			return mean
		},
		"tune": func(d *datasets.Dataset) float64 {
			return must.Value(eval.Tune(t.Context(), learners, d, nil)).Error[0]
		},
		"race": func(d *datasets.Dataset) float64 {
			return must.Value(eval.Race(t.Context(), learners, withTrees, 30, d, eval.RaceOptions{First: 10})).Error[0]
		},
	} {
		// Sixty groups: an error of 0.35 has a standard error of about 0.06, and known groups one of 0.1 at most.
		if with, without := loss(grouped), loss(&plain); with < 0.2 || without > 0.15 {
			t.Errorf("%s: errors %.3f of new groups and %.3f of known ones; want about 0.35 and 0.1", name, with, without)
		}
	}
}

// By definition: the out-of-bag error is a ratio of sums over groups, whose rests have a mean of 0.
func TestTuneStdErrOfGroups(t *testing.T) {
	d := sim.RandomIntercepts{Size: 7}.Sample(400, 2)
	tuning := must.Value(eval.Tune(t.Context(), []rf.Learner{{Trees: 30, Seed: 1}}, d, nil))
	losses := must.Value(tuning.Model.OutOfBagLosses(t.Context(), d))
	rests, n := map[int32]float64{}, 0.0
	for i, v := range losses {
		if v == v {
			rests[d.Groups[i]] += v - tuning.Error[0]
			n++
		}
	}
	squares, groups := 0.0, float64(len(rests))
	for _, v := range rests {
		squares += v * v
	}
	want := math.Sqrt(groups/(groups-1)*squares) / n
	if got := tuning.StdErr[0]; math.Abs(got-want) > 1e-12 {
		t.Errorf("standard error %v; want %v", got, want)
	}
}
