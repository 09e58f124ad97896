package grow

// scanEntropy searches the best cut by entropy, n·H = n ln n − Σ n_c ln n_c.
func (s *searcher) scanEntropy(keys []key, _ uint64, best *bestCut) bool {
	f := s.node.target.xlogx
	counts, minLeaf := s.node.counts, s.node.minLeaf
	left := s.left
	clear(left)
	var hl, hr float64
	var nl int64
	for _, c := range counts {
		hr += f[c]
	}
	nr := s.node.drawn
	at, tied, least := -1, false, -best.score
	for i := 0; i < len(keys)-1; i++ {
		k := keys[i]
		c, y := countOf(uint32(k)), classOf(uint32(k))
		l, r := left[y], counts[y]-left[y]
		hl += f[l+c] - f[l]
		hr += f[r-c] - f[r]
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
		if z := f[nl] - hl + f[nr] - hr; z < least {
			least, at = z, i
		}
	}
	return best.take(keys, at, -least, false)
}

// The entropy of two classes is computed from a table at each boundary, not updated from
// row to row: so it doesn't depend on the order of the rows, and is exactly 0 for a pure
// side.

// entropy2 returns n times the entropy of n rows, n1 of them of class 1.
func (t *Target) entropy2(n, n1 int64) float64 {
	f := t.xlogx
	return f[n] - f[n1] - f[n-n1]
}

// scanEntropy2 searches the best cut of two classes by entropy.
func (s *searcher) scanEntropy2(keys []key, before uint64, best *bestCut) bool {
	t, minLeaf := s.node.target, s.node.minLeaf
	n, n1 := s.node.drawn, s.node.counts[1]
	l, l1 := int64(uint32(before)), int64(before>>32)
	at, least := -1, -best.score
	for i := 0; i < len(keys)-1; i++ {
		k := keys[i]
		c := countOf(uint32(k))
		l += c
		l1 += c & -int64(classOf(uint32(k)))
		if order(k) == order(keys[i+1]) || l < minLeaf || n-l < minLeaf {
			continue
		}
		if z := t.entropy2(l, l1) + t.entropy2(n-l, n1-l1); z < least {
			least, at = z, i
		}
	}
	return best.take(keys, at, -least, least == 0)
}

// ruleOutEntropy2 is ruleOut for entropy.
func (s *searcher) ruleOutEntropy2(count int, least float64) int64 {
	t, minLeaf := s.node.target, s.node.minLeaf
	below := s.bins.below[:count+1]
	alive := s.bins.alive[:count]
	n, n1 := s.node.drawn, s.node.counts[1]
	for _, at := range below[1:count] {
		l, l1 := int64(uint32(at)), int64(at>>32)
		if l < minLeaf || n-l < minLeaf {
			continue
		}
		least = min(least, t.entropy2(l, l1)+t.entropy2(n-l, n1-l1))
	}
	least += float64(1e-9*least) + float64(1e-12*t.xlogx[n]) // allows for rounding; the second term for cancellation
	var rows int64
	for b := range alive {
		at, next := below[b], below[b+1]
		alive[b] = false
		if at == next {
			continue
		}
		l, l1 := int64(uint32(at)), int64(at>>32)
		m, m1 := int64(uint32(next))-l, int64(next>>32)-l1
		ones := t.entropy2(l+m1, l1+m1) + t.entropy2(n-l-m1, n1-l1-m1)
		zeros := t.entropy2(l+m-m1, l1) + t.entropy2(n-l-m+m1, n1-l1)
		if min(ones, zeros) <= least {
			alive[b] = true
			rows += m
		}
	}
	return rows
}
