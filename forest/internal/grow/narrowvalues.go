package grow

import "math"

// Values are narrowed much as two classes are, see narrow.go. A cut's score is s²/w +
// s²/(W − w), where w is the weight of the left side, s the sum of its deviations from
// the node's mean, and W the weight of all rows. It is a convex function of s and w:
// in a rectangle it is nowhere larger than at the best corner. A cut within a bin
// leaves the bins before on the left and some of the bin's own rows: s lies between
// what the bin's negative and what its positive deviations make of it, and w between
// the weights at the bin's boundaries. Besides, s²/w of rows taken together is at most
// what it is of two parts of them together, and at most Σ w·d² over their deviations
// d: the score is at most s²/w of the rows before the bin, the same of those after it,
// and that sum over the bin's rows.
//
// Sums of values are rounded, so a score depends in its last bits on the order of all
// rows before the cut. Therefore bins are not searched one by one: a candidate none of
// whose bins may hold a better cut is done, and any other is sorted as a whole.

// A valueBin is what the rows of a bin add up to.
type valueBin struct {
	sum, weight, squares float64 // as in deviation
	positive             float64 // of sum
}

// fillValues sums up the rows of every bin.
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

// likelyOfValues returns the best score of a cut between two bins, and a bound that no
// cut's score is above.
func (s *searcher) likelyOfValues(bins []valueBin) (likely, bound float64) {
	all := s.node.weight
	likely, bound = math.Inf(-1), math.Inf(-1)
	var sum, weight, before float64 // of the bins before; s²/w of them
	for k := range bins {
		b := &bins[k]
		if b.weight == 0 {
			continue
		}
		end := weight + b.weight
		left, right := square(sum+b.sum, end), square(sum+b.sum, all-end)
		most := before + right + b.squares
		if balance := min(weight*(all-weight), end*(all-end)); balance > 0 { // w(W − w) is concave: least at an end
			largest := max(math.Abs(sum+b.positive), math.Abs(sum+b.sum-b.positive))
			most = min(most, largest*largest*all/balance)
		}
		bound, likely = max(bound, most), max(likely, left+right)
		sum, weight, before = sum+b.sum, end, left
	}
	return likely, bound
}

// square returns s²/w, 0 for no rows.
func square(s, w float64) float64 {
	if w <= 0 {
		return 0
	}
	return s * s / w
}
