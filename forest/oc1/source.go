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

	grow.FeatureDraw
	slots   []int32 // of each class: its number among those of the rows, or −1
	classes []int32 // those of the rows

	local   []int32 // numbers of the combination's features among those drawn
	used    []int32
	rounded []float32
	rows    []int32 // 0, 1, 2, …
	values  []float32

	candidate grow.Candidate
	drawn     bool // whether the candidate is still to be returned by Next
}

func newSource(s Search, m, p, classes int) *source {
	src := &source{m: m, search: search{Search: s}, FeatureDraw: grow.NewFeatureDraw(p), slots: make([]int32, classes)}
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
	s.DrawFeatures(node, s.m)
	if len(s.Features) == 0 || node.Cancelled() {
		return false
	}
	s.enter(node)
	axis, threshold := s.search.axisSplit()
	best := s.search.score
	s.candidate = grow.Candidate{
		Function:  forest.Linear(s.Features[axis:axis+1], unit),
		Cut:       grow.Given,
		Threshold: threshold,
	}
	s.drawn = true
	if d := len(s.Features); d == 1 || node.Len() < 2*d || s.search.perfect {
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

// enter hands the node's rows to the search.
func (s *source) enter(node *grow.Node) {
	n := node.Len()
	h := &s.search
	h.call = node
	h.begin(node.Rand(), s.Columns[:len(s.Features)], n)
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
	s.values = grow.Sized(s.values, n)
	fn := forest.Linear(s.local, s.rounded)
	forest.Project(&fn, s.values, s.Columns[:len(s.Features)], s.rows[:n])
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
	for k := range s.Features {
		largest = max(largest, math.Abs(plane[k]*s.search.units[k]))
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return false
	}
	_, exponent := math.Frexp(largest)
	s.local, s.used, s.rounded = s.local[:0], s.used[:0], s.rounded[:0]
	for k, j := range s.Features {
		if w := float32(math.Ldexp(plane[k]*s.search.units[k], -exponent)); w != 0 {
			s.local, s.used, s.rounded = append(s.local, int32(k)), append(s.used, j), append(s.rounded, w)
		}
	}
	return len(s.used) > 1
}

// unit is the weight of a single feature.
var unit = []float32{1}

var _ grow.Source = (*source)(nil)
