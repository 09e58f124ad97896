package tao

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// normals returns n rows of p normally distributed features, with two classes.
func normals(n, p int) *datasets.Dataset {
	rng := forest.NewRand(5)
	columns := make([][]float32, p)
	for j := range columns {
		columns[j] = column(n, func(int) float32 { return float32(rng.Normal()) })
	}
	return labelled(table(columns...), 2, func(i int) int { return i % 2 })
}

// starts returns initial trees.
func starts(t *testing.T, l Learner, d *datasets.Dataset, trees int) []*optimizer {
	t.Helper()
	trainer := must.Value(l.trainer(d))
	all := make([]*optimizer, trees)
	for i := range all {
		all[i] = trainer.newOptimizer(context.Background(), i)
		all[i].start()
	}
	return all
}

// The mean number of nodes must be 1 + Σ_i Π_{d<i} 2·P_d (eq. 2 of the paper), with P_d = 1 for
// d < FullDepth, SplitProbability up to Depth, and 0 from there on.
func TestRandomStructuresHaveTheExpectedSize(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	d := normals(64, 1)
	for _, test := range []struct {
		full, depth int
		p           float64
	}{{1, 6, 0.5}, {2, 6, 0.7}, {3, 5, 0.2}, {4, 4, 0.5}, {5, 3, 0.5}, {0, 5, 0}, {1, 1, 0.3}} {
		p := func(depth int) float64 {
			switch {
			case depth >= test.depth:
				return 0
			case depth < test.full || test.p == 0:
				return 1
			}
			return test.p
		}
		want, product := 1.0, 1.0
		for depth := range test.depth {
			product *= 2 * p(depth)
			want += product
		}
		const trees = 2000
		var sum, squares float64
		for _, o := range starts(t, Learner{FullDepth: test.full, Depth: test.depth, SplitProbability: test.p}, d, trees) {
			n := float64(len(o.nodes))
			sum += n
			squares += n * n
		}
		mean := sum / trees
		error := math.Sqrt(max(0, squares/trees-mean*mean) / trees)
		if !(math.Abs(mean-want) <= 4*error) {
			t.Errorf("FullDepth %d, Depth %d, probability %v: %v nodes on average, standard error %v; want %v", test.full,
				test.depth, test.p, mean, error, want)
		}
	}
}

// Weights of standardised features must be drawn from N(0, 1). The bounds are four standard
// errors.
func TestInitialWeightsAreNormal(t *testing.T) {
	d := normals(64, 4)
	for i := range d.Columns[1] {
		d.Columns[1][i] = 1000 * d.Columns[1][i]
	}
	var n, sum, squares, fourth, central float64
	for _, o := range starts(t, Learner{Depth: 5, Sampling: forest.AllRows}, d, 100) {
		for _, node := range o.nodes {
			for k, w := range node.fn.Weights {
				z := float64(w) * o.scale[node.fn.Features[k]]
				n++
				sum += z
				squares += z * z
				fourth += z * z * z * z
				if math.Abs(z) < 0.674489750196 { // the quartiles
					central++
				}
			}
		}
	}
	if n != 100*31*4 {
		t.Fatalf("%v weights; want 12400", n)
	}
	for _, test := range []struct {
		name                string
		got, want, variance float64
	}{
		{"mean", sum / n, 0, 1},
		{"variance", squares / n, 1, 2},
		{"fourth moment", fourth / n, 3, 96}, // E z⁸ − 3² = 105 − 9
		{"share between the quartiles", central / n, 0.5, 0.25},
	} {
		if !(math.Abs(test.got-test.want) <= 4*math.Sqrt(test.variance/n)) {
			t.Errorf("%s %v; want %v", test.name, test.got, test.want)
		}
	}
}

// Thresholds are medians, so a complete tree divides rows evenly, whatever constant columns
// there are.
func TestInitialSplitsHalveTheirRows(t *testing.T) {
	d := normals(64, 6)
	for j, v := range []float32{0.1, 0.7, 1e6 / 3, -3e-5} {
		d.Columns[j+1] = column(64, func(int) float32 { return v })
	}
	d.Weights = column(64, func(i int) float32 { return 0.3 + float32(i)/7 }) // weighted sums of constants are rounded
	for _, o := range starts(t, Learner{Depth: 6, Sampling: forest.AllRows}, d, 20) {
		c := newOracle(o, d)
		for i := range o.nodes {
			if n := &o.nodes[i]; n.isLeaf() {
				if rows := c.reach(int32(i)); len(rows) != 1 {
					t.Fatalf("tree %d: %d rows reach leaf %d of 64; want 1", o.tree, len(rows), i)
				}
			} else if !reflect.DeepEqual(n.fn.Features, []int32{0, 5}) {
				t.Fatalf("split %d has features %v; want all but the constant ones", i, n.fn.Features)
			}
		}
	}
}

func TestFeaturesAreDrawnForTreesAndNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	d := normals(64, 10)
	for _, test := range []struct{ tree, node, want int }{{0, 0, 10}, {4, 0, 4}, {0, 3, 3}, {4, 3, 3}, {3, 4, 3}} {
		l := Learner{Depth: 4, Passes: 3, Lambda: none, TreeFeatures: test.tree, NodeFeatures: test.node}
		used := map[int32]int{} // by feature, over trees
		differ := false
		for _, o := range starts(t, l, d, 200) {
			inTree := map[int32]bool{}
			first := o.nodes[0].fn.Features
			for range 2 { // as drawn, and after a pass
				for _, n := range o.nodes {
					if n.isLeaf() {
						continue
					}
					if len(n.fn.Features) > test.want || o.nodes[0].fitted == false && len(n.fn.Features) != test.want {
						t.Fatalf("%+v: a split has %d features", test, len(n.fn.Features))
					}
					differ = differ || !n.fitted && !reflect.DeepEqual(n.fn.Features, first)
					for _, j := range n.fn.Features {
						inTree[j] = true
					}
				}
				o.step(new(scratch), 0, o.sample)
			}
			if test.tree > 0 && len(inTree) > test.tree {
				t.Fatalf("%+v: a tree uses %d features", test, len(inTree))
			}
			for j := range inTree {
				used[j]++
			}
		}
		if differ != (test.node > 0 && (test.tree == 0 || test.node < test.tree)) {
			t.Errorf("%+v: the splits of a tree differ in their features: %v", test, differ)
		}
		// Each tree uses each of 10 features with probability 4/10, give or take 4 standard errors.
		for j, count := range used {
			if mean := 20 * float64(test.tree); test.tree > 0 && test.node == 0 &&
				math.Abs(float64(count)-mean) > 4*math.Sqrt(mean*0.6) {
				t.Errorf("%+v: feature %d is in %d of 200 trees; want about %v", test, j, count, mean)
			}
		}
	}
}

// With SameStart, trees begin with equal structures and equal weights of standardised
// features. Their samples differ, and some leave leaves without rows.
func TestSameStart(t *testing.T) {
	d := normals(30, 3)
	for _, same := range []bool{true, false} {
		l := Learner{Depth: 5, FullDepth: 1, SplitProbability: 0.8, SameStart: same, Sampling: forest.Sampling{Fraction: 1}}
		trees := starts(t, l, d, 20)
		equal := 0
		for _, o := range trees {
			if sameSplits(o, trees[0]) {
				equal++
			}
		}
		if want := map[bool]int{true: 20, false: 1}[same]; equal != want {
			t.Errorf("SameStart %v: %d of 20 trees begin as the first; want %d", same, equal, want)
		}
	}
}

func sameSplits(a, b *optimizer) bool {
	if len(a.nodes) != len(b.nodes) {
		return false
	}
	for i, n := range a.nodes {
		other := b.nodes[i]
		if n.left != other.left || n.right != other.right || len(n.fn.Weights) != len(other.fn.Weights) {
			return false
		}
		for k, w := range n.fn.Weights {
			z, of := float64(w)*a.scale[k], float64(other.fn.Weights[k])*b.scale[k]
			if !(math.Abs(z-of) < 1e-5*(1+math.Abs(z))) {
				return false
			}
		}
	}
	return true
}
