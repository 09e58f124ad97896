package rf

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/sim"
)

var fitted = fittest.Fit

// table draws n rows of p cells on a grid, with classes or, for 0, values.
func table(rng *rand.Rand, n, p, classes, grid int) *datasets.Dataset {
	d := &datasets.Dataset{Features: make([]datasets.Feature, p), Classes: make([]string, classes)}
	for range p {
		col := make([]float32, n)
		for i := range col {
			col[i] = float32(rng.IntN(grid)) / 8
		}
		d.Columns = append(d.Columns, col)
	}
	for i := range n {
		if classes == 0 {
			d.Values = append(d.Values, rng.NormFloat64())
		} else {
			d.Labels = append(d.Labels, int32(rng.IntN(classes)))
			if i < 2 {
				d.Labels[i] = int32(i)
			}
		}
	}
	return d
}

// CART searches all features, so no cut of any feature decreases the squared
// error or Gini impurity of a node more than its own does.
func TestCARTTakesTheBestCutAtEveryNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		classes := rapid.SampledFrom([]int{0, 2, 4}).Draw(t, "classes")
		d := table(rng, rapid.IntRange(2, 40).Draw(t, "n"), 3, classes, rapid.SampledFrom([]int{3, 500}).Draw(t, "grid"))
		tree := fitted(CART{Seed: rng.Uint64()}, d).Trees[0]
		rows := make([]int, d.N())
		for i := range rows {
			rows[i] = i
		}
		var visit func(at int32, rows []int)
		visit = func(at int32, rows []int) {
			n := tree.Nodes[at]
			if n.IsLeaf() {
				return
			}
			best := 0.0
			for _, col := range d.Columns {
				for _, i := range rows {
					if z := decrease(d, rows, col, col[i]); z > best {
						best = z
					}
				}
			}
			if math.Abs(float64(n.Weight)-best) > 1e-6*best+1e-9 {
				t.Fatalf("node %d decreases impurity by %v, the best cut by %v", at, n.Weight, best)
			}
			left, right := divide(rows, d.Columns[feature(&tree, n)], n.Value)
			visit(at+1, left)
			visit(n.Next, right)
		}
		visit(0, rows)
	})
}

// A tree of bagging uses TreeFeatures features at most, each with the same probability, and it is the CART tree of its
// sample with these features alone: on all rows its root divides as CART's.
func TestBaggingDrawsTheFeaturesOfATree(t *testing.T) {
	d := table(rand.New(rand.NewPCG(5, 6)), 200, 10, 3, 1<<20)
	f := fitted(Bagging{Trees: 300, TreeFeatures: 4, Seed: 7, Sampling: forest.AllRows}, d)
	count := make([]int, d.P())
	for i := range f.Trees {
		used := map[int32]bool{}
		for _, n := range f.Trees[i].Nodes {
			if !n.IsLeaf() {
				used[feature(&f.Trees[i], n)] = true
			}
		}
		if len(used) != 4 { // of 200 rows with classes of chance, trees use all that they may
			t.Fatalf("tree %d uses %d features; want 4", i, len(used))
		}
		for j := range used {
			count[j]++
		}
		if i < 3 {
			compareWithCART(t, d, &f.Trees[i], slices.Sorted(maps.Keys(used)))
		}
	}
	for j, n := range count { // 120 expected, with a standard deviation of 8.5
		if n < 80 || n > 160 {
			t.Errorf("%d of 300 trees use feature %d; want about 120", n, j)
		}
	}
	for _, m := range []int{-1, 11} {
		if _, err := (Bagging{TreeFeatures: m}).Fit(t.Context(), d); err == nil {
			t.Errorf("%d of 10 features are accepted", m)
		}
	}
}

// compareWithCART checks that a tree decreases impurity as CART does on some of the features.
func compareWithCART(t *testing.T, d *datasets.Dataset, tree *forest.Tree, features []int32) {
	t.Helper()
	some := *d
	some.Features, some.Columns = nil, nil
	for _, j := range features {
		some.Features, some.Columns = append(some.Features, d.Features[j]), append(some.Columns, d.Columns[j])
	}
	alone := fitted(CART{}, &some).Trees[0]
	if got, want := tree.Nodes[0].Weight, alone.Nodes[0].Weight; math.Abs(float64(got-want)) > 1e-6 {
		t.Errorf("the root decreases impurity by %v, that of CART by %v", got, want)
	}
}

// feature returns the feature of a split.
func feature(t *forest.Tree, n forest.Node) int32 {
	fn := t.Splits.At(n.Split)
	return fn.Features[0]
}

func divide(rows []int, col []float32, threshold float32) (left, right []int) {
	for _, i := range rows {
		if col[i] <= threshold {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	return left, right
}

func decrease(d *datasets.Dataset, rows []int, col []float32, threshold float32) float64 {
	left, right := divide(rows, col, threshold)
	if len(left) == 0 || len(right) == 0 {
		return -1
	}
	return impurity(d, rows) - impurity(d, left) - impurity(d, right)
}

// impurity returns the number of rows times their Gini impurity or variance, as
// half the mean of all pairs' distance.
func impurity(d *datasets.Dataset, rows []int) float64 {
	var s float64
	for _, i := range rows {
		for _, j := range rows {
			if d.Values != nil {
				s += (d.Values[i] - d.Values[j]) * (d.Values[i] - d.Values[j]) / 2
			} else if d.Labels[i] != d.Labels[j] {
				s++
			}
		}
	}
	return s / float64(len(rows))
}

// Weight 2 is equivalent to having the row twice, weight 0 to not having it.
func TestWeightsStandForRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		classes := rapid.SampledFrom([]int{0, 2, 3}).Draw(t, "classes")
		weighted := table(rng, rapid.IntRange(2, 60).Draw(t, "n"), 3, classes, 50)
		var rows []int32
		for i := range weighted.N() {
			w := rng.IntN(4)
			if i < 2 {
				w = 1 + i
			}
			weighted.Weights = append(weighted.Weights, float32(w))
			for range w {
				rows = append(rows, int32(i))
			}
		}
		repeated := weighted.Subset(rows)
		for i := range repeated.Weights {
			repeated.Weights[i] = 1
		}
		plain := *repeated
		plain.Weights = nil
		growth := forest.Growth{MaxDepth: rapid.SampledFrom([]int{0, 2}).Draw(t, "maxdepth")}
		if classes > 0 && rapid.Bool().Draw(t, "entropy") {
			growth.Criterion = forest.Entropy
		}
		seed := rng.Uint64()
		a := fitted(CART{growth, seed}, weighted).Trees[0]
		b := fitted(CART{growth, seed}, repeated).Trees[0]
		if classes > 0 && growth.Criterion == forest.Gini { // the sums are of integers, so even ties fall alike
			if fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("weights grow\n%v\nrepeated rows\n%v", a, b)
			}
		}
		// Rounding may decide ties otherwise, but not the root's gain.
		c := fitted(CART{growth, seed}, &plain).Trees[0]
		for _, tree := range []forest.Tree{b, c} {
			if got, want := float64(tree.Nodes[0].Weight), float64(a.Nodes[0].Weight); math.Abs(got-want) > 1e-6*want+1e-9 {
				t.Fatalf("root %+v, with weights %+v", tree.Nodes[0], a.Nodes[0])
			}
		}
	})
}

func TestClassWeightsMultiplyRowWeights(t *testing.T) {
	d := table(rand.New(rand.NewPCG(1, 2)), 200, 4, 3, 1<<20)
	byClass := []float32{1, 0.5, 4}
	rows := *d
	for _, y := range d.Labels {
		rows.Weights = append(rows.Weights, byClass[y])
	}
	for _, criterion := range []forest.Criterion{forest.Gini, forest.Entropy} {
		a := fitted(Learner{Trees: 4, Growth: forest.Growth{Criterion: criterion}}, d.WeightClasses(byClass...))
		b := fitted(Learner{Trees: 4, Growth: forest.Growth{Criterion: criterion}}, &rows)
		if fmt.Sprint(a.Trees) != fmt.Sprint(b.Trees) {
			t.Error("class weights grow another forest than the same weights by row")
		}
	}
}

// Breiman's default numbers of features: ⌊√p⌋ and ⌊p/3⌋, at least one.
func TestDefaultFeatures(t *testing.T) {
	for _, c := range []struct{ p, classes, values int }{
		{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {4, 2, 1}, {8, 2, 2}, {9, 3, 3}, {24, 4, 8}, {25, 5, 8}, {100, 10, 33},
	} {
		d := &datasets.Dataset{Columns: make([][]float32, c.p), Labels: []int32{0}}
		if got := grow.NodeFeatures(d); got != c.classes {
			t.Errorf("%d of %d features for classes, want %d", got, c.p, c.classes)
		}
		d.Labels, d.Values = nil, []float64{0}
		if got := grow.NodeFeatures(d); got != c.values {
			t.Errorf("%d of %d features for values, want %d", got, c.p, c.values)
		}
	}
}

// With one feature drawn at a node and only the last one useful, features must be drawn
// until one splits the node.
func TestDrawsMoreFeaturesUntilOneSplits(t *testing.T) {
	d := table(rand.New(rand.NewPCG(1, 2)), 40, 6, 2, 1<<20)
	for j := range 5 {
		clear(d.Columns[j])
	}
	for _, l := range []forest.Learner{Learner{Trees: 20, NodeFeatures: 1}, ExtraTrees{Trees: 20, NodeFeatures: 1}} {
		for k, tree := range fitted(l, d).Trees {
			for i, n := range tree.Nodes {
				if n.IsLeaf() && tree.Leaf(i).Kind != forest.LeafClass || !n.IsLeaf() && feature(&tree, n) != 5 {
					t.Fatalf("%T: tree %d has node %+v", l, k, n)
				}
			}
		}
	}
}

func TestForestDescribesItself(t *testing.T) {
	d := sim.Trunk{Features: 3}.Sample(50, 1)
	for _, c := range []struct {
		l        forest.Learner
		method   string
		trees    int
		sampling forest.Sampling
	}{
		{Learner{Seed: 9}, "rf", 500, forest.Sampling{}},
		{Learner{Seed: 9, Sampling: forest.AllRows}, "rf", 500, forest.AllRows},
		{CART{Seed: 9}, "cart", 1, forest.AllRows},
		{Bagging{Seed: 9}, "bagging", 500, forest.Sampling{}},
		{Bagging{Seed: 9, Sampling: forest.Sampling{Fraction: 0.5}}, "bagging", 500, forest.Sampling{Fraction: 0.5}},
		{ExtraTrees{Seed: 9}, "extratrees", 500, forest.AllRows},
		{HRF{Seed: 9}, "hrf", 100, forest.Sampling{}},
	} {
		f := fitted(c.l, d)
		if f.Method != c.method || len(f.Trees) != c.trees || f.Sampling != c.sampling || f.Seed != 9 || f.Target != "y" ||
			!slices.Equal(f.Features, []string{"x1", "x2", "x3"}) || !slices.Equal(f.Classes, []string{"0", "1"}) ||
			f.Rule != forest.Plurality {
			t.Errorf("%T: forest %q of %d trees, sampling %+v, target %q, features %q, classes %q, rule %d",
				c.l, f.Method, len(f.Trees), f.Sampling, f.Target, f.Features, f.Classes, f.Rule)
		}
	}
}

func TestNegativeFeatures(t *testing.T) {
	d := sim.Trunk{}.Sample(20, 1)
	for _, l := range []forest.Learner{Learner{NodeFeatures: -2}, ExtraTrees{NodeFeatures: -2}} {
		_, err := l.Fit(context.Background(), d)
		readtest.WantError(t, err, "NodeFeatures -2")
	}
}

// The impurity decreases of large target values overflow float32; the forest must still be
// valid for writing to a file.
func TestHugeValues(t *testing.T) {
	d := table(rand.New(rand.NewPCG(1, 2)), 60, 2, 0, 1<<20)
	for _, scale := range []float64{1e20, 1e37} {
		huge := *d
		huge.Values = nil
		for _, v := range d.Values {
			huge.Values = append(huge.Values, v*scale)
		}
		f := fitted(Learner{Trees: 3}, &huge)
		if _, err := f.MarshalBinary(); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	fittest.Benchmark(b, map[string]*datasets.Dataset{
		"trunk":  sim.Trunk{Features: 50}.Sample(5000, 1),
		"parity": sim.SparseParity{}.Sample(5000, 1),
	}, Learner{Trees: 10}, ExtraTrees{Trees: 10}, HRF{Trees: 10})
}
