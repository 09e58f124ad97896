package sporf

import (
	"math/bits"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// maxRedraws is how many more matrices (or d combinations) are drawn for a node that no
// candidate splits.
const maxRedraws = 3

// A matrix draws the columns of a random p×d matrix, one at a time. The matrix has a fixed
// number of entries ±1, at positions drawn uniformly without replacement. Each draw of
// the source is a new matrix.
//
// It first draws the number of nonzeros of every column, and draws their features only
// when Next reaches the column. The numbers come from rejection sampling: a position is
// drawn uniformly and rejected if it is taken. Which rows of a column are taken doesn't
// affect the distribution of the numbers, so the first rows count as the taken ones.
type matrix struct {
	sparse
	d       int
	entries int     // number of entries to place: the nonzeros or, if there are fewer, the zeros
	zeros   bool    // whether the zeros are placed
	counts  []int32 // entries placed in each column
	column  int     // the next one
}

func newMatrix(p, d, nonzeros int, weights []float64) *matrix {
	m := &matrix{sparse: newSparse(p, weights), d: d, entries: nonzeros, counts: make([]int32, d)}
	if nonzeros > p*d/2 {
		m.zeros, m.entries = true, p*d-nonzeros
	}
	return m
}

// Draw draws how many entries each column of a new matrix has.
func (m *matrix) Draw(node *grow.Node, attempt int) bool {
	if attempt > maxRedraws {
		return false
	}
	m.node, m.rng, m.column = node, node.Rand(), 0
	m.place()
	return true
}

func (m *matrix) place() {
	clear(m.counts)
	for placed := 0; placed < m.entries; {
		column, rest := bits.Mul64(m.rng.Uint64(), uint64(m.d))
		row, _ := bits.Mul64(rest, uint64(m.p))
		if row >= uint64(m.counts[column]) {
			m.counts[column]++
			placed++
		}
	}
}

// Next returns the next column that isn't empty.
func (m *matrix) Next() *grow.Candidate {
	for m.column < m.d {
		k := int(m.counts[m.column])
		m.column++
		if m.zeros {
			k = m.p - k
		}
		if k > 0 {
			return m.signs(k)
		}
	}
	return nil
}

// combinations draws d combinations of a fixed number of features, and one in each
// further draw.
type combinations struct {
	sparse
	d, features int
	left        int // combinations left in this draw
}

func newCombinations(p, d, features int, weights []float64) *combinations {
	return &combinations{sparse: newSparse(p, weights), d: d, features: features}
}

// Draw begins a draw of d combinations or, after the first, of one.
func (c *combinations) Draw(node *grow.Node, attempt int) bool {
	c.node, c.rng, c.left = node, node.Rand(), 1
	if attempt == 0 {
		c.left = c.d
	}
	return attempt <= maxRedraws*c.d
}

// Next returns the next combination.
func (c *combinations) Next() *grow.Candidate {
	if c.left == 0 {
		return nil
	}
	c.left--
	return c.uniform(c.features)
}

// sparse draws combinations of k of p features. Those with categories are never in one with others.
type sparse struct {
	p        int
	weighted *grow.WeightedDraw // nil if all features are equally likely
	node     *grow.Node
	rng      *forest.Rand
	features []int32
	weights  []float32
	next     grow.Candidate
}

func newSparse(p int, weights []float64) sparse {
	s := sparse{p: p}
	if weights != nil {
		s.weighted = grow.NewWeightedDraw(weights)
	}
	return s
}

// candidate returns the combination of s.features with s.weights. A single feature has weight 1, since its sign and
// size make no difference to its splits.
func (s *sparse) candidate() *grow.Candidate {
	if len(s.weights) == 1 {
		s.weights[0] = 1
	}
	s.next.Function = forest.Linear(s.features, s.weights)
	return &s.next
}

// subset draws k of the p features, ascending: all alike or, if they have weights, by
// successive sampling.
func (s *sparse) subset(k int) []int32 {
	if s.weighted != nil {
		s.features = s.features[:0]
		s.weighted.Begin()
		for range k {
			s.features = append(s.features, s.weighted.Next(s.rng))
		}
		slices.Sort(s.features)
		return s.features
	}
	s.features = grow.Subset(s.features, s.p, k, s.rng)
	return s.features
}

// signs draws a combination of k features with weights ±1.
func (s *sparse) signs(k int) *grow.Candidate {
	s.features, _ = s.node.OneKind(s.subset(k))
	s.weights = s.weights[:0]
	var coins uint64
	for i := range s.features {
		if i%64 == 0 {
			coins = s.rng.Uint64()
		}
		s.weights = append(s.weights, float32(1-2*int(coins&1)))
		coins >>= 1
	}
	return s.candidate()
}

// uniform draws a combination of k features with weights uniform in [−1, 1].
func (s *sparse) uniform(k int) *grow.Candidate {
	s.features, _ = s.node.OneKind(s.subset(k))
	s.weights = s.weights[:0]
	for range s.features {
		s.weights = append(s.weights, float32(float64(2*s.rng.Float64())-1))
	}
	return s.candidate()
}
