package grow

import "math"

// With more than two classes, candidates are bounded as in narrowvalues.go, with Σ n_c²/n
// in the place of s²/w. The score of a cut within a bin is at most the sum of Σ n_c²/n over
// four sets of rows: those before the bin, those after it, and the two parts of the bin. For
// any set, Σ n_c²/n is at most the size of its largest class. So for the two parts together
// it is at most the sum of the bin's two largest class counts.

// likelyOfClasses returns the best score of a cut between two bins, and an upper bound of
// the scores of all cuts.
func (s *searcher) likelyOfClasses(cells []uint32) (likely, bound float64) {
	n, counts, left := s.node, s.node.counts, s.left
	clear(left)
	var nl, sl, sr int64 // as in scanGini
	for _, c := range counts {
		sr += c * c
	}
	likely, bound = math.Inf(-1), math.Inf(-1)
	k := len(counts)
	for ; len(cells) > 0; cells = cells[k:] {
		before, squares := nl, sl
		var first, second int64 // the bin's two largest class counts
		for y, rows := range cells[:k] {
			c := int64(rows)
			second = max(second, min(first, c))
			first = max(first, c)
			sl += c * (2*left[y] + c)
			sr -= c * (2*(counts[y]-left[y]) - c)
			left[y] += c
			nl += c
		}
		nr := n.drawn - nl
		if nl == before {
			continue
		}
		right := perRow(sr, nr)
		bound = max(bound, float64(first+second)+perRow(squares, before)+right)
		if nl >= n.minLeaf && nr >= n.minLeaf {
			likely = max(likely, perRow(sl, nl)+right)
		}
	}
	return likely, bound
}

// perRow returns squares/n, or 0 if n is 0.
func perRow(squares, n int64) float64 {
	if n == 0 {
		return 0
	}
	return float64(squares) / float64(n)
}
