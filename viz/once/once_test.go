package once

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// counter is a learner that counts its fits.
type counter struct {
	Trees int
	Seed  uint64
	Inner struct{ Weights []float64 }
	note  string
	calls *calls
}

type calls struct{ n int }

func (c counter) Fit(ctx context.Context, _ *datasets.Dataset) (*forest.Forest, error) {
	c.calls.n++
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &forest.Forest{Method: "counter", Features: []string{"a", "b"}, Classes: []string{"x", "y"},
		Trees: []forest.Tree{{
			Classes: 2, Nodes: []forest.Node{forest.ClassLeaf(int32(c.Seed%2), 3)},
		}}}, nil
}

func data() *datasets.Dataset {
	return &datasets.Dataset{
		Name: "d", Target: "t",
		Features: []datasets.Feature{{Name: "a"}, {Name: "b"}},
		Columns:  [][]float32{{1, 2, 3}, {4, 5, 6}},
		Labels:   []int32{0, 1, 1},
		Classes:  []string{"x", "y"},
		Weights:  []float32{1, 2, 1},
	}
}

func key(t interface{ Fatal(...any) }, l forest.Learner, d *datasets.Dataset) string {
	return must.Value(keyOf(forest.GrowthRevision, l, d))
}

func TestFit(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OBLIQUA_CACHE", dir)
	ctx := context.Background()
	// The key includes the number of calls, which is 0 when Fit computes it.
	fit := func(seed uint64) (*forest.Forest, int) {
		l := counter{Seed: seed, calls: &calls{}}
		model := must.Value(Fit(ctx, l, data()))
		return model, l.calls.n
	}
	first, n := fit(1)
	if n != 1 {
		t.Fatal("not trained")
	}
	second, n := fit(1)
	if n != 0 || !reflect.DeepEqual(first, second) {
		t.Errorf("trained %d times more; %v and %v", n, first, second)
	}
	if _, n := fit(2); n != 1 {
		t.Error("another seed got a model from the cache")
	}
	files, err := filepath.Glob(filepath.Join(dir, "models", "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, f := range files {
		raw := must.Value(os.ReadFile(f))
		raw[len(raw)/2] ^= 1
		must.Do(os.WriteFile(f, raw[:len(raw)-1], 0o644))
	}
	if third, n := fit(1); n != 1 || !reflect.DeepEqual(first, third) {
		t.Errorf("a damaged file: trained %d times", n)
	}
	if _, n := fit(1); n != 0 {
		t.Error("a damaged file was not replaced")
	}
}

// A model that may be worse because of a deadline isn't kept; a kept one is returned.
func TestDeadline(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	hurried, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for i, c := range []struct {
		ctx  context.Context
		fits int
	}{{hurried, 1}, {hurried, 1}, {t.Context(), 1}, {t.Context(), 0}, {hurried, 0}} {
		l := counter{calls: &calls{}}
		must.Value(Fit(c.ctx, l, data()))
		if l.calls.n != c.fits {
			t.Errorf("call %d: trained %d times, want %d", i, l.calls.n, c.fits)
		}
	}
}

func TestFitErrors(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, counter{calls: &calls{}}, data()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	bad := data()
	bad.Columns[1] = nil
	if _, err := Fit(context.Background(), counter{calls: &calls{}}, bad); err == nil {
		t.Error("no error for a ragged table")
	}
	_, err := Fit(context.Background(), nil, data())
	readtest.WantError(t, err, "once: no learner to fit")
	// A model that can't be kept is not lost.
	file := filepath.Join(t.TempDir(), "file")
	must.Do(os.WriteFile(file, nil, 0o644))
	t.Setenv("OBLIQUA_CACHE", file)
	if model, err := Fit(context.Background(), counter{calls: &calls{}}, data()); model == nil || err == nil {
		t.Errorf("model %v, error %v; want both", model, err)
	}
}

// TestKeyIsTheSame for copies, for a subset and the rows it selects, for a learner
// with a pointer to an equal value, and for any name of the data set.
func TestKeyIsTheSame(t *testing.T) {
	want := key(t, counter{calls: &calls{}}, data())
	renamed := data()
	renamed.Name = "other"
	if key(t, counter{calls: &calls{}}, renamed) != want {
		t.Error("the name of the data set counts")
	}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Int32Range(0, 2), 1, 6).Draw(t, "rows")
		subset := data().Subset(rows)
		copied := *subset
		copied.Rows = nil
		copied.Columns = [][]float32{slices.Clone(subset.Column(nil, 0)), slices.Clone(subset.Column(nil, 1))}
		if key(t, counter{calls: &calls{}}, subset) != key(t, counter{calls: &calls{}}, &copied) {
			t.Fatal("a subset and its copy differ")
		}
	})
}

// other has the fields of counter but is another learner.
type other counter

func (o other) Fit(ctx context.Context, d *datasets.Dataset) (*forest.Forest, error) {
	return counter(o).Fit(ctx, d)
}

// TestKeyChanges with everything that makes a different model.
func TestKeyChanges(t *testing.T) {
	learners := []forest.Learner{
		counter{}, other{}, counter{Trees: 1}, counter{Seed: 1}, counter{note: "n"}, counter{calls: &calls{}},
		counter{calls: &calls{1}},
	}
	for _, weights := range [][]float64{{0}, {1}, {0, 0}, {math.NaN()}, {math.Copysign(0, -1)}} {
		c := counter{}
		c.Inner.Weights = weights
		learners = append(learners, c)
	}
	seen := map[string]int{}
	for i, l := range learners {
		k := key(t, l, data())
		if j, ok := seen[k]; ok {
			t.Errorf("learners %d and %d have the same key", j, i)
		}
		seen[k] = i
	}
	if one := must.Value(keyOf(1, counter{}, data())); one == must.Value(keyOf(2, counter{}, data())) {
		t.Error("a model of an older growth rule has the key of a new one")
	}

	changes := []func(d *datasets.Dataset){
		func(d *datasets.Dataset) {},
		func(d *datasets.Dataset) { d.Target = "u" },
		func(d *datasets.Dataset) { d.Features[0].Name = "ab" },
		func(d *datasets.Dataset) { d.Features[0].Name, d.Features[1].Name = "", "ab" },
		func(d *datasets.Dataset) { d.Features[0].Categories = []string{"p", "q", "r", "s"} },
		func(d *datasets.Dataset) { d.Columns[0], d.Columns[1] = d.Columns[1], d.Columns[0] },
		func(d *datasets.Dataset) { d.Columns[1][2] = math.Nextafter32(6, 7) },
		func(d *datasets.Dataset) { d.Columns[1][2] = float32(math.NaN()) },
		func(d *datasets.Dataset) { d.Features[0].Scale.Offset = 1.7e12 },
		func(d *datasets.Dataset) { d.Features[0].Scale.Unit = "%" },
		func(d *datasets.Dataset) { d.Labels[0] = 1 },
		func(d *datasets.Dataset) { d.Classes = []string{"xy", ""} },
		func(d *datasets.Dataset) { d.Classes = append(d.Classes, "z") },
		func(d *datasets.Dataset) { d.Weights[0] = 3 },
		func(d *datasets.Dataset) { d.Weights = nil },
		func(d *datasets.Dataset) { d.Notes = []string{"n"} },
		func(d *datasets.Dataset) { d.Groups = []int32{0, 0, 0} },
		func(d *datasets.Dataset) { d.Groups = []int32{0, 1, 0} },
		func(d *datasets.Dataset) { d.Labels, d.Values = nil, []float64{0, 1, 1} },
		func(d *datasets.Dataset) { d.Labels, d.Values = nil, []float64{0, 1, 2} },
		func(d *datasets.Dataset) { *d = *d.Subset([]int32{0, 2, 1}) },
		func(d *datasets.Dataset) { *d = *d.Subset([]int32{0, 1}) },
		func(d *datasets.Dataset) { *d = *d.Select(0) },
	}
	seen = map[string]int{}
	for i, change := range changes {
		d := data()
		change(d)
		k := key(t, counter{}, d)
		if j, ok := seen[k]; ok {
			t.Errorf("changes %d and %d give the same key", j, i)
		}
		seen[k] = i
	}
}

// odd is a learner with a field that can't be part of a key.
type odd struct {
	f any
}

func (odd) Fit(context.Context, *datasets.Dataset) (*forest.Forest, error) { return nil, nil }

func TestKeyRejects(t *testing.T) {
	type ring struct{ next *ring }
	loop := &ring{}
	loop.next = loop
	for _, f := range []any{func() {}, make(chan int), map[string]int{}, loop} {
		if _, err := keyOf(forest.GrowthRevision, odd{f}, data()); err == nil {
			t.Errorf("a learner with a %T has a key", f)
		}
	}
	for _, f := range []any{nil, 1, &ring{}, []any{"a", 2.5}} {
		if _, err := keyOf(forest.GrowthRevision, odd{f}, data()); err != nil {
			t.Errorf("%T: %v", f, err)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 50), Labels: make([]int32, 200_000), Classes: []string{"x"}}
	for range d.Features {
		d.Columns = append(d.Columns, make([]float32, 200_000))
	}
	b.SetBytes(200_000 * 51 * 4)
	for b.Loop() {
		key(b, counter{}, d)
	}
}
