package forest

import (
	"cmp"
	"slices"
)

// A Node is one node of a [Tree], 16 bytes. What its fields mean depends on
// Split:
//
//	Split ≥ 0  a split: rows whose value of function Split (see [Pool]) is at most
//	           the threshold Value go to the next node of the slice, the others to
//	           node Next; Weight is the impurity decrease times the training weight
//	           that reached the node (negative where a GRAF plane raises the impurity)
//	Split < 0  a leaf of that [LeafKind], which says what Next and Value mean;
//	           Weight is the training weight that reached it
//
// Use [Pool.At] and [Tree.Leaf] to read what a node refers to, and [Pool.Add] and
// functions such as [ClassLeaf] to make nodes.
type Node struct {
	Split  int32
	Next   int32
	Value  float32
	Weight float32
}

// A Tree is a decision tree for classification or regression.
type Tree struct {
	// Nodes holds the nodes in preorder: node 0 is the root, the left child of
	// node i is node i+1 and its right child is node Nodes[i].Next > i+1.
	Nodes []Node

	// Splits holds the split functions that splits refer to.
	Splits Pool

	// Classes is the number of classes, 0 in a tree of values.
	Classes int

	// Outputs is the number of values that each leaf holds, one for each class, in a forest of the rule [Sum]. It is 0
	// in other trees, whose leaves predict a value for one class or none.
	Outputs int

	// Dist holds the class weights of mixed leaves, a row of Classes numbers for each, or the values of leaves, a row of
	// Outputs numbers for each.
	Dist []float32

	models models // of linear leaves
}

// Reset empties the tree and keeps its memory.
func (t *Tree) Reset() {
	t.Nodes, t.Dist = t.Nodes[:0], t.Dist[:0]
	t.Splits.reset()
	t.models.reset()
}

// Trimmed returns a copy without spare capacity.
func (t *Tree) Trimmed() Tree {
	return Tree{Nodes: trimmed(t.Nodes), Splits: t.Splits.trimmed(), Classes: t.Classes, Outputs: t.Outputs,
		Dist: trimmed(t.Dist), models: t.models.trimmed()}
}

// imported stores a copy of what node n of another tree refers to (its split function,
// class weights or scores) and returns a copy of n that refers to it. It doesn't append
// the node.
func (t *Tree) imported(n Node, from *Tree) Node {
	if n.IsLeaf() {
		return t.addLeaf(from.leaf(&n))
	}
	n.Split = t.Splits.Add(from.Splits.At(n.Split))
	return n
}

// Depth returns the number of splits on the longest path from root to leaf.
func (t *Tree) Depth() int {
	depth := 0
	t.walk(func(_, d int) { depth = max(depth, d) })
	return depth
}

// FeatureDepths sets depths[j] to the least depth, 0 at the root, of a split that uses
// feature j with a nonzero weight, and to −1 if no split does. depths must have an element
// for each feature. It returns the depth of the deepest split, −1 if there are no splits.
func (t *Tree) FeatureDepths(depths []int32) (deepest int) {
	for j := range depths {
		depths[j] = -1
	}
	deepest = -1
	t.walk(func(node, depth int) {
		n := &t.Nodes[node]
		if n.IsLeaf() {
			return
		}
		deepest = max(deepest, depth)
		fn := t.Splits.At(n.Split)
		fn.shares(func(j int32, _ float64) {
			if depths[j] < 0 || int(depths[j]) > depth {
				depths[j] = int32(depth)
			}
		})
	})
	return deepest
}

// HasLinearLeaves reports whether a leaf of the tree holds a linear model.
func (t *Tree) HasLinearLeaves() bool { return len(t.models.begins) > 0 }

// Leaves returns the number of leaves.
func (t *Tree) Leaves() int { return (len(t.Nodes) + 1) / 2 }

// ClassWeights returns the training weight of each class that reached each node, nodes ×
// classes. In a tree of values it is the weight of all rows, nodes × 1. Linear leaves
// record only the sum over classes, which is counted for the first class they score.
func (t *Tree) ClassWeights() [][]float64 {
	sum := matrix(make([]float64, len(t.Nodes)*max(1, t.Classes)), len(t.Nodes))
	for i := len(t.Nodes) - 1; i >= 0; i-- { // children come after their parent
		n := &t.Nodes[i]
		switch {
		case !n.IsLeaf():
			for c := range sum[i] {
				sum[i][c] = sum[i+1][c] + sum[n.Next][c]
			}
		case t.Classes == 0:
			sum[i][0] = float64(n.Weight)
		default:
			t.classWeights(sum[i], n)
		}
	}
	return sum
}

// walk calls visit for every node in preorder, with its depth. A tree that hasn't been grown has none.
func (t *Tree) walk(visit func(node, depth int)) {
	if len(t.Nodes) == 0 {
		return
	}
	type step struct{ node, depth int }
	stack := []step{{0, 0}}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		visit(s.node, s.depth)
		if n := t.Nodes[s.node]; !n.IsLeaf() {
			stack = append(stack, step{int(n.Next), s.depth + 1}, step{s.node + 1, s.depth + 1})
		}
	}
}

// moveUsed takes a tree t whose nodes refer to functions, class weights and models of s.
// It copies those that are used to t, in the same order, and makes the nodes refer to
// the copies.
func (s *Tree) moveUsed(t *Tree) {
	order := make([]int, len(t.Nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return t.Nodes[a].reference().compare(t.Nodes[b].reference()) })
	var last reference
	var moved Node
	for k, i := range order {
		n := &t.Nodes[i]
		if refers := n.reference(); k == 0 || refers != last {
			last, moved = refers, t.imported(*n, s)
		}
		n.Split = moved.Split
		if n.IsLeaf() {
			n.Next = moved.Next
		}
	}
}

// A reference identifies what a node refers to. References of the same kind sort in the
// order in which their objects were stored.
type reference struct{ kind, number int32 }

func (n Node) reference() reference {
	if n.IsLeaf() {
		return reference{n.Split, n.Next}
	}
	return reference{0, n.Split}
}

func (r reference) compare(other reference) int {
	return cmp.Or(cmp.Compare(r.kind, other.kind), cmp.Compare(r.number, other.number))
}
