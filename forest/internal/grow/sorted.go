package grow

// searchSorted sorts all rows and scans them.
func (s *searcher) searchSorted(values []float32, best *bestCut) bool {
	n := s.node
	if len(values) <= insertionMax {
		return s.searchFew(values, best)
	}
	keys := s.keys[:len(values)]
	var differ uint64
	first := newKey(values[0], 0)
	if n.target.packed {
		for i, p := range n.sample.packed[n.lo:n.hi] {
			k := newKey(values[i], p)
			differ |= k ^ first
			keys[i] = k
		}
	} else {
		for i, v := range values {
			k := newKey(v, uint32(i))
			differ |= k ^ first
			keys[i] = k
		}
	}
	if order(differ) == 0 {
		return false
	}
	keys = sortKeys(keys, s.tmp)
	if !finite(value(keys[0])) || !finite(value(keys[len(keys)-1])) {
		return false // the sum overflows float32 for some rows
	}
	return n.target.scan(s, keys, best)
}

// searchFew is searchSorted for up to insertionMax rows. It inserts each key as it is made.
func (s *searcher) searchFew(values []float32, best *bestCut) bool {
	n, keys := s.node, s.keys[:len(values)]
	for i, v := range values {
		p := uint32(i)
		if n.target.packed {
			p = n.sample.packed[n.lo+i]
		}
		k := newKey(v, p)
		j := i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
	first, last := keys[0], keys[len(keys)-1]
	if order(first) == order(last) || !finite(value(first)) || !finite(value(last)) {
		return false
	}
	return n.target.scan(s, keys, best)
}

// searchRange is searchSorted for finite values with the given extremes, which differ.
func (s *searcher) searchRange(values []float32, low, high float32, best *bestCut) bool {
	if len(values) <= insertionMax {
		return s.searchFew(values, best)
	}
	to, ok := s.buckets.sortable(values, low, high)
	if !ok {
		return s.searchSorted(values, best)
	}
	keys, sorted := s.bucketSorted(values, to)
	if !sorted {
		keys = sortKeys(keys, s.tmp)
	}
	return s.node.target.scan(s, keys, best)
}

// bucketSorted returns the keys of the rows, whose values are counted into buckets, and whether they are
// sorted; if not, a radix sort is faster.
func (s *searcher) bucketSorted(values []float32, to binning) (sorted []key, ok bool) {
	n, keys, starts := s.node, s.keys[:len(values)], &s.buckets
	if n.target.packed {
		packed := n.sample.packed[n.lo:n.hi][:len(values)]
		for i, v := range values {
			at := &starts[to.bucket(v)]
			keys[*at] = newKey(v, packed[i])
			*at++
		}
	} else {
		for i, v := range values {
			at := &starts[to.bucket(v)]
			keys[*at] = newKey(v, uint32(i))
			*at++
		}
	}
	return keys, insertStably(keys)
}
