package grow

// scanWeighted searches the best cut of classes whose rows have weights. Keys
// carry the row's place in the node.
func (s *searcher) scanWeighted(keys []key, best *bestCut) bool {
	n := s.node
	left, right := s.left64, s.right
	clear(left)
	copy(right, n.weights)
	rows, lo := n.sample, n.lo
	var wl float64
	var nl int64
	at, most := -1, best.score
	for i := 0; i < len(keys)-1; i++ {
		j := lo + int(uint32(keys[i]))
		y, c := rows.labels[j], rows.weight(j)
		left[y] += c
		right[y] -= c
		wl += c
		nl += int64(rows.drawn[j])
		wr := n.weight - wl // 0 where the weights left are too small beside the others to count
		if order(keys[i]) == order(keys[i+1]) || nl < n.minLeaf || n.drawn-nl < n.minLeaf || wr <= 0 {
			continue
		}
		if z := -n.target.impurity(left, wl) - n.target.impurity(right, wr); z > most {
			most, at = z, i
		}
	}
	return best.take(keys, at, most, false)
}
