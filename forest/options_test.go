package forest_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// Learners of all kinds share a Prepared, also with one table after another, and grow the same forests.
func TestPreparedTables(t *testing.T) {
	tables := []*datasets.Dataset{sim.Trunk{Features: 5}.Sample(60, 1), sim.Trunk{Features: 5}.Sample(60, 2)}
	var kept forest.Prepared
	for name, learner := range independent(2) {
		for _, d := range append(tables, tables...) {
			want := must.Value(learner.Fit(t.Context(), d))
			got, err := forest.Grow(t.Context(), learner, d, forest.Options{Prepared: &kept})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: another forest, error %v", name, err)
			}
		}
	}
}

// A learner that chooses among forests grows no part, and says so before it grows any.
func TestNoPartsOfChosenForests(t *testing.T) {
	d := sim.Trunk{Features: 3}.Sample(40, 1)
	ctx := forest.WithProgress(t.Context(), func(int, int) { t.Error("trees are grown") })
	for _, l := range []forest.Learner{auto.Learner{}, forest.Pipeline(auto.Learner{}, datasets.Standardise{})} {
		if _, err := forest.FitPart(ctx, l, d, 0, 1); !errors.Is(err, forest.ErrWhole) {
			t.Errorf("%v: error %v, want ErrWhole", l, err)
		}
	}
}

// Options that ask for trees that a forest doesn't have.
func TestBeginRefuses(t *testing.T) {
	for _, o := range []forest.Options{{First: -1}, {First: 3}, {Last: 4}, {First: 2, Last: 2}, {First: 2, Last: 1},
		{Last: -1}} {
		if _, _, err := o.Begin(&forest.Forest{Trees: make([]forest.Tree, 3)}); err == nil {
			t.Errorf("%+v: no error for a forest of 3 trees", o)
		}
	}
}
