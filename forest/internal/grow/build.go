package grow

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A builder builds a tree, or a subtree, from nodes that are added in preorder. It uses
// its memory for one tree after another.
type builder struct {
	tree  forest.Tree
	parts []part
	dist  []float32 // buffer: the class weights of a leaf
}

// A part is a subtree that another worker grows.
type part struct {
	at      int32 // index of the placeholder in the tree's Nodes
	subtree *subtree
}

func (b *builder) begin(classes int) {
	b.tree.Reset()
	b.tree.Classes = classes
	b.parts = nil
}

// addLeaf adds the node as a leaf.
func (b *builder) addLeaf(n *Node) {
	leaf, weight := forest.Node{}, float32(n.weight)
	switch {
	case n.target.classes == 0:
		leaf = forest.ValueLeaf(float32(n.mean), weight)
	case n.pure:
		leaf = forest.ClassLeaf(n.Label(0), weight)
	default:
		b.dist = b.dist[:0]
		for _, c := range n.counts {
			b.dist = append(b.dist, float32(c))
		}
		for _, c := range n.weights {
			b.dist = append(b.dist, float32(c))
		}
		leaf = b.tree.DistLeaf(b.dist, weight)
	}
	b.add(leaf)
}

// addSplit adds a split and returns its index.
func (b *builder) addSplit(fn forest.Function, threshold float32, decrease float64) int32 {
	b.add(forest.Node{
		Split:  b.tree.Splits.Add(fn),
		Value:  threshold,
		Weight: float32(min(decrease, math.MaxFloat32)),
	})
	return int32(len(b.tree.Nodes) - 1)
}

// addPart adds a placeholder for a subtree that another worker grows.
func (b *builder) addPart(s *subtree) {
	b.parts = append(b.parts, part{int32(len(b.tree.Nodes)), s})
	b.add(forest.Node{})
}

func (b *builder) add(n forest.Node) {
	if len(b.tree.Nodes) == cap(b.tree.Nodes) { // doubles, where append would take many small steps
		b.tree.Nodes = slices.Grow(b.tree.Nodes, len(b.tree.Nodes)+1)
	}
	b.tree.Nodes = append(b.tree.Nodes, n)
}

// setRight makes the node that is added next the right child of a split.
func (b *builder) setRight(parent int32) { b.tree.Nodes[parent].Next = int32(len(b.tree.Nodes)) }

// trimmed returns the tree without spare capacity, or false if the call was cancelled. With very many classes, mixed
// leaves may take gigabytes, which are copied piece by piece.
func (b *builder) trimmed(call parallel.Call) (tree forest.Tree, ok bool) {
	if parallel.Cancelled(call) {
		return tree, false
	}
	dist := b.tree.Dist
	b.tree.Dist = nil
	tree = b.tree.Trimmed()
	b.tree.Dist = dist
	if len(dist) == 0 {
		return tree, true
	}
	tree.Dist = make([]float32, len(dist))
	const piece = 1 << 20
	for lo := 0; lo < len(dist); lo += piece {
		if parallel.Cancelled(call) {
			return forest.Tree{}, false
		}
		copy(tree.Dist[lo:], dist[lo:min(lo+piece, len(dist))])
	}
	return tree, true
}

// join builds the tree that consists of trunk with the parts at their placeholders. Its
// nodes are numbered as if one worker had grown them all. It returns false if the call was cancelled.
func (b *builder) join(trunk *forest.Tree, parts []part, call parallel.Call) bool {
	b.begin(trunk.Classes)
	tree := &b.tree
	indices := make([]int32, len(trunk.Nodes)) // of the trunk's nodes in the tree
	rest := parts
	for i, n := range trunk.Nodes {
		indices[i] = int32(len(tree.Nodes))
		if len(rest) > 0 && rest[0].at == int32(i) {
			b.addTree(&rest[0].subtree.tree, call)
			rest = rest[1:]
			continue
		}
		if parallel.Cancelled(call) {
			return false
		}
		b.add(tree.Import(n, trunk))
	}
	rest = parts
	for i, n := range trunk.Nodes {
		switch {
		case len(rest) > 0 && rest[0].at == int32(i):
			rest = rest[1:]
		case !n.IsLeaf():
			tree.Nodes[indices[i]].Next = indices[n.Next]
		}
	}
	return true
}

// addTree adds the nodes of a tree, with what they refer to, or some of them if the call was cancelled.
func (b *builder) addTree(from *forest.Tree, call parallel.Call) {
	base := int32(len(b.tree.Nodes))
	for _, n := range from.Nodes {
		if parallel.Cancelled(call) {
			return
		}
		copied := b.tree.Import(n, from)
		if !n.IsLeaf() {
			copied.Next = n.Next + base
		}
		b.add(copied)
	}
}
