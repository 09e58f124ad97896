package godt

import (
	"context"
	"runtime"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A full covariance of too many features is refused before anything is made. It has no more rows and columns than
// there are rows, so few rows may have any number of features.
func TestTooManyFeaturesOfAFullCovariance(t *testing.T) {
	const n = maxFull + 1
	d := fittest.Wide(n, n)
	full := Splitting{Divider: SharedFull}
	want := "a full covariance of 16385 features; want at most 16384"
	_, err := (Tree{Splitting: full}).Fit(t.Context(), d)
	readtest.WantError(t, err, want)
	for name, l := range map[string]Learner{
		"few features at a node": {Splitting: full, NodeFeatures: 50},
		"few features of a tree": {Splitting: full, TreeFeatures: 50},
		"default":                {Splitting: full},
		"diagonal":               {Splitting: Splitting{Divider: SharedDiagonal}, TreeFeatures: n},
	} {
		if err := l.check(d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	few := fittest.Wide(20, n)
	if err := (Tree{Splitting: full}.forest(n)).check(few); err != nil {
		t.Errorf("20 rows: %v", err)
	}
}

// Tune looks at its context before each tree that rows are sent down, and gives up at once.
func TestTuningEndsWithItsContext(t *testing.T) {
	d := &datasets.Dataset{Name: "line", Target: "y", Features: []datasets.Feature{{Name: "x"}},
		Columns: make([][]float32, 1),
		Classes: []string{"a", "b"}}
	for i := range 40 {
		d.Columns[0], d.Labels = append(d.Columns[0], float32(i)), append(d.Labels, int32(i%2))
	}
	families := must.Value(familiesOf([]forest.Learner{Learner{Trees: 40}}, d.P()))
	of := families[0]
	f := must.Value(fit(t.Context(), d, of.grown, of.single, forest.Options{}))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one goroutine looks
	for left := range len(f.Trees) {
		count := &calltest.Count{Left: left}
		if err := of.ask(count.Context(t.Context()), f, d, nil); err != context.Canceled || count.After() > 3 {
			t.Errorf("cancelled at look %d: error %v after %d more looks", left, err, count.After())
		}
	}
}
