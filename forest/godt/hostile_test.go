package godt_test

import (
	"context"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/godt"
)

// sound fails the test unless f can be written to a file, read again, and predicts the same
// finite numbers after that for every row of d.
func sound(t rapid.TB, f *forest.Forest, d *datasets.Dataset) {
	t.Helper()
	var read forest.Forest
	if err := read.UnmarshalBinary(encoded(f)); err != nil {
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
	labels := must.Value(f.Predict(context.Background(), d))
	for i, y := range labels {
		if y < 0 || int(y) >= len(d.Classes) {
			t.Fatalf("row %d: label %d", i, y)
		}
	}
	if !reflect.DeepEqual(must.Value(read.Predict(context.Background(), d)), labels) {
		t.Fatal("the forest that was read predicts other labels")
	}
}

func column(n int, cell func(i int) float32) []float32 {
	c := make([]float32, n)
	for i := range c {
		c[i] = cell(i)
	}
	return c
}

// hostile are columns that make arithmetic fail easily.
func hostile() map[string][][]float32 {
	noise := func(seed uint64) func(int) float32 {
		rng := forest.NewRand(seed)
		return func(int) float32 { return float32(rng.Float64()) }
	}
	constant := func(v float32) func(int) float32 { return func(int) float32 { return v } }
	alternating := func(v float32) func(int) float32 {
		return func(i int) float32 { return v * float32(1-2*(i/2%2)) }
	}
	wide := make([][]float32, 90)
	for j := range wide {
		wide[j] = column(60, noise(uint64(j)))
	}
	copied := column(40, noise(1))
	return map[string][][]float32{
		"two rows":           {column(2, noise(1)), column(2, noise(2))},
		"two equal rows":     {column(2, constant(1))},
		"two neighbours":     {column(2, func(i int) float32 { return math.Nextafter32(1, 1+float32(i)) })},
		"constant columns":   {column(40, constant(0.1)), column(40, constant(-3e38)), column(40, constant(0))},
		"more columns":       wide,
		"duplicated columns": {copied, copied, column(40, noise(2)), copied},
		"equal rows": {column(60, func(i int) float32 { return float32(i / 6) }),
			column(60, func(i int) float32 { return float32(i / 30) })},
		"large cells": {column(40, alternating(3e38)), column(40, alternating(-3e38)), column(40, noise(1))},
		"large cells, one low": {column(40, func(i int) float32 { return []float32{3e38, -3e38}[max(0, i-38)] }),
			column(40, noise(1))},
		"largest cells": {column(40, alternating(math.MaxFloat32)),
			column(40, func(i int) float32 { return math.MaxFloat32 * float32(i%2) })},
		"small cells": {column(40, alternating(1e-38)),
			column(40, func(i int) float32 { return 1e-45 * float32(i%4) })},
		"tiny and huge cells": {column(40, func(i int) float32 { return 1e-38 * float32(i%5) }),
			column(40, func(i int) float32 { return 1e38 * float32(i%3) })},
		"mean 1e6, sd 1": {column(60, func(i int) float32 { return 1e6 + float32(i%4) }), column(60, noise(1))},
		"one-hot": {column(60, func(i int) float32 { return float32(i % 2) }),
			column(60, func(i int) float32 { return float32(1 - i%2) }),
			column(60, func(i int) float32 { return float32(max(0, 1-i%7)) })},
	}
}

func TestTrainsOnHostileData(t *testing.T) {
	var learners []forest.Learner
	for _, divider := range allDividers {
		s := godt.Splitting{Divider: divider}
		learners = append(learners, godt.Tree{Splitting: s}, godt.Learner{Trees: 3, Splitting: s})
		s.Start, s.Beta = godt.RandomRows, -1
		learners = append(learners, godt.Tree{Splitting: s})
		s.Supervised, s.Start, s.Beta, s.RelativeBeta = true, godt.PrincipalAxis, 0, 1e-6
		learners = append(learners, godt.Learner{Trees: 3, NodeFeatures: 1, TreeFeatures: 1, Splitting: s})
	}
	for name, columns := range hostile() {
		t.Run(name, func(t *testing.T) {
			n := len(columns[0])
			d := &datasets.Dataset{Columns: columns, Features: make([]datasets.Feature, len(columns)),
				Classes: []string{"a", "b", "c"}}
			for i := range n {
				d.Labels = append(d.Labels, int32(i*i%7%3))
			}
			d.Labels[0], d.Labels[1] = 0, 1
			values := *d
			values.Labels, values.Classes = nil, nil
			for i := range n {
				values.Values = append(values.Values, float64(i%5)*1e10)
			}
			for _, l := range learners {
				sound(t, trained(t, l, d), d)
				if f, err := l.Fit(context.Background(), &values); err == nil {
					sound(t, f, &values)
				} else if !strings.Contains(err.Error(), "quadratic trees are for classes") {
					t.Errorf("%+v: %v", l, err)
				}
			}
		})
	}
}

// Cells, values and weights of any magnitude are learned from, or refused.
func TestAnyMagnitude(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := table(rapid.IntRange(2, 60).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "p"), 2, rapid.Uint64().Draw(t, "data"))
		scales := make([]float64, d.P())
		for j := range scales {
			scales[j] = math.Pow(10, float64(rapid.IntRange(-45, 38).Draw(t, "magnitude")))
		}
		d = mapped(d, func(j int, v float32) float32 {
			return float32(max(-math.MaxFloat32, min(math.MaxFloat32, scales[j]*float64(v))))
		})
		dividers := allDividers
		if rapid.Bool().Draw(t, "values") {
			dividers, d = linearDividers, valued(d)
		}
		if rapid.Bool().Draw(t, "weights") {
			scale := math.Pow(10, float64(rapid.IntRange(-44, 37).Draw(t, "magnitude of weights")))
			d = weighted(d)
			for i := range d.Weights {
				d.Weights[i] = float32(float64(d.Weights[i]) * scale)
			}
		}
		l := drawLearner(t, dividers, d.P())
		f, err := l.Fit(context.Background(), d)
		if err == nil {
			sound(t, f, d)
		} else if !strings.HasPrefix(err.Error(), "go") && !strings.HasPrefix(err.Error(), "gq") {
			t.Fatal(err)
		}
	})
}

func TestRefusesWhatItCannotLearnFrom(t *testing.T) {
	good := table(20, 3, 2, 1)
	for name, c := range map[string]struct {
		change func(d *datasets.Dataset)
		want   string
	}{
		"one class":  {func(d *datasets.Dataset) { clear(d.Labels) }, "at least two"},
		"no rows":    {func(d *datasets.Dataset) { d.Columns, d.Labels = make([][]float32, 3), nil }, ""},
		"no columns": {func(d *datasets.Dataset) { d.Columns, d.Features = nil, nil }, ""},
		"missing cells": {func(d *datasets.Dataset) {
			d.Columns[1] = column(20,
				func(int) float32 { return float32(math.NaN()) })
		}, "missing"},
		"infinite cells": {func(d *datasets.Dataset) {
			d.Columns[1] = column(20, func(int) float32 { return float32(math.Inf(1)) })
		}, ""},
		"categories":       {func(d *datasets.Dataset) { d.Features[0].Categories = []string{"a", "b"} }, ""},
		"weights of 0":     {func(d *datasets.Dataset) { d.Weights = make([]float32, 20) }, "weight 0"},
		"no target":        {func(d *datasets.Dataset) { d.Labels, d.Classes = nil, nil }, ""},
		"a short column":   {func(d *datasets.Dataset) { d.Columns[2] = d.Columns[2][:7] }, ""},
		"an unknown class": {func(d *datasets.Dataset) { d.Labels[3] = 7 }, ""},
	} {
		for _, divider := range []godt.Divider{godt.SharedDiagonal, godt.SeparateFull} {
			d := *good
			d.Columns, d.Labels, d.Features = append([][]float32(nil), good.Columns...), append([]int32(nil), good.Labels...),
				append([]datasets.Feature(nil), good.Features...)
			c.change(&d)
			for _, l := range []forest.Learner{godt.Tree{Splitting: godt.Splitting{Divider: divider}},
				godt.Learner{Splitting: godt.Splitting{Divider: divider}}} {
				_, err := l.Fit(context.Background(), &d)
				if err == nil || !strings.HasPrefix(err.Error(), "g") || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s, %T: error %v; want one with %q", name, l, err, c.want)
				}
			}
		}
	}
}

// More columns than rows, and classes that lie close together.
func TestLibras(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("OBLIQUA_DATA isn't set")
	}
	d := must.Value(public.Load(context.Background(), "libras"))
	rows := make([]int32, 60)
	for i := range rows {
		rows[i] = int32(6 * i)
	}
	few := d.Subset(rows)
	for _, divider := range allDividers {
		f := trained(t, godt.Tree{Splitting: godt.Splitting{Divider: divider}}, few)
		sound(t, f, d)
	}
}
