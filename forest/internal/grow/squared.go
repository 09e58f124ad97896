package grow

// scanValues searches the best cut of values by squared error: the one with the largest
// sum of s²/w over both sides, where s is the weighted sum of the deviations from the
// node's mean. It is the same on both sides except for the sign. The lower half of a key
// is the row's number in the node.
func (s *searcher) scanValues(keys []key, _ uint64, best *bestCut) bool {
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
			continue // no boundary, or one that is clearly worse, which is found without a division
		}
		if z := float64(sum*sum) * (1/wl + 1/wr); z > most && nl >= n.minLeaf && n.drawn-nl >= n.minLeaf && wr > 0 {
			most, at = z, i
		}
	}
	return best.take(keys, at, most, s.allEqual)
}

// A deviation is what a row contributes to the sums over its side of a cut.
type deviation struct {
	sum    float64 // weight · (value − mean of the node)
	weight float64 // the row's weight times how often it was drawn
}

// deviate sets deviations and squares.
func (n *Node) deviate() {
	n.deviations, n.squares = Sized(n.deviations, n.Len()), Sized(n.squares, n.Len())
	values := n.sample.values[n.lo:n.hi]
	for i, v := range values {
		c, d := n.sample.weight(n.lo+i), v-n.mean
		n.deviations[i] = deviation{float64(c * d), c}
		n.squares[i] = n.deviations[i].sum * d
	}
}

// allCutsEqual reports whether all cuts of the node have the same score. They do if it has
// two rows, unless rounding makes the score depend on which row is on the left.
func (n *Node) allCutsEqual() bool {
	if n.Len() != 2 {
		return false
	}
	first, second := n.deviations[0], n.deviations[1]
	score := func(left deviation) float64 {
		return float64(left.sum*left.sum) * (1/left.weight + 1/(n.weight-left.weight))
	}
	return score(first) == score(second)
}
