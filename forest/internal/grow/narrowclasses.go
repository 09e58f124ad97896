package grow

import "math"

// Several classes are narrowed by what is said in narrowvalues.go, with n_c²/n in the
// place of s²/w: a cut within a bin has a score of at most Σ n_c²/n over the rows
// before the bin, the same over those after it, and the same over both parts of the
// bin. Over any rows it is at most the number of those of their largest class; so over
// both parts it is at most the sum of the bin's two largest classes.

// fillCells counts the rows of every bin by class.
func (s *searcher) fillCells(values []float32, to binning) []uint32 {
	k := s.node.target.classes
	cells := s.bins.emptyCells(to.count * k)
	packed := s.node.sample.packed[s.node.lo:s.node.hi][:len(values)]
	for i, v := range values {
		p := packed[i]
		cells[int(to.bin(v))*k+int(classOf(p))] += p & 0xffff
	}
	return cells
}

// likelyOfClasses returns the best score of a cut between two bins, and a bound that
// no cut's score is above.
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
		var first, second int64 // of the bin's classes
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
		right := share(sr, nr)
		bound = max(bound, float64(first+second)+share(squares, before)+right)
		if nl >= n.minLeaf && nr >= n.minLeaf {
			likely = max(likely, share(sl, nl)+right)
		}
	}
	return likely, bound
}

// share returns squares/n, 0 for no rows.
func share(squares, n int64) float64 {
	if n == 0 {
		return 0
	}
	return float64(squares) / float64(n)
}
