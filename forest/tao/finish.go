package tao

import (
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// setLambda sets the penalty for the passes to come.
func (o *optimizer) setLambda(lambda float64) { o.lambda, o.pass = lambda, 0 }

// state describes the tree after a pass.
func (o *optimizer) state() Pass {
	p := Pass{Tree: o.tree, Number: o.pass, Lambda: o.lambda, Strict: o.strict}
	for _, r := range o.sample {
		p.Loss += float64(o.weight[r] * o.loss[r])
	}
	for i := range o.nodes {
		n := &o.nodes[i]
		p.Penalty += float64(o.factor(n) * n.penalised)
	}
	return p
}

// factor returns λ for a split, LeafLambda for a leaf.
func (o *optimizer) factor(n *node) float64 {
	if n.isLeaf() {
		return o.LeafLambda
	}
	return o.lambda
}

// A kept is a node of the pruned tree, in preorder.
type kept struct {
	node *node   // a split or a linear leaf; nil for a constant leaf
	next int32   // right child of a split
	rows []int32 // that reach a leaf
}

// pruned returns the tree as it is, without the parts that have no effect: splits that send
// all rows to one side, splits above rows of one class, and splits whose leaves predict the
// same. Constant leaves are set to the majority or mean of the rows that arrive. The tree isn't whole if ctx is
// cancelled.
func (o *optimizer) pruned() forest.Tree {
	s := o.borrow()
	defer o.scratch.Put(s)
	nodes := o.prune(s, nil, 0, slices.Clone(o.sample))
	t := forest.Tree{Classes: len(o.data.Classes), Nodes: make([]forest.Node, 0, len(nodes))}
	for _, k := range nodes {
		t.Nodes = append(t.Nodes, o.final(&t, s, k))
	}
	m := forest.NewMutable(&t)
	m.Reweigh(o.data, o.weight)
	return m.Tree()
}

// prune appends what is kept of the subtree at node i, given the rows that reach it.
func (o *optimizer) prune(s *scratch, nodes []kept, i int32, rows []int32) []kept {
	n := &o.nodes[i]
	var left, right []int32
	for !n.isLeaf() {
		if o.ctx.Err() != nil {
			return append(nodes, kept{rows: rows})
		}
		left, right = o.divide(s, n, rows)
		if len(left) > 0 && len(right) > 0 {
			break
		}
		if len(left) > 0 {
			n = &o.nodes[n.left]
		} else {
			n = &o.nodes[n.right]
		}
	}
	if n.isLeaf() && n.leaf.Kind != forest.LeafLinear || o.pure(rows) {
		return append(nodes, kept{rows: rows})
	}
	at := len(nodes)
	nodes = append(nodes, kept{node: n, rows: rows})
	if n.isLeaf() {
		return nodes
	}
	nodes = o.prune(s, nodes, n.left, left)
	nodes[at].next = int32(len(nodes))
	nodes = o.prune(s, nodes, n.right, right)
	if len(nodes) == at+3 && o.sameClass(s, nodes[at+1], nodes[at+2]) {
		return append(nodes[:at], kept{rows: rows})
	}
	return nodes
}

// pure reports whether all rows have the same class.
func (o *optimizer) pure(rows []int32) bool {
	if o.labels == nil {
		return false
	}
	for _, r := range rows {
		if o.labels[r] != o.labels[rows[0]] {
			return false
		}
	}
	return true
}

// sameClass reports whether two nodes are constant leaves with the same prediction: the same
// class if trees vote, otherwise rows of one class alone, since proportions count.
func (o *optimizer) sameClass(s *scratch, a, b kept) bool {
	return o.labels != nil && a.node == nil && b.node == nil && o.majority(s, a.rows) == o.majority(s, b.rows) &&
		(o.rule == forest.Plurality || o.pure(a.rows) && o.pure(b.rows))
}

// majority returns the class with the largest weight, the first if several have it, and
// sets s.counts to the weights of the classes.
func (o *optimizer) majority(s *scratch, rows []int32) int32 {
	counts := resized(&s.counts, len(o.data.Classes))
	clear(counts)
	for _, r := range rows {
		counts[o.labels[r]] += o.weight[r]
	}
	largest := 0
	for c, count := range counts {
		if count > counts[largest] {
			largest = c
		}
	}
	return int32(largest)
}

// final returns a kept node as one of t. Its weight is computed later.
func (o *optimizer) final(t *forest.Tree, s *scratch, k kept) forest.Node {
	switch {
	case k.node != nil && !k.node.isLeaf():
		return forest.Node{Split: t.Splits.Add(k.node.fn), Value: k.node.threshold, Next: k.next}
	case k.node != nil:
		return t.LinearLeaf(o.unstandardised(k.node.leaf.Scores), 0)
	case o.labels == nil:
		return forest.ValueLeaf(float32(float64(o.average(k.rows)*o.sd)+o.mean), 0)
	}
	class := o.majority(s, k.rows)
	if o.pure(k.rows) {
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
