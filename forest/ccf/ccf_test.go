package ccf_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

func fitted(l forest.Learner, d *datasets.Dataset) *forest.Forest {
	return must.Value(l.Fit(context.Background(), d))
}

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
		if _, err := c.l.Fit(context.Background(), c.d); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "ccf: ") {
			t.Errorf("%+v: error %v, want one of ccf with %q", c.l, err, c.want)
		}
	}
}

// One of the sets is so large that workers copy the cells of nodes, and one has weights.
// Single trees are grown by several workers.
func TestSameBytesOnAnyNumberOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
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
		encoded := func(cores int) []byte {
			runtime.GOMAXPROCS(cores)
			return must.Value(fitted(c.l, c.d).MarshalBinary())
		}
		want := encoded(1)
		for _, cores := range []int{2, 5} {
			if !bytes.Equal(encoded(cores), want) {
				t.Errorf("%s: another forest on %d cores than on one", name, cores)
			}
		}
	}
}

// units returns d with feature j multiplied by times[j], and shift[j] added.
func units(d *datasets.Dataset, times, shift []float32) *datasets.Dataset {
	other := *d
	other.Columns = nil
	for j, column := range d.Columns {
		c := make([]float32, len(column))
		for i, v := range column {
			c[i] = times[j]*v + shift[j]
		}
		other.Columns = append(other.Columns, c)
	}
	return &other
}

// Powers of two change no rounding, so all rows reach the same leaves of the same trees.
func TestUnitsArePowersOfTwo(t *testing.T) {
	d := noise(300, 6, 4)
	other := units(d, []float32{0x1p-40, 1, 0x1p90, 4, 0.5, 0x1p30}, make([]float32, 6))
	for _, m := range []int{0, 1, 6} {
		l := ccf.Learner{Trees: 9, NodeFeatures: m}
		if fmt.Sprint(must.Value(fitted(l, d).Apply(t.Context(), d))) != fmt.Sprint(must.Value(fitted(l,
			other).Apply(t.Context(), other))) {
			t.Errorf("%d features a node: rows reach other leaves in other units", m)
		}
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
	for _, problem := range []struct {
		name string
		d    *datasets.Dataset
	}{
		{"trunk", sim.Trunk{Features: 50}.Sample(5000, 1)},
		{"rbf", sim.RandomRBF{Features: 16, Classes: 20}.Sample(5000, 1)},
	} {
		for _, m := range []int{0, problem.d.P()} {
			b.Run(fmt.Sprintf("%s/features=%d", problem.name, m), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					fitted(ccf.Learner{Trees: 10, NodeFeatures: m}, problem.d)
				}
			})
		}
	}
}
