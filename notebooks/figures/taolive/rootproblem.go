package taolive

import (
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// RootProblem returns the reduced problem of the root of a forest's first tree (Section 3 of
// the TAO paper): the rows of d with pseudolabels as their classes. These are "left" or
// "right" for a row that only this child's subtree would give its class, and "either" for
// all others, which don't count. The split is the tree's root above two leaves; it predicts the
// side that each row goes to now. It panics if the tree is a leaf.
func RootProblem(f *forest.Forest, d *datasets.Dataset) (problem *datasets.Dataset, split *forest.Forest) {
	correct := func(left bool) []bool {
		m := forest.NewMutable(&f.Trees[0])
		m.Splice(0, left)
		child := *f
		child.Trees = []forest.Tree{m.Tree()}
		of := make([]bool, d.N())
		for i, class := range nb.Value(child.Predict(nb.Context(), d)) {
			of[i] = class == d.Labels[i]
		}
		return of
	}
	byLeft, byRight := correct(true), correct(false)
	reduced := *d
	reduced.Classes, reduced.Labels = []string{"left", "right", "either"}, make([]int32, d.N())
	for i := range reduced.Labels {
		switch {
		case byLeft[i] == byRight[i]:
			reduced.Labels[i] = 2
		case byRight[i]:
			reduced.Labels[i] = 1
		}
	}
	root := forest.NewMutable(&f.Trees[0])
	l, r := root.Children(0)
	root.SetLeaf(l, forest.Leaf{Kind: forest.LeafClass, Class: 0, Weight: 1})
	root.SetLeaf(r, forest.Leaf{Kind: forest.LeafClass, Class: 1, Weight: 1})
	tree := root.Tree()
	tree.Classes = len(reduced.Classes)
	one := *f
	one.Classes, one.Trees = reduced.Classes, []forest.Tree{tree}
	return &reduced, &one
}
