package grow

// searchSorted sorts all rows and scans them.
func (s *searcher) searchSorted(values []float32, best *bestCut) bool {
	if len(values) <= insertionMax {
		return s.searchFew(values, best)
	}
	keys := s.keys[:len(values)]
	var differ uint64
	first := NewKey(values[0], 0)
	for i, p := range s.payloads() {
		k := NewKey(values[i], p)
		differ |= k ^ first
		keys[i] = k
	}
	if order(differ) == 0 {
		return false
	}
	keys = SortKeys(keys, s.tmp)
	if !finite(KeyValue(keys[0])) || !finite(KeyValue(keys[len(keys)-1])) {
		return false // the sum overflows float32 for some rows
	}
	return s.node.target.scan(s, keys, 0, best)
}

// searchFew is searchSorted for up to insertionMax rows. It inserts each key as it is made.
func (s *searcher) searchFew(values []float32, best *bestCut) bool {
	keys := s.keys[:len(values)]
	for i, p := range s.payloads() {
		k := NewKey(values[i], p)
		j := i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
	first, last := keys[0], keys[len(keys)-1]
	if order(first) == order(last) || !finite(KeyValue(first)) || !finite(KeyValue(last)) {
		return false
	}
	return s.node.target.scan(s, keys, 0, best)
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
		keys = SortKeys(keys, s.tmp)
	}
	return s.node.target.scan(s, keys, 0, best)
}

// bucketSorted returns the keys of the rows, whose values are counted into buckets, and whether they are
// sorted; if not, a radix sort is faster.
func (s *searcher) bucketSorted(values []float32, to binning) (sorted []key, ok bool) {
	keys, starts, payloads := s.keys[:len(values)], &s.buckets, s.payloads()[:len(values)]
	for i, v := range values {
		at := &starts[to.bucket(v)]
		keys[*at] = NewKey(v, payloads[i])
		*at++
	}
	return keys, insertStably(keys)
}
