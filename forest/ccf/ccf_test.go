package ccf_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

var fitted = fittest.Fit

// noise returns a table of normal cells with classes that are independent of them.
func noise(n, p, classes int) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(3, 4))
	d := &datasets.Dataset{Columns: make([][]float32, p), Features: make([]datasets.Feature, p),
		Classes: make([]string, classes)}
	for i := range n {
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32(rng.NormFloat64()))
		}
		d.Labels = append(d.Labels, int32((i+rng.IntN(2))%classes))
	}
	return d
}

// The number of features is that of the paper's section 3 and of its authors' program.
func TestZeroValueIsThePapers(t *testing.T) {
	bootstrap := forest.Sampling{}
	for _, c := range []struct {
		p, m     int
		sampling forest.Sampling
	}{
		{1, 1, bootstrap}, {2, 2, bootstrap}, {3, 2, forest.AllRows}, {4, 3, forest.AllRows}, {5, 4, forest.AllRows},
		{8, 4, forest.AllRows}, {9, 5, forest.AllRows},
		{16, 5, forest.AllRows}, {17, 6, forest.AllRows}, {50, 7, forest.AllRows},
	} {
		d := noise(30, c.p, 3)
		got := fitted(ccf.Learner{Seed: 3}, d)
		want := fitted(ccf.Learner{Trees: 500, NodeFeatures: c.m, Sampling: c.sampling, Seed: 3}, d)
		if fmt.Sprint(got) != fmt.Sprint(want) || len(got.Trees) != 500 || got.Method != "ccf" ||
			got.Rule != forest.Plurality || got.Sampling != c.sampling || got.Seed != 3 {
			t.Errorf("%d features: the zero value grows another forest than λ = %d and sampling %v", c.p, c.m, c.sampling)
		}
	}
}

func TestGrid(t *testing.T) {
	for p, want := range map[int][]int{1: {1}, 2: {1, 2}, 16: {2, 4, 8, 16}, 100: {3, 10, 32, 100}} {
		var got []int
		for _, l := range (ccf.Learner{Trees: 7}).Grid(&datasets.Dataset{Columns: make([][]float32, p)}) {
			l := l.(ccf.Learner)
			got = append(got, l.NodeFeatures)
			if l.Trees != 7 {
				t.Errorf("%+v: want 7 trees", l)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d features: grid %v, want %v", p, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	good := noise(20, 4, 2)
	values, missing := *good, *good
	values.Labels, values.Classes, values.Values = nil, nil, make([]float64, good.N())
	missing.Columns = slices.Clone(good.Columns)
	missing.Columns[2] = slices.Clone(good.Columns[2])
	missing.Columns[2][7] = float32(math.NaN())
	for _, c := range []struct {
		l    ccf.Learner
		d    *datasets.Dataset
		want string
	}{
		{ccf.Learner{NodeFeatures: 5}, good, "NodeFeatures 5"},
		{ccf.Learner{NodeFeatures: -1}, good, "NodeFeatures -1"},
		{ccf.Learner{Trees: -3}, good, "-3 trees"},
		{ccf.Learner{MaxDepth: -3}, good, "MaxDepth -3"},
		{ccf.Learner{Sampling: forest.Sampling{Fraction: 2}}, good, "fraction of 2"},
		{ccf.Learner{}, &values, "want labels"},
		{ccf.Learner{}, &missing, "missing"},
	} {
		_, err := c.l.Fit(context.Background(), c.d)
		readtest.WantError(t, err, "ccf: ", c.want)
	}
}

// One of the sets is so large that workers copy the cells of nodes, and one has weights.
// Single trees are grown by several workers.
func TestSameBytesOnAnyNumberOfCores(t *testing.T) {
	weighted := noise(3000, 7, 3)
	for i := range weighted.N() {
		weighted.Weights = append(weighted.Weights, float32(i%4)/2)
	}
	for name, c := range map[string]struct {
		d *datasets.Dataset
		l ccf.Learner
	}{
		"large":        {noise(20000, 30, 4), ccf.Learner{Trees: 1, MinLeaf: 20}},
		"wide":         {noise(300, 180, 2), ccf.Learner{Trees: 2, NodeFeatures: 180}},
		"weighted":     {weighted, ccf.Learner{Trees: 1}},
		"several":      {noise(500, 6, 5), ccf.Learner{Trees: 7}},
		"all features": {noise(500, 6, 5), ccf.Learner{Trees: 7, NodeFeatures: 6}},
	} {
		fittest.SameBytes(t, name, c.l, c.d)
	}
}

// Powers of two change no rounding, so all rows reach the same leaves of the same trees.
func TestUnitsArePowersOfTwo(t *testing.T) {
	d := noise(300, 6, 4)
	other := fittest.Times(d, -40, 0, 90, 2, -1, 30)
	for _, m := range []int{0, 1, 6} {
		l := ccf.Learner{Trees: 9, NodeFeatures: m}
		fittest.SameLeaves(t, fmt.Sprint(m, " features a node"), fitted(l, d), d, fitted(l, other), other)
	}
}

// What rows of weight 0 hold makes no difference, also to what is negligible beside the longest feature.
func TestRowsOfWeightZeroDontCount(t *testing.T) {
	d := noise(120, 4, 3)
	other := *d
	other.Columns, other.Labels = nil, slices.Clone(d.Labels)
	for _, column := range d.Columns {
		other.Columns = append(other.Columns, slices.Clone(column))
	}
	d.Weights = make([]float32, d.N())
	for i := range d.Weights {
		if d.Weights[i] = float32(i % 4); i%4 == 0 {
			other.Labels[i] = (d.Labels[i] + 1) % 3
			for j := range other.Columns {
				other.Columns[j][i] = []float32{3e38, 0, 1e9, -1}[j]
			}
		}
	}
	other.Weights = d.Weights
	for _, m := range []int{0, 2, 4} {
		l := ccf.Learner{Trees: 5, NodeFeatures: m}
		a, b := must.Value(fitted(l, d).MarshalBinary()), must.Value(fitted(l, &other).MarshalBinary())
		if !bytes.Equal(a, b) {
			t.Errorf("%d features a node: rows of weight 0 change the forest", m)
		}
	}
}

// The loop over nodes allocates nothing: a forest with many more nodes takes as many
// allocations, but for the growth of its slices.
func TestFitAllocatesLittle(t *testing.T) {
	for _, classes := range []int{2, 5} {
		d := noise(3000, 12, classes)
		allocs := func(leaf int) float64 {
			return testing.AllocsPerRun(2, func() { fitted(ccf.Learner{Trees: 1, MinLeaf: leaf}, d) })
		}
		if few, many := allocs(300), allocs(1); many > few+100 {
			t.Errorf("%d classes: %v allocations for a large tree, %v for a small one", classes, many, few)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for name, d := range map[string]*datasets.Dataset{
		"trunk": sim.Trunk{Features: 50}.Sample(5000, 1),
		"rbf":   sim.RandomRBF{Features: 16, Classes: 20}.Sample(5000, 1),
	} {
		fittest.Benchmark(b, map[string]*datasets.Dataset{name: d}, ccf.Learner{Trees: 10},
			ccf.Learner{Trees: 10, NodeFeatures: d.P()})
	}
}
