// Package steps says in which order the splits of a tree are shown, for pictures that
// let a tree grow.
package steps

import (
	"cmp"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// Number returns the step, from 1, that splits each node (0 for leaves), and the
// number of steps. Nodes that share a plane are split in one step if the pool is in
// order of growth; otherwise every node has a step of its own, level by level.
func Number(tree *forest.Tree) (splitAt []int, steps int) {
	splitAt = make([]int, len(tree.Nodes))
	level := make([]int, len(tree.Nodes))
	var inner []int
	for i, n := range tree.Nodes {
		if !n.IsLeaf() {
			inner = append(inner, i)
			level[i+1], level[n.Next] = level[i]+1, level[i]+1
		}
	}
	together := planesInOrder(tree)
	slices.SortStableFunc(inner, func(a, b int) int {
		if together {
			return cmp.Compare(poolPlace(tree, a), poolPlace(tree, b))
		}
		return cmp.Compare(level[a], level[b])
	})
	for k, i := range inner {
		if !together || k == 0 || poolPlace(tree, i) != poolPlace(tree, inner[k-1]) {
			steps++
		}
		splitAt[i] = steps
	}
	return splitAt, steps
}

// poolPlace returns the place of a split's function in the pool, or -1 for a single
// feature.
func poolPlace(tree *forest.Tree, node int) int {
	k, stored := tree.Splits.Place(tree.Nodes[node].Split)
	if !stored {
		return -1
	}
	return k
}

// planesInOrder reports whether the pool is in order of growth: all splits are
// combinations, each with a single threshold, and come after their parent's.
func planesInOrder(tree *forest.Tree) bool {
	thresholds := map[int]float32{}
	for i, n := range tree.Nodes {
		if n.IsLeaf() {
			continue
		}
		at := poolPlace(tree, i)
		if t, seen := thresholds[at]; at < 0 || seen && t != n.Value {
			return false
		}
		thresholds[at] = n.Value
		for _, child := range []int{i + 1, int(n.Next)} {
			if !tree.Nodes[child].IsLeaf() && poolPlace(tree, child) <= at {
				return false
			}
		}
	}
	return true
}
