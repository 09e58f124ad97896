package grow

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
)

// A bestCut is the best threshold found so far in a node. Its score is the
// criterion's own, larger for better: less the impurity that is left times weight, up
// to a constant of the node. See [Node.unsplitScore].
type bestCut struct {
	score     float64
	threshold float32
	perfect   bool // both sides are pure: no other cut can be better
}

func noCut() bestCut { return bestCut{score: math.Inf(-1)} }

// take makes the boundary after key at the best cut. It reports whether there
// was one, at ≥ 0.
func (c *bestCut) take(keys []key, at int, score float64, perfect bool) bool {
	if at < 0 {
		return false
	}
	*c = bestCut{score: score, threshold: midpoint(value(keys[at]), value(keys[at+1])), perfect: perfect}
	return true
}

// midpoint returns a threshold t with a ≤ t < b, for a < b: half-way where
// float32 can tell.
func midpoint(a, b float32) float32 {
	t := float32(float64(a)/2 + float64(b)/2) // halves are exact, so it makes no difference if they are fused
	if !(t < b) || t < a {
		return a
	}
	return t
}

// A searcher searches candidates of a node for the best cut. How it does depends on
// the target and on the candidate's values; there is a file for each way:
//
//	sorted.go  sort the rows and look at every boundary; any target, any values
//	narrow.go  count them into bins first and sort a few; two classes, many rows
//	ranked.go  count them into bins and pass by what can't win; other targets, many rows
//	cells.go   count by value; whole numbers in a small range
//	given.go   no search: a threshold that is given or drawn at random
//
// gini.go, entropy.go, weighted.go and squared.go hold the scans of sorted rows, by
// criterion.
type searcher struct {
	data *data
	node *Node

	best, trial   bestCut   // the best so far; that of one candidate, here because a local one would be allocated
	alike         bool      // whether any cut of the node is perfect, as the others are no better
	found         bool      // whether there is a best cut
	winner        Candidate // whose cut is the best
	winnerValues  []float32
	values        []float32 // of the candidate being searched
	keys, tmp     []key
	constants     constants
	bins          bins
	buckets       buckets
	left          []int64 // by class; for packed targets
	left64, right []float64
	room          int // how many rows the nodes may have

	// In a shared search, or one of ranked candidates:
	number  int32 // of the best cut's candidate; −1 for the cut found before
	rivals  []rival
	ranking []ranked
}

// begin makes room for nodes of at most m rows, of a target.
func (s *searcher) begin(m int, target *Target) {
	s.room = m
	s.values, s.winnerValues = sized(s.values, m), sized(s.winnerValues, m)
	s.keys, s.tmp = sized(s.keys, m), sized(s.tmp, m)
	if target.packed {
		s.left = sized(s.left, target.classes)
	} else {
		s.left64, s.right = sized(s.left64, target.classes), sized(s.right, target.classes)
	}
}

// enter begins the search of a node.
func (s *searcher) enter(n *Node) {
	s.node, s.best, s.found, s.alike = n, noCut(), false, false
	if n.target.classes == 0 {
		n.deviate()
		s.alike = n.alike()
	}
}

// try searches a candidate for a better cut than the best and remembers it.
func (s *searcher) try(c *Candidate) {
	if s.search(c, &s.best) {
		s.found = true
		s.winner.keep(c)
		s.values, s.winnerValues = s.winnerValues, s.values
	}
}

// search searches a candidate for a better cut than the best. Its values are in
// s.values afterwards.
func (s *searcher) search(c *Candidate, best *bestCut) bool {
	if s.constants.has(c) {
		return false
	}
	n := s.node
	values := s.values[:n.hi-n.lo]
	n.project(values, &c.Function)
	if c.Cut != Search {
		return s.searchGiven(values, c, best)
	}
	bounded, whole := s.data.traits(&c.Function)
	if !bounded {
		return s.searchSorted(values, best)
	}
	t := n.target
	if l := s.data.levelsOf(&c.Function); l.count > 0 && t.packed && !t.entropy && s.fewCells(len(values), float32(l.count-1)) {
		return s.searchCells(values, l.low, l.count, best)
	}
	narrows := t.packed && t.classes == 2 && len(values) >= narrowMin && n.drawn < 1<<32
	if !whole && !narrows && len(values) <= insertionMax {
		return s.searchSorted(values, best) // which finds out whether they differ
	}
	low, high := extremes(values)
	switch {
	case low == high:
		s.constants.add(c)
		return false
	case whole && t.packed && !t.entropy && s.fewCells(len(values), high-low):
		return s.searchCells(values, low, int(high-low)+1, best)
	case whole && len(values) > insertionMax && high-low < float32(min(len(values), maxBins)):
		return s.searchCounted(values, low, int(high-low)+1, best)
	case narrows:
		return s.searchNarrowed2(values, low, high, best)
	}
	return s.searchRange(values, low, high, best)
}

// traits tells of the values of a split function whether none can overflow, nor the
// difference of two, and whether all are whole numbers.
func (x *data) traits(fn *forest.Function) (bounded, whole bool) {
	if fn.Kind == forest.Quadratic {
		return false, false
	}
	var s float32
	whole = true
	for k, j := range fn.Features {
		c := max(fn.Weights[k], -fn.Weights[k])
		s += float32(c * x.extent[j])
		whole = whole && x.whole[j] && c == 1
	}
	return s < math.MaxFloat32/4, whole && s <= 1<<23
}

// levelsOf returns the levels of a single feature, none of any other function.
func (x *data) levelsOf(fn *forest.Function) levels {
	if fn.Kind != forest.Axis {
		return levels{}
	}
	return x.levels[fn.Features[0]]
}

func extremes(values []float32) (low, high float32) {
	low, high = values[0], values[0]
	for _, v := range values {
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	return low, high
}

func finite(v float32) bool { return v-v == 0 }
