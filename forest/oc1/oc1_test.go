package oc1

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// table returns n rows of p features with normal cells, or whole ones, and k classes that depend on them with some
// noise; the first two rows have different ones.
func table(n, p, k int, whole bool, seed uint64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := &datasets.Dataset{Features: make([]datasets.Feature, p), Columns: make([][]float32, p)}
	for c := range k {
		d.Classes = append(d.Classes, string(rune('a'+c)))
	}
	for range n {
		var sum float64
		for j := range d.Columns {
			v := rng.NormFloat64()
			if whole {
				v = float64(rng.IntN(5))
			}
			d.Columns[j] = append(d.Columns[j], float32(v))
			sum += v * float64(j%3-1)
		}
		d.Labels = append(d.Labels, int32(min(k-1, max(0, int(sum+float64(k)/2+0.3*rng.NormFloat64())))))
	}
	d.Labels[0], d.Labels[1] = 0, 1
	return d
}

// Rows reach the leaf that they were counted in: the class weights of every leaf are those of the rows that
// prediction sends there. Leaves are mixed only if their rows are equal.
func TestRowsReachTheirLeaf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := table(rapid.IntRange(2, 120).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "p"), rapid.IntRange(2, 4).Draw(t, "k"),
			rapid.Bool().Draw(t, "whole"), rapid.Uint64().Draw(t, "data"))
		for j, scale := range rapid.SampledFrom([][]float32{{1}, {1e-20, 1e12, 3}, {1e37, 1}}).Draw(t, "units") {
			for i := range d.N() {
				if j < d.P() {
					d.Columns[j][i] *= scale
				}
			}
		}
		if rapid.Bool().Draw(t, "weighted") {
			for i := range d.N() {
				d.Weights = append(d.Weights, []float32{1, 0.2, 3, 0}[i%4])
			}
			d.Weights[0] = 1
		}
		l := Learner{Trees: 2, NodeFeatures: rapid.IntRange(0, d.P()).Draw(t, "features"),
			Seed: rapid.Uint64().Draw(t, "seed"), Sampling: forest.AllRows,
			Search: Search{Restarts: 2}}
		f := must.Value(l.Fit(context.Background(), d))
		leaves := must.Value(f.Apply(t.Context(), d))
		for k := range f.Trees {
			weights := f.Trees[k].ClassWeights()
			got := map[int32][]float64{}
			first := map[int32][]float32{}
			for i := range d.N() {
				w := 1.0
				if d.Weights != nil {
					w = float64(d.Weights[i])
				}
				if w == 0 {
					continue
				}
				at, x := leaves[i][k], d.Row(nil, i)
				if got[at] == nil {
					got[at], first[at] = make([]float64, len(d.Classes)), x
				}
				got[at][d.Labels[i]] += w
				if pure := got[at][d.Labels[i]] == sum(got[at]); !pure && !slices.Equal(first[at], x) {
					t.Fatalf("tree %d: leaf %d is mixed, with rows %v and %v", k, at, first[at], x)
				}
			}
			for at, want := range got {
				for c := range want {
					if math.Abs(weights[at][c]-want[c]) > 1e-4 {
						t.Fatalf("tree %d: leaf %d has %v, its rows %v", k, at, weights[at], want)
					}
				}
			}
		}
	})
}

func sum(v []float64) (s float64) {
	for _, w := range v {
		s += w
	}
	return s
}

// Rows that are listed twice count as rows of weight 2, which the search, too, must see.
func TestWeightsAreCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := table(60, 3, 3, rapid.Bool().Draw(t, "whole"), rapid.Uint64().Draw(t, "seed"))
		weighted := *d
		var rows []int32
		for i := range d.N() {
			w := 1 + i%3
			weighted.Weights = append(weighted.Weights, float32(w))
			rows = append(rows, slices.Repeat([]int32{int32(i)}, w)...)
		}
		tree := Tree{HeldOut: none, Search: Search{Restarts: 3}, MaxDepth: 1, Seed: 7}
		a := must.Value(tree.Fit(context.Background(), &weighted))
		b := must.Value(tree.Fit(context.Background(), d.Subset(rows)))
		root := func(f *forest.Forest) string {
			n := f.Trees[0].Nodes[0]
			return fmt.Sprint(f.Trees[0].Splits.At(n.Split), " ≤ ", n.Value)
		}
		if root(a) != root(b) {
			t.Fatalf("weighted rows: %s, repeated rows: %s", root(a), root(b))
		}
	})
}

// Rows of whole weights and equal features are searched together. With half the weight, which scales all scores
// exactly, each is searched by itself, and the splits must be the same.
func TestEqualRowsAreOnePoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := table(rapid.IntRange(10, 200).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "p"), rapid.IntRange(2, 5).Draw(t, "k"),
			true, rapid.Uint64().Draw(t, "seed"))
		halves := *d
		for range d.N() {
			halves.Weights = append(halves.Weights, 0.5)
		}
		l := Learner{Trees: 2, Seed: 3, Search: Search{Restarts: 3}}
		var splits [2][]forest.Function
		var thresholds [2][]float32
		for i, d := range []*datasets.Dataset{d, &halves} {
			f := must.Value(l.Fit(t.Context(), d))
			for k := range f.Trees {
				tree := &f.Trees[k]
				for _, n := range tree.Nodes {
					if !n.IsLeaf() {
						splits[i] = append(splits[i], tree.Splits.At(n.Split))
						thresholds[i] = append(thresholds[i], n.Value)
					}
				}
			}
		}
		if !slices.Equal(thresholds[0], thresholds[1]) || !reflect.DeepEqual(splits[0], splits[1]) {
			t.Fatalf("splits %v at %v, of rows by themselves %v at %v", splits[0], thresholds[0], splits[1], thresholds[1])
		}
	})
}

func TestSameBytesOnAnyNumberOfCores(t *testing.T) {
	fittest.SameBytes(t, "forest", Learner{Trees: 4, NodeFeatures: 5, Seed: 2, Search: Search{Restarts: 3}},
		table(500, 8, 4, false, 3))
}

// Nodes that have fewer distinct rows than twice their features are split on one feature, also if rows are repeated.
func TestSmallNodesAreSplitOnOneFeature(t *testing.T) {
	d := table(11, 6, 2, false, 1)
	var twice []int32
	for i := range 11 {
		twice = append(twice, int32(i))
	}
	for _, l := range []forest.Learner{Tree{HeldOut: none}, Learner{Trees: 20, NodeFeatures: 6}} {
		f := must.Value(l.Fit(t.Context(), d.Subset(twice)))
		for k := range f.Trees {
			if f.Trees[k].Splits.Len() != 0 {
				t.Errorf("%T: tree %d of 11 rows and 6 features has an oblique split", l, k)
			}
		}
	}
	f := must.Value(Tree{HeldOut: none, Seed: 1}.Fit(t.Context(), table(60, 6, 2, false, 1)))
	if f.Trees[0].Splits.Len() == 0 {
		t.Error("a tree of 60 rows and 6 features has no oblique split")
	}
}

// No node's hyperplane has more features than are drawn, and all features are used.
func TestNodeFeatures(t *testing.T) {
	d := table(400, 9, 3, false, 1)
	for _, m := range []int{0, 1, 4} {
		f := must.Value(Learner{Trees: 10, NodeFeatures: m, Search: Search{Restarts: 2}}.Fit(t.Context(), d))
		want := m
		if m == 0 {
			want = 3 // √9
		}
		seen := map[int32]bool{}
		for k := range f.Trees {
			tree := &f.Trees[k]
			for _, n := range tree.Nodes {
				if n.IsLeaf() {
					continue
				}
				fn := tree.Splits.At(n.Split)
				if len(fn.Features) > want {
					t.Fatalf("%d features at a node, want %d at most", len(fn.Features), want)
				}
				for _, j := range fn.Features {
					seen[j] = true
				}
			}
		}
		if len(seen) != 9 {
			t.Errorf("NodeFeatures %d: %d of 9 features are used", m, len(seen))
		}
	}
}

// By default √p features are drawn and the paper's settings are used.
func TestDefaults(t *testing.T) {
	d := table(150, 10, 3, false, 1)
	for _, pair := range [][2]forest.Learner{
		{Learner{Trees: 2}, Learner{Trees: 2, NodeFeatures: 3, Search: Search{Restarts: 20, Jumps: 5},
			Sampling: forest.Sampling{Fraction: 1}}},
		{Tree{Seed: 5}, Tree{Seed: 5, HeldOut: 0.1, Search: Search{Restarts: 20, Jumps: 5}}},
	} {
		var trees [2]forest.Tree
		for k, l := range pair {
			f := must.Value(l.Fit(t.Context(), d))
			trees[k] = f.Trees[0]
		}
		if !slices.Equal(trees[0].Nodes, trees[1].Nodes) {
			t.Errorf("%+v and %+v grow different trees", pair[0], pair[1])
		}
	}
	if f, err := (Learner{MaxDepth: 1, Search: Search{Restarts: 1, Jumps: none}}).Fit(t.Context(), d); err != nil ||
		len(f.Trees) != 100 {
		t.Errorf("%d trees by default, %v; want 100", len(f.Trees), err)
	}
}

func TestGrid(t *testing.T) {
	var got []int
	for _, l := range (Learner{Seed: 3}).Grid(&datasets.Dataset{Columns: make([][]float32, 16)}) {
		l := l.(Learner)
		got = append(got, l.NodeFeatures)
		if l.Seed != 3 {
			t.Error("other fields are lost")
		}
	}
	if !slices.Equal(got, []int{2, 4, 8, 16}) {
		t.Errorf("grid of 16 features %v, want 2, 4, 8, 16", got)
	}
	if n := len(Learner{}.Grid(&datasets.Dataset{Columns: make([][]float32, 1)})); n != 1 {
		t.Errorf("%d settings for one feature", n)
	}
}

func TestErrors(t *testing.T) {
	d := table(20, 3, 2, false, 1)
	values := *d
	values.Labels, values.Classes, values.Values = nil, nil, make([]float64, 20)
	for _, test := range []struct {
		learner forest.Learner
		data    *datasets.Dataset
		want    string
	}{
		{Learner{NodeFeatures: 4}, d, "oc1: NodeFeatures 4; want 0 to 3"},
		{Learner{NodeFeatures: -1}, d, "oc1: NodeFeatures -1"},
		{Learner{}, &values, "oc1: the data have values"},
		{Tree{HeldOut: 1}, d, "oc1: HeldOut 1"},
		{Tree{HeldOut: math.NaN()}, d, "oc1: HeldOut NaN"},
		{Learner{Search: Search{Restarts: -1}}, d, "Restarts -1"},
		{Learner{Search: Search{Jumps: -2}}, d, "Jumps -2"},
		{Learner{Trees: -1}, d, "oc1: "},
	} {
		_, err := test.learner.Fit(t.Context(), test.data)
		readtest.WantError(t, err, test.want)
	}
}
