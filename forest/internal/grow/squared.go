package grow

// scanValues searches the best cut of values by squared error: the one with the
// largest s²/w of both sides, s being the sum of the values less the node's
// mean, so that it is the same on both sides but for the sign. Keys carry the row's
// place in the node.
func (s *searcher) scanValues(keys []key, best *bestCut) bool {
	n := s.node
	rows, lo := n.sample, n.lo
	var sum, wl float64
	var nl int64
	at, most := -1, best.score
	for i := 0; i < len(keys)-1; i++ {
		j := lo + int(uint32(keys[i]))
		c := rows.weight(j)
		sum += float64(c * (rows.values[j] - n.mean))
		wl += c
		nl += int64(rows.drawn[j])
		wr := n.weight - wl
		if order(keys[i]) == order(keys[i+1]) || nl < n.minLeaf || n.drawn-nl < n.minLeaf || wr <= 0 {
			continue
		}
		if z := sum * sum * (1/wl + 1/wr); z > most {
			most, at = z, i
		}
	}
	return best.take(keys, at, most, false)
}
