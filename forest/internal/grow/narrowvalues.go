package grow

import "math"

// With values, whole candidates are ruled out by bounds similar to those of narrow.go. A
// cut's score is s²/w + s²/(W − w), where w is the weight of the left side, s the weighted
// sum of its deviations from the node's mean, and W the weight of all rows. Two bounds
// hold for a cut within a bin:
//
//   - The score is a convex function of s and w, so its maximum over a rectangle is at a
//     corner. s is at least the sum over the bins before plus the bin's negative
//     deviations, and at most that sum plus the bin's positive ones; w is between the
//     weights at the bin's boundaries.
//   - Dividing a set of rows in two doesn't decrease the total of s²/w, and s²/w is at most
//     Σ w·d² over the deviations d. So the score is at most s²/w of the rows before the
//     bin, plus s²/w of those after it, plus Σ w·d² over the bin's rows.
//
// Sums of values are rounded, so the last bits of a score depend on the order of all rows
// before the cut. Therefore single bins are never searched: if no bin can contain a better
// cut the candidate is ruled out, otherwise all its rows are sorted.

// A valueBin holds sums over the rows of a bin.
type valueBin struct {
	sum, weight float64 // of the rows' deviations
	squares     float64 // of the rows' Node.squares
	positive    float64 // of the positive deviation.sum only
}

// fillValues returns the sums of every bin.
func (s *searcher) fillValues(values []float32, to binning) []valueBin {
	if s.bins.values == nil {
		s.bins.values = make([]valueBin, maxBins)
	}
	bins := s.bins.values[:to.count]
	clear(bins)
	rows, squares := s.node.deviations[:len(values)], s.node.squares[:len(values)]
	for i, v := range values {
		b := &bins[to.bin(v)]
		b.sum += rows[i].sum
		b.weight += rows[i].weight
		b.squares += squares[i]
		b.positive += max(0, rows[i].sum)
	}
	return bins
}

// likelyOfValues returns the best score of a cut between two bins, and an upper bound of
// the scores of all cuts.
func (s *searcher) likelyOfValues(bins []valueBin) (likely, bound float64) {
	all := s.node.weight
	likely, bound = math.Inf(-1), math.Inf(-1)
	var sum, weight, before float64 // of the bins before: s, w and s²/w
	for k := range bins {
		b := &bins[k]
		if b.weight == 0 {
			continue
		}
		end := weight + b.weight
		left, right := perWeight(sum+b.sum, end), perWeight(sum+b.sum, all-end)
		most := before + right + b.squares
		// w(W − w) is concave, so its minimum is at a boundary
		if balance := min(weight*(all-weight), end*(all-end)); balance > 0 {
			largest := max(math.Abs(sum+b.positive), math.Abs(sum+b.sum-b.positive))
			most = min(most, largest*largest*all/balance)
		}
		bound, likely = max(bound, most), max(likely, left+right)
		sum, weight, before = sum+b.sum, end, left
	}
	return likely, bound
}

// perWeight returns s²/w, or 0 if w isn't positive.
func perWeight(s, w float64) float64 {
	if w <= 0 {
		return 0
	}
	return s * s / w
}
