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
	tree  forest.Tree // without class weights
	mixed mixedLeaves
	parts []part
	dist  []float32 // buffer: the class weights of a leaf
}

// mixedLeaves holds the class weights of mixed leaves in pieces. With very many classes they take hundreds of
// megabytes; a slice that grows to so many is copied for longer than a cancelled call may take.
type mixedLeaves struct {
	pieces [][]float32 // whole rows
	last   int         // the piece that takes the next row
	rows   int32
	n      int // class weights in all pieces
}

const pieceLen = 1 << 20

func (m *mixedLeaves) reset() {
	for i := range m.pieces {
		m.pieces[i] = m.pieces[i][:0]
	}
	m.last, m.rows, m.n = 0, 0, 0
}

// add adds a row of class weights and returns its number.
func (m *mixedLeaves) add(dist []float32) int32 {
	if m.rows > 0 && len(m.pieces[m.last]) >= pieceLen {
		m.last++
	}
	if m.last == len(m.pieces) {
		m.pieces = append(m.pieces, nil)
	}
	m.pieces[m.last] = append(m.pieces[m.last], dist...)
	m.rows++
	m.n += len(dist)
	return m.rows - 1
}

// all returns the class weights of all rows, or false if the call was cancelled.
func (m *mixedLeaves) all(call parallel.Call) (dist []float32, ok bool) {
	if m.n == 0 {
		return nil, true
	}
	dist = make([]float32, 0, m.n)
	for _, piece := range m.pieces {
		if parallel.Cancelled(call) {
			return nil, false
		}
		dist = append(dist, piece...)
	}
	return dist, true
}

// A part is a subtree that another worker grows.
type part struct {
	at      int32 // index of the placeholder in the tree's Nodes
	subtree *subtree
}

func (b *builder) begin(classes int) {
	b.tree.Reset()
	b.tree.Classes = classes
	b.mixed.reset()
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
		leaf = forest.MixedLeaf(b.mixed.add(b.dist), weight)
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

// A placeholder refers to nothing, as a leaf.
var placeholder = forest.ValueLeaf(0, 0)

// addPart adds a placeholder for a subtree that another worker grows.
func (b *builder) addPart(s *subtree) {
	b.parts = append(b.parts, part{int32(len(b.tree.Nodes)), s})
	b.add(placeholder)
}

func (b *builder) add(n forest.Node) {
	if len(b.tree.Nodes) == cap(b.tree.Nodes) { // doubles, where append would take many small steps
		b.tree.Nodes = slices.Grow(b.tree.Nodes, len(b.tree.Nodes)+1)
	}
	b.tree.Nodes = append(b.tree.Nodes, n)
}

// setRight makes the node that is added next the right child of a split.
func (b *builder) setRight(parent int32) { b.tree.Nodes[parent].Next = int32(len(b.tree.Nodes)) }

// trimmed returns the tree without spare capacity, or false if the call was cancelled.
func (b *builder) trimmed(call parallel.Call) (tree forest.Tree, ok bool) {
	dist, ok := b.mixed.all(call)
	if !ok || parallel.Cancelled(call) {
		return tree, false
	}
	tree = b.tree.Trimmed()
	tree.Dist = dist
	return tree, true
}

// imported stores a copy of what node i of another tree refers to, and returns a copy of the node that refers to it.
func (b *builder) imported(from *forest.Tree, i int) forest.Node {
	n := from.Nodes[i]
	if !n.IsLeaf() {
		n.Split = b.tree.Splits.Add(from.Splits.At(n.Split))
	} else if leaf := from.Leaf(i); leaf.Kind == forest.LeafDist {
		n = forest.MixedLeaf(b.mixed.add(leaf.Dist), n.Weight)
	}
	return n
}

// join builds the tree that consists of trunk with the parts at their placeholders. Its
// nodes are numbered as if one worker had grown them all. It returns false if the call was cancelled.
func (b *builder) join(trunk *forest.Tree, parts []part, call parallel.Call) bool {
	b.begin(trunk.Classes)
	tree := &b.tree
	indices := make([]int32, len(trunk.Nodes)) // of the trunk's nodes in the tree
	for i := range trunk.Nodes {
		indices[i] = int32(len(tree.Nodes))
		if len(parts) > 0 && parts[0].at == int32(i) {
			b.addTree(&parts[0].subtree.tree, call)
			parts = parts[1:]
			continue
		}
		if parallel.Cancelled(call) {
			return false
		}
		b.add(b.imported(trunk, i))
	}
	for i, n := range trunk.Nodes {
		if !n.IsLeaf() {
			tree.Nodes[indices[i]].Next = indices[n.Next]
		}
	}
	return true
}

// addTree adds the nodes of a tree, with what they refer to, or some of them if the call was cancelled.
func (b *builder) addTree(from *forest.Tree, call parallel.Call) {
	base := int32(len(b.tree.Nodes))
	for i, n := range from.Nodes {
		if parallel.Cancelled(call) {
			return
		}
		copied := b.imported(from, i)
		if !n.IsLeaf() {
			copied.Next = n.Next + base
		}
		b.add(copied)
	}
}
