package taolive

import (
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// By hand: the root divides at x = 0, its left subtree at x = −1 and its right one at x = 1.
func TestRootProblem(t *testing.T) {
	tree := forest.Tree{Classes: 2, Nodes: []forest.Node{
		{Split: 0, Value: 0, Next: 4},
		{Split: 0, Value: -1, Next: 3}, forest.ClassLeaf(1, 1), forest.ClassLeaf(0, 1),
		{Split: 0, Value: 1, Next: 6}, forest.ClassLeaf(1, 1), forest.ClassLeaf(0, 1),
	}}
	f := &forest.Forest{Method: "cart", Features: []string{"x1"}, Classes: []string{"n", "y"}, Trees: []forest.Tree{tree}}
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x1"}}, Classes: f.Classes,
		Columns: [][]float32{{-2, -2, -0.5, -0.5, 2, 2}}, Labels: []int32{1, 0, 0, 1, 0, 1}}
	// The left subtree says 1 1 0 0 0 0, the right one 1 1 1 1 0 0.
	want := []int32{2, 2, 0, 1, 2, 2}
	problem, split := RootProblem(f, d)
	if !slices.Equal(problem.Labels, want) || !slices.Equal(d.Labels, []int32{1, 0, 0, 1, 0, 1}) {
		t.Errorf("pseudolabels %v, want %v", problem.Labels, want)
	}
	if got := must.Value(split.Predict(t.Context(), problem)); !slices.Equal(got, []int32{0, 0, 0, 0, 1, 1}) {
		t.Errorf("sides %v", got)
	}
}
