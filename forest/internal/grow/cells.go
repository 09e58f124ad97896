package grow

// Candidates whose values are whole numbers in a small range (pixels, counts, codes,
// and sums of a few of them) need no sorting: rows are counted by value and class in a
// table, whose entries are called cells here, and every threshold is scored once.

// maxCells is the largest number of cells.
const maxCells = 1 << 14

// fewCells reports whether counting rows by value and class is less work than sorting
// them. span is the largest value less the smallest. With two classes, both counts of a
// value share a cell.
func (s *searcher) fewCells(rows int, span float32) bool {
	classes := s.node.target.classes
	if classes == 2 {
		return span < float32(min(rows, maxBins)) && s.node.drawn < 1<<32
	}
	return span*float32(classes) < float32(min(4*rows, maxCells-classes))
}

// searchCells searches the best cut by Gini impurity of values that are whole numbers in
// [low, low + count).
func (s *searcher) searchCells(values []float32, low float32, count int, best *bestCut) bool {
	n := s.node
	k := n.target.classes
	if k == 2 {
		return s.searchCells2(values, low, count, best)
	}
	cells := s.countCells(values, binning{low: low, scale: 1, count: count})
	left := s.left
	clear(left)
	var nl, sl, sr int64 // as in scanGini
	for _, c := range n.counts {
		sr += c * c
	}
	at, most := -1, best.score
	for v := range count {
		before := nl
		for y, m := range cells[v*k : (v+1)*k] {
			if m == 0 {
				continue
			}
			c := int64(m)
			sl += c * (2*left[y] + c)
			sr -= c * (2*(n.counts[y]-left[y]) - c)
			left[y] += c
			nl += c
		}
		nr := n.drawn - nl
		if nl == before || nl < n.minLeaf || nr < n.minLeaf {
			continue
		}
		if z, better := scoreGini(sl, nl, sr, nr, most); better {
			most, at = z, v
		}
	}
	if at < 0 {
		return false
	}
	next := (at + 1) * k
	for cells[next] == 0 {
		next++
	}
	*best = bestCut{score: most, threshold: Midpoint(low+float32(at), low+float32(next/k)),
		perfect: most == float64(n.drawn)}
	return true
}

// emptyCells returns count cells that are 0, at most maxCells.
func (b *bins) emptyCells(count int) []uint32 {
	if b.cells == nil {
		b.cells = make([]uint32, maxCells)
	}
	clear(b.cells[:count])
	return b.cells[:count]
}

// countCells counts rows by bin and class.
func (s *searcher) countCells(values []float32, to binning) []uint32 {
	k := s.node.target.classes
	cells := s.bins.emptyCells(to.count * k)
	packed := s.node.sample.packed[s.node.lo:s.node.hi][:len(values)]
	for i, v := range values {
		p := packed[i]
		cells[int(to.bucket(v))*k+int(classOf(p))] += p & 0xffff
	}
	return cells
}

// searchCells2 is searchCells for two classes.
func (s *searcher) searchCells2(values []float32, low float32, count int, best *bestCut) bool {
	s.fill(values, binning{low: low, scale: 1, count: count})
	below := s.bins.below[:count+1]
	n, n1 := float64(s.node.drawn), float64(s.node.counts[1])
	minLeaf := float64(s.node.minLeaf)
	at, least := -1, -best.score
	for v := 1; v < count; v++ {
		if below[v] == below[v-1] {
			continue
		}
		l, l1 := float64(uint32(below[v])), float64(below[v]>>32)
		r, r1 := n-l, n1-l1
		if z := gini2(l, l1, r, r1); z < least*(l*r) && l >= minLeaf && r >= minLeaf {
			least, at = z/(l*r), v
		}
	}
	if at < 0 {
		return false
	}
	next := at
	for below[next+1] == below[next] {
		next++
	}
	*best = bestCut{score: -least, threshold: Midpoint(low+float32(at-1), low+float32(next)), perfect: least == 0}
	return true
}

// searchCounted sorts rows whose values are whole numbers in [low, low + count) by
// counting, and scans them.
func (s *searcher) searchCounted(values []float32, low float32, count int, best *bestCut) bool {
	starts := s.bins.starts[:count]
	clear(starts)
	for _, v := range values {
		starts[int(v-low)]++
	}
	sum := uint32(0)
	for v, rows := range starts {
		starts[v] = sum
		sum += rows
	}
	keys, payloads := s.keys[:len(values)], s.payloads()[:len(values)]
	for i, v := range values {
		at := &starts[int(v-low)]
		keys[*at] = NewKey(v, payloads[i])
		*at++
	}
	return s.node.target.scan(s, keys, 0, best)
}
