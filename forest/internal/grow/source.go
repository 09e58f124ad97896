package grow

import "github.com/obliqua-ml/obliqua/forest"

// A Source draws the candidate splits of one node after another. What it draws must
// depend on nothing but the node, which holds a stream of random numbers of its
// own, and on the tree's [Spec]: then a node's candidates are the same whichever
// worker grows it.
//
// The engine asks for all candidates of the first draw, or up to one that separates
// the classes perfectly, and takes the best. If none splits the node, see
// [Fallback].
type Source interface {
	// Draw starts draw number attempt. Attempt 0 begins the node, which stays the
	// same up to the next attempt 0; if it returns false the node becomes a leaf. A
	// later attempt returns false if there are no more draws.
	Draw(node *Node, attempt int) bool

	// Next returns the draw's next candidate, nil if there is none. The candidate
	// and its slices belong to the source and are valid until the next call.
	Next() *Candidate
}

// A Candidate is a split function with a rule for its threshold.
type Candidate struct {
	forest.Function
	Cut       Cut
	Threshold float32 // if Given
}

// A Cut says where the threshold of a candidate comes from. However it does, rows on
// either side of it must be at least MinLeaf.
type Cut uint8

const (
	Search Cut = iota // the best by the criterion
	Random            // drawn uniformly between the smallest and the largest value
	Given             // Candidate.Threshold, even if it decreases no impurity
)

// coefficients returns how many numbers the candidate's function has, the measure of
// the work that it makes.
func (c *Candidate) coefficients() int { return len(c.Weights) + len(c.Q) }

// keep copies a candidate, using the memory of the copy before.
func (c *Candidate) keep(from *Candidate) {
	features, weights, q := c.Features, c.Weights, c.Q
	*c = *from
	c.Features = append(features[:0], from.Features...)
	c.Weights = append(weights[:0], from.Weights...)
	c.Q = append(q[:0], from.Q...)
}
