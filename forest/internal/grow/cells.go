package grow

// Directions whose values are whole numbers in a small range (pixels, counts,
// codes, and sums of a few of them) need no sorting: rows are counted by value,
// and every threshold is looked at once.

// maxCells bounds the counts by value and class.
const maxCells = 1 << 14

// fewCells reports whether counting rows by value and class is less work than
// sorting them. With two classes a value takes one cell for both.
func (w *worker) fewCells(rows int, span float32) bool {
	if w.classes == 2 {
		return span < float32(min(rows, maxBins)) && w.total < 1<<32
	}
	return span*float32(w.classes) < float32(min(4*rows, maxCells-w.classes))
}

// searchCells searches the best cut by Gini impurity of whole numbers from low
// on, count different ones at most.
func (w *worker) searchCells(values []float32, low float32, count int, best *cut) bool {
	if w.classes == 2 {
		return w.searchCells2(values, low, count, best)
	}
	k := w.classes
	if w.bins.cells == nil {
		w.bins.cells = make([]uint32, maxCells)
	}
	cells := w.bins.cells[:count*k]
	clear(cells)
	payload := w.bag.payload[w.lo:w.hi][:len(values)]
	for i, v := range values {
		p := payload[i]
		cells[int(v-low)*k+int(classOf(p))] += p & 0xffff
	}
	left := w.left
	clear(left)
	var nl, sl, sr int64 // as in scanGini
	for _, c := range w.counts {
		sr += c * c
	}
	at, most := -1, best.score
	for v := range count {
		before := nl
		for y, n := range cells[v*k : (v+1)*k] {
			if n == 0 {
				continue
			}
			c := int64(n)
			sl += c * (2*left[y] + c)
			sr -= c * (2*(w.counts[y]-left[y]) - c)
			left[y] += c
			nl += c
		}
		nr := w.total - nl
		if nl == before || nl < w.minLeaf || nr < w.minLeaf {
			continue
		}
		if z := float64(sl)/float64(nl) + float64(sr)/float64(nr); z > most {
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
	*best = cut{score: most, threshold: midpoint(low+float32(at), low+float32(next/k)), perfect: most == float64(w.total)}
	return true
}

// searchCells2 is searchCells for two classes.
func (w *worker) searchCells2(values []float32, low float32, count int, best *cut) bool {
	w.fill(values, binning{low: low, scale: 1}, count)
	below := w.bins.below[:count+1]
	n, n1 := float64(w.total), float64(w.counts[1])
	minLeaf := float64(w.minLeaf)
	at, least := -1, -best.score
	for v := 1; v < count; v++ {
		if below[v] == below[v-1] {
			continue
		}
		l, l1 := float64(uint32(below[v])), float64(below[v]>>32)
		r, r1 := n-l, n1-l1
		if z := 2 * (l1*(l-l1)*r + r1*(r-r1)*l); z < least*(l*r) && l >= minLeaf && r >= minLeaf {
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
	*best = cut{score: -least, threshold: midpoint(low+float32(at-1), low+float32(next)), perfect: least == 0}
	return true
}

// searchCounted sorts whole numbers by counting and scans them.
func (w *worker) searchCounted(values []float32, low float32, count int, best *cut) bool {
	starts := w.bins.starts[:count]
	clear(starts)
	for _, v := range values {
		starts[int(v-low)]++
	}
	sum := uint32(0)
	for v, n := range starts {
		starts[v] = sum
		sum += n
	}
	keys := w.keys[:len(values)]
	for i, v := range values {
		p := uint32(i)
		if w.packed() {
			p = w.bag.payload[w.lo+i]
		}
		at := &starts[int(v-low)]
		keys[*at] = newKey(v, p)
		*at++
	}
	return w.scan(keys, best)
}
