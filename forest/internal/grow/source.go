package grow

import "github.com/obliqua-ml/obliqua/forest"

// A Source draws the candidate splits of nodes, one node after another. The candidates may
// depend only on the node, which has its own stream of random numbers, and on the tree's
// [Spec]. Then they are the same whichever worker grows the node.
//
// The engine searches the candidates of the first draw, all or up to one that separates
// the classes perfectly, and takes the best. If none splits the node, [Fallback] says what
// happens.
type Source interface {
	// Draw starts draw number attempt of a node. Attempt 0 is the first draw of a new
	// node; if it returns false the node becomes a leaf. Later attempts are for the same
	// node, and return false if there are no more draws.
	Draw(node *Node, attempt int) bool

	// Next returns the next candidate of the draw, or nil if there are no more. The
	// candidate and its slices belong to the source and are valid until the next call.
	Next() *Candidate
}

// A Candidate is a split function with a rule for its threshold.
type Candidate struct {
	forest.Function
	Cut       Cut
	Threshold float32 // used if Cut is Given
}

// A Cut says where the threshold of a candidate comes from. A threshold is used only if it
// leaves at least MinLeaf rows on either side.
type Cut uint8

const (
	Search Cut = iota // the best by the criterion
	Random            // drawn uniformly between the smallest and the largest value
	Given             // Candidate.Threshold, even if it doesn't decrease the impurity
)

// coefficients returns the number of the function's coefficients, as a measure of the work
// of searching the candidate.
func (c *Candidate) coefficients() int { return len(c.Weights) + len(c.Q) + len(c.Factors) }

// keep makes c a copy of a candidate, in the memory of c's slices.
func (c *Candidate) keep(from *Candidate) {
	features, weights, q, centre, factors, set := c.Features, c.Weights, c.Q, c.Centre, c.Factors, c.Categories
	*c = *from
	c.Features = append(features[:0], from.Features...)
	c.Weights = append(weights[:0], from.Weights...)
	c.Q = append(q[:0], from.Q...)
	c.Centre = append(centre[:0], from.Centre...)
	c.Factors = append(factors[:0], from.Factors...)
	c.Categories = append(set[:0], from.Categories...)
}
