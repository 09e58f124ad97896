package grow

// The entropy of two classes, summed from a table and not kept up to date from
// row to row: it is the same in whatever order rows are met, and exactly 0 for a
// pure side.

// entropy2 returns n times the entropy of n rows, n1 of them of class 1.
func (w *worker) entropy2(n, n1 int64) float64 {
	f := w.xlogx
	return f[n] - f[n1] - f[n-n1]
}

// scanEntropy2 searches the best cut of two classes by entropy.
func (w *worker) scanEntropy2(keys []key, best *cut) bool {
	n, n1 := w.total, w.counts[1]
	var l, l1 int64
	at, least := -1, -best.score
	for i := 0; i < len(keys)-1; i++ {
		k := keys[i]
		c := countOf(uint32(k))
		l += c
		l1 += c & -int64(classOf(uint32(k)))
		if order(k) == order(keys[i+1]) || l < w.minLeaf || n-l < w.minLeaf {
			continue
		}
		if z := w.entropy2(l, l1) + w.entropy2(n-l, n1-l1); z < least {
			least, at = z, i
		}
	}
	return best.take(keys, at, -least, least == 0)
}

// ruleOutEntropy2 is ruleOut by entropy.
func (w *worker) ruleOutEntropy2(count int, least float64) int64 {
	below := w.bins.below[:count+1]
	alive := w.bins.alive[:count]
	n, n1 := w.total, w.counts[1]
	for _, at := range below[1:count] {
		l, l1 := int64(uint32(at)), int64(at>>32)
		if l < w.minLeaf || n-l < w.minLeaf {
			continue
		}
		least = min(least, w.entropy2(l, l1)+w.entropy2(n-l, n1-l1))
	}
	least += slack*least + slack*1e-3*w.xlogx[n] // sums of large numbers may give a small one
	var rows int64
	for b := range alive {
		at, next := below[b], below[b+1]
		alive[b] = false
		if at == next {
			continue
		}
		l, l1 := int64(uint32(at)), int64(at>>32)
		m, m1 := int64(uint32(next))-l, int64(next>>32)-l1
		ones := w.entropy2(l+m1, l1+m1) + w.entropy2(n-l-m1, n1-l1-m1)
		zeros := w.entropy2(l+m-m1, l1) + w.entropy2(n-l-m+m1, n1-l1)
		if min(ones, zeros) <= least {
			alive[b] = true
			rows += m
		}
	}
	return rows
}

// scanNarrowedEntropy2 is scanEntropy2 for the rows of some bins.
func (w *worker) scanNarrowedEntropy2(keys []key, to binning, best *cut) bool {
	below := &w.bins.below
	n, n1 := w.total, w.counts[1]
	b := to.of(value(keys[0]))
	l, l1 := int64(uint32(below[b])), int64(below[b]>>32)
	at, least := -1, -best.score
	for i := 0; i < len(keys)-1; i++ {
		k := keys[i]
		c := countOf(uint32(k))
		l += c
		l1 += c & -int64(classOf(uint32(k)))
		if order(k) == order(keys[i+1]) {
			continue
		}
		if next := to.of(value(keys[i+1])); next != b {
			b = next
			if start := int64(uint32(below[b])); start != l {
				l, l1 = start, int64(below[b]>>32)
				continue
			}
		}
		if l < w.minLeaf || n-l < w.minLeaf {
			continue
		}
		if z := w.entropy2(l, l1) + w.entropy2(n-l, n1-l1); z < least {
			least, at = z, i
		}
	}
	return best.take(keys, at, -least, least == 0)
}
