package forest_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/steady"
)

// holed draws a table with ties and missing cells, and now and then weights. classes = 0 asks for values. Its first
// column has missing cells, its last column has none.
func holed(rng *rand.Rand, n, p, classes int) *datasets.Dataset {
	d := &datasets.Dataset{Classes: make([]string, classes), Features: make([]datasets.Feature, p)}
	for j := range p {
		grid, scale := []int{2, 5, 40, 1 << 20}[rng.IntN(4)], []float32{1, 0.3}[rng.IntN(2)]
		share := []float64{0, 0.1, 0.6}[rng.IntN(3)]
		if j == 0 {
			share = 0.3
		}
		column := make([]float32, n)
		for i := range column {
			column[i] = float32(rng.IntN(grid)-1) * scale
			if j < p-1 && rng.Float64() < share {
				column[i] = float32(math.NaN())
			}
		}
		d.Columns = append(d.Columns, column)
	}
	for i := range n {
		signal := d.Columns[0][i]
		missing := signal != signal
		switch {
		case classes == 0:
			v := float64(rng.IntN(9))
			if missing || signal > 3 {
				v += 5
			}
			d.Values = append(d.Values, v)
		case (missing || signal > 3) && rng.IntN(3) > 0:
			d.Labels = append(d.Labels, 1)
		default:
			d.Labels = append(d.Labels, int32(rng.IntN(classes)))
		}
	}
	if classes == 0 {
		d.Classes = nil
	} else {
		d.Labels[0], d.Labels[1] = 0, 1
	}
	if rng.IntN(3) == 0 {
		for range n {
			d.Weights = append(d.Weights, float32(1+rng.IntN(3)))
		}
	}
	return d
}

// weightOf returns the weight of a row that is drawn once.
func weightOf(d *datasets.Dataset, i int) float64 {
	if d.Weights == nil {
		return 1
	}
	return float64(d.Weights[i])
}

// impurity returns the impurity of rows times their weight, by definition.
func impurity(d *datasets.Dataset, entropy bool, rows []int, weight func(i int) float64) (sum float64) {
	counts, total, mean := make([]float64, len(d.Classes)), 0.0, 0.0
	for _, i := range rows {
		total += weight(i)
		if d.Values != nil {
			mean += weight(i) * d.Values[i]
		} else {
			counts[d.Labels[i]] += weight(i)
		}
	}
	if d.Values != nil {
		for _, i := range rows {
			sum += weight(i) * math.Pow(d.Values[i]-mean/total, 2)
		}
		return sum
	}
	for _, c := range counts {
		switch {
		case c == 0:
		case entropy:
			sum -= c * math.Log(c/total)
		default:
			sum += c * (1 - c/total)
		}
	}
	return sum
}

// decrease returns what dividing all rows decreases the impurity by; 0 if a side has fewer than minLeaf rows.
func decrease(d *datasets.Dataset, entropy bool, minLeaf int, left func(i int) bool) float64 {
	var all []int
	var sides [2][]int
	for i := range d.N() {
		side := 0
		if left(i) {
			side = 1
		}
		all, sides[side] = append(all, i), append(sides[side], i)
	}
	if min(len(sides[0]), len(sides[1])) < max(1, minLeaf) {
		return 0
	}
	weight := func(i int) float64 { return weightOf(d, i) }
	return impurity(d, entropy, all, weight) - impurity(d, entropy, sides[0], weight) -
		impurity(d, entropy, sides[1], weight)
}

// bestOf returns the largest decrease by a split of one feature: every threshold with the missing cells on either
// side, and the missing cells against the rest.
func bestOf(d *datasets.Dataset, entropy bool, minLeaf int) (best float64) {
	for j := range d.P() {
		for _, threshold := range d.Columns[j] {
			for _, left := range []bool{false, true} {
				best = max(best, decrease(d, entropy, minLeaf, func(i int) bool {
					v := d.Columns[j][i]
					return v <= threshold || v != v && left
				}))
			}
		}
	}
	return best
}

// goesLeft is what a node's split does with a row, by the documentation of the forest's Fills.
func goesLeft(f *forest.Forest, t *forest.Tree, n forest.Node, x []float32) bool {
	fn := t.Splits.At(n.Split)
	if fn.Kind == forest.Axis {
		v := x[fn.Features[0]]
		return v <= n.Value || v != v && fn.MissingLeft
	}
	filled := append([]float32(nil), x...)
	for j, v := range x {
		if v != v {
			filled[j] = f.Fills[j]
		}
	}
	return fn.Value(filled) <= n.Value
}

// The split of a stump is the best of all, by brute force, whichever way the engine searches.
func TestStumpsOfMissingCellsAreOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "data"), 0))
		n := rapid.SampledFrom([]int{4, 12, 30, 60, 300}).Draw(t, "n")
		classes := rapid.SampledFrom([]int{0, 2, 3}).Draw(t, "classes")
		d := holed(rng, n, 3, classes)
		g := forest.Growth{MaxDepth: 1}
		if d.Weights == nil { // MinLeaf counts rows
			g.MinLeaf = rapid.IntRange(0, 3).Draw(t, "MinLeaf")
		}
		if entropy := classes > 0 && rapid.Bool().Draw(t, "entropy"); entropy {
			g.Criterion = forest.Entropy
		}
		entropy := g.Criterion == forest.Entropy
		f := must.Value(rf.CART{Growth: g}.Fit(t.Context(), d))
		checkStump(t, f, d, g, bestOf(d, entropy, g.MinLeaf))
	})
}

// checkStump compares the decrease of impurity by the root of a tree, if it is split, with the largest.
func checkStump(t *rapid.T, f *forest.Forest, d *datasets.Dataset, g forest.Growth, best float64) {
	tree, got := &f.Trees[0], 0.0
	if root := tree.Nodes[0]; !root.IsLeaf() {
		got = decrease(d, g.Criterion == forest.Entropy, g.MinLeaf, func(i int) bool {
			return goesLeft(f, tree, root, d.Row(nil, i))
		})
		if math.Abs(float64(root.Weight)-got) > 1e-4*(1+got) {
			t.Fatalf("the decrease is %v; the tree says %v", got, root.Weight)
		}
	}
	if got < best-1e-7*(1+best) {
		t.Fatalf("%s decreases the impurity by %v; the best split by %v", f.TreeString(tree, 0), got, best)
	}
}

// A row of weight 3 counts in the means that stand for missing cells as three rows do, and one of weight 0 not at all.
func TestFillsAreWeightedMeans(t *testing.T) {
	nan := float32(math.NaN())
	d := &datasets.Dataset{
		Features: []datasets.Feature{{Name: "some"}, {Name: "all"}, {Name: "only without weight"}},
		Columns:  [][]float32{{1, 5, nan, 100, 1}, {2, 4, 6, 3e38, 2}, {nan, nan, nan, 7, nan}},
		Weights:  []float32{1, 3, 2, 0, 1},
		Values:   []float64{1, 2, 3, 4, 5},
	}
	want := []float32{3.4, 4, 0} // 17/5 and 28/7
	learners := []forest.Learner{sporf.Learner{Trees: 1}, rf.CART{}, boost.Learner{Rounds: 1}, mix.Learner{Trees: 1}}
	for _, l := range learners {
		if f := must.Value(l.Fit(t.Context(), d)); !slices.Equal(f.Fills, want) {
			t.Errorf("%T fills missing cells by %v; want %v", l, f.Fills, want)
		}
	}
}

// What rows of weight 0 hold makes no difference to trees of slanted splits where cells are missing.
func TestRowsOfWeightZeroFillNoCells(t *testing.T) {
	for _, classes := range []int{0, 3} {
		d := holed(rand.New(rand.NewPCG(7, uint64(classes))), 120, 4, classes)
		d.Weights = make([]float32, d.N())
		other := *d
		other.Columns = nil
		for _, column := range d.Columns {
			other.Columns = append(other.Columns, slices.Clone(column))
		}
		for i := range d.Weights {
			if d.Weights[i] = float32((i + 1) % 4); d.Weights[i] == 0 {
				for j, v := range d.Columns[:3] {
					if v[i] == v[i] {
						other.Columns[j][i] = 1e9
					}
				}
			}
		}
		for _, l := range []forest.Learner{sporf.Learner{Trees: 3}, sporf.FRC{Trees: 3}, mix.Learner{Trees: 21}} {
			a := must.Value(must.Value(l.Fit(t.Context(), d)).MarshalBinary())
			if b := must.Value(must.Value(l.Fit(t.Context(), &other)).MarshalBinary()); !bytes.Equal(a, b) {
				t.Errorf("%T, %d classes: rows of weight 0 change the forest", l, classes)
			}
		}
	}
}

// sameOnAnyCores checks that a learner grows the same forest on one core and on five.
func sameOnAnyCores(t *testing.T, l forest.Learner, d *datasets.Dataset) {
	t.Helper()
	var files [2][]byte
	for k, cores := range []int{1, 5} {
		steady.Cores(t, cores)
		files[k] = must.Value(must.Value(l.Fit(t.Context(), d)).MarshalBinary())
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Errorf("%T, %d classes: another forest on five cores", l, len(d.Classes))
	}
}
