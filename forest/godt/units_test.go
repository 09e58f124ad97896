package godt_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// mapped returns d with each cell changed.
func mapped(d *datasets.Dataset, change func(j int, v float32) float32) *datasets.Dataset {
	c := *d
	c.Columns = nil
	for j, column := range d.Columns {
		other := make([]float32, len(column))
		for i, v := range column {
			other[i] = change(j, v)
		}
		c.Columns = append(c.Columns, other)
	}
	return &c
}

// relative returns a tree by each divider whose β doesn't depend on units.
func relative() (list []godt.Tree) {
	for _, divider := range allDividers {
		list = append(list, godt.Tree{Splitting: godt.Splitting{Divider: divider, RelativeBeta: 0.01}})
	}
	return list
}

// Rows go to the same leaves if all cells are multiplied by a power of 2, by which rounding
// is the same.
func TestUnitsDontMatterToARelativeBeta(t *testing.T) {
	d, test := table(300, 5, 4, 1), table(1000, 5, 4, 2)
	for _, l := range relative() {
		for _, e := range []int{-26, -7, 1, 26} {
			fittest.SameLeaves(t, fmt.Sprintf("divider %d, times 2^%d", l.Divider, e), trained(t, l, d), test,
				trained(t, l, fittest.Times(d, e)), fittest.Times(test, e))
		}
	}
}

// Adding numbers to columns only changes how cells are rounded.
func TestOffsetsHardlyMatter(t *testing.T) {
	d, test := table(400, 5, 4, 1), table(4000, 5, 4, 2)
	for _, l := range relative() {
		want := must.Value(trained(t, l, d).Predict(t.Context(), test))
		plus := func(j int, v float32) float32 { return v + float32(30*(1+j%3)) } // some 10 standard deviations
		got := must.Value(trained(t, l, mapped(d, plus)).Predict(t.Context(), mapped(test, plus)))
		equal := 0
		for i := range got {
			if got[i] == want[i] {
				equal++
			}
		}
		if equal < len(got)*99/100 {
			t.Errorf("divider %d: %d of %d labels are the same; want 99 %%", l.Divider, equal, len(got))
		}
		t.Logf("divider %d: %d of %d labels are the same", l.Divider, equal, len(got))
	}
}

// Constant columns change nothing but the numbers of features.
func TestConstantColumnsAreNotSeen(t *testing.T) {
	d := table(200, 4, 3, 1)
	with := *d
	constant := slices.Repeat([]float32{7}, d.N())
	with.Columns = [][]float32{constant, d.Columns[0], d.Columns[1], constant, constant, d.Columns[2], d.Columns[3]}
	with.Features = make([]datasets.Feature, 7)
	place := []int32{1, 2, 5, 6}
	for _, l := range relative() {
		if l.Divider == godt.RandomAxis {
			continue // other random numbers
		}
		a, b := trained(t, l, d).Trees[0], trained(t, l, &with).Trees[0]
		if !slices.Equal(a.Nodes, b.Nodes) || !slices.Equal(a.Dist, b.Dist) {
			t.Errorf("divider %d: other nodes", l.Divider)
			continue
		}
		for _, n := range a.Nodes {
			if n.IsLeaf() {
				continue
			}
			f, g := a.Splits.At(n.Split), b.Splits.At(n.Split)
			features := make([]int32, len(f.Features))
			for k, j := range f.Features {
				features[k] = place[j]
			}
			f.Features, f.Kind = features, g.Kind // a function of all features may be Dense
			if !reflect.DeepEqual(f, g) {
				t.Fatalf("divider %d: function %+v, with constant columns %+v", l.Divider, f, g)
			}
		}
	}
}

// A row that is drawn twice, or has weight 2, counts as two rows.
func TestCountsAreRepeatedRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := table(rapid.IntRange(10, 80).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "p"), 3, rapid.Uint64().Draw(t, "data"))
		seed := rapid.Uint64().Draw(t, "seed")
		l := godt.Learner{Trees: 1, TreeFeatures: d.P(), Seed: seed, Sampling: forest.Sampling{Fraction: 1}}
		l.Divider = rapid.SampledFrom(allDividers[:6]).Draw(t, "divider")
		l.Start, l.Beta, l.Purity = godt.PrincipalAxis, 1e-3, rapid.SampledFrom([]float64{0, 0.7}).Draw(t, "purity")
		l.MinSplit = rapid.SampledFrom([]int{2, 8}).Draw(t, "min split")
		var rows []int32
		heavy := *d
		heavy.Weights = make([]float32, d.N())
		for i, count := range l.Sampling.Counts(nil, d.N(), seed, 0) {
			heavy.Weights[i] = float32(count)
			for range count {
				rows = append(rows, int32(i))
			}
		}
		all := l
		all.Sampling = forest.AllRows
		repeated := d.Subset(rows)
		if slices.Min(repeated.Labels) == slices.Max(repeated.Labels) {
			t.Skip("one class")
		}
		drawn, other := trained(t, l, d), trained(t, all, repeated)
		sameTree(t, "repeated rows", drawn, other, d)
		if l.MinSplit == 2 { // which doesn't count weights
			sameTree(t, "weights", drawn, trained(t, all, &heavy), d)
		}
	})
}

// sameTree compares the first trees of two forests. Their sums are made in different orders, so
// numbers may differ in the last bits, but rows must go the same ways.
func sameTree(t *rapid.T, name string, f, g *forest.Forest, d *datasets.Dataset) {
	a, b := &f.Trees[0], &g.Trees[0]
	if len(a.Nodes) != len(b.Nodes) {
		t.Fatalf("%s: %d nodes, want %d", name, len(b.Nodes), len(a.Nodes))
	}
	counts := f.Sampling.Counts(nil, d.N(), f.Seed, 0)
	there := must.Value(g.Apply(t.Context(), d))
	for i, leaf := range must.Value(f.Apply(t.Context(), d)) {
		if counts[i] > 0 && leaf[0] != there[i][0] {
			t.Fatalf("%s: row %d goes to node %d, want %d", name, i, there[i][0], leaf[0])
		}
	}
}

// Rows of weight 0 don't count, whatever they hold.
func TestRowsOfWeightZeroDontCount(t *testing.T) {
	d := table(120, 4, 3, 1)
	d.Weights = make([]float32, d.N())
	for i := range d.Weights {
		d.Weights[i] = float32(i % 4)
	}
	other := *mapped(d, func(_ int, v float32) float32 { return v })
	other.Labels = slices.Clone(d.Labels)
	for i, w := range d.Weights {
		if w == 0 {
			other.Labels[i] = (d.Labels[i] + 1) % 3
			for j := range other.Columns {
				other.Columns[j][i] = 3e38
			}
		}
	}
	for _, l := range relative() {
		if !bytes.Equal(encoded(trained(t, l, d)), encoded(trained(t, l, &other))) {
			t.Errorf("divider %d: rows of weight 0 change the tree", l.Divider)
		}
	}
}

// Weights that are all 2⁻⁹⁰ or 2⁸⁰ divide the rows as weights of 1 do.
func TestOnlyRatiosOfWeightsMatter(t *testing.T) {
	plain := table(150, 4, 3, 1)
	for _, divider := range allDividers {
		l := godt.Tree{Splitting: godt.Splitting{Divider: divider}}
		want := must.Value(trained(t, l, plain).Apply(t.Context(), plain))
		for _, w := range []float32{0x1p-90, 0x1p-20, 0x1p80} {
			d := *plain
			d.Weights = slices.Repeat([]float32{w}, d.N())
			if got := must.Value(trained(t, l, &d).Apply(t.Context(), plain)); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("divider %d: rows of weight %v reach other leaves than rows of weight 1", divider, w)
			}
		}
	}
}
