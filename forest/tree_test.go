package forest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
)

func TestPool(t *testing.T) {
	var pool Pool
	if pool.Len() != 0 {
		t.Errorf("an empty pool has %d combinations", pool.Len())
	}
	want := []struct {
		index   []int32
		weights []float32
	}{{[]int32{0, 3}, []float32{1, -1}}, {nil, nil}, {[]int32{2}, []float32{0.5}}}
	for k, c := range want {
		if got := pool.Add(c.index, c.weights); got != k || pool.Len() != k+1 {
			t.Errorf("combination %d of %d, want %d of %d", got, pool.Len(), k, k+1)
		}
	}
	for k, c := range want {
		if index, weights := pool.At(k); !slices.Equal(index, c.index) || !slices.Equal(weights, c.weights) {
			t.Errorf("combination %d is %v of %v, want %v of %v", k, weights, index, c.weights, c.index)
		}
	}
}

// hand is a tree with a split on feature 1 and one on x0 − x2:
//
//	x1 ≤ 2 → x0 − x2 ≤ −1 → leaf 2
//	                      → leaf 3
//	       → leaf 4
func hand() *Tree {
	t := &Tree{Nodes: []Node{
		{Split: 1, Next: 4, Value: 2},
		{Split: 3, Next: 3, Value: -1},
		{Split: LeafClass, Next: 0, Weight: 3},
		{Split: LeafDist, Next: 0, Weight: 4},
		{Split: LeafClass, Next: 2, Weight: 2},
	}, Dist: []float32{1, 3, 0}}
	t.Splits.Add([]int32{0, 2}, []float32{1, -1})
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
	only := Tree{Nodes: []Node{{Split: LeafClass}}}
	if leaf(&only, 1) != 0 || only.Depth() != 0 || only.Leaves() != 1 {
		t.Error("a leaf alone is not a tree of depth 0 with one leaf")
	}
}

// leaf returns the leaf that x reaches.
func leaf(t *Tree, x ...float32) int32 {
	f := &Forest{Features: make([]string, len(x)), Trees: []Tree{*t}}
	d := &datasets.Dataset{Features: make([]datasets.Feature, len(x))}
	for _, v := range x {
		d.Columns = append(d.Columns, []float32{v})
	}
	return f.Apply(d)[0][0]
}

func TestDepthAndLeavesOfDrawnTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		tree := drawTree(rng, 3, 2)
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
