package oc1

import (
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// A source proposes one split of a node: on the hyperplane that the search finds, or on a
// single feature.
type source struct {
	m      int // features to draw
	search search

	grow.FeatureDraw
	classes grow.Numbering // of the rows

	rounded grow.Combination // of the features drawn, by number
	used    []int32
	rows    []int32 // 0, 1, 2, …
	values  []float32

	candidate grow.Candidate
	drawn     bool // whether the candidate is still to be returned by Next
}

func newSource(s Search, m, p, classes int) *source {
	return &source{m: m, search: search{Search: s}, FeatureDraw: grow.NewFeatureDraw(p),
		classes: grow.NewNumbering(classes)}
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
	s.classes.Begin()
	for i := range n {
		h.slots[i], h.weights[i] = s.classes.Of(node.Label(i)), node.Weight(i)
	}
	h.count(len(s.classes.Classes))
}

// takeHyperplane makes the candidate of the search's hyperplane if that, in the features' own units and rounded to
// float32, has a better score than the best split on one feature.
func (s *source) takeHyperplane(axisScore float64) {
	n, weights := len(s.search.slots), s.search.best[:len(s.Features)]
	for len(s.rows) < n {
		s.rows = append(s.rows, int32(len(s.rows)))
	}
	for k, unit := range s.search.units {
		weights[k] *= unit
	}
	if !(s.search.bestScore > axisScore) || !s.rounded.SetScaled(s.rows, weights) || len(s.rounded.Features) < 2 {
		return
	}
	s.values = grow.Sized(s.values, n)
	fn := s.rounded.Function()
	forest.Project(&fn, s.values, s.Columns[:len(s.Features)], s.rows[:n])
	threshold, score, ok := s.search.cut(s.values)
	if !ok || !(score > axisScore) {
		return
	}
	s.used = s.used[:0]
	for _, k := range s.rounded.Features {
		s.used = append(s.used, s.Features[k])
	}
	s.candidate.Function = forest.Linear(s.used, s.rounded.Weights)
	s.candidate.Threshold = threshold
}

// unit is the weight of a single feature.
var unit = []float32{1}

var _ grow.Source = (*source)(nil)
