package forest_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/learners"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// A forest of more trees than memory holds is refused before memory is taken for them.
func TestTooManyTrees(t *testing.T) {
	d := sim.Trunk{Features: 3}.Sample(30, 1)
	for _, trees := range []int{1<<24 + 1, 1 << 40, 1 << 62} {
		for _, l := range learners.With(trees, 1) {
			kind := reflect.TypeOf(l)
			if _, ok := kind.FieldByName("Trees"); !ok || kind.PkgPath() == "github.com/obliqua-ml/obliqua/forest/auto" {
				continue // auto ends before the context's deadline with fewer
			}
			_, err := l.Fit(t.Context(), d)
			readtest.WantError(t, err, "trees; want 1 to 16777216")
		}
	}
}

// A forest without all of its trees has no predictions.
func TestTreesToBeGrown(t *testing.T) {
	d := sim.Trunk{Features: 3}.Sample(30, 1)
	ctx := t.Context()
	half := must.Value(forest.Grow(ctx, rf.Learner{Trees: 4}, d, forest.Options{Last: 2}))
	none := *half
	none.Trees = nil
	for f, want := range map[*forest.Forest]string{half: "tree 2 hasn't been grown", &none: "the forest has no trees"} {
		readtest.WantError(t, f.Check(d), want)
		_, err := f.Predict(ctx, d)
		readtest.WantError(t, err, want)
		_, err = f.OutOfBag(ctx, d)
		readtest.WantError(t, err, want)
		readtest.WantPanic(t, "forest: "+want, func() { f.Predictor() })
	}
	if depth := half.Trees[2].Depth(); depth != 0 {
		t.Errorf("depth %d of a tree without nodes", depth)
	}
}

// Misuse panics with the package's name.
func TestMisuse(t *testing.T) {
	d := sim.Trunk{Features: 3}.Sample(30, 1)
	ctx := t.Context()
	f := must.Value(rf.Learner{Trees: 2}.Fit(ctx, d))
	var none *forest.Forest
	missing := *d
	missing.Columns = [][]float32{append([]float32{float32(math.NaN())}, d.Columns[0][1:]...), d.Columns[1], d.Columns[2]}
	leaf := 0
	for !f.Trees[0].Nodes[leaf].IsLeaf() {
		leaf++
	}
	line := forest.Linear([]int32{0, 1}, []float32{0.5, 0.25})
	for _, c := range []struct {
		want string
		call func()
	}{
		{"forest: the forest is nil", func() { none.Check(d) }},
		{"forest: the forest is nil", func() { none.Predict(ctx, d) }},
		{"forest: the forest is nil", func() { none.Predictor() }},
		{"forest: Question of a leaf", func() { f.SplitString(&f.Trees[0], leaf) }},
		{"forest: column 0 has missing cells", func() { f.Filled(&missing) }},
		{"forest: -1 significant digits", func() { line.Format(nil, -1) }},
		{"forest: 3 different numbers of 2", func() { new(forest.Rand).Choose(make([]int32, 3), 2) }},
		{"forest: 3 different numbers of -1", func() { new(forest.Rand).Choose(make([]int32, 3), -1) }},
		{"datasets: the data set is nil", func() { f.Predict(ctx, nil) }},
		{"datasets: the data set is nil", func() { f.OutOfBag(ctx, nil) }},
		{"datasets: the data set is nil", func() { f.CheckTraining(nil) }},
	} {
		readtest.WantPanic(t, c.want, c.call)
	}
	for _, l := range learners.All() {
		readtest.WantPanic(t, "datasets: the data set is nil", func() { l.Fit(ctx, nil) })
	}
	if got, want := line.Format(nil, 1<<40), line.Format(nil, 6); got != want { // both numbers are exact
		t.Errorf("%q with many digits; want %q", got, want)
	}
	_, err := forest.Join(nil, nil)
	readtest.WantError(t, err, "part 0 of those to join is nil")
	_, err = forest.Grow(ctx, nil, d, forest.Options{})
	readtest.WantError(t, err, "no learner")
	_, err = f.AveragingGains(ctx, d, nil)
	readtest.WantError(t, err, "no out-of-bag predictions")
}
