package tao

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// table returns a data set with the given columns and neither labels nor values.
func table(columns ...[]float32) *datasets.Dataset {
	d := &datasets.Dataset{Name: "table", Target: "y", Columns: columns}
	for j := range columns {
		d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("x", j)})
	}
	return d
}

// column returns n cells.
func column(n int, cell func(i int) float32) []float32 {
	c := make([]float32, n)
	for i := range c {
		c[i] = cell(i)
	}
	return c
}

// labelled returns a copy of d with labels below k.
func labelled(d *datasets.Dataset, k int, label func(i int) int) *datasets.Dataset {
	c := *d
	c.Classes = []string{"a", "b", "c", "d"}[:k]
	c.Labels = make([]int32, d.N())
	for i := range c.Labels {
		c.Labels[i] = int32(label(i))
	}
	return &c
}

// valued returns a copy of d with values.
func valued(d *datasets.Dataset, value func(i int) float64) *datasets.Dataset {
	c := *d
	c.Values = make([]float64, d.N())
	for i := range c.Values {
		c.Values[i] = value(i)
	}
	return &c
}

// sound fails the test unless f can be written to a file, read again, and predicts the same
// finite numbers after that for every row of d.
func sound(t rapid.TB, f *forest.Forest, d *datasets.Dataset) {
	t.Helper()
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal("the forest can't be written: ", err)
	}
	var read forest.Forest
	if err := read.UnmarshalBinary(b); err != nil {
		t.Fatal("the forest can't be read: ", err)
	}
	if d.Labels == nil {
		values := must.Value(f.PredictValues(context.Background(), d))
		for i, v := range values {
			if v-v != 0 {
				t.Fatalf("row %d: value %v; want a finite one", i, v)
			}
		}
		if !reflect.DeepEqual(must.Value(read.PredictValues(context.Background(), d)), values) {
			t.Fatal("the forest that was read predicts other values")
		}
		return
	}
	proba := must.Value(f.Proba(context.Background(), d))
	for i, row := range proba {
		var sum float64
		for _, q := range row {
			sum += q
		}
		if !(math.Abs(sum-1) < 1e-5) {
			t.Fatalf("row %d: probabilities %v; want a sum of 1", i, row)
		}
	}
	if !reflect.DeepEqual(must.Value(read.Proba(context.Background(), d)), proba) {
		t.Fatal("the forest that was read predicts other probabilities")
	}
}

// hostile are tables that make arithmetic, sampling or the fits fail easily.
func hostile() map[string]*datasets.Dataset {
	noise := func(seed uint64) func(int) float32 {
		rng := forest.NewRand(seed)
		return func(int) float32 { return float32(rng.Float64()) }
	}
	constant := func(v float32) func(int) float32 { return func(int) float32 { return v } }
	wide := make([][]float32, 2000)
	for j := range wide {
		wide[j] = column(30, noise(uint64(j)))
	}
	sparse := make([][]float32, 40)
	for j := range sparse {
		sparse[j] = column(50, func(i int) float32 { return []float32{0, 1}[max(0, 1-(i*7+j*3)%11)] })
	}
	view := table(column(50, noise(1)), column(50, noise(2)))
	view.Rows = []int32{49, 3, 3, 17, 20, 21, 22, 3, 0, 48, 12, 11, 10}
	alternating := func(v float32) func(int) float32 {
		return func(i int) float32 { return v * float32(1-2*(i/2%2)) }
	}
	return map[string]*datasets.Dataset{
		"one row":           table(column(1, noise(1))),
		"two rows":          table(column(2, noise(1))),
		"two equal rows":    table(column(2, constant(1))),
		"ten rows":          table(column(10, noise(1)), column(10, noise(2))),
		"a constant column": table(column(40, noise(1)), column(40, constant(0.1)), column(40, noise(2))),
		"constant columns":  table(column(40, constant(0.1)), column(40, constant(-3e38)), column(40, constant(0))),
		"columns of 0":      table(column(40, constant(0)), column(40, constant(0))),
		"more columns":      table(wide...),
		"mostly 0":          table(sparse...),
		"equal rows":        table(column(60, func(i int) float32 { return float32(i / 6) })),
		"large cells":       table(column(40, alternating(3e38)), column(40, alternating(-3e38)), column(40, noise(1))),
		"large cells, one low": table(column(40, func(i int) float32 { return []float32{3e38, -3e38}[max(0, i-38)] }),
			column(40, noise(1))),
		"small cells": table(column(40, alternating(1e-38)),
			column(40, func(i int) float32 { return 1e-45 * float32(i%4) })),
		"small, separable": table(column(20, func(i int) float32 { return 1e-38 * float32(i%2) })),
		"tiny and huge cells": table(column(40, func(i int) float32 { return 1e-38 * float32(i%5) }),
			column(40, func(i int) float32 { return 1e38 * float32(i%3) })),
		"mean 1e6, sd 1": table(column(60, func(i int) float32 { return 1e6 + float32(i%4) }), column(60, noise(1))),
		"a view":         view,
		"separable":      table(column(60, func(i int) float32 { return float32(i%2) + float32(i)/1000 })),
	}
}

// targets returns d with each of several labels and values, by name.
func targets(d *datasets.Dataset) map[string]*datasets.Dataset {
	return map[string]*datasets.Dataset{
		"two classes":     labelled(d, 2, func(i int) int { return i % 2 }),
		"one rare class":  labelled(d, 3, func(i int) int { return max(0, 1-i) * 2 }),
		"four classes":    labelled(d, 4, func(i int) int { return i * i % 4 * (i % 3) % 4 }),
		"values":          valued(d, func(i int) float64 { return float64(i*i%7) - 2 }),
		"equal values":    valued(d, func(int) float64 { return 0.1 }),
		"large values":    valued(d, func(i int) float64 { return 1e15 * float64(1-i%3) }),
		"small values":    valued(d, func(i int) float64 { return 1e-300 * float64(i%3) }),
		"distant values":  valued(d, func(i int) float64 { return 1e9 + float64(i%3) }),
		"one large value": valued(d, func(i int) float64 { return []float64{1e15, 1}[min(i, 1)] }),
	}
}

func TestTrainsOnHostileData(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	learners := []Learner{
		{Depth: 60},
		{Depth: 3, LinearLeaves: true},
		{Depth: 2, Lambda: none, LeafLambda: none, LinearLeaves: true, Unscaled: true},
		{Depth: 3, Lambda: none, Unscaled: true, Sampling: forest.AllRows},
		{Depth: 2, Lambda: 1e9, LeafLambda: 1e-300, LinearLeaves: true, Sampling: forest.Sampling{Fraction: 1}},
		{Depth: 3, Lambda: 1e-300, NodeFeatures: 1, Acceptance: Strict, SplitProbability: 0.5},
	}
	for name, x := range hostile() {
		for target, d := range targets(x) {
			t.Run(name+", "+target, func(t *testing.T) {
				for _, l := range learners {
					l.Trees, l.Passes, l.Seed = 2, 3, 1
					if x.P() > 100 && l.NodeFeatures == 0 {
						l.Trees, l.Passes = 1, 2
					}
					f, err := l.Fit(context.Background(), d)
					if err != nil && !oneClass(d) {
						t.Fatalf("%+v: %v", l, err)
					}
					if err == nil {
						sound(t, f, d)
					}
				}
				refineSmallTree(t, d)
			})
		}
	}
}

// refineSmallTree refines a tree of three levels, if one can be grown.
func refineSmallTree(t *testing.T, d *datasets.Dataset) {
	f, err := rf.CART{Growth: forest.Growth{MaxDepth: 3}}.Fit(context.Background(), d)
	if err != nil {
		return
	}
	for _, l := range []Learner{{Passes: 1, Lambda: none}, {Passes: 2, LinearLeaves: true}} {
		refined := must.Value(l.Refine(context.Background(), f, d))
		sound(t, refined, d)
	}
}

// oneClass reports whether all rows have the same class.
func oneClass(d *datasets.Dataset) bool {
	for _, y := range d.Labels {
		if y != d.Labels[0] {
			return false
		}
	}
	return d.Labels != nil
}

func TestRefusesWhatItCannotLearnFrom(t *testing.T) {
	x := table(column(6, func(i int) float32 { return float32(i) }))
	good := labelled(x, 2, func(i int) int { return i % 2 })
	weighted := func(d *datasets.Dataset, w ...float32) *datasets.Dataset {
		c := *d
		c.Weights = w
		return &c
	}
	missing := labelled(table(column(6, func(i int) float32 { return float32(math.Inf(i)) })), 2,
		func(i int) int { return i % 2 })
	largest := float32(math.MaxFloat32)
	for _, test := range []struct {
		name string
		d    *datasets.Dataset
		l    Learner
		want string
	}{
		{"no target", x, Learner{}, "neither labels nor values"},
		{"one class", labelled(x, 2, func(int) int { return 1 }), Learner{}, `class "b"; want at least two`},
		{"one class of positive weight", weighted(good, 1, 0, 1, 0, 1, 0), Learner{}, `class "a"; want at least two`},
		{"weights of 0", weighted(good, 0, 0, 0, 0, 0, 0), Learner{}, "weight 0"},
		{"largest weights", weighted(good, largest, largest, 1, 1, 1, 1), Learner{}, "weights add up to"},
		{"infinite cells", missing, Learner{}, "x0"},
		{"values of 1e300", valued(x, func(i int) float64 { return 1e300 * float64(i) }), Learner{}, "scale the values"},
		{"a negative depth", good, Learner{Depth: -1}, "Depth -1"},
		{"a negative λ", good, Learner{Lambda: -2}, "Lambda -2"},
		{"λ is not a number", good, Learner{LeafLambda: math.NaN()}, "LeafLambda NaN"},
		{"an infinite λ", good, Learner{Lambda: math.Inf(1)}, "Lambda +Inf"},
		{"a probability above 1", good, Learner{SplitProbability: 1.5}, "SplitProbability 1.5"},
		{"two features of one", good, Learner{NodeFeatures: 2}, "NodeFeatures 2"},
		{"a fraction above 1", good, Learner{Sampling: forest.Sampling{Fraction: 2}}, "fraction of 2"},
	} {
		if _, err := test.l.Fit(context.Background(), test.d); err == nil || !strings.HasPrefix(err.Error(), "tao: ") ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %q; want one that begins \"tao: \" and has %q", test.name, err, test.want)
		}
	}
	for _, lambda := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := (Learner{}).Path(context.Background(), good, 1, lambda); err == nil ||
			!strings.Contains(err.Error(), "λ number 1 of the path") {
			t.Errorf("a path with λ %v: error %v", lambda, err)
		}
	}
}

// Rows of weight 0 must not count: their labels and cells can be anything.
func TestRowsOfWeightZeroDontCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		d.Weights = make([]float32, d.N())
		for i := range d.Weights {
			d.Weights[i] = float32(max(min(i, 2), i%3)) // rows 0 and 3, 6, … may be 0
		}
		d.Weights[0], d.Weights[1] = 1, 2
		var other datasets.Dataset = *d
		other.Labels, other.Values = append([]int32(nil), d.Labels...), append([]float64(nil), d.Values...)
		zero := d.N() - 1
		d.Weights[zero] = 0
		if d.Labels != nil {
			other.Labels[zero] = (d.Labels[zero] + 1) % int32(len(d.Classes))
		} else {
			other.Values[zero] += 1e6
		}
		f := must.Value(l.Fit(context.Background(), d))
		g := must.Value(l.Fit(context.Background(), &other))
		if !reflect.DeepEqual(f, g) {
			t.Fatal("the target of a row of weight 0 changes the forest")
		}
	})
}

// rescaled multiplies the cells, values and weights of d by powers of ten, so that some are
// near the largest and the smallest numbers.
func rescaled(t *rapid.T, d *datasets.Dataset) {
	for j, c := range d.Columns {
		scale := math.Pow(10, float64(rapid.IntRange(-45, 38).Draw(t, "magnitude")))
		offset := rapid.SampledFrom([]float64{0, 0, 1e3, 1e6, -1e8}).Draw(t, "offset")
		for i, v := range c {
			d.Columns[j][i] = float32(max(-math.MaxFloat32, min(math.MaxFloat32, scale*(float64(v)+offset))))
		}
	}
	if d.Values != nil {
		scale := math.Pow(10, float64(rapid.IntRange(-320, 307).Draw(t, "magnitude of values")))
		for i := range d.Values {
			d.Values[i] *= scale
		}
	}
	if d.Weights != nil {
		scale := math.Pow(10, float64(rapid.IntRange(-44, 37).Draw(t, "magnitude of weights")))
		for i := range d.Weights {
			d.Weights[i] = float32(float64(d.Weights[i]) * scale)
		}
	}
}

func TestAnyMagnitudeIsTrainedOnOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		rescaled(t, d)
		l.Acceptance = rapid.SampledFrom([]Acceptance{FreeThenStrict, Strict, Free}).Draw(t, "acceptance")
		if f, err := l.Fit(context.Background(), d); err == nil {
			sound(t, f, d)
		} else if !strings.HasPrefix(err.Error(), "tao: ") {
			t.Fatal(err)
		}
	})
}

func TestRefinesForestsOfAnyMagnitude(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		rescaled(t, d)
		growth := forest.Growth{MaxDepth: 3}
		m := rapid.SampledFrom([]forest.Learner{
			rf.CART{Growth: growth}, sporf.Learner{Trees: 1, Growth: growth}, Learner{Trees: 1, Depth: 2, LinearLeaves: true},
		}).Draw(t, "method")
		f, err := m.Fit(context.Background(), d)
		if err != nil {
			return
		}
		l.LinearLeaves = true
		refined, err := l.Refine(context.Background(), f, d)
		if err == nil {
			sound(t, refined, d)
		} else if !strings.HasPrefix(err.Error(), "tao: ") {
			t.Fatal(err)
		}
	})
}
