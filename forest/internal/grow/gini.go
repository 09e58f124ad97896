package grow

// insideRun reports whether the boundary after key i, whose value differs from the next
// one's, is between two untied keys of the same class. The best cut by Gini impurity or
// entropy is never there (Fayyad and Irani 1992). tied says whether key i has the value of
// the key before.
func insideRun(keys []key, i int, tied bool) bool {
	return !tied && classOf(uint32(keys[i])) == classOf(uint32(keys[i+1])) &&
		(i+2 == len(keys) || order(keys[i+1]) != order(keys[i+2]))
}

// gini2 returns the sum of the weighted Gini impurities of both sides, 2·n0·n1/n each,
// times l·r. There are l rows on the left, l1 of them of class 1, and r on the right, r1
// of them of class 1.
func gini2(l, l1, r, r1 float64) float64 {
	return 2 * (float64(l1*(l-l1)*r) + float64(r1*(r-r1)*l))
}

// scanGini2 searches the best cut of two classes by Gini impurity. It doesn't branch on
// classes, which would be mispredicted in noisy nodes, and divides only for a cut that is
// better than all before.
func (s *searcher) scanGini2(keys []key, before uint64, best *bestCut) bool {
	n, n1 := float64(s.node.drawn), float64(s.node.counts[1])
	minLeaf := float64(s.node.minLeaf)
	l, l1 := float64(uint32(before)), float64(before>>32) // counts of the left side; of class 1 there
	at, least := -1, -best.score
	for i := 0; i < len(keys)-1; i++ {
		k := keys[i]
		c := uint32(k) & 0xffff
		l += float64(c)
		l1 += float64(c & -(uint32(k) >> 16))
		if order(k) == order(keys[i+1]) {
			continue
		}
		r, r1 := n-l, n1-l1
		if z := gini2(l, l1, r, r1); z < least*(l*r) && l >= minLeaf && r >= minLeaf {
			least, at = z/(l*r), i
		}
	}
	return best.take(keys, at, -least, least == 0)
}

// scoreGini returns the sum of Σ n_c²/n over both sides, given their Σ n_c² and n, and
// whether it is above most. For most cuts it is far below, which is found without a
// division.
func scoreGini(sl, nl, sr, nr int64, most float64) (z float64, better bool) {
	l, r := float64(nl), float64(nr)
	if float64(float64(sl)*r)+float64(float64(sr)*l) < most*(l*r)*(1-slack) {
		return 0, false
	}
	z = float64(sl)/l + float64(sr)/r
	return z, z > most
}

// scanGini searches the best cut of several classes by Gini impurity: the one with the
// largest sum of Σ n_c²/n over both sides. It updates Σ n_c² from row to row.
func (s *searcher) scanGini(keys []key, _ uint64, best *bestCut) bool {
	counts, total, minLeaf := s.node.counts, s.node.drawn, s.node.minLeaf
	left := s.left
	clear(left)
	var nl, sl, sr int64
	for _, c := range counts {
		sr += c * c
	}
	nr := total
	at, tied, most := -1, false, best.score
	for i := 0; i < len(keys)-1; i++ {
		k := keys[i]
		c, y := countOf(uint32(k)), classOf(uint32(k))
		sl += c * (2*left[y] + c)
		sr -= c * (2*(counts[y]-left[y]) - c)
		left[y] += c
		nl += c
		nr -= c
		if order(k) == order(keys[i+1]) {
			tied = true
			continue
		}
		if minLeaf == 1 && insideRun(keys, i, tied) {
			continue
		}
		tied = false
		if nl < minLeaf || nr < minLeaf {
			continue
		}
		if z, better := scoreGini(sl, nl, sr, nr, most); better {
			most, at = z, i
		}
	}
	return best.take(keys, at, most, most == float64(total))
}
