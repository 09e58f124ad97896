package inspect

import (
	"context"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// The formulas of sections 4.4 and 6 of the GRAF paper.
func TestModelSize(t *testing.T) {
	cube := sim.Hypercube{Features: 6}.Sample(0, 1)
	for _, c := range []struct {
		name    string
		learner forest.Learner
		size    func(tw, tnl, tl int) int
	}{
		{"GRAF, M = 4", graf.Learner{Trees: 3, TreeFeatures: 4}, func(tw, tnl, tl int) int { return tw*(4+1) + tnl*3 + tl }},
		{"GRAF, M = 6", graf.Learner{Trees: 3, TreeFeatures: graf.All},
			func(tw, tnl, tl int) int { return tw*(6+1) + tnl*3 + tl }},
		{"RF", rf.Learner{Trees: 3}, func(_, tnl, tl int) int { return tnl*4 + tl }},
		{"OT", oblique.Learner{Trees: 3, NodeFeatures: 6}, func(_, tnl, tl int) int { return tnl*(6+1) + tnl*2 + tl }},
	} {
		f := fitted(t, c.learner, cube)
		want := 0
		for _, tree := range f.Trees {
			want += c.size(tree.Splits.Len(), tree.Leaves()-1, tree.Leaves())
		}
		if got := ModelSize(f); got != want {
			t.Errorf("%s: %d, want %d", c.name, got, want)
		}
	}
}

// A plane is a function and a threshold.
func TestModelSizeByHand(t *testing.T) {
	for _, c := range []struct {
		threshold float32 // of the second split; that of the first is 1
		want      int
	}{
		{1, 2*3 + (2 + 1) + 4 + 4},
		{2, 2*(2+1) + 2*2 + 4 + 4},
	} {
		var tree forest.Tree
		split := tree.Splits.Add(forest.Linear([]int32{0, 2}, []float32{1, -1}))
		tree.Nodes = []forest.Node{
			{Split: 0, Next: 4}, // on feature 0
			{Split: split, Value: 1, Next: 3}, leaf(0), leaf(1),
			{Split: split, Value: c.threshold, Next: 6}, leaf(1), leaf(0),
		}
		f := &forest.Forest{Features: []string{"a", "b", "c"}, Classes: []string{"0", "1"}, Trees: []forest.Tree{tree}}
		if got := ModelSize(f); got != c.want {
			t.Errorf("thresholds 1 and %v: %d, want %d", c.threshold, got, c.want)
		}
	}
}

// All numbers of a LowRank but its bias count: 2 weights, 2 of the centre and 3·2 factors.
func TestModelSizeOfLowRank(t *testing.T) {
	var tree forest.Tree
	split := tree.Splits.Add(forest.Function{
		Kind: forest.LowRank, Features: []int32{0, 2}, Weights: []float32{0, 1}, Bias: 5,
		Centre: []float32{0, 1}, Factors: []float32{1, 2, 3, 0, 5, 6}, Positive: 1,
	})
	tree.Nodes = []forest.Node{{Split: split, Next: 2}, leaf(0), leaf(1)}
	f := &forest.Forest{Features: []string{"a", "b", "c"}, Classes: []string{"0", "1"}, Trees: []forest.Tree{tree}}
	if got := ModelSize(f); got != 10+1+2+2 {
		t.Errorf("%d, want 15", got)
	}
}

func fitted(t testing.TB, l forest.Learner, d *datasets.Dataset) *forest.Forest {
	t.Helper()
	f := must.Value(l.Fit(context.Background(), d))
	return f
}
