package steps

import (
	"fmt"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

// TestNumber checks the order of planes in a tree of three splits, by hand.
func TestNumber(t *testing.T) {
	tree := func(splits [3]int32, values [3]float32) *forest.Tree {
		leaf := forest.ClassLeaf(0, 0)
		tree := &forest.Tree{Classes: 1}
		for k := range 3 { // splits from 2 on are planes of the pool
			plane := tree.Splits.Add(forest.Linear([]int32{0, 1}, []float32{1, float32(k)}))
			for i, split := range splits {
				if split == int32(2+k) {
					splits[i] = plane
				}
			}
		}
		tree.Nodes = []forest.Node{
			{Split: splits[0], Next: 4, Value: values[0]},
			{Split: splits[1], Next: 3, Value: values[1]}, leaf, leaf,
			{Split: splits[2], Next: 6, Value: values[2]}, leaf, leaf,
		}
		return tree
	}
	for i, test := range []struct {
		tree *forest.Tree
		want string // of the inner nodes
	}{
		{tree([3]int32{2, 3, 3}, [3]float32{5, 1, 1}), "1 2 2"}, // a shared plane
		{tree([3]int32{2, 4, 3}, [3]float32{5, 1, 1}), "1 3 2"},
		{tree([3]int32{2, 3, 3}, [3]float32{5, 1, 7}), "1 2 3"}, // shared weights alone
		{tree([3]int32{4, 3, 2}, [3]float32{5, 1, 1}), "1 2 3"}, // a pool in another order
		{tree([3]int32{0, 1, 1}, [3]float32{5, 1, 1}), "1 2 3"}, // features
	} {
		at, _ := Number(test.tree)
		if got := fmt.Sprint(at[0], at[1], at[4]); got != test.want {
			t.Errorf("%d: steps %s; want %s", i, got, test.want)
		}
	}
}
