package eval

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// constant returns a learner whose forest of bootstrapped trees always
// predicts the given class, or value.
func constant(class int32, value float32) forest.Learner {
	return learnerFunc(func(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
		model := &forest.Forest{Features: train.FeatureNames(), Classes: train.Classes, Rows: train.N(), Seed: 1}
		leaf := forest.ClassLeaf(class, 0)
		if train.Values != nil {
			leaf = forest.ValueLeaf(value, 0)
		}
		for range 100 { // every row is out of bag in some tree
			model.Trees = append(model.Trees, forest.Tree{Classes: len(train.Classes), Nodes: []forest.Node{leaf}})
		}
		return model, nil
	})
}

func TestTuneOutOfBagByHand(t *testing.T) {
	d := toy([]int32{0, 1, 1, 1, 0, 1, 1, 1, 1, 1}, nil)
	tuning := must.Value(Tune(t.Context(), []forest.Learner{constant(0, 0), constant(1, 0), constant(1, 0)}, d, nil))
	se := math.Sqrt(0.2 * 0.8 / 10)
	want := Tuning{Error: []float64{0.8, 0.2, 0.2}, StdErr: []float64{se, se, se}}
	for i := range want.Error {
		if !same(tuning.Error[i], want.Error[i]) || !same(tuning.StdErr[i], want.StdErr[i]) {
			t.Errorf("learner %d: %v ± %v, want %v ± %v", i, tuning.Error[i], tuning.StdErr[i], want.Error[i], want.StdErr[i])
		}
	}
	if tuning.Best != 1 || tuning.By != "error rate" || must.Value(tuning.Model.Predict(t.Context(), d))[0] != 1 {
		t.Errorf("learner %d is best by %s, want 1, the earlier of equals, by error rate", tuning.Best, tuning.By)
	}

	// Squared errors of 2: 4, 0, 4, mean 8/3, standard error √(16/3)/√3.
	twoOrFive := []forest.Learner{constant(0, 2), constant(0, 5)}
	tuning = must.Value(Tune(t.Context(), twoOrFive, toy(nil, []float64{0, 2, 4}), nil))
	if tuning.Best != 0 || tuning.By != "mean squared error" ||
		!same(tuning.Error[0], 8./3) || !same(tuning.StdErr[0], 4./3) {
		t.Errorf("learner %d, %v ± %v, want 0, 8/3 ± 4/3", tuning.Best, tuning.Error[0], tuning.StdErr[0])
	}
}

func TestTuneForests(t *testing.T) {
	d := sim.SparseParity{Features: 6, Informative: 2}.Sample(300, 1)
	learners := []forest.Learner{
		rf.Learner{Trees: 20, NodeFeatures: 1, Growth: forest.Growth{MaxDepth: 1}, Seed: 1},
		rf.Learner{Trees: 20, NodeFeatures: 6, Seed: 1},
	}
	step := datasets.Standardise{}
	tuning := must.Value(Tune(t.Context(), learners, d, nil, step))
	for i, learner := range learners {
		model := must.Value(forest.Pipeline(learner, step).Fit(t.Context(), d))
		oob := must.Value(model.OutOfBag(t.Context(), d))
		if tuning.Error[i] != oob.Error() {
			t.Errorf("learner %d: error %v, want %v", i, tuning.Error[i], oob.Error())
		}
		if (i == tuning.Best) != reflect.DeepEqual(model, tuning.Model) {
			t.Errorf("learner %d of which %d is best: its model is returned or not, want the other", i, tuning.Best)
		}
	}
	if tuning.Best != 1 {
		t.Errorf("learner %d is best; stumps can't learn parity", tuning.Best)
	}

	by := datasets.KFold{K: 3, Stratified: true, Seed: 2}
	tuning = must.Value(Tune(t.Context(), learners, d, by, step))
	for i, learner := range learners {
		scores := must.Value(CrossValidate(t.Context(), forest.Pipeline(learner, step), d, by))
		if mean, stderr := scores.Loss(); tuning.Error[i] != mean || tuning.StdErr[i] != stderr {
			t.Errorf("learner %d: %v ± %v, want %v ± %v", i, tuning.Error[i], tuning.StdErr[i], mean, stderr)
		}
	}
	if tuning.Best != 1 || tuning.Model != nil {
		t.Errorf("learner %d is best, model %v; want 1 and no model", tuning.Best, tuning.Model)
	}
}

func TestTuneFails(t *testing.T) {
	d := toy([]int32{0, 1, 0, 1}, nil)
	if _, err := Tune[forest.Learner](t.Context(), nil, d, nil); err == nil {
		t.Error("no error without learners")
	}
	// oneLeaf sees every row.
	_, err := Tune(t.Context(), []forest.Learner{constant(0, 0), learnerFunc(oneLeaf)}, d, nil)
	readtest.WantError(t, err, "learner 2 of 2")
	if _, err = Tune(t.Context(), []forest.Learner{learnerFunc(oneLeaf)}, d, predefined{}); err == nil {
		t.Error("no error without folds")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = Tune(ctx, []forest.Learner{constant(0, 0)}, d, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestTuneStopsWhereNothingCanBeBetter(t *testing.T) {
	d := sim.Trunk{Features: 1}.Sample(50, 1)
	for i, y := range d.Labels {
		d.Columns[0][i] = float32(y) // the feature is the class
	}
	tuning, err := Tune(t.Context(), []forest.Learner{rf.Learner{Trees: 20}, rf.Learner{Trees: -1}}, d, nil)
	if err != nil {
		t.Fatalf("the second learner, which fails, was tried: %v", err)
	}
	if tuning.Best != 0 || len(tuning.Error) != 2 || tuning.Error[0] != 0 || !math.IsNaN(tuning.Error[1]) ||
		!math.IsNaN(tuning.StdErr[1]) {
		t.Errorf("%+v; want learner 0 with error 0, and no error of the other", tuning)
	}
}
