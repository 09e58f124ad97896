package grow

// searchSorted sorts all rows and scans them.
func (s *searcher) searchSorted(values []float32, best *bestCut) bool {
	n := s.node
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
