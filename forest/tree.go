package forest

// A Node is one node of a [Tree], 16 bytes. What its fields mean depends on
// Split:
//
//	Split ≥ 0          a split: rows whose value of split Split is at most
//	                   Value go to the next node of the slice, the others to
//	                   node Next; Weight is the decrease of impurity times the
//	                   training weight that reached the node (below 0 where a
//	                   GRAF plane raises it)
//	Split = LeafClass  a leaf whose training rows all have class Next
//	Split = LeafDist   a leaf whose class weights are row Next of [Tree.Dist]
//	Split = LeafValue  a leaf of a regression tree that predicts Value
//
// In a leaf, Weight is the training weight that reached it.
type Node struct {
	Split  int32
	Next   int32
	Value  float32
	Weight float32
}

// The kinds of leaf, as values of [Node.Split].
const (
	LeafClass int32 = -1 - iota
	LeafDist
	LeafValue
)

// IsLeaf reports whether the node is a leaf.
func (n Node) IsLeaf() bool { return n.Split < 0 }

// A Tree is a decision tree over p features.
type Tree struct {
	// Nodes holds the nodes in preorder: node 0 is the root, the left child of
	// node i is node i+1 and its right child is node Nodes[i].Next > i+1.
	Nodes []Node

	// Splits is the pool of split functions that nodes refer to. Split j < p
	// is feature j itself and takes no room in the pool; split p+k is
	// combination k of Splits. Several nodes may share one.
	Splits Pool

	// Dist holds the class weights of mixed leaves, one row of as many numbers
	// as there are classes for each.
	Dist []float32
}

// A Pool stores linear combinations of features. Combination k is
//
//	Σ Weights[i]·x[Index[i]]  for Start[k] ≤ i < Start[k+1]
//
// with Index ascending within a combination and the sum taken in that order,
// each product and each sum rounded to float32.
type Pool struct {
	Start   []int32 // one more than there are combinations; empty for none
	Index   []int32
	Weights []float32
}

// Len returns the number of combinations.
func (s *Pool) Len() int { return max(0, len(s.Start)-1) }

// Add appends a combination and returns its number. Index must be ascending.
func (s *Pool) Add(index []int32, weights []float32) int {
	if len(s.Start) == 0 {
		s.Start = append(s.Start, 0)
	}
	s.Index = append(s.Index, index...)
	s.Weights = append(s.Weights, weights...)
	s.Start = append(s.Start, int32(len(s.Index)))
	return len(s.Start) - 2
}

// At returns combination k. The slices belong to the pool.
func (s *Pool) At(k int) (index []int32, weights []float32) {
	lo, hi := s.Start[k], s.Start[k+1]
	return s.Index[lo:hi], s.Weights[lo:hi]
}

// Depth returns the number of splits on the longest path from root to leaf.
func (t *Tree) Depth() int {
	depth := 0
	t.walk(func(_, d int) { depth = max(depth, d) })
	return depth
}

// Leaves returns the number of leaves.
func (t *Tree) Leaves() int { return (len(t.Nodes) + 1) / 2 }

// walk calls visit for every node in preorder, with its depth.
func (t *Tree) walk(visit func(node, depth int)) {
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
