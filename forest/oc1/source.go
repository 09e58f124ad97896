package oc1

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
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
	numbers []int32 // 0, 1, 2, …

	candidate grow.Candidate
	drawn     bool // whether the candidate is still to be returned by Next
}

func newSource(s Search, m, p, classes int) *source {
	return &source{m: m, search: search{Search: s}, FeatureDraw: grow.NewFeatureDraw(p),
		classes: grow.NewNumbering(classes), numbers: samples.UpTo(m)}
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
	n, d := node.Len(), len(s.Features)
	h := &s.search
	h.call = node
	h.begin(node.Rand(), s.Columns[:d], n)
	if d == len(s.Columns) {
		s.Columns = append(s.Columns, nil)
	}
	classes := grow.Sized(s.Columns[d], n)
	s.Columns[d] = classes
	s.classes.Begin()
	h.whole = true
	for i := range n {
		weight := node.Weight(i)
		h.whole = h.whole && weight == math.Trunc(weight)
		classes[i] = float32(s.classes.Of(node.Label(i)))
		h.keys[i] = uint64(i)
	}
	if h.whole {
		s.sort(h.keys, 0)
	}
	s.list(node)
	h.count(len(s.classes.Classes))
	h.scale()
}

// sort sorts rows by their features from number k on, and then by class. The lower halves of keys are the
// rows' numbers, which alone matter before and after.
func (s *source) sort(keys []uint64, k int) {
	column := s.Columns[k]
	for i, key := range keys {
		row := uint32(key)
		keys[i] = grow.NewKey(column[row], row)
	}
	copy(keys, grow.SortKeys(keys, s.search.spare))
	for k < len(s.Features) && len(keys) > 0 {
		same := 1
		for same < len(keys) && keys[same]>>32 == keys[0]>>32 {
			same++
		}
		if same > 1 {
			s.sort(keys[:same], k+1)
		}
		keys = keys[same:]
	}
}

// list lists the points and their rows in the order of the search's keys. Rows of equal features and classes become one
// row with their weight.
func (s *source) list(node *grow.Node) {
	h, d := &s.search, len(s.Features)
	h.first, h.starts, h.rows.list = h.first[:0], h.starts[:0], h.rows.list[:0]
	for i, key := range h.keys[:node.Len()] {
		number := int32(uint32(key))
		next := row{node.Weight(int(number)), int32(s.Columns[d][number]), true}
		last := len(h.rows.list) - 1
		if !h.whole || i == 0 || !s.equal(h.first[len(h.first)-1], number) {
			h.first, h.starts = append(h.first, number), append(h.starts, int32(last+1))
		} else if h.rows.list[last].class == next.class {
			h.rows.list[last].weight += next.weight
			continue
		} else {
			h.rows.list[last].last = false
		}
		h.rows.list = append(h.rows.list, next)
	}
	h.starts = append(h.starts, int32(len(h.rows.list)))
}

// equal reports whether two rows have equal features.
func (s *source) equal(a, b int32) bool {
	for _, column := range s.Columns[:len(s.Features)] {
		if column[a] != column[b] {
			return false
		}
	}
	return true
}

// takeHyperplane makes the candidate of the search's hyperplane if that, in the features' own units and rounded to
// float32, has a better score than the best split on one feature.
func (s *source) takeHyperplane(axisScore float64) {
	h, weights := &s.search, s.search.best[:len(s.Features)]
	for k, unit := range h.units {
		weights[k] *= unit
	}
	if !(h.bestScore > axisScore) || !s.rounded.SetScaled(s.numbers[:len(weights)], weights) ||
		len(s.rounded.Features) < 2 {
		return
	}
	fn := s.rounded.Function()
	forest.Project(&fn, h.cells, h.columns, h.first)
	threshold, score, ok := h.cut(h.cells)
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
