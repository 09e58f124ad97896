package grow

// scanValues searches the best cut of values by squared error: the one with the
// largest s²/w of both sides, s being the sum of the values less the node's
// mean, so that it is the same on both sides but for the sign. Keys carry the row's
// place in the node.
func (s *searcher) scanValues(keys []key, best *bestCut) bool {
	n := s.node
	rows, drawn := n.deviations, n.sample.drawn[n.lo:n.hi]
	var sum, wl float64
	var nl int64
	at, most := -1, best.score
	for i := 0; i < len(keys)-1; i++ {
		j := uint32(keys[i])
		sum += rows[j].sum
		wl += rows[j].weight
		nl += int64(drawn[j])
		wr := n.weight - wl
		if order(keys[i]) == order(keys[i+1]) || float64(sum*sum)*n.weight < most*(wl*wr)*(1-slack) {
			continue // no boundary, or one far from better, which takes no division to see
		}
		if z := float64(sum*sum) * (1/wl + 1/wr); z > most && nl >= n.minLeaf && n.drawn-nl >= n.minLeaf && wr > 0 {
			most, at = z, i
		}
	}
	return best.take(keys, at, most, s.alike)
}

// A deviation is what a row adds to sums over one side of a cut.
type deviation struct {
	sum    float64 // the value less the node's mean, times weight
	weight float64 // times how often the row was drawn
}

// deviate computes the deviations of the node's rows and their squares times weight.
func (n *Node) deviate() {
	n.deviations, n.squares = sized(n.deviations, n.Len()), sized(n.squares, n.Len())
	values := n.sample.values[n.lo:n.hi]
	for i, v := range values {
		c, d := n.sample.weight(n.lo+i), v-n.mean
		n.deviations[i] = deviation{float64(c * d), c}
		n.squares[i] = n.deviations[i].sum * d
	}
}

// alike reports whether all cuts of the node have the same score: those of two rows,
// unless rounding makes a difference between the first and the second on the left.
func (n *Node) alike() bool {
	if n.Len() != 2 {
		return false
	}
	first, second := n.deviations[0], n.deviations[1]
	score := func(left deviation) float64 {
		return float64(left.sum*left.sum) * (1/left.weight + 1/(n.weight-left.weight))
	}
	return score(first) == score(second)
}
