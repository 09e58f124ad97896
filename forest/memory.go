package forest

import "fmt"

// A Memory makes later trees of a forest avoid the features that earlier ones split by
// near their roots (Kim, Kim and Kim, Heterogeneous Random Forest, sections 2.3 and 2.4).
// Trees then grow one after another. A feature's depth in a tree is the least depth of a
// split that uses it, 0 at the root; the probability that the next tree draws a feature
// is in proportion to its cumulative depth, D = d + Alpha·D of the trees before
// (Algorithm 2).
//
// The zero value is no memory, or in hrf.Learner the paper's.
type Memory struct {
	// Alpha is how much of the cumulative depth is kept from tree to tree, in [0, 1]. With
	// 0 only the tree before counts.
	Alpha float64

	// Beta is what is added to the depth of the deepest split for features that a tree
	// doesn't use, from 1 to 2³⁰ (eq. 1). 0 means no memory, and Alpha must then be 0, too.
	Beta int
}

// On reports whether there is a memory.
func (m Memory) On() bool { return m.Beta != 0 }

// maxBeta is the largest Beta: an int32 holds it and the depth of any tree.
const maxBeta = 1 << 30

// Check returns an error if Alpha or Beta is out of range.
func (m Memory) Check() error {
	if !(m.Alpha >= 0 && m.Alpha <= 1) || m.Beta < 0 || m.Beta == 0 && m.Alpha != 0 || m.Beta > maxBeta {
		return fmt.Errorf("a memory of Alpha %v and Beta %d; want Alpha in [0, 1] and Beta from 1 to %d", m.Alpha, m.Beta, maxBeta)
	}
	return nil
}

// A ConstantRule says what becomes of a node at which all features drawn are constant.
type ConstantRule uint8

const (
	MethodsRule ConstantRule = iota // what the method does by itself
	DrawOn                          // features are drawn on, until one splits the node or none is left
	MakeLeaf                        // the node becomes a leaf
)
