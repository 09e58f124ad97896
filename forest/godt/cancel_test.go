package godt

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
)

// A full covariance of too many features is refused before anything is made. It has no more rows and columns than
// there are rows, so few rows may have any number of features.
func TestTooManyFeaturesOfAFullCovariance(t *testing.T) {
	const n = maxFull + 1
	column := make([]float32, n)
	d := &datasets.Dataset{Name: "large", Target: "y", Labels: make([]int32, n), Classes: []string{"a", "b"}}
	for i := range column {
		column[i], d.Labels[i] = float32(i), int32(i%2)
	}
	for j := range n {
		d.Features = append(d.Features, datasets.Feature{Name: string(rune('0'+j%10)) + string(rune(0x4e00+j/10))})
		d.Columns = append(d.Columns, column)
	}
	full := Splitting{Divider: SharedFull}
	want := "a full covariance of 16385 features; want at most 16384"
	if _, err := (Tree{Splitting: full}).Fit(t.Context(), d); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
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
	few := *d
	few.Labels = d.Labels[:20]
	for j := range few.Columns {
		few.Columns[j] = column[:20]
	}
	if err := (Tree{Splitting: full}.forest(few.P())).check(&few); err != nil {
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
