package tao

import (
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// refine optimises a tree of another method and writes the result to refined.
func (o *optimizer) refine(tree, refined *forest.Tree) error {
	o.copyTree(tree)
	before := slices.Clone(o.nodes)
	began := o.evaluate().Objective()
	if err := o.passAll(o.Acceptance); err != nil {
		return err
	}
	if o.state().Objective() > began {
		o.nodes = before
		o.evaluate()
		if err := o.passAll(Strict); err != nil {
			return err
		}
	}
	*refined = o.pruned()
	return nil
}

// copyTree makes the nodes those of a finished tree.
func (o *optimizer) copyTree(t *forest.Tree) {
	o.nodes = make([]node, len(t.Nodes))
	for i := range t.Nodes {
		n := &o.nodes[i]
		if t.Nodes[i].IsLeaf() {
			n.leaf = o.startFrom(t.Leaf(i))
			n.penalised = o.penalisedLeaf(&n.leaf)
			continue
		}
		n.left, n.right = int32(i)+1, t.Nodes[i].Next
		n.fn, n.threshold = t.Splits.At(t.Nodes[i].Split), t.Nodes[i].Value
		n.penalised = o.penalisedSplit(&n.fn)
	}
}

// startFrom returns a leaf of a finished tree as one to be optimised.
func (o *optimizer) startFrom(l forest.Leaf) forest.Leaf {
	switch {
	case l.Kind == forest.LeafValue:
		return forest.Leaf{Kind: forest.LeafValue, Value: float32((float64(l.Value) - o.mean) / o.sd)}
	case l.Kind == forest.LeafDist:
		largest := 0
		for c, w := range l.Dist {
			if w > l.Dist[largest] {
				largest = c
			}
		}
		return forest.Leaf{Kind: forest.LeafClass, Class: int32(largest)}
	case l.Kind == forest.LeafLinear && o.labels == nil:
		score := l.Scores[0]
		score.Weights = slices.Clone(score.Weights)
		for k, w := range score.Weights {
			score.Weights[k] = float32(float64(w) / o.sd)
		}
		score.Bias = float32((float64(score.Bias) - o.mean) / o.sd)
		return forest.Leaf{Kind: forest.LeafLinear, Scores: []forest.Score{score}}
	}
	return l
}

// evaluate sends the sample down the tree, sets the loss of each row, and returns the state.
func (o *optimizer) evaluate() Pass {
	s := o.borrow()
	defer o.scratch.Put(s)
	o.walk(s, 0, o.sample, o.loss)
	return o.state()
}
