package grow

// searchGiven scores the candidate's threshold or, for [Random], one drawn uniformly from
// [low, high). It replaces the values by 0 and 1 for the two sides, and scans these.
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
		t = s.draw(low, high)
	}
	if !s.node.target.scan(s, s.twoValues(values, t), 0, best) {
		return false
	}
	best.threshold = t
	return true
}

// draw draws a threshold uniformly from [low, high).
func (s *searcher) draw(low, high float32) float32 {
	t := float32(float64(low) + float64(s.node.rng.Float64()*(float64(high)-float64(low))))
	if !(t < high) {
		return low
	}
	return t
}

// twoValues returns sorted keys: those of the rows with a value of at most t get the value
// 0, the others 1.
func (s *searcher) twoValues(values []float32, t float32) []key {
	keys := s.keys[:len(values)]
	left, right := 0, len(keys)
	for i, p := range s.payloads() {
		if values[i] <= t {
			keys[left] = NewKey(0, p)
			left++
		} else {
			right--
			keys[right] = NewKey(1, p)
		}
	}
	return keys
}
