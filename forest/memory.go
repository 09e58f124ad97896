package forest

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
