package grow

import (
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// honest holds the buffers of [worker.refill].
type honest struct {
	values []float32
	spare  []key
	stack  []branch
	moved  []int32 // by stored split function of the old tree: its number in the new one, −1 if it has none yet
}

// A branch is a node of the old tree, with the rows of the sample that reach it.
type branch struct {
	node, lo, hi int
	parent       int32 // the split of the new tree whose right child it is; −1 for a left child or the root
}

// refill returns the tree with leaves that are filled by the sampler's second sample, without
// the splits that don't divide it. It returns false if the call was cancelled.
func (w *worker) refill(t *forest.Tree, from origin) (refilled forest.Tree, ok bool) {
	from.data, from.sample = w.engine.data, &w.sampler.leaves
	w.cells.data = from.data
	w.cells.leave()
	n, h, b := &w.node, &w.honest, &w.builder
	n.begin(from)
	b.begin(t.Classes)
	rows := len(from.sample.ids)
	h.values, h.spare = Sized(h.values, rows), Sized(h.spare, rows)
	h.stack = append(h.stack[:0], branch{hi: rows, parent: -1})
	h.moved = slices.Repeat([]int32{-1}, t.Splits.Len())
	for len(h.stack) > 0 {
		if w.team.cancelled.Load() {
			return refilled, false
		}
		at := h.stack[len(h.stack)-1]
		h.stack = h.stack[:len(h.stack)-1]
		n.lo, n.hi = at.lo, at.hi
		mid := n.pass(t, &at.node, h)
		if at.parent >= 0 {
			b.setRight(at.parent)
		}
		split := t.Nodes[at.node]
		if split.IsLeaf() {
			n.enter(at.lo, at.hi, 0)
			b.addLeaf(n)
			w.checkClassWeights(b.mixed.n)
			continue
		}
		if k, stored := t.Splits.Place(split.Split); stored {
			if h.moved[k] < 0 {
				h.moved[k] = b.imported(t, at.node).Split
			}
			split.Split = h.moved[k]
		}
		b.add(split)
		right := int32(len(b.tree.Nodes) - 1)
		h.stack = append(h.stack, branch{int(split.Next), mid, at.hi, right}, branch{at.node + 1, at.lo, mid, -1})
	}
	return b.trimmed(n)
}

// pass moves from a node of t down to the first one that is a leaf or divides n's rows, and
// divides them. It returns where the rows that go right begin.
func (n *Node) pass(t *forest.Tree, at *int, h *honest) (mid int) {
	for !t.Nodes[*at].IsLeaf() {
		split := &t.Nodes[*at]
		fn := t.Splits.At(split.Split)
		values := h.values[:n.Len()]
		n.project(values, &fn)
		switch mid = n.sample.divide(n.lo, n.hi, values, split.Value, h.spare); mid {
		case n.lo:
			*at = int(split.Next)
		case n.hi:
			*at++
		default:
			return mid
		}
	}
	return n.hi
}
