package oc1

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// A source proposes one split of a node: on the hyperplane that the search finds, or on a
// single feature.
type source struct {
	m      int // features to draw
	search search

	order    []int32 // all features; ascending between draws
	swaps    []int
	features []int32 // those drawn, ascending
	columns  [][]float32
	slots    []int32 // of each class: its number among those of the rows, or −1
	classes  []int32 // those of the rows

	local   []int32 // numbers of the combination's features among those drawn
	used    []int32
	rounded []float32
	rows    []int32 // 0, 1, 2, …
	values  []float32

	candidate grow.Candidate
	drawn     bool // whether the candidate is still to be returned by Next
}

func newSource(s Search, m, p, classes int) *source {
	src := &source{m: m, search: search{Search: s}, order: make([]int32, p), slots: make([]int32, classes)}
	for j := range src.order {
		src.order[j] = int32(j)
	}
	for c := range src.slots {
		src.slots[c] = -1
	}
	return src
}

// Draw draws features and finds the split. It returns false if all rows are equal. It never draws again,
// since one feature that varies is enough for a split.
func (s *source) Draw(node *grow.Node, attempt int) bool {
	if attempt > 0 {
		return false
	}
	s.drawFeatures(node)
	if len(s.features) == 0 {
		return false
	}
	s.enter(node)
	axis, threshold := s.search.axisSplit()
	best := s.search.score
	s.candidate = grow.Candidate{
		Function:  forest.Linear(s.features[axis:axis+1], unit),
		Cut:       grow.Given,
		Threshold: threshold,
	}
	s.drawn = true
	if d := len(s.features); d == 1 || node.Len() < 2*d || s.search.perfect {
		return true
	}
	s.search.run(axis, threshold)
	s.takeHyperplane(best)
	return true
}

// Next returns the candidate of the draw, once.
func (s *source) Next() *grow.Candidate {
	if !s.drawn {
		return nil
	}
	s.drawn = false
	return &s.candidate
}

// drawFeatures draws m features that are not constant, or as many as there are, and reads
// them. Features are drawn one by one without replacement (Fisher and Yates).
func (s *source) drawFeatures(node *grow.Node) {
	s.features, s.swaps = s.features[:0], s.swaps[:0]
	p := len(s.order)
	for t := 0; t < p && len(s.features) < s.m; t++ {
		i := t + node.Rand().Intn(p-t)
		s.order[t], s.order[i] = s.order[i], s.order[t]
		s.swaps = append(s.swaps, i)
		at := len(s.features)
		if at == len(s.columns) {
			s.columns = append(s.columns, nil)
		}
		column := resized(s.columns[at], node.Len())
		node.Column(column, s.order[t])
		s.columns[at] = column
		if !constant(column) {
			s.insert(s.order[t])
		}
	}
	for t := len(s.swaps) - 1; t >= 0; t-- {
		i := s.swaps[t]
		s.order[t], s.order[i] = s.order[i], s.order[t]
	}
}

// insert adds a feature, whose column is the one after those of the others, in ascending order.
func (s *source) insert(feature int32) {
	s.features = append(s.features, feature)
	for k := len(s.features) - 1; k > 0 && s.features[k-1] > s.features[k]; k-- {
		s.features[k-1], s.features[k] = s.features[k], s.features[k-1]
		s.columns[k-1], s.columns[k] = s.columns[k], s.columns[k-1]
	}
}

// enter hands the node's rows to the search.
func (s *source) enter(node *grow.Node) {
	n := node.Len()
	h := &s.search
	h.begin(node.Rand(), s.columns[:len(s.features)], n)
	s.classes = s.classes[:0]
	for i := range n {
		class := node.Label(i)
		if s.slots[class] < 0 {
			s.slots[class] = int32(len(s.classes))
			s.classes = append(s.classes, class)
		}
		h.slots[i], h.weights[i] = s.slots[class], node.Weight(i)
	}
	for _, class := range s.classes {
		s.slots[class] = -1
	}
	h.count(len(s.classes))
}

// takeHyperplane makes the candidate of the search's hyperplane if that, rounded to float32,
// has a better score than the best split on one feature.
func (s *source) takeHyperplane(axisScore float64) {
	if !(s.search.bestScore > axisScore) || !s.round(s.search.best) {
		return
	}
	n := len(s.search.slots)
	for len(s.rows) < n {
		s.rows = append(s.rows, int32(len(s.rows)))
	}
	s.values = resized(s.values, n)
	fn := forest.Linear(s.local, s.rounded)
	forest.Project(&fn, s.values, s.columns[:len(s.features)], s.rows[:n])
	threshold, score, ok := s.search.cut(s.values)
	if !ok || !(score > axisScore) {
		return
	}
	s.candidate.Function = forest.Linear(s.used, s.rounded)
	s.candidate.Threshold = threshold
}

// round sets used, local and rounded to the hyperplane's coefficients in the features' own
// units, and returns false if it has fewer than two. They are multiplied by a power of two that makes
// the largest at least 1/2 and less than 1.
func (s *source) round(plane []float64) bool {
	var largest float64
	for k := range s.features {
		largest = max(largest, math.Abs(plane[k]*s.search.units[k]))
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return false
	}
	_, exponent := math.Frexp(largest)
	s.local, s.used, s.rounded = s.local[:0], s.used[:0], s.rounded[:0]
	for k, j := range s.features {
		if w := float32(math.Ldexp(plane[k]*s.search.units[k], -exponent)); w != 0 {
			s.local, s.used, s.rounded = append(s.local, int32(k)), append(s.used, j), append(s.rounded, w)
		}
	}
	return len(s.used) > 1
}

// unit is the weight of a single feature.
var unit = []float32{1}

func constant(column []float32) bool {
	for _, v := range column {
		if v != column[0] {
			return false
		}
	}
	return true
}

// resized returns a slice of n arbitrary elements, in the memory of s if it suffices. A new
// slice has spare capacity.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}

var _ grow.Source = (*source)(nil)
