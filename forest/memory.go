package forest

import "fmt"

// A Memory makes later trees of a forest avoid the features that earlier ones split by
// near their roots (Kim, Kim and Kim, Heterogeneous Random Forest, sections 2.3 and 2.4).
// Trees then grow one after another. A feature's depth d in a tree is the least depth of a
// split that uses it, 0 at the root. After each tree, a feature's cumulative depth becomes
// D = d + Alpha·D, and the next tree draws features with weights in proportion to D
// (Algorithm 2).
//
// The zero value means no memory, or in rf.HRF the paper's default.
type Memory struct {
	// Alpha is the share of the cumulative depth that is kept from tree to tree, in
	// [0, 1]. With 0 only the last tree counts.
	Alpha float64

	// Beta is from 1 to 2³⁰: a feature that a tree doesn't use has the depth of the tree's
	// deepest split plus Beta (eq. 1). 0 means no memory; Alpha must then be 0, too.
	Beta int
}

// Enabled reports whether m is a memory: whether Beta is not 0.
func (m Memory) Enabled() bool { return m.Beta != 0 }

// maxBeta is the largest Beta: an int32 holds its sum with the depth of any tree.
const maxBeta = 1 << 30

// Check returns an error if Alpha or Beta is out of range.
func (m Memory) Check() error {
	if !(m.Alpha >= 0 && m.Alpha <= 1) || m.Beta < 0 || m.Beta == 0 && m.Alpha != 0 || m.Beta > maxBeta {
		return fmt.Errorf("a memory of Alpha %v and Beta %d; want Alpha in [0, 1] and Beta from 1 to %d", m.Alpha, m.Beta,
			maxBeta)
	}
	return nil
}

// A ConstantRule says what happens at a node where all features drawn are constant.
type ConstantRule uint8

const (
	MethodDefault ConstantRule = iota // the method's default
	DrawOn                            // further features are drawn, until one splits the node or none is left
	MakeLeaf                          // the node becomes a leaf
)
