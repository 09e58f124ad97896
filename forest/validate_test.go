package forest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
)

// drawForest returns a valid forest of random trees; classes = 0 asks for
// regression.
func drawForest(rng *rand.Rand, p, classes, trees int) *Forest {
	f := &Forest{Method: "drawn", Target: "y", Rule: Average, Rows: rng.IntN(100), Sampling: Bootstrap(rng.Uint64())}
	for j := range p {
		f.Features = append(f.Features, fmt.Sprintf("x%d", j))
	}
	for c := range classes {
		f.Classes = append(f.Classes, fmt.Sprintf("class %d", c))
	}
	if classes > 0 {
		f.Rule = []Rule{Plurality, Average, Consensus}[rng.IntN(3)]
	}
	for range trees {
		f.Trees = append(f.Trees, drawTree(rng, p, classes))
	}
	return f
}

func drawTree(rng *rand.Rand, p, classes int) Tree {
	var t Tree
	for range rng.IntN(6) {
		var index []int32
		var weights []float32
		for j := range p {
			if rng.IntN(2) == 0 {
				index = append(index, int32(j))
				weights = append(weights, []float32{1, -1, 0.5, 0.25}[rng.IntN(4)])
			}
		}
		t.Splits.Add(index, weights)
	}
	var grow func(depth int)
	grow = func(depth int) {
		i := len(t.Nodes)
		weight := float32(rng.IntN(20)) / 4
		if depth == 0 || rng.IntN(4) == 0 {
			t.Nodes = append(t.Nodes, drawLeaf(rng, &t, classes, weight))
			return
		}
		t.Nodes = append(t.Nodes, Node{
			Split:  int32(rng.IntN(p + t.Splits.Len())),
			Value:  float32(rng.IntN(9)-4) / 4,
			Weight: weight,
		})
		grow(depth - 1)
		t.Nodes[i].Next = int32(len(t.Nodes))
		grow(depth - 1)
	}
	grow(5)
	return t
}

func drawLeaf(rng *rand.Rand, t *Tree, classes int, weight float32) Node {
	switch {
	case classes == 0:
		return Node{Split: LeafValue, Value: float32(rng.NormFloat64()), Weight: weight}
	case rng.IntN(2) == 0:
		return Node{Split: LeafClass, Next: int32(rng.IntN(classes)), Weight: weight}
	}
	row := int32(len(t.Dist) / classes)
	weight = 0
	for range classes {
		w := float32(rng.IntN(4) + 1)
		t.Dist = append(t.Dist, w)
		weight += w
	}
	return Node{Split: LeafDist, Next: row, Weight: weight}
}

// drawData returns n rows on a coarse grid, so that thresholds are met exactly,
// with a target of f's kind.
func drawData(rng *rand.Rand, f *Forest, n int) *datasets.Dataset {
	d := &datasets.Dataset{Target: f.Target, Classes: slices.Clone(f.Classes)}
	for _, name := range f.Features {
		col := make([]float32, n)
		for i := range col {
			col[i] = float32(rng.IntN(17)-8) / 4
		}
		d.Features = append(d.Features, datasets.Feature{Name: name})
		d.Columns = append(d.Columns, col)
	}
	for range n {
		if f.Regression() {
			d.Values = append(d.Values, rng.NormFloat64())
		} else {
			d.Labels = append(d.Labels, int32(rng.IntN(len(f.Classes))))
		}
	}
	return d
}
