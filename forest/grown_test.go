package forest_test

import (
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/hrf"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// A forest that continues another is the one that is grown at once, and only the other
// trees are grown. Methods that can't continue grow all trees.
func TestLearnersContinueAForest(t *testing.T) {
	d := sim.Trunk{Features: 5}.Sample(150, 1)
	for name, m := range map[string]struct {
		learner   func(trees int) forest.Learner
		continues bool
	}{
		"rf":          {func(n int) forest.Learner { return rf.Learner{Trees: n, Seed: 3} }, true},
		"bagging":     {func(n int) forest.Learner { return rf.Bagging{Trees: n, Seed: 3} }, true},
		"extra trees": {func(n int) forest.Learner { return rf.ExtraTrees{Trees: n, Seed: 3} }, true},
		"sporf":       {func(n int) forest.Learner { return sporf.Learner{Trees: n, Seed: 3} }, true},
		"frc":         {func(n int) forest.Learner { return sporf.FRC{Trees: n, Seed: 3} }, true},
		"oblique":     {func(n int) forest.Learner { return oblique.Learner{Trees: n, Seed: 3} }, true},
		"ccf":         {func(n int) forest.Learner { return ccf.Learner{Trees: n, Seed: 3} }, false},
		"oc1":         {func(n int) forest.Learner { return oc1.Learner{Trees: n, Seed: 3} }, true},
		"graf":        {func(n int) forest.Learner { return graf.Learner{Trees: n, Seed: 3} }, false},
		"hrf, whose trees depend on those before": {func(n int) forest.Learner { return hrf.Learner{Trees: n, Seed: 3} }, false},
	} {
		ctx := t.Context()
		first, err := m.learner(4).Fit(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := m.learner(9).Fit(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		reports := 0
		counting := forest.WithProgress(ctx, func(done, total int) {
			reports++
			if total != 9 {
				t.Errorf("%s: progress of %d trees; want 9", name, total)
			}
		})
		continued, err := m.learner(9).Fit(forest.WithGrown(counting, first), d)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(continued, whole) {
			t.Errorf("%s: the continued forest differs from the one grown at once", name)
		}
		if want := map[bool]int{true: 5, false: 9}[m.continues]; reports != want {
			t.Errorf("%s: %d trees were grown; want %d", name, reports, want)
		}
	}
}

// A forest that was grown otherwise isn't continued.
func TestLearnersContinueOnlyTheirForest(t *testing.T) {
	d := sim.Trunk{Features: 5}.Sample(150, 1)
	fit := func(l forest.Learner, grown *forest.Forest, rows int) *forest.Forest {
		t.Helper()
		ctx := t.Context()
		if grown != nil {
			ctx = forest.WithGrown(ctx, grown)
		}
		f, err := l.Fit(ctx, sim.Trunk{Features: 5}.Sample(rows, 1))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	l := rf.Learner{Trees: 3, Seed: 3}
	whole := fit(l, nil, d.N())
	seven, half := l, l
	seven.Seed, half.Sampling.Fraction = 7, 0.5
	more := l
	more.Trees = 4
	for name, grown := range map[string]*forest.Forest{
		"another seed":     fit(seven, nil, d.N()),
		"another sampling": fit(half, nil, d.N()),
		"another method":   fit(rf.Bagging{Trees: 3, Seed: 3}, nil, d.N()),
		"other rows":       fit(l, nil, d.N()-1),
		"more trees":       fit(more, nil, d.N()),
		"no forest":        nil,
	} {
		if f := fit(l, grown, d.N()); !reflect.DeepEqual(f, whole) {
			t.Errorf("%s: its trees were taken", name)
		}
	}
	if f := fit(l, whole, d.N()); !reflect.DeepEqual(f, whole) {
		t.Error("continued by no tree: the forest differs")
	}
}
