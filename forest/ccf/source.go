package ccf

import (
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// A source proposes the canonical combinations of features drawn at a node.
type source struct {
	m         int       // features to draw, λ
	bootstrap bool      // whether combinations are computed from a bootstrap sample of the node's rows
	units     []float64 // of each feature

	grow.FeatureDraw
	times  []int32 // how often each of the node's rows is drawn
	sample sample

	analysis analysis
	next     int // number of the next combination
	weights  []float64
	rounded  grow.Combination
	single   bool // whether the only candidate is the feature drawn or the line of two points, which is in weights

	candidate grow.Candidate
}

// A sample is the rows that combinations are computed from, each listed once.
type sample struct {
	rows           []int32   // numbers in the node
	weights        []float64 // of the rows, times how often each was drawn; above 0
	slots          []int32   // number of the row's class, among those present
	grow.Numbering           // of the classes present
}

// maxRedraws is how often other features and rows are drawn for a node that none of the first
// combinations splits.
const maxRedraws = 3

func newSource(m, classes int, units []float64) *source {
	p := len(units)
	return &source{m: m, bootstrap: m < p, units: units, FeatureDraw: grow.NewFeatureDraw(p),
		sample: sample{Numbering: grow.NewNumbering(classes)}}
}

// Draw draws features and rows and computes their canonical combinations. It returns false if
// all rows are equal, or if another draw would not differ from the last.
func (s *source) Draw(node *grow.Node, attempt int) bool {
	if attempt > maxRedraws || attempt > 0 && !s.bootstrap {
		return false
	}
	s.DrawFeatures(node, s.m)
	s.next, s.analysis.combinations, s.single = 0, 0, false
	if len(s.Features) == 0 || node.Cancelled() {
		return false
	}
	distinct := s.drawRows(node)
	switch {
	case len(s.Features) == 1:
		s.weights = append(s.weights[:0], 1)
		s.single = true
	case distinct == 2:
		s.joinPoints()
		s.single = true
	default:
		s.analysis.compute(s, node)
	}
	return true
}

// drawRows makes the sample a bootstrap sample of the node's rows. If that has only one class or one
// point, or isn't wanted, the sample is all of them (Algorithm 2, lines 6 to 11). It returns the number of
// different rows, or 3 if there are more.
func (s *source) drawRows(node *grow.Node) (distinct int) {
	n := node.Len()
	s.times = grow.Sized(s.times, n)
	if s.bootstrap {
		clear(s.times)
		for range n {
			s.times[node.Rand().Intn(n)]++
		}
		s.list(node)
		if distinct = s.distinctRows(); distinct > 1 && len(s.sample.Classes) > 1 {
			return distinct
		}
	}
	for i := range s.times {
		s.times[i] = 1
	}
	s.list(node)
	return s.distinctRows()
}

// list makes the sample of the rows that were drawn.
func (s *source) list(node *grow.Node) {
	to, n := &s.sample, len(s.times)
	to.rows, to.weights, to.slots = grow.Sized(to.rows, n)[:0], grow.Sized(to.weights, n)[:0], grow.Sized(to.slots, n)[:0]
	to.Begin()
	for i, times := range s.times {
		if times == 0 {
			continue
		}
		to.rows = append(to.rows, int32(i))
		to.weights = append(to.weights, float64(times)*node.Weight(i))
		to.slots = append(to.slots, to.Of(node.Label(i)))
	}
}

// distinctRows returns how many different rows the sample has, or 3 if there are more.
func (s *source) distinctRows() int {
	second := s.otherPoint(s.sample.rows[0])
	if second < 0 {
		return 1
	}
	for _, i := range s.sample.rows {
		if s.differ(i, s.sample.rows[0]) && s.differ(i, second) {
			return 3
		}
	}
	return 2
}

// otherPoint returns the first row of the sample that differs from row a, or −1.
func (s *source) otherPoint(a int32) int32 {
	for _, i := range s.sample.rows {
		if s.differ(i, a) {
			return i
		}
	}
	return -1
}

func (s *source) differ(a, b int32) bool {
	for _, column := range s.Columns[:len(s.Features)] {
		if column[a] != column[b] {
			return true
		}
	}
	return false
}

// joinPoints sets weights to the direction from one point to the other, if the sample has two
// (Algorithm 2, lines 12 to 14).
func (s *source) joinPoints() {
	a := s.sample.rows[0]
	b := s.otherPoint(a)
	s.weights = s.weights[:0]
	for k, j := range s.Features {
		difference := (float64(s.Columns[k][b]) - float64(s.Columns[k][a])) / s.units[j]
		s.weights = append(s.weights, difference/s.units[j])
	}
}

// Next returns the next combination, those with the largest correlation first.
func (s *source) Next() *grow.Candidate {
	if s.single {
		s.single = false
		if s.round() {
			return &s.candidate
		}
	}
	for s.next < s.analysis.combinations {
		s.weights = grow.Sized(s.weights, len(s.Features))
		s.analysis.combination(s.weights, s.next)
		for k, j := range s.Features {
			s.weights[k] /= s.units[j]
		}
		s.next++
		if s.round() {
			return &s.candidate
		}
	}
	return nil
}

// round makes the candidate of weights, and returns false if all are 0.
func (s *source) round() bool {
	if !s.rounded.SetScaled(s.Features, s.weights) {
		return false
	}
	s.candidate.Function = s.rounded.Function()
	return true
}

var _ grow.Source = (*source)(nil)
