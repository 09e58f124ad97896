package grow

// constants remembers which features are constant in the rows of a node: they are in
// the rows of all nodes below, too, where nobody need look at them again. In images
// and one-hot columns most features soon are.
type constants struct {
	words int      // of a set; 0 if features are too many to remember
	sets  []uint64 // of the nodes on the path to the current one, root first
	now   []uint64 // that of the current node; nil if nothing is remembered
}

// maxRemembered is how many features are remembered at most: a set is copied for each
// node.
const maxRemembered = 1 << 12

func newConstants(features int) constants {
	if features > maxRemembered {
		return constants{}
	}
	return constants{words: (features + 63) / 64}
}

// enter makes a node the current one, given how many splits are above it since leave.
// Nodes come in preorder, so the sets of those above it are still there.
func (c *constants) enter(depth int) {
	if c.words == 0 {
		return
	}
	for len(c.sets) < (depth+1)*c.words {
		c.sets = append(c.sets, 0)
	}
	c.now = c.sets[depth*c.words:][:c.words]
	if depth == 0 {
		clear(c.now)
	} else {
		copy(c.now, c.sets[(depth-1)*c.words:])
	}
}

// leave ends the tree, or part of a tree.
func (c *constants) leave() { c.now = nil }

// has reports whether the candidate is a feature that is known to be constant.
func (c *constants) has(candidate *Candidate) bool {
	if c.now == nil || len(candidate.Features) != 1 {
		return false
	}
	j := candidate.Features[0]
	return c.now[j/64]>>(j%64)&1 != 0
}

// add remembers that the candidate is constant, if it is a feature.
func (c *constants) add(candidate *Candidate) {
	if c.now != nil && len(candidate.Features) == 1 {
		j := candidate.Features[0]
		c.now[j/64] |= 1 << (j % 64)
	}
}
