package grow

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// Missing cells are filled in the columns of data, with a number next to the feature's weighted mean that no other
// training row has. Splits of several features, and sources that fit something, read this number. For splits of one
// feature it marks the missing cells: their rows go to the side that is better, and missing against the rest is a
// candidate, too (missingness incorporated in attributes; Twala, Jones and Hand, Pattern Recognition Letters 29, 2008).
// In columns with categories they are −1.

// notMissing is the threshold with which all rows go left whose cell isn't missing.
const notMissing = math.MaxFloat32

// fillColumns sets fills and missing, and fills the columns that have missing cells. No cell may be infinite.
func (x *data) fillColumns(d *datasets.Dataset) {
	p := len(x.columns)
	x.columns, x.fills, x.missing = slices.Clone(x.columns), make([]float32, p), make([]bool, p)
	parallel.For(p, func(j int) {
		column := d.Column(nil, j)
		present := slices.DeleteFunc(slices.Clone(column), func(v float32) bool { return v != v })
		total, mean := 0.0, 0.0
		for i, v := range column {
			if v == v {
				total += Weight(d, int32(i))
			}
		}
		for i, v := range column {
			if w := Weight(d, int32(i)); v == v && w > 0 {
				mean += float64(w*float64(v)) / total
			}
		}
		if x.fills[j] = float32(mean); x.categories != nil && x.categories[j] != nil {
			x.fills[j] = -1
		}
		if len(present) == d.N() {
			return
		}
		x.missing[j] = true
		slices.Sort(present)
		for slices.Sort(present); ; x.fills[j] = math.Nextafter32(x.fills[j], float32(math.Inf(1))) {
			if _, taken := slices.BinarySearch(present, x.fills[j]); !taken {
				break
			}
		}
		x.columns[j] = slices.Clone(x.columns[j])
		for i, v := range x.columns[j] {
			if v != v {
				x.columns[j][i] = x.fills[j]
			}
		}
		x.extent[j], x.whole[j] = 0, true
		for _, v := range present {
			x.extent[j], x.whole[j] = max(x.extent[j], v, -v), x.whole[j] && v == float32(int32(v))
		}
		x.findLevels(j)
	})
}

// mayMiss reports whether a function is a single feature with missing cells.
func (x *data) mayMiss(fn *forest.Function) bool {
	return x.missing != nil && fn.Kind == forest.Axis && x.missing[fn.Features[0]]
}

// markMissing replaces the values of rows whose cell is missing by −Inf or Inf, whichever side they go to.
func (x *data) markMissing(values []float32, fn *forest.Function) {
	side := float32(math.Inf(1))
	if fn.MissingLeft {
		side = -side
	}
	fill := x.fills[fn.Features[0]]
	for i, v := range values {
		if v == fill {
			values[i] = side
		}
	}
}

// searchMissing searches a feature with missing cells twice, with these rows above and below all others. values are
// the feature's, and Inf for missing cells.
func (s *searcher) searchMissing(values []float32, c *Candidate, best *bestCut) (found bool) {
	low, high, some := float32(math.Inf(1)), float32(math.Inf(-1)), false
	for _, v := range values {
		if finite(v) {
			low, high = min(low, v), max(high, v)
		} else {
			some = true
		}
	}
	switch {
	case low > high:
		s.constants.add(c)
		return false
	case !some:
		return s.searchValues(values, c, best)
	}
	s.sided = *c
	if c.Cut == Random {
		s.sided.Cut, s.sided.Threshold = Given, s.draw(low, high)
	}
	found = s.searchSide(values, false, low, high, best)
	found = s.searchSide(values, true, low, high, best) || found
	if c.Cut == Random {
		s.sided.Threshold = high // missing against the rest
		found = s.searchSide(values, false, low, high, best) || found
	}
	if found {
		s.sided.MissingLeft = best.missingLeft
		s.node.project(values, &s.sided.Function)
	}
	return found
}

// searchSide searches s.sided with the missing rows on one side of the others, which are in [low, high].
func (s *searcher) searchSide(values []float32, left bool, low, high float32, best *bestCut) bool {
	if best.perfect {
		return false
	}
	s.sided.MissingLeft = left
	s.node.project(values, &s.sided.Function)
	gap := high - low
	if s.node.cells.data.whole[s.sided.Features[0]] {
		gap = 1
	}
	fill := min(max(high+gap, math.Nextafter32(high, notMissing)), notMissing)
	if left {
		fill = max(min(low-gap, math.Nextafter32(low, -notMissing)), -notMissing)
	}
	for i, v := range values {
		if !finite(v) {
			values[i] = fill
		}
	}
	if !s.searchValues(values, &s.sided, best) {
		return false
	}
	best.missingLeft = left
	if best.threshold < low || best.threshold >= high {
		best.threshold, best.missingLeft = notMissing, false
	}
	return true
}

// routeMissing sends rows whose cell is missing to the child with more weight, if the best cut is of one feature and
// no row of the node lacks it.
func (s *searcher) routeMissing() {
	n := s.node
	if n.cells.data.missing == nil || s.winner.Kind != forest.Axis {
		return
	}
	left := 0.0
	for i, v := range s.winnerValues[:n.Len()] {
		if !finite(v) {
			return
		}
		if v <= s.best.threshold {
			left += n.Weight(i)
		}
	}
	s.winner.MissingLeft = 2*left > n.weight
}
