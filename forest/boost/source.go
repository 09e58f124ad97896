package boost

import (
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// A source draws all single features, and then signed sums.
type source struct {
	p    int
	sums float64 // for each feature, on average

	rng      *forest.Rand
	single   int // the next single feature
	left     int // sums left in this draw
	features []int32
	weights  []float32
	next     grow.Candidate
}

func (s *source) Draw(node *grow.Node, attempt int) bool {
	s.rng, s.single, s.left = node.Rand(), 0, 0
	if s.p > 1 {
		s.left = int(float64(s.sums*float64(s.p)) + s.rng.Float64())
	}
	return attempt == 0
}

func (s *source) Next() *grow.Candidate {
	switch {
	case s.single < s.p:
		s.features, s.weights = append(s.features[:0], int32(s.single)), append(s.weights[:0], 1)
		s.single++
	case s.left > 0:
		s.sum()
		s.left--
	default:
		return nil
	}
	s.next.Function = forest.Linear(s.features, s.weights)
	return &s.next
}

// sum combines 2, 3, 4, … features, with probabilities ½, ¼, ⅛, …, up to p.
func (s *source) sum() {
	k := 2
	for k < s.p && s.rng.Intn(2) == 0 {
		k++
	}
	s.features = grow.Subset(s.features, s.p, k, s.rng)
	s.weights = s.weights[:0]
	for range k {
		s.weights = append(s.weights, float32(1-2*s.rng.Intn(2)))
	}
}

// A router sends rows down a tree.
type router struct {
	tree    *forest.Tree
	columns [][]float32
	rows    []int32
	values  []float32
	spare   []int32
}

// route sends rows [lo, hi) from node i to their leaves.
func (r *router) route(i int32, lo, hi int, leaf func(n *forest.Node, rows []int32)) {
	n := &r.tree.Nodes[i]
	if n.IsLeaf() {
		leaf(n, r.rows[lo:hi])
		return
	}
	fn := r.tree.Splits.At(n.Split)
	rows, values := r.rows[lo:hi], r.values[:hi-lo]
	forest.Project(&fn, values, r.columns, rows)
	left, right := 0, 0
	for k, row := range rows {
		if values[k] <= n.Value {
			rows[left] = row
			left++
		} else {
			r.spare[right] = row
			right++
		}
	}
	copy(rows[left:], r.spare[:right])
	r.route(i+1, lo, lo+left, leaf)
	r.route(n.Next, lo+left, hi, leaf)
}
