package once

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/learners"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// fitCounting is Fit, and reports whether the learner grew trees.
func fitCounting(t *testing.T, l forest.Learner, d *datasets.Dataset) (model *forest.Forest, grew bool, err error) {
	t.Helper()
	ctx := forest.WithProgress(t.Context(), func(int, int) { grew = true })
	model, err = Fit(ctx, l, d)
	return model, grew, err
}

// place puts a kept model where that of another learner or of other data is looked for.
func place(t *testing.T, dir string, model *forest.Forest, l forest.Learner, d *datasets.Dataset) {
	t.Helper()
	path := filepath.Join(dir, "models", key(t, l, d)+extension)
	must.Do(os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(model.Save(path))
}

// A kept model of another learner or of other data is replaced, and Fit says so once.
func TestKeptModelOfSomethingElse(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OBLIQUA_CACHE", dir)
	d := sim.Trunk{Features: 3}.Sample(40, 1)
	model := must.Value(sporf.Learner{Trees: 3, Seed: 1}.Fit(t.Context(), d))
	fewer := d.Subset([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	renamed, classes, target := *d, *d, *d
	renamed.Features = append([]datasets.Feature{{Name: "other"}}, d.Features[1:]...)
	classes.Classes = []string{"yes", "no"}
	target.Target = "other"
	for _, c := range []struct {
		learner forest.Learner
		data    *datasets.Dataset
		want    string
	}{
		{sporf.Learner{Trees: 3, Seed: 2}, d, "its seed is 1; want 2"},
		{forest.Pipeline(sporf.Learner{Trees: 3, Seed: 3}, datasets.Standardise{}), d, "its seed is 1; want 3"},
		{sporf.Learner{Trees: 5, Seed: 1}, d, "it has 3 trees; want 5"},
		{sporf.Learner{Trees: 3, Seed: 1}, fewer, "it was trained on 40 rows; want 10"},
		{sporf.Learner{Trees: 3, Seed: 1}, d.Select(0, 1), "it has other features"},
		{sporf.Learner{Trees: 3, Seed: 1}, &renamed, "it has other features"},
		{sporf.Learner{Trees: 3, Seed: 1}, &classes, `want ["yes" "no"]`},
		{sporf.Learner{Trees: 3, Seed: 1}, &target, `want "other"`},
		{part{1}, d.Select(0, 1), "it has other features"}, // a learner of a user's own
	} {
		place(t, dir, model, c.learner, c.data)
		want := must.Value(c.learner.Fit(t.Context(), c.data))
		got, _, err := fitCounting(t, c.learner, c.data)
		readtest.WantError(t, err, c.want, "trained again")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got the kept model", c.want)
		}
		if _, grew, err := fitCounting(t, c.learner, c.data); grew || err != nil {
			t.Errorf("%s: the second time it grew trees: %v, error %v", c.want, grew, err)
		}
	}
}

// part is a learner of a user's own that trains on half of the rows, by a seed of its own.
type part struct{ Seed uint64 }

func (p part) Fit(ctx context.Context, d *datasets.Dataset) (*forest.Forest, error) {
	rows := make([]int32, d.N()/2)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rf.Learner{Trees: 2, Seed: p.Seed + 7}.Fit(ctx, d.Subset(rows))
}

// The model that a learner has grown is never taken for another one.
func TestKeptModelsOfAllLearners(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	d := sim.Trunk{Features: 3}.Sample(40, 1)
	for _, l := range append(learners.With(3, 7), rf.Learner{}, part{7},
		forest.Pipeline(rf.Learner{Seed: 7, Trees: 3}, datasets.Impute{}, datasets.Standardise{})) {
		first, _, err := fitCounting(t, l, d)
		if err != nil {
			t.Fatalf("%T: %v", l, err)
		}
		again, grew, err := fitCounting(t, l, d)
		if err != nil || grew ||
			!reflect.DeepEqual(must.Value(again.Predict(t.Context(), d)), must.Value(first.Predict(t.Context(), d))) {
			t.Errorf("%T: the second time it grew trees: %v, error %v", l, grew, err)
		}
	}
}

// The least recently used models are removed, but not the one to keep and nobody else's files. Files of killed
// processes count for the limit, and are removed after a day.
func TestPrune(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("OBLIQUA_CACHE", cache)
	dir := filepath.Join(cache, "models")
	must.Do(os.Mkdir(dir, 0o755))
	write := func(name string, size int, age time.Duration) {
		path, at := filepath.Join(dir, name), time.Now().Add(-age)
		must.Do(os.WriteFile(path, make([]byte, size), 0o644))
		must.Do(os.Chtimes(path, at, at))
	}
	wantLeft := func(want ...string) {
		t.Helper()
		var names []string
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if !reflect.DeepEqual(names, want) {
			t.Errorf("left %q; want %q", names, want)
		}
	}
	write(".obliqua-1.tmp", 200, time.Hour)
	write("a"+extension, 100, 3*time.Hour)
	write("b"+extension, 100, 2*time.Hour)
	write("kept"+extension, 100, 9*time.Hour)
	write("notes.txt", 100, 8*time.Hour)
	must.Do(prune(dir, filepath.Join(dir, "kept"+extension), 450))
	wantLeft(".obliqua-1.tmp", "b"+extension, "kept"+extension, "notes.txt")

	write(".obliqua-2.tmp", 200, 25*time.Hour)
	l, d := counter{calls: &calls{}}, data()
	left := []string{".obliqua-1.tmp", key(t, l, d) + extension, "b" + extension, "kept" + extension, "notes.txt"}
	must.Value(Fit(t.Context(), l, d))
	slices.Sort(left)
	wantLeft(left...)
}
