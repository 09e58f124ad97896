package forest

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A Mutable is a tree that can be changed, for methods that improve an existing tree.
// Its nodes keep the numbers of the tree it was made from; new nodes get higher
// numbers, and numbers of removed nodes aren't used again. Node 0 is the root.
//
// Its methods panic if a node's number isn't in use, if the node is a leaf where a
// split is needed, or a split where a leaf is needed. They don't check data: they panic,
// as indexing a slice does, for rows, columns, labels or weights that don't exist.
type Mutable struct {
	store Tree // the functions, class weights and models that nodes refer to; without Nodes
	nodes []mutableNode
}

// A mutableNode is a node with the numbers of its children and its parent.
type mutableNode struct {
	node        Node // Next is used in leaves only
	left, right int32
	parent      int32 // −1 for the root
	removed     bool
}

// NewMutable returns a copy of t that can be changed.
func NewMutable(t *Tree) *Mutable {
	m := &Mutable{store: t.Trimmed()}
	m.store.Nodes = nil
	m.nodes = make([]mutableNode, len(t.Nodes))
	m.nodes[0].parent = -1
	for i, n := range t.Nodes {
		at := &m.nodes[i]
		at.node = n
		if !n.IsLeaf() {
			at.left, at.right = int32(i)+1, n.Next
			m.nodes[i+1].parent, m.nodes[n.Next].parent = int32(i), int32(i)
		}
	}
	return m
}

// Tree returns a copy of the tree, with its nodes in preorder. It has only the
// functions, class weights and models that nodes refer to, in the order in which they
// were stored.
func (m *Mutable) Tree() Tree {
	t := Tree{Classes: m.store.Classes, Outputs: m.store.Outputs}
	m.eachBelow(0, func(i int32) {
		at := &m.nodes[i]
		if p := at.parent; p >= 0 && m.nodes[p].right == i {
			t.Nodes[m.nodes[p].node.Next].Next = int32(len(t.Nodes))
		}
		n := at.node
		if !n.IsLeaf() {
			at.node.Next = int32(len(t.Nodes)) // its index in t, needed when its right child is reached
		}
		t.Nodes = append(t.Nodes, n)
	})
	m.store.moveUsed(&t)
	return t
}

// eachBelow calls visit for node i and all below it, in preorder.
func (m *Mutable) eachBelow(i int32, visit func(i int32)) {
	stack := []int32{i}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		visit(i)
		if at := &m.nodes[i]; !at.node.IsLeaf() {
			stack = append(stack, at.right, at.left)
		}
	}
}

func (m *Mutable) at(i int32) *mutableNode {
	if i < 0 || int(i) >= len(m.nodes) || m.nodes[i].removed {
		panic("forest: no such node in the mutable tree")
	}
	return &m.nodes[i]
}

func (m *Mutable) split(i int32) *mutableNode {
	at := m.at(i)
	if at.node.IsLeaf() {
		panic("forest: the node of the mutable tree is a leaf; want a split")
	}
	return at
}

// IsLeaf reports whether node i is a leaf.
func (m *Mutable) IsLeaf(i int32) bool { return m.at(i).node.IsLeaf() }

// Children returns the children of split i.
func (m *Mutable) Children(i int32) (left, right int32) {
	at := m.split(i)
	return at.left, at.right
}

// Parent returns the parent of node i, −1 for the root.
func (m *Mutable) Parent(i int32) int32 { return m.at(i).parent }

// Split returns the function and threshold of split i. The function's slices are the
// tree's memory.
func (m *Mutable) Split(i int32) (fn Function, threshold float32) {
	at := m.split(i)
	return m.store.Splits.At(at.node.Split), at.node.Value
}

// Leaf returns the contents of leaf i, as [Tree.Leaf] does.
func (m *Mutable) Leaf(i int32) Leaf {
	at := m.at(i)
	if !at.node.IsLeaf() {
		panic("forest: the node of the mutable tree is a split; want a leaf")
	}
	return m.store.leaf(&at.node)
}

// SetLeaf makes node i a leaf. If it is a split, all nodes below it are removed.
func (m *Mutable) SetLeaf(i int32, leaf Leaf) {
	at := m.at(i)
	m.eachBelow(i, func(below int32) { m.nodes[below].removed = below != i })
	at.node = m.store.addLeaf(leaf)
}

// Grow makes leaf i a split with two new leaves and returns their numbers. The split's
// impurity decrease is 0 until [Mutable.Reweigh] is called.
func (m *Mutable) Grow(i int32, fn Function, threshold float32, left, right Leaf) (l, r int32) {
	m.Leaf(i) // panics if node i is not a leaf
	l = int32(len(m.nodes))
	r = l + 1
	for _, leaf := range []Leaf{left, right} {
		m.nodes = append(m.nodes, mutableNode{node: m.store.addLeaf(leaf), parent: i})
	}
	at := m.at(i)
	at.left, at.right = l, r
	at.node = Node{Split: m.store.Splits.Add(fn), Value: threshold}
	return l, r
}

// Splice replaces split i by its left child, or by its right child if left is false,
// with the subtree below that child. The child takes the number i; its own number and the
// other child's subtree are removed.
func (m *Mutable) Splice(i int32, left bool) {
	at := m.split(i)
	kept, dropped := at.left, at.right
	if !left {
		kept, dropped = dropped, kept
	}
	m.eachBelow(dropped, func(i int32) { m.nodes[i].removed = true })
	child := &m.nodes[kept]
	child.removed = true
	at.node, at.left, at.right = child.node, child.left, child.right
	if !at.node.IsLeaf() {
		m.nodes[at.left].parent, m.nodes[at.right].parent = i, i
	}
}

// Divide divides rows of d by split i, with the same rounding as prediction. It moves
// the rows that go left to the front of the slice, keeps the order on both sides, and
// returns both parts of the slice.
func (m *Mutable) Divide(d *datasets.Dataset, i int32, rows []int32) (left, right []int32) {
	at := m.split(i)
	fn := m.store.Splits.At(at.node.Split)
	values := make([]float32, len(rows))
	Project(&fn, values, d.Columns, columnIndices(d, rows))
	var others []int32
	n := 0
	for k, v := range values {
		if v <= at.node.Value {
			rows[n] = rows[k]
			n++
		} else {
			others = append(others, rows[k])
		}
	}
	copy(rows[n:], others)
	return rows[:n], rows[n:]
}

// columnIndices returns the indices of rows of d in its columns.
func columnIndices(d *datasets.Dataset, rows []int32) []int32 {
	if d.Rows == nil {
		return rows
	}
	at := make([]int32, len(rows))
	for k, r := range rows {
		at[k] = d.Rows[r]
	}
	return at
}

// Reweigh sends all rows of the training data down the tree and computes the Weight of
// every node again: in a leaf the weight of its rows, in a split the decrease of the
// weighted impurity (Gini for classes, squared error for values). weights has an element
// for each row, such as how often it is in the tree's sample; nil means 1 for all. The
// predictions of leaves don't change. A decrease that rounding makes negative becomes 0.
func (m *Mutable) Reweigh(train *datasets.Dataset, weights []float64) {
	rows := make([]int32, train.N())
	copy(rows, upTo(len(rows)))
	m.reweigh(train, weights, 0, rows)
}

// reweigh does so for node i and those below, given the rows that reach the node. It returns the rows' impurity times
// their weight.
func (m *Mutable) reweigh(train *datasets.Dataset, weights []float64, i int32, rows []int32) float64 {
	at, whole := m.at(i), impurityOf(train, weights, rows)
	if at.node.IsLeaf() {
		at.node.Weight = float32(whole.weight)
		return whole.total
	}
	left, right := m.Divide(train, i, rows)
	decrease := whole.total - m.reweigh(train, weights, at.left, left)
	decrease -= m.reweigh(train, weights, at.right, right)
	at.node.Weight = float32(min(max(0, decrease), math.MaxFloat32))
	return whole.total
}

// An impurity is the weight of some rows, and their impurity times that weight.
type impurity struct{ weight, total float64 }

// impurityOf returns the Gini impurity of rows with labels, the squared error of rows
// with values.
func impurityOf(d *datasets.Dataset, weights []float64, rows []int32) impurity {
	var s impurity
	weight := func(r int32) float64 {
		if weights == nil {
			return 1
		}
		return weights[r]
	}
	if d.Labels != nil {
		counts := make([]float64, len(d.Classes))
		for _, r := range rows {
			counts[d.Labels[r]] += weight(r)
			s.weight += weight(r)
		}
		var squares float64
		for _, c := range counts {
			squares += float64(c * c)
		}
		if s.weight > 0 {
			s.total = s.weight - squares/s.weight
		}
		return s
	}
	var sum float64
	for _, r := range rows {
		s.weight += weight(r)
		sum += float64(weight(r) * d.Values[r])
	}
	if s.weight == 0 {
		return s
	}
	mean := sum / s.weight
	for _, r := range rows {
		e := d.Values[r] - mean
		s.total += float64(float64(weight(r)*e) * e)
	}
	return s
}
