package godt

import "github.com/obliqua-ml/obliqua/forest/internal/grow"

// A source proposes one split for a node: that of a mixture that it fits to the node's rows.
type source struct {
	Learner            // with defaults filled in
	features []int32   // of the tree
	classes  int       // 0 for values
	scale    []float64 // standard deviation of each feature in the training data; nil if β isn't relative

	fitter  fitter
	columns [group][]float32
	weight  []float64
	kept    []int32 // the rows with a weight, if some have none
	drawn   []int32 // the features drawn at the node

	candidate grow.Candidate
	found     bool // whether Next has the candidate still to return
}

// group is the number of features that are read at once.
const group = 16

func newSource(l Learner, features []int32, classes int, scale []float64) *source {
	return &source{Learner: l, features: features, classes: classes, scale: scale}
}

// maxRedraws is how often other features or rows are drawn for a node that the first ones
// don't split.
const maxRedraws = 10

// Draw fits the mixture of a node, unless the node is to be a leaf.
func (s *source) Draw(node *grow.Node, attempt int) bool {
	if attempt > maxRedraws || attempt == 0 && s.leaf(node) {
		return false
	}
	features := s.features
	if s.NodeFeatures < len(features) {
		s.drawn = grow.Choose(grow.Sized(s.drawn, s.NodeFeatures), features, node.Rand())
		features = s.drawn
	}
	s.read(node, features)
	s.found = !node.Cancelled() && s.fitter.divide(s.Splitting, s.scale, node.Rand())
	return true
}

// Next returns the split, once.
func (s *source) Next() *grow.Candidate {
	if !s.found {
		return nil
	}
	s.found = false
	s.candidate.Function, s.candidate.Threshold = s.fitter.fn, s.fitter.threshold
	s.candidate.Cut = grow.Given
	if s.Supervised {
		s.candidate.Cut = grow.Search
	}
	return &s.candidate
}

// leaf reports whether the node satisfies the non-splitting condition (eq. 3.15 and 3.16).
func (s *source) leaf(node *grow.Node) bool {
	total := node.TotalWeight()
	if !(total > 0) {
		return true
	}
	if s.classes > 0 {
		largest := 0.0
		for c := range s.classes {
			largest = max(largest, node.ClassWeight(int32(c)))
		}
		return largest >= float64(s.Purity*total)
	}
	if s.MaxMSE == 0 {
		return false // the engine makes leaves of nodes with equal values
	}
	var mean, squares float64
	for i := range node.Len() {
		mean += float64(node.Weight(i) * node.Value(i))
	}
	mean /= total
	for i := range node.Len() {
		e := node.Value(i) - mean
		squares += float64(node.Weight(i) * float64(e*e))
	}
	return squares/total < s.MaxMSE
}

// read fills the fitter with the node's rows. Features that are constant, and rows without weight,
// are left out.
func (s *source) read(node *grow.Node, features []int32) {
	n := node.Len()
	s.weight, s.kept = grow.Sized(s.weight, n)[:0], s.kept[:0]
	for i := range n {
		if w := node.Weight(i); w > 0 {
			s.weight, s.kept = append(s.weight, w), append(s.kept, int32(i))
		}
	}
	s.fitter.rows.Call = node
	s.fitter.begin(s.weight, len(features))
	filled := 0
	for _, j := range features {
		if node.Cancelled() {
			break
		}
		column := grow.Sized(s.columns[filled], n)
		s.columns[filled] = column
		node.Column(column, j)
		if len(s.kept) < n {
			for k, i := range s.kept {
				column[k] = column[i]
			}
		}
		column = column[:len(s.kept)]
		if grow.Constant(column) {
			continue
		}
		s.columns[filled] = column
		s.fitter.features = append(s.fitter.features, j)
		if filled++; filled == group {
			s.fitter.rows.Add(s.columns[:])
			filled = 0
		}
	}
	s.fitter.rows.Add(s.columns[:filled])
	s.fitter.rows.Ready()
}
