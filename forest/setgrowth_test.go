package forest_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// categorised draws a table of the given number of categorical columns, with missing cells in the first, and a numeric
// one. Categories differ in what they say of the target, often not at all. classes = 0 asks for values.
func categorised(rng *rand.Rand, n, columns, levels, classes int) *datasets.Dataset {
	d := holed(rng, n, columns+1, classes)
	effect := make([]int, levels)
	for c := range effect {
		effect[c] = rng.IntN(4)
	}
	for j := range columns {
		d.Features[j] = datasets.Feature{Name: fmt.Sprint("c", j), Categories: []string{}}
		for c := range levels {
			d.Features[j].Categories = append(d.Features[j].Categories, fmt.Sprint("level ", c))
		}
		for i := range n {
			c := rng.IntN(levels)
			d.Columns[j][i] = float32(c)
			switch {
			case j == 0 && rng.IntN(6) == 0:
				d.Columns[j][i] = float32(math.NaN())
			case j > 0 || rng.IntN(2) == 0 || i < 2: // no effect
			case classes == 0:
				d.Values[i] = float64(effect[c])
			default:
				d.Labels[i] = int32(effect[c] % classes)
			}
		}
	}
	return d
}

// The split of a stump is the best of all sets of categories, by brute force, for values and two classes. Missing cells
// are a category, with those of a single row.
func TestSetsOfStumpsAreOptimal(t *testing.T) {
	trees, sets := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		trees++
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "data"), 0))
		n := rapid.SampledFrom([]int{6, 12, 30, 60, 300}).Draw(t, "n")
		classes := rapid.SampledFrom([]int{0, 2}).Draw(t, "classes")
		const levels = 6
		d := categorised(rng, n, 1, levels, classes)
		g := forest.Growth{MaxDepth: 1}
		if classes > 0 && rapid.Bool().Draw(t, "entropy") {
			g.Criterion = forest.Entropy
		}
		entropy := g.Criterion == forest.Entropy
		f := must.Value(rf.CART{Growth: g}.Fit(t.Context(), d))
		var rows [levels]int
		for _, v := range d.Columns[0] {
			if v == v {
				rows[int(v)]++
			}
		}
		group := func(i int) int {
			if v := d.Columns[0][i]; v == v && rows[int(v)] > 1 {
				return int(v)
			}
			return levels
		}
		numeric := *d
		numeric.Features, numeric.Columns = d.Features[1:], d.Columns[1:]
		want := bestOf(&numeric, entropy, 0)
		for set := range 1 << levels {
			want = max(want, decrease(d, entropy, 0, func(i int) bool { return set>>group(i)&1 != 0 }))
		}
		if root := f.Trees[0].Nodes[0]; !root.IsLeaf() && f.Trees[0].Splits.At(root.Split).Kind == forest.Set {
			sets++
		}
		checkStump(t, f, d, g, want)
	})
	if 4*sets < trees {
		t.Errorf("only %d of %d roots are split by sets", sets, trees)
	}
}

// With several classes, cuts along the first principal axis are nearly as good as the best sets, by brute force, where
// shares of classes move from one to the next.
func TestSetsOfSeveralClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ratio := 0.0
	const trials = 200
	for range trials {
		d := categorised(rng, 200, 1, 6, 4)
		for i, v := range d.Columns[0] {
			if v == v && i > 1 && rng.IntN(3) > 0 { // shares that move from class to class
				d.Labels[i] = int32(min(3, int(v/2)+rng.IntN(2)))
			}
		}
		d.Columns[1] = make([]float32, d.N())
		f := must.Value(rf.CART{Growth: forest.Growth{MaxDepth: 1}}.Fit(t.Context(), d))
		best := 0.0
		for set := range 1 << 7 {
			best = max(best, decrease(d, false, 0, func(i int) bool {
				v := d.Columns[0][i]
				return v != v && set&1 != 0 || v == v && set>>(1+int(v))&1 != 0
			}))
		}
		got := float64(f.Trees[0].Nodes[0].Weight)
		if got > best*(1+1e-6) {
			t.Fatalf("a decrease of %v; the best set's is %v", got, best)
		}
		ratio += got / best / trials
	}
	if ratio < 0.998 {
		t.Errorf("cuts decrease the impurity by %.3f of what the best sets do", ratio)
	}
}

// rawLearners are learners that take categories, with every tree on all rows where they can.
func rawLearners() []forest.Learner {
	return []forest.Learner{
		rf.CART{}, rf.ExtraTrees{Trees: 3}, rf.HRF{Trees: 2, Sampling: forest.AllRows},
		rf.Learner{Trees: 2, Sampling: forest.AllRows}, sporf.Learner{Trees: 3, Sampling: forest.AllRows},
		sporf.FRC{Trees: 2, Sampling: forest.AllRows}, boost.Learner{Rounds: 2, Depth: 9, MinLeaf: 1, Folds: 1, Fraction: 1},
	}
}

// Training rows reach the leaves that they were counted in. Rows without a cell, or with a category, that all training
// rows of a node have go with the larger child, or with the missing cells. Categories are split by sets alone.
func TestTrainingRowsOfRawTables(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; TestRawTablesOnAnyCores grows such trees")
	}
	for k, l := range rawLearners() {
		for _, classes := range []int{0, 2, 3} {
			for _, levels := range []int{0, 2, 40, 300} {
				if _, ok := l.(boost.Learner); ok && (classes > 0 || levels > 255) {
					continue // its leaves have the weights of rows for values only, and its rare categories are one
				}
				rng := rand.New(rand.NewPCG(uint64(k), uint64(classes+levels)))
				d := holed(rng, 2000, 5, classes)
				if levels > 0 {
					d = categorised(rng, 1500, 3, levels, classes)
				}
				d.Weights = nil
				f := must.Value(l.Fit(t.Context(), d))
				sets := 0
				for i := range f.Trees {
					sets += followRows(t, f, &f.Trees[i], d, 0, identity(d.N()))
				}
				if (sets > 0) != (levels > 0) {
					t.Errorf("%s: %d sets of %d categories", f.Method, sets, levels)
				}
			}
		}
	}
}

// followRows checks the subtree that rows reach, and returns the number of its sets.
func followRows(t *testing.T, f *forest.Forest, tree *forest.Tree, d *datasets.Dataset, at int32, rows []int32) int {
	t.Helper()
	n := tree.Nodes[at]
	if n.IsLeaf() {
		if int(n.Weight) != len(rows) {
			t.Fatalf("%s: %d rows reach leaf %d; %v were counted in it", f.Method, len(rows), at, n.Weight)
		}
		return 0
	}
	fn := tree.Splits.At(n.Split)
	var left, right []int32
	for _, r := range rows {
		if goesLeft(f, tree, n, d.Row(nil, int(r))) {
			left = append(left, r)
		} else {
			right = append(right, r)
		}
	}
	for _, j := range fn.Features {
		if set := fn.Kind == forest.Set; set != (d.Features[j].Categories != nil) || set && len(fn.Features) > 1 {
			t.Fatalf("%s: node %d splits feature %d by kind %d", f.Method, at, j, fn.Kind)
		}
	}
	if len(fn.Features) == 1 {
		checkSide(t, f, tree, d, at, rows, len(left) > len(right))
	}
	sets := followRows(t, f, tree, d, at+1, left) + followRows(t, f, tree, d, n.Next, right)
	if fn.Kind == forest.Set {
		sets++
	}
	return sets
}

// checkSide checks where a split of one feature sends missing cells, and categories that none of its rows have.
func checkSide(t *testing.T, f *forest.Forest, tree *forest.Tree, d *datasets.Dataset, at int32, rows []int32,
	larger bool) {
	t.Helper()
	n := tree.Nodes[at]
	fn := tree.Splits.At(n.Split)
	j := fn.Features[0]
	met, missing := map[float32]bool{}, false
	for _, r := range rows {
		v := d.Columns[j][r]
		met[v], missing = true, missing || v != v
	}
	if !missing && larger != fn.MissingLeft && fn.Kind != forest.Sparse {
		t.Fatalf("%s: node %d has more rows on the left: %v; missing cells go left: %v", f.Method, at, larger, fn.MissingLeft)
	}
	x := make([]float32, d.P())
	for c := range d.Features[j].Categories {
		if x[j] = float32(c); !met[x[j]] && (fn.Value(x) <= n.Value) != fn.MissingLeft {
			t.Fatalf("%s: node %d: category %d is in no row, and doesn't go with missing cells", f.Method, at, c)
		}
	}
}

// Extra trees draw every division of the categories alike.
func TestExtraTreesDrawSets(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Categories: []string{"a", "b", "c"}}},
		Classes: []string{"n", "y"},
		Columns: [][]float32{make([]float32, 60)}, Labels: make([]int32, 60)}
	for i := range d.Labels {
		d.Columns[0][i], d.Labels[i] = float32(i%3), int32(i/3%2)
	}
	f := must.Value(rf.ExtraTrees{Trees: 3000, Growth: forest.Growth{MaxDepth: 1}}.Fit(t.Context(), d))
	counts := map[uint32]int{}
	for _, tree := range f.Trees {
		if !tree.Nodes[0].IsLeaf() {
			fn := tree.Splits.At(tree.Nodes[0].Split)
			set := uint32(0)
			for c := range 3 {
				if fn.Value([]float32{float32(c)}) == 0 {
					set |= 1 << c
				}
			}
			if bits.OnesCount32(set) > 1 {
				set ^= 7
			}
			counts[set]++
		}
	}
	for _, set := range []uint32{1, 2, 4} {
		if counts[set] < 850 || counts[set] > 1150 { // 5 standard deviations
			t.Errorf("%d of 3000 trees divide off category %b; want a third", counts[set], set)
		}
	}
}

// The forest is the same on any number of cores, also where they search a node or grow a tree together.
func TestRawTablesOnAnyCores(t *testing.T) {
	numbers := []int{0, 2, 3}
	if testing.Short() {
		numbers = []int{2}
	}
	for _, classes := range numbers {
		rng := rand.New(rand.NewPCG(11, uint64(classes)))
		for _, d := range []*datasets.Dataset{categorised(rng, 3000, 4, 20, classes), holed(rng, 4000, 6, classes)} {
			for _, l := range []forest.Learner{rf.Bagging{Trees: 2}, rf.ExtraTrees{Trees: 2, NodeFeatures: 5},
				sporf.Learner{Trees: 2, Candidates: 20}, mix.Learner{Trees: 20}, boost.Learner{Rounds: 2}} {
				sameOnAnyCores(t, l, d)
			}
		}
	}
}
