package grow

import "math"

// constants records which features have been found to be constant in a node's rows. They
// are constant in all nodes below, too, and needn't be searched there. In images and
// one-hot columns most features soon are. It also records which features were searched at
// the node, since a draw of many candidates has most features again and again.
type constants struct {
	words int      // of a set of features, in bits; 0 if there are too many features
	sets  []uint64 // the sets of the nodes on the path to the current one, root first
	now   []uint64 // the current node's set; nil if none is kept

	searched []uint64  // the set of features searched at the current node
	scores   []float64 // by feature of that set: the best score then, or a bit less if it was the feature's own
}

// maxConstants is the largest number of features for which sets are kept, since a set is
// copied for each node.
const maxConstants = 1 << 12

// begin prepares for nodes of another tree or subtree, over the given number of features.
func (c *constants) begin(features int) {
	c.words = (features + 63) / 64
	if features > maxConstants {
		c.words = 0
	}
	c.searched, c.scores = Sized(c.searched, c.words), Sized(c.scores, 64*c.words)
	c.leave()
}

// enter makes a node the current one. depth is its depth below the root of the subtree
// being grown. Nodes come in preorder, so sets still holds those of the nodes above.
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
	clear(c.searched)
}

// leave stops keeping sets, until the next enter.
func (c *constants) leave() { c.now = nil }

// has reports whether the candidate is a single feature that is known to be constant.
func (c *constants) has(candidate *Candidate) bool {
	if c.now == nil || len(candidate.Features) != 1 {
		return false
	}
	j := candidate.Features[0]
	return c.now[j/64]>>(j%64)&1 != 0
}

// add records that the candidate is constant, if it is a single feature.
func (c *constants) add(candidate *Candidate) {
	if c.now != nil && len(candidate.Features) == 1 {
		j := candidate.Features[0]
		c.now[j/64] |= 1 << (j % 64)
	}
}

// repeats reports whether the candidate is a single feature that was searched at the node before and can't win
// now. If scores are compared with rounding, as scanGini2 does, it may win unless it lost to the same
// score, or the best has become clearly better.
func (c *constants) repeats(candidate *Candidate, best float64, rounded bool) bool {
	if c.now == nil || len(candidate.Features) != 1 || candidate.Cut != Search {
		return false
	}
	j := candidate.Features[0]
	if c.searched[j/64]>>(j%64)&1 == 0 {
		return false
	}
	then := c.scores[j]
	return !rounded || best == then || best-then > float64(roundingError*math.Abs(best))
}

// search records that the candidate was searched. best is the best score, and won says whether it is the candidate's.
func (c *constants) search(candidate *Candidate, best float64, won bool) {
	if c.now == nil || len(candidate.Features) != 1 || candidate.Cut != Search {
		return
	}
	if won {
		best = math.Nextafter(best, math.Inf(-1))
	}
	j := candidate.Features[0]
	c.searched[j/64] |= 1 << (j % 64)
	c.scores[j] = best
}
