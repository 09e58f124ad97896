package grow

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// A bestCut is the best cut found so far in a node. Larger scores are better: a score is
// minus the weighted impurity of both sides, up to a constant of the node. See
// [Node.unsplitScore].
type bestCut struct {
	score     float64
	threshold float32
	perfect   bool // no other cut can be better, for instance because both sides are pure

	missingLeft bool // whether missing cells of its feature are on the left
}

func noCut() bestCut { return bestCut{score: math.Inf(-1)} }

// take makes the boundary after key at the best cut and returns true. If at is negative it
// does nothing and returns false.
func (c *bestCut) take(keys []key, at int, score float64, perfect bool) bool {
	if at < 0 {
		return false
	}
	*c = bestCut{score: score, threshold: Midpoint(KeyValue(keys[at]), KeyValue(keys[at+1])), perfect: perfect}
	return true
}

// Midpoint returns a threshold t with a ≤ t < b, for a < b: the midpoint or, if rounding
// puts that outside, a.
func Midpoint(a, b float32) float32 {
	t := float32(float64(a)/2 + float64(b)/2) // halves are exact, so it makes no difference if they are fused
	if !(t < b) || t < a {
		return a
	}
	return t
}

// A searcher searches candidates of a node for the best cut. There is a file for each
// method of search; which is used depends on the target and on the candidate's values:
//
//	sorted.go  sorts the rows and scores every boundary; any target, any values
//	narrow.go  counts rows into bins and sorts those of a few bins; two classes, many rows
//	ranked.go  bounds candidates by bins and rules out most; other targets, many rows
//	cells.go   counts rows by value; whole numbers in a small range
//	given.go   doesn't search: the threshold is given or drawn at random
//
// A feature with missing cells is searched twice, in one of these ways; see missing.go. Categories are numbered in such
// an order that a cut divides them well; see categories.go.
//
// gini.go, entropy.go, weighted.go and squared.go have the scans of sorted rows, by
// criterion.
type searcher struct {
	node *Node

	best          bestCut   // of all candidates so far
	trial         bestCut   // of the candidate in tryOutOfOrder; a local variable would be allocated
	allEqual      bool      // whether all cuts of the node have the same score, so that any is perfect
	found         bool      // whether there is a best cut
	winner        Candidate // the best cut's candidate
	winnerValues  []float32
	sided         Candidate // in searchMissing: with missing cells on one side; in searchSets: with drawn ones
	grouping      grouping
	seen          []uint32  // in makeSet: the categories of the node's rows
	values        []float32 // of the candidate being searched
	keys, tmp     []key
	numbers       []uint32 // 0, 1, …: the payloads of rows of targets that aren't packed
	constants     constants
	bins          bins
	buckets       buckets
	left          []int64   // counts of the left side by class; for packed targets
	left64, right []float64 // weights of both sides by class; for other targets of classes
	maxRows       int       // largest number of rows of a node

	// In a shared search, or a search of ranked candidates:
	number  int32 // of the best cut's candidate; −1 for the cut found before
	rivals  []rival
	ranking []ranked
}

// begin prepares for nodes of at most m rows of a target.
func (s *searcher) begin(m int, target *Target) {
	s.maxRows = m
	s.values, s.winnerValues = Sized(s.values, m), Sized(s.winnerValues, m)
	s.keys, s.tmp = Sized(s.keys, m), Sized(s.tmp, m)
	if target.packed {
		s.left = Sized(s.left, target.classes)
	} else {
		s.left64, s.right = Sized(s.left64, target.classes), Sized(s.right, target.classes)
		for i := len(s.numbers); i < m; i++ {
			s.numbers = append(s.numbers, uint32(i))
		}
	}
}

// payloads returns the payloads of the node's rows; see key.
func (s *searcher) payloads() []uint32 {
	n := s.node
	if n.target.packed {
		return n.sample.packed[n.lo:n.hi]
	}
	return s.numbers[:n.Len()]
}

// enter begins the search of a node.
func (s *searcher) enter(n *Node) {
	s.node, s.best, s.found, s.allEqual = n, noCut(), false, false
	if n.target.classes == 0 {
		n.deviate()
		s.allEqual = n.allCutsEqual()
	}
}

// consider searches a candidate for a better cut than s.best. If there is one, it becomes
// s.best and the candidate s.winner.
func (s *searcher) consider(c *Candidate) {
	won := s.search(c, &s.best)
	if won {
		s.found = true
		s.keep(c, s.values)
		s.values, s.winnerValues = s.winnerValues, s.values
	}
	s.constants.search(c, s.best.score, won)
}

// search searches a candidate for a better cut than best, writes it there, and reports
// whether there is one. Then the candidate's values are in s.values.
func (s *searcher) search(c *Candidate, best *bestCut) bool {
	if s.constants.has(c) {
		return false
	}
	n := s.node
	values := s.values[:n.hi-n.lo]
	if n.cells.data.categorical(&c.Function) {
		return s.searchSets(values, c, best)
	}
	n.project(values, &c.Function)
	if n.cells.data.mayMiss(&c.Function) {
		return s.searchMissing(values, c, best)
	}
	return s.searchValues(values, c, best)
}

// keep makes the candidate of s.best, with these values, the winner.
func (s *searcher) keep(c *Candidate, values []float32) {
	s.winner.keep(c)
	s.winner.MissingLeft = s.best.missingLeft
	if s.node.cells.data.categorical(&c.Function) {
		s.makeSet(values)
	}
}

// searchValues is search for a candidate whose values are finite.
func (s *searcher) searchValues(values []float32, c *Candidate, best *bestCut) bool {
	n := s.node
	if c.Cut != Search {
		return s.searchGiven(values, c, best)
	}
	data := n.cells.data
	bounded, whole := data.traits(&c.Function)
	if !bounded {
		return s.searchSorted(values, best)
	}
	t := n.target
	if l := data.levelsOf(&c.Function); l.count > 0 && t.packed && !t.entropy &&
		s.fewCells(len(values), float32(l.count-1)) {
		return s.searchCells(values, l.low, l.count, best)
	}
	if !whole && !s.narrows(len(values)) && len(values) <= insertionMax {
		return s.searchSorted(values, best) // also finds out whether the values differ
	}
	low, high := kernel.Extremes(values)
	if low == high {
		s.constants.add(c)
		return false
	}
	return s.searchBetween(values, low, high, whole, best)
}

// narrows reports whether narrowing pays off for so many rows.
func (s *searcher) narrows(rows int) bool {
	t := s.node.target
	return t.packed && t.classes == 2 && rows >= narrowMin && s.node.drawn < 1<<32
}

// searchBetween searches values with the given extremes, which differ. whole says that all are whole numbers.
func (s *searcher) searchBetween(values []float32, low, high float32, whole bool, best *bestCut) bool {
	t := s.node.target
	switch {
	case whole && t.packed && !t.entropy && s.fewCells(len(values), high-low):
		return s.searchCells(values, low, int(high-low)+1, best)
	case whole && len(values) > insertionMax && high-low < float32(min(len(values), maxBins)):
		return s.searchCounted(values, low, int(high-low)+1, best)
	case s.narrows(len(values)):
		return s.searchNarrowed2(values, low, high, best)
	}
	return s.searchRange(values, low, high, best)
}

// traits reports whether the values of a split function are bounded, so that neither they
// nor their differences overflow, and whether all are whole numbers.
func (x *data) traits(fn *forest.Function) (bounded, whole bool) {
	s, whole := x.extentOf(fn)
	return s < math.MaxFloat32/4, whole && s <= 1<<23
}

// extentOf returns a number that no absolute value of a split function exceeds, except for
// rounding, and whether the function combines whole numbers with weights of ±1.
func (x *data) extentOf(fn *forest.Function) (extent float32, whole bool) {
	if !fn.Kind.Linear() {
		return float32(math.Inf(1)), false
	}
	whole = true
	for k, w := range fn.Weights {
		j := k // of a Dense, whose Features may be nil
		if fn.Features != nil {
			j = int(fn.Features[k])
		}
		c := max(w, -w)
		extent += float32(c * x.extent[j])
		whole = whole && x.whole[j] && c == 1 && (x.missing == nil || !x.missing[j] || fn.Kind == forest.Axis)
	}
	return extent, whole
}

// levelsOf returns the levels of a single feature, and no levels for other functions.
func (x *data) levelsOf(fn *forest.Function) levels {
	if fn.Kind != forest.Axis {
		return levels{}
	}
	return x.levels[fn.Features[0]]
}

func finite(v float32) bool { return v-v == 0 }
