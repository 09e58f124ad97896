package grow

import (
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A Node is the node that is being split: a range of the rows of a tree's sample, with
// their totals. A [Source] may call its methods while it draws candidates. Rows are
// numbered from 0 to Len−1; a row that was drawn several times is one row here.
type Node struct {
	target  *Target
	sample  *sample
	cells   *cells
	minLeaf int64
	lo, hi  int // the rows' range in the sample
	depth   int
	rng     forest.Rand

	categories [][]string // as in data

	cancelled *atomic.Bool // the team's

	drawn   int64     // number of rows, counted as often as drawn
	weight  float64   // of the rows, counted as often as drawn
	mean    float64   // of the values
	pure    bool      // whether all rows have the same class or value
	counts  []int64   // number of rows by class, as drawn counts them; for packed targets
	weights []float64 // weight of the rows by class; for other targets of classes

	deviations []deviation // by row; for targets of values, set by deviate
	squares    []float64   // weight times squared deviation by row; set by deviate
}

// Rand returns the node's stream of random numbers. It is seeded by the seed, the tree's
// number and the path to the node. Random thresholds are drawn from it, too.
func (n *Node) Rand() *forest.Rand { return &n.rng }

// Cancelled reports whether the call that grows the node was cancelled. Then the source's candidates
// don't matter any more, and it should stop: a source whose Draw or Next may take longer than some
// milliseconds asks again and again.
func (n *Node) Cancelled() bool { return n.cancelled.Load() }

// Depth returns the number of splits above the node.
func (n *Node) Depth() int { return n.depth }

// P returns the number of features.
func (n *Node) P() int { return len(n.cells.data.columns) }

// Len returns the number of distinct rows, 1 or more.
func (n *Node) Len() int { return n.hi - n.lo }

// Label returns the class of row i, in trees of classes.
func (n *Node) Label(i int) int32 {
	if n.target.packed {
		return int32(classOf(n.sample.packed[n.lo+i]))
	}
	return n.sample.labels[n.lo+i]
}

// Value returns the value of row i, in trees of values.
func (n *Node) Value(i int) float64 { return n.sample.values[n.lo+i] }

// Weight returns the weight of row i times how often it was drawn.
func (n *Node) Weight(i int) float64 {
	if n.target.packed {
		return float64(countOf(n.sample.packed[n.lo+i]))
	}
	return n.sample.weight(n.lo + i)
}

// TotalWeight returns the sum of Weight over all rows.
func (n *Node) TotalWeight() float64 { return n.weight }

// ClassWeight returns the sum of Weight over the rows of a class, in trees of classes.
func (n *Node) ClassWeight(class int32) float64 {
	if n.target.packed {
		return float64(n.counts[class])
	}
	return n.weights[class]
}

// Column writes feature j of all rows to dst, which has Len elements.
func (n *Node) Column(dst []float32, j int32) {
	rows := n.sample.ids[n.lo:n.hi]
	if n.cells.bytes != nil {
		column(dst, n.cells.bytes[j], rows)
	} else {
		column(dst, n.cells.columns[j], rows)
	}
}

func column[T float32 | byte](dst []float32, col []T, rows []int32) {
	dst = dst[:len(rows)]
	for i, r := range rows {
		dst[i] = float32(col[r])
	}
}

// Cells writes feature j of the given rows to dst, which has as many elements.
func (n *Node) Cells(dst []float32, j int32, rows []int32) {
	ids := n.sample.ids[n.lo:n.hi]
	if n.cells.bytes != nil {
		cellsOf(dst, n.cells.bytes[j], ids, rows)
	} else {
		cellsOf(dst, n.cells.columns[j], ids, rows)
	}
}

func cellsOf[T float32 | byte](dst []float32, col []T, ids, rows []int32) {
	dst = dst[:len(rows)]
	for i, r := range rows {
		dst[i] = float32(col[ids[r]])
	}
}

// project writes the value of a split function for each row to values, ±Inf if a single feature's cell is missing.
func (n *Node) project(values []float32, fn *forest.Function) {
	rows := n.sample.ids[n.lo:n.hi]
	if n.cells.bytes != nil {
		forest.Project(fn, values, n.cells.bytes, rows)
		return
	}
	forest.Project(fn, values, n.cells.columns, rows)
	if x := n.cells.data; x.mayMiss(fn) {
		x.markMissing(values, fn)
	}
}

// begin prepares for the nodes of another tree or subtree.
func (n *Node) begin(from origin) {
	n.target, n.sample, n.categories = from.target, from.sample, from.data.categories
	n.counts, n.weights = n.counts[:0], n.weights[:0]
	if n.target.packed {
		n.counts = Sized(n.counts, n.target.classes)
	} else {
		n.weights = Sized(n.weights, n.target.classes)
	}
}

// enter makes n the node of rows [lo, hi) of the sample, at the given depth.
func (n *Node) enter(lo, hi, depth int) {
	n.lo, n.hi, n.depth = lo, hi, depth
	switch {
	case n.target.packed:
		n.countClasses()
	case n.target.classes > 0:
		n.weighClasses()
	default:
		n.average()
	}
}

func (n *Node) countClasses() {
	rows := n.sample.packed[n.lo:n.hi]
	first := classOf(rows[0])
	clear(n.counts)
	n.drawn = 0
	for _, r := range rows {
		n.counts[classOf(r)] += countOf(r)
		n.drawn += countOf(r)
	}
	n.pure = n.counts[first] == n.drawn
	n.weight = float64(n.drawn)
}

func (n *Node) weighClasses() {
	s, labels := n.sample, n.sample.labels
	clear(n.weights)
	n.drawn, n.weight, n.pure = 0, 0, true
	for i := n.lo; i < n.hi; i++ {
		c := s.weight(i)
		n.weights[labels[i]] += c
		n.drawn += int64(s.drawn[i])
		n.weight += c
		n.pure = n.pure && labels[i] == labels[n.lo]
	}
}

func (n *Node) average() {
	s, values := n.sample, n.sample.values
	n.drawn, n.weight, n.pure = 0, 0, true
	var sum float64
	for i := n.lo; i < n.hi; i++ {
		c := s.weight(i)
		sum += float64(c * values[i])
		n.drawn += int64(s.drawn[i])
		n.weight += c
		n.pure = n.pure && values[i] == values[n.lo]
	}
	n.mean = sum / n.weight
}

// unsplitScore returns the score of not splitting the node. A cut's score less this one is
// the weighted impurity decrease.
func (n *Node) unsplitScore() float64 {
	t := n.target
	switch {
	case t.classes == 0:
		return 0
	case !t.packed:
		return -t.impurity(n.weights, n.weight)
	case t.entropy:
		var h float64
		for _, c := range n.counts {
			h += t.xlogx[c]
		}
		return h - t.xlogx[n.drawn]
	case t.classes == 2:
		return -2 * float64(n.counts[0]) * float64(n.counts[1]) / float64(n.drawn)
	default:
		var s int64
		for _, c := range n.counts {
			s += c * c
		}
		return float64(s) / float64(n.drawn)
	}
}

// impurity returns total times the impurity of rows with the given class weights, whose
// sum is total.
func (t *Target) impurity(classes []float64, total float64) float64 {
	var s float64
	if t.entropy {
		for _, v := range classes {
			if v > 0 {
				s -= float64(v * portable.Log(v/total))
			}
		}
		return s
	}
	for _, v := range classes {
		s += float64(v * v)
	}
	return total - s/total
}
