package grow

// searchGiven scores the candidate's threshold or, if that is random, one drawn from
// [low, high). It sorts the rows into two values, below and above, and scans those.
func (s *searcher) searchGiven(values []float32, c *Candidate, best *bestCut) bool {
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low == high || !finite(low) || !finite(high) {
		if low == high {
			s.constants.add(c)
		}
		return false
	}
	t := c.Threshold
	if c.Cut == Random {
		t = float32(float64(low) + float64(s.node.rng.Float64()*(float64(high)-float64(low))))
		if !(t < high) {
			t = low
		}
	}
	if !s.node.target.scan(s, s.twoValues(values, t), best) {
		return false
	}
	best.threshold = t
	return true
}

// twoValues returns the keys of rows whose value is at most t, as if it were 0, and
// then those of the others, as if it were 1.
func (s *searcher) twoValues(values []float32, t float32) []key {
	n := s.node
	keys := s.keys[:len(values)]
	left, right := 0, len(keys)
	for i, v := range values {
		p := uint32(i)
		if n.target.packed {
			p = n.sample.packed[n.lo+i]
		}
		if v <= t {
			keys[left] = newKey(0, p)
			left++
		} else {
			right--
			keys[right] = newKey(1, p)
		}
	}
	return keys
}
