package grow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// drawFunctions draws functions of three features: single ones, several combinations of
// the same features, a Dense without a list, and quadratic ones.
func drawFunctions(t *rapid.T) []forest.Function {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "functions"), 0))
	weights := func(n int) []float32 {
		w := make([]float32, n)
		for k := range w {
			w[k] = []float32{1, -1, 0, 0.5, float32(rng.NormFloat64()), float32(rng.NormFloat64())}[rng.IntN(6)]
		}
		return w
	}
	var functions []forest.Function
	for range rapid.IntRange(1, 5).Draw(t, "groups") {
		switch rng.IntN(4) {
		case 0:
			functions = append(functions, forest.Linear([]int32{int32(rng.IntN(3))}, []float32{1}))
		case 1:
			features := [][]int32{{0, 1}, {0, 2}, {0, 1, 2}, {1}}[rng.IntN(4)]
			for range 1 + rng.IntN(6) {
				functions = append(functions, forest.Function{Kind: forest.Sparse, Features: features,
					Weights: weights(len(features))})
			}
		case 2:
			for range 1 + rng.IntN(3) {
				functions = append(functions, forest.Function{Kind: forest.Dense, Weights: weights(1 + rng.IntN(3))})
			}
		case 3:
			functions = append(functions, forest.Function{Kind: forest.Quadratic, Features: []int32{0, 2}, Weights: weights(2),
				Q: weights(3), Bias: 1})
		}
	}
	return functions
}

// withValues returns the data set whose features are the functions of d.
func withValues(d *datasets.Dataset, functions []forest.Function) *datasets.Dataset {
	x := *d
	x.Columns, x.Features, x.Rows = nil, make([]datasets.Feature, len(functions)), nil
	row := make([]float32, d.P())
	for k := range functions {
		col := make([]float32, d.N())
		for i := range col {
			for j := range row {
				row[j] = d.At(i, j)
			}
			col[i] = functions[k].Value(row)
		}
		x.Columns = append(x.Columns, col)
	}
	return &x
}

// A tree of Functions is that of data whose features they are.
func TestFunctionsTakeThePlaceOfFeatures(t *testing.T) {
	splits := 0
	rapid.Check(t, func(t *rapid.T) {
		d, params := drawProblem(t)
		if rapid.Bool().Draw(t, "view") {
			d.Rows = make([]int32, d.N())
			for i := range d.Rows {
				d.Rows[i] = int32(len(d.Rows) - 1 - i)
			}
		}
		functions := drawFunctions(t)
		m := rapid.IntRange(1, len(functions)).Draw(t, "m")
		params.Trees = 3
		params.Fallback = rapid.SampledFrom([]Fallback{AllFeatures, Redraw, NoRedraw}).Draw(t, "fallback")
		axes := func() Source { return NewAxes(nil, len(functions), m, Search) }
		e, err := New(d, params)
		if err != nil {
			t.Skip(err)
		}
		got := grown(t, e, func(int) *Spec { return &Spec{Source: axes, Functions: functions} })
		want := grown(t, newEngine(t, withValues(d, functions), params), func(int) *Spec { return &Spec{Source: axes} })
		for k, tree := range got {
			used := map[int32]int32{} // by the function's number: that in the pool
			for i := range tree.Nodes {
				n := &tree.Nodes[i]
				if n.IsLeaf() {
					continue
				}
				number := want[k].Splits.At(want[k].Nodes[i].Split).Features[0]
				fn, is := tree.Splits.At(n.Split), functions[number]
				if is.Features == nil {
					is.Features = []int32{0, 1, 2}[:len(is.Weights)]
				}
				if fmt.Sprint(fn) != fmt.Sprint(is) {
					t.Fatalf("tree %d, node %d splits on %v, want %v", k, i, fn, is)
				}
				if split, seen := used[number]; seen && split != n.Split {
					t.Fatalf("tree %d stores function %d twice", k, number)
				}
				used[number], n.Split = n.Split, number
				splits++
			}
			tree.Splits = forest.Pool{}
			if !reflect.DeepEqual(tree, want[k]) {
				t.Fatalf("tree %d: %+v, want %+v", k, tree, want[k])
			}
		}
	})
	if splits < 100 {
		t.Errorf("%d splits prove little", splits)
	}
}

// Values that overflow float32 are not split on.
func TestFunctionsThatOverflow(t *testing.T) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 1), Columns: [][]float32{{1, 2e38, 3e38}},
		Labels: []int32{0, 1, 1}, Classes: []string{"a", "b"}}
	double := forest.Linear([]int32{0}, []float32{2})
	quarter := forest.Linear([]int32{0}, []float32{0.25})
	for _, c := range []struct {
		functions []forest.Function
		nodes     int
	}{{[]forest.Function{double}, 1}, {[]forest.Function{double, quarter}, 3}} {
		e := newEngine(t, d, Params{Trees: 1, Sampling: forest.AllRows})
		tree := grown(t, e, func(int) *Spec { return &Spec{Source: allAxes(len(c.functions)), Functions: c.functions} })[0]
		if len(tree.Nodes) != c.nodes {
			t.Errorf("%d functions: %d nodes, want %d", len(c.functions), len(tree.Nodes), c.nodes)
		}
	}
}

func TestTooManyCoefficients(t *testing.T) {
	weights := make([]float32, 1<<16)
	functions := make([]forest.Function, 1<<15) // share the memory of their weights
	for k := range functions {
		functions[k] = forest.Function{Kind: forest.Dense, Weights: weights}
	}
	e := newEngine(t, ramp(20), Params{Method: "m", Trees: 1})
	err := e.Grow(context.Background(), e.Forest().Trees, 0,
		func(int) *Spec { return &Spec{Source: allAxes(1), Functions: functions} })
	readtest.WantError(t, err, "m: a tree has 2147483648 coefficients")
}

// With a seed of its own, a tree is tree 0 of a forest of that seed.
func TestSeedOfATree(t *testing.T) {
	d := ramp(200)
	seed := uint64(5)
	one := func() Source { return NewAxes(nil, d.P(), 1, Random) }
	params := Params{Trees: 2, Sampling: forest.AllRows, Seed: 3}
	got := grown(t, newEngine(t, d, params), func(int) *Spec { return &Spec{Source: one, Seed: &seed} })
	params.Seed = seed
	want := grown(t, newEngine(t, d, params), func(int) *Spec { return &Spec{Source: one} })
	equalTrees(t, got[0], want[0])
	equalTrees(t, got[1], want[0])
	if reflect.DeepEqual(want[1].Nodes, want[0].Nodes) {
		t.Error("trees without seeds of their own are equal")
	}
}

// ramp returns n rows of a feature and noise, in two classes that alternate.
func ramp(n int) *datasets.Dataset {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 2), Columns: make([][]float32, 2),
		Classes: []string{"a", "b"}}
	for i := range n {
		x := math.Sqrt(float64(i))
		d.Columns[0] = append(d.Columns[0], float32(x))
		d.Columns[1] = append(d.Columns[1], float32(math.Mod(7*x, 1)))
		d.Labels = append(d.Labels, int32(i/3%2))
	}
	return d
}
