package forest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// hand is a tree with a split on feature 1 and one on x0 − x2:
//
//	x1 ≤ 2 → x0 − x2 ≤ −1 → leaf 2
//	                      → leaf 3
//	       → leaf 4
func hand() *Tree {
	t := &Tree{Nodes: []Node{
		{Split: 1, Next: 4, Value: 2},
		{Split: 1 << 30, Next: 3, Value: -1},
		{Split: int32(LeafClass), Next: 0, Weight: 3},
		{Split: int32(LeafDist), Next: 0, Weight: 4},
		{Split: int32(LeafClass), Next: 2, Weight: 2},
	}, Classes: 3, Dist: []float32{1, 3, 0}}
	t.Splits.Add(Linear([]int32{0, 2}, []float32{1, -1}))
	return t
}

func TestLeaf(t *testing.T) {
	tree := hand()
	above := func(x float32) float32 { return math.Nextafter32(x, 100) }
	for _, c := range []struct {
		x    [3]float32
		want int32
	}{
		{[3]float32{0, 2, 1}, 2}, // on both thresholds
		{[3]float32{0, above(2), 1}, 4},
		{[3]float32{above(0), 2, 1}, 2}, // 1e-45 − 1 rounds to −1
		{[3]float32{0.25, 2, 1}, 3},
		{[3]float32{5, -7, 3}, 3},
		{[3]float32{5, 7, 30}, 4},
	} {
		if got := leaf(tree, c.x[:]...); got != c.want {
			t.Errorf("%v reaches leaf %d, want %d", c.x, got, c.want)
		}
	}
	if tree.Depth() != 2 || tree.Leaves() != 3 {
		t.Errorf("depth %d with %d leaves, want 2 with 3", tree.Depth(), tree.Leaves())
	}
	only := Tree{Nodes: []Node{{Split: int32(LeafClass)}}, Classes: 1}
	if leaf(&only, 1) != 0 || only.Depth() != 0 || only.Leaves() != 1 {
		t.Error("a leaf alone is not a tree of depth 0 with one leaf")
	}
}

// leaf returns the leaf that x reaches.
func leaf(t *Tree, x ...float32) int32 {
	f := &Forest{Features: make([]string, len(x)), Classes: make([]string, t.Classes), Trees: []Tree{*t}}
	d := &datasets.Dataset{Features: make([]datasets.Feature, len(x))}
	for _, v := range x {
		d.Columns = append(d.Columns, []float32{v})
	}
	return must.Value(f.Apply(context.Background(), d))[0][0]
}

func TestDepthAndLeavesOfDrawnTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		tree := drawTree(rng, 3, 2, 0)
		leaves := 0
		var depth func(at int32) int
		depth = func(at int32) int {
			n := tree.Nodes[at]
			if n.IsLeaf() {
				leaves++
				return 0
			}
			return 1 + max(depth(at+1), depth(n.Next))
		}
		if d := depth(0); tree.Depth() != d || tree.Leaves() != leaves {
			t.Fatalf("depth %d with %d leaves, want %d with %d", tree.Depth(), tree.Leaves(), d, leaves)
		}
		var visited []int
		tree.walk(func(node, _ int) { visited = append(visited, node) })
		for i, node := range visited {
			if i != node {
				t.Fatalf("nodes are visited in the order %v", visited)
			}
		}
	}
}

// A tree with every kind of leaf of classes; that of node 4 is linear.
func everyLeaf() *Tree {
	t := &Tree{Classes: 3}
	t.Nodes = []Node{
		{Split: 0, Next: 2},
		ClassLeaf(2, 5),
		{Split: 0, Next: 4},
		t.DistLeaf([]float32{1, 0, 2.5}, 3.5),
		t.LinearLeaf([]Score{
			{Class: 1, Bias: -1, Features: []int32{0, 2}, Weights: []float32{2, -0.5}},
			{Class: 2, Bias: 4},
		}, 7),
	}
	return t
}

func TestClassWeightsByHand(t *testing.T) {
	// The linear leaf's weight of 7 counts for class 1, its first.
	want := [][]float64{{1, 7, 7.5}, {0, 0, 5}, {1, 7, 2.5}, {1, 0, 2.5}, {0, 7, 0}}
	if got := everyLeaf().ClassWeights(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	values := Tree{Nodes: []Node{{Split: 0, Next: 2}, ValueLeaf(-3, 2), ValueLeaf(9, 0.5)}}
	if got, want := values.ClassWeights(), [][]float64{{2.5}, {2}, {0.5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLeavesSayWhatTheyWereMadeOf(t *testing.T) {
	tree := everyLeaf()
	for i, want := range map[int]Leaf{
		1: {Kind: LeafClass, Class: 2, Weight: 5},
		3: {Kind: LeafDist, Dist: []float32{1, 0, 2.5}, Weight: 3.5},
		4: {Kind: LeafLinear, Weight: 7, Scores: []Score{
			{Class: 1, Bias: -1, Features: []int32{0, 2}, Weights: []float32{2, -0.5}},
			{Class: 2, Bias: 4, Features: []int32{}, Weights: []float32{}},
		}},
	} {
		if got := tree.Leaf(i); !reflect.DeepEqual(got, want) {
			t.Errorf("leaf %d says\n%+v, want\n%+v", i, got, want)
		}
		// addLeaf makes an equal leaf.
		other := Tree{Classes: 3, Dist: []float32{9, 9, 9}}
		other.Nodes = []Node{other.addLeaf(tree.Leaf(i))}
		if got := other.Leaf(0); !reflect.DeepEqual(got, want) {
			t.Errorf("leaf %d says in another tree\n%+v, want\n%+v", i, got, want)
		}
	}
	values := Tree{Nodes: []Node{ValueLeaf(-3, 2)}}
	if got, want := values.Leaf(0), (Leaf{Kind: LeafValue, Value: -3, Weight: 2}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a split said what it says as a leaf")
		}
	}()
	tree.Leaf(0)
}

// Nodes that are imported one by one from other trees have the same functions and leaves
// as there, whatever else the pool has.
func TestImportKeepsEveryKind(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		classes := []int{0, 1, 3}[i%3]
		from, other := drawTree(rng, 4, classes, 0), drawTree(rng, 4, classes, 0)
		to := Tree{Classes: classes}
		for _, n := range other.Nodes { // these go first, so numbers differ
			to.imported(n, &other)
		}
		for _, n := range from.Nodes {
			to.Nodes = append(to.Nodes, to.imported(n, &from))
		}
		f := &Forest{Features: make([]string, 4), Trees: []Tree{to}}
		if classes > 0 {
			f.Classes = make([]string, classes)
		}
		must.Do(f.validate())
		for i, n := range from.Nodes {
			got := to.Nodes[i]
			if got.Value != n.Value || got.Weight != n.Weight || !n.IsLeaf() && got.Next != n.Next {
				t.Fatalf("node %+v became %+v", n, got)
			}
			if n.IsLeaf() {
				if got, want := fmt.Sprintf("%+v", to.Leaf(i)), fmt.Sprintf("%+v", from.Leaf(i)); got != want {
					t.Fatalf("leaf %s became %s", want, got)
				}
			} else if got, want := fmt.Sprint(to.Splits.At(got.Split)), fmt.Sprint(from.Splits.At(n.Split)); got != want {
				t.Fatalf("function %s became %s", want, got)
			}
		}
	}
}

func TestResetAndTrimmed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tree := drawTree(rng, 4, 3, 0)
	for tree.models.len() == 0 || tree.Splits.Len() < 3 || len(tree.Dist) == 0 {
		tree = drawTree(rng, 4, 3, 0)
	}
	copied := tree.Trimmed()
	if !reflect.DeepEqual(copied, tree) {
		t.Errorf("%+v, want %+v", copied, tree)
	}
	want := tree.Trimmed()
	tree.Reset()
	if len(tree.Nodes) != 0 || tree.Splits.Len() != 0 || tree.Splits.Coefficients() != 0 || len(tree.Dist) != 0 ||
		tree.models.len() != 0 {
		t.Errorf("%+v isn't empty", tree)
	}
	for _, n := range want.Nodes { // reuses the memory
		tree.Nodes = append(tree.Nodes, tree.imported(n, &want))
	}
	if !reflect.DeepEqual(copied, want) {
		t.Error("the copy shares memory with the tree")
	}
	if got := (&Forest{Trees: []Tree{tree}, Features: make([]string, 4),
		Classes: make([]string, 3)}).validate(); got != nil {
		t.Error(got)
	}
}

// Feature depths against a walk of the paths to all nodes.
func TestFeatureDepths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		f := drawForest(rng, 6, rng.IntN(4), 3)
		for i := range f.Trees {
			tree := &f.Trees[i]
			want, deepest := []int32{-1, -1, -1, -1, -1, -1}, -1
			var visit func(node, depth int)
			visit = func(node, depth int) {
				n := tree.Nodes[node]
				if n.IsLeaf() {
					return
				}
				deepest = max(deepest, depth)
				fn := tree.Splits.At(n.Split)
				for j := range want {
					// A feature is used if another value of its cell alone changes the
					// function's value at some point.
					used := false
					for range 5 {
						x := make([]float32, 6)
						for k := range x {
							x[k] = float32(rng.NormFloat64())
						}
						before := fn.Value(x)
						x[j] += 1 + rng.Float32()
						used = used || fn.Value(x) != before
					}
					if used && (want[j] < 0 || int(want[j]) > depth) {
						want[j] = int32(depth)
					}
				}
				visit(node+1, depth+1)
				visit(int(n.Next), depth+1)
			}
			visit(0, 0)
			got := make([]int32, 6)
			if d := tree.FeatureDepths(got); d != deepest || !slices.Equal(got, want) {
				t.Fatalf("depths %v, deepest split %d; want %v, %d", got, d, want, deepest)
			}
		}
	}
}

// A tree that was mutable keeps only what is used: not the first function, row of class weights and model.
func TestMutableForgets(t *testing.T) {
	tree := Tree{Classes: 2, Splits: pool(Linear([]int32{0, 1}, []float32{1, 1}), Linear([]int32{0, 1}, []float32{1, -1}))}
	tree.DistLeaf([]float32{1, 2}, 3)
	tree.LinearLeaf([]Score{{Class: 0, Bias: 1}}, 1)
	tree.Nodes = []Node{{Split: firstStored + 1, Next: 2}, tree.DistLeaf([]float32{3, 1}, 4),
		tree.LinearLeaf([]Score{{Class: 1, Bias: 2}}, 1)}
	got := NewMutable(&tree).Tree()
	want := Tree{Classes: 2, Splits: pool(Linear([]int32{0, 1}, []float32{1, -1}))}
	want.Nodes = []Node{{Split: firstStored, Next: 2}, want.DistLeaf([]float32{3, 1}, 4),
		want.LinearLeaf([]Score{{Class: 1, Bias: 2}}, 1)}
	if got, want := got.Trimmed(), want.Trimmed(); !reflect.DeepEqual(got, want) {
		t.Errorf("kept\n%+v\nwant\n%+v", got, want)
	}
	if tree.Splits.Len() != 2 || tree.Nodes[0].Split != firstStored+1 {
		t.Error("the tree itself has changed")
	}
}
