package tao

import (
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// state describes the tree after a pass.
func (o *optimizer) state() Pass {
	p := Pass{Tree: o.tree, Number: o.pass, Lambda: o.lambda / o.unit, Strict: o.strict}
	for _, r := range o.sample {
		p.Loss += float64(o.weight[r] * o.loss[r])
	}
	for i := range o.nodes {
		n, lambda := &o.nodes[i], o.lambda
		if n.isLeaf() {
			lambda = o.LeafLambda
		}
		p.Penalty += float64(lambda * n.penalised)
	}
	return p
}

// pruned returns the tree as it is, without the parts that have no effect: splits that send
// all rows to one side, splits above rows of one class, and splits whose leaves predict the
// same. Constant leaves are set to the majority or mean of the rows that arrive. The tree isn't whole if ctx is
// cancelled.
func (o *optimizer) pruned() forest.Tree {
	s := o.borrow()
	defer o.scratch.Put(s)
	t := forest.Tree{Classes: len(o.data.Classes)}
	o.prune(s, &t, 0, slices.Clone(o.sample))
	m := forest.NewMutable(&t)
	m.Reweigh(o.data, o.weight)
	return m.Tree()
}

// prune appends what is kept of the subtree at node i to t, given the rows that reach it. Weights are computed later.
func (o *optimizer) prune(s *scratch, t *forest.Tree, i int32, rows []int32) {
	n, at := &o.nodes[i], len(t.Nodes)
	switch {
	case n.isLeaf() && n.leaf.Kind != forest.LeafLinear || o.pure(rows) || o.ctx.Err() != nil:
		t.Nodes = append(t.Nodes, o.constantLeaf(s, t, rows))
		return
	case n.isLeaf():
		t.Nodes = append(t.Nodes, t.LinearLeaf(o.unstandardised(n.leaf.Scores), 0))
		return
	}
	left, right := o.divide(s, n, rows)
	switch {
	case len(right) == 0:
		o.prune(s, t, n.left, rows)
		return
	case len(left) == 0:
		o.prune(s, t, n.right, rows)
		return
	}
	t.Nodes = append(t.Nodes, forest.Node{Split: t.Splits.Add(n.fn), Value: n.threshold})
	o.prune(s, t, n.left, left)
	t.Nodes[at].Next = int32(len(t.Nodes))
	o.prune(s, t, n.right, right)
	if len(t.Nodes) == at+3 && o.sameClass(s, t, left, right) {
		t.Nodes = append(t.Nodes[:at], o.constantLeaf(s, t, rows))
	}
}

// pure reports whether all rows have the same class.
func (o *optimizer) pure(rows []int32) bool {
	return o.labels != nil && !slices.ContainsFunc(rows, func(r int32) bool { return o.labels[r] != o.labels[rows[0]] })
}

// sameClass reports whether the last two nodes of a tree are constant leaves with the same prediction, given their
// rows: the same class if trees vote, otherwise rows of one class alone, since proportions count.
func (o *optimizer) sameClass(s *scratch, t *forest.Tree, left, right []int32) bool {
	for i := len(t.Nodes) - 2; i < len(t.Nodes); i++ {
		if t.Leaf(i).Kind == forest.LeafLinear {
			return false
		}
	}
	return o.labels != nil && o.majority(s, left) == o.majority(s, right) &&
		(o.rule == forest.Plurality || o.pure(left) && o.pure(right))
}

// majority returns the class with the largest weight, the first if several have it, and
// sets s.counts to the weights of the classes.
func (o *optimizer) majority(s *scratch, rows []int32) int32 {
	counts := resized(&s.counts, len(o.data.Classes))
	clear(counts)
	for _, r := range rows {
		counts[o.labels[r]] += o.weight[r]
	}
	return int32(slices.Index(counts, slices.Max(counts)))
}

// constantLeaf returns a leaf of t with the majority or mean of the rows that arrive.
func (o *optimizer) constantLeaf(s *scratch, t *forest.Tree, rows []int32) forest.Node {
	if o.labels == nil {
		return forest.ValueLeaf(float32(float64(o.average(rows)*o.sd)+o.mean), 0)
	}
	class := o.majority(s, rows)
	if o.pure(rows) {
		return forest.ClassLeaf(class, 0)
	}
	dist := make([]float32, len(s.counts))
	for c, count := range s.counts {
		dist[c] = float32(count)
	}
	return t.DistLeaf(dist, 0)
}

// unstandardised returns scores of values in the data's units. Scores of classes have no
// units.
func (o *optimizer) unstandardised(scores []forest.Score) []forest.Score {
	if o.labels != nil {
		return scores
	}
	score := scores[0]
	score.Weights = slices.Clone(score.Weights)
	for k, w := range score.Weights {
		score.Weights[k] = float32(float64(w) * o.sd)
	}
	score.Bias = float32(float64(float64(score.Bias)*o.sd) + o.mean)
	return []forest.Score{score}
}
