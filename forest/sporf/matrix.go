package sporf

import (
	"math/bits"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// A matrix draws the columns of a p×d matrix that has a fixed number of ±1s at
// places drawn uniformly without replacement, one column at a time.
//
// It draws first how many entries fall into each column, then which features
// they are when a column is asked for. Trying places at random and passing over
// taken ones would give each column its count; which of a column's places are
// taken doesn't matter to the counts, so the first ones stand for them.
type matrix struct {
	sparse
	d        int
	entries  int // entries to place: the nonzeros or, if that is less, the zeros
	zeros    bool
	counts   []int32 // entries of each column
	column   int
	redrawn  int
	fallback *grow.Axes
}

// maxRedraws is how many matrices are drawn for a node that no column splits,
// before every single feature is tried.
const maxRedraws = 3

func newMatrix(p, d, nonzeros int) *matrix {
	m := &matrix{sparse: newSparse(p), d: d, entries: nonzeros, counts: make([]int32, d), fallback: grow.NewAxes(p, p)}
	if nonzeros > p*d/2 {
		m.zeros, m.entries = true, p*d-nonzeros
	}
	return m
}

// Begin starts a node.
func (m *matrix) Begin(rng *forest.Rand) {
	m.rng = rng
	m.redrawn = 0
	m.draw()
	m.fallback.Begin(rng)
}

// draw draws how many entries each column of a new matrix has.
func (m *matrix) draw() {
	m.column = 0
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

// Next returns the next column that isn't empty. If the whole matrix splits
// nothing it draws another, and in the end tries every feature, so that a node is
// left whole only if its rows can't be told apart.
func (m *matrix) Next(found bool) (grow.Direction, bool) {
	for {
		for m.column < m.d {
			k := int(m.counts[m.column])
			m.column++
			if m.zeros {
				k = m.p - k
			}
			if k > 0 {
				return m.signs(k), true
			}
		}
		if found {
			return grow.Direction{}, false
		}
		if m.redrawn == maxRedraws {
			return m.fallback.Next(found)
		}
		m.redrawn++
		m.draw()
	}
}

// combinations draws d combinations of a fixed number of features, or more as
// [matrix] does.
type combinations struct {
	sparse
	d, features, drawn int
	fallback           *grow.Axes
}

func newCombinations(p, d, features int) *combinations {
	return &combinations{sparse: newSparse(p), d: d, features: features, fallback: grow.NewAxes(p, p)}
}

// Begin starts a node.
func (c *combinations) Begin(rng *forest.Rand) {
	c.rng, c.drawn = rng, 0
	c.fallback.Begin(rng)
}

// Next returns the next combination.
func (c *combinations) Next(found bool) (grow.Direction, bool) {
	if c.drawn < c.d || !found && c.drawn < (1+maxRedraws)*c.d {
		c.drawn++
		return c.uniform(c.features), true
	}
	if found {
		return grow.Direction{}, false
	}
	return c.fallback.Next(found)
}

// sparse draws directions of k of p features.
type sparse struct {
	p       int
	rng     *forest.Rand
	index   []int32
	weights []float32
}

func newSparse(p int) sparse { return sparse{p: p} }

// subset draws k of the p features, ascending, by Floyd's algorithm (Bentley and
// Floyd, Communications of the ACM 30, 1987).
func (s *sparse) subset(k int) []int32 {
	s.index = s.index[:0]
	for j := s.p - k; j < s.p; j++ {
		s.insert(int32(s.rng.Intn(j+1)), int32(j))
	}
	return s.index
}

// insert adds j to the ascending index, or last if j is in it; last is larger
// than all that are.
func (s *sparse) insert(j, last int32) {
	i := len(s.index)
	for i > 0 && s.index[i-1] > j {
		i--
	}
	if i > 0 && s.index[i-1] == j {
		s.index = append(s.index, last)
		return
	}
	s.index = append(s.index, 0)
	copy(s.index[i+1:], s.index[i:])
	s.index[i] = j
}

// signs draws a direction of k weights ±1. A single feature has weight +1: its
// mirror image splits the rows alike.
func (s *sparse) signs(k int) grow.Direction {
	index := s.subset(k)
	s.weights = s.weights[:0]
	var coins uint64
	for i := range index {
		if i%64 == 0 {
			coins = s.rng.Uint64()
		}
		s.weights = append(s.weights, float32(1-2*int(coins&1)))
		coins >>= 1
	}
	if k == 1 {
		s.weights[0] = 1
	}
	return grow.Direction{Index: index, Weights: s.weights}
}

// uniform draws a direction of k weights uniform in [−1, 1]. A single feature
// has weight 1.
func (s *sparse) uniform(k int) grow.Direction {
	index := s.subset(k)
	s.weights = s.weights[:0]
	for range index {
		s.weights = append(s.weights, float32(2*s.rng.Float64()-1))
	}
	if k == 1 {
		s.weights[0] = 1
	}
	return grow.Direction{Index: index, Weights: s.weights}
}
