package forest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// withMissing draws a forest with Fills, whose single features send missing cells to either side.
func withMissing(rng *rand.Rand, p, classes, trees int) *Forest {
	return addMissing(rng, drawForest(rng, p, classes, trees))
}

func addMissing(rng *rand.Rand, f *Forest) *Forest {
	for range f.P() {
		f.Fills = append(f.Fills, gridNumber(rng))
	}
	for i := range f.Trees {
		for k := range f.Trees[i].Nodes {
			n := &f.Trees[i].Nodes[k]
			if n.IsLeaf() {
				continue
			}
			if fn := f.Trees[i].Splits.At(n.Split); fn.Kind == Axis {
				fn.MissingLeft = rng.IntN(2) == 0
				n.Split = f.Trees[i].Splits.Add(fn)
			}
		}
	}
	return f
}

func TestSplitStringOfMissingCells(t *testing.T) {
	f := &Forest{Features: []string{"height", "width"}}
	var tree Tree
	for _, c := range []struct {
		left      bool
		threshold float32
		want      string
	}{
		{false, 2.5, "width ≤ 2.5"},
		{true, 2.5, "width ≤ 2.5 or missing"},
		{false, math.MaxFloat32, "width not missing"},
	} {
		fn := Linear([]int32{1}, []float32{1})
		fn.MissingLeft = c.left
		tree.Nodes = []Node{{Split: tree.Splits.Add(fn), Value: c.threshold}}
		if got := f.SplitString(&tree, 0); got != c.want {
			t.Errorf("%q; want %q", got, c.want)
		}
	}
}
