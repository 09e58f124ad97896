package forest

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

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
		for _, s := range tree.Leaf(i).Scores {
			if cap(s.Features) != len(s.Features) || cap(s.Weights) != len(s.Weights) {
				t.Error("appending would overwrite what follows")
			}
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
