package grow

// scanWeighted searches the best cut of classes for targets that aren't packed. The lower
// half of a key is the row's number in the node.
//
// The impurity of a cut is computed from the weights of all classes, so that rounding
// errors don't accumulate. With Gini impurity this is done only for cuts that may be
// better than the best, by Σ w_c² of both sides, which is updated from row to row.
func (s *searcher) scanWeighted(keys []key, _ uint64, best *bestCut) bool {
	n := s.node
	left, right := s.left64, s.right
	clear(left)
	copy(right, n.weights)
	rows, lo := n.sample, n.lo
	var wl, sl, sr float64
	for _, c := range right {
		sr += float64(c * c)
	}
	rounding := weightedRounding * float64(len(keys)) * n.weight * n.weight
	var nl int64
	terms := 0 // of the sums over classes since the last look at the call
	at, most := -1, best.score
	for i := 0; i < len(keys)-1; i++ {
		j := lo + int(uint32(keys[i]))
		y, c := rows.labels[j], rows.weight(j)
		sl += float64(c * (left[y] + left[y] + c))
		sr -= float64(c * (right[y] + right[y] - c))
		left[y] += c
		right[y] -= c
		wl += c
		nl += int64(rows.drawn[j])
		wr := n.weight - wl // may be rounded to 0, if the remaining weights are tiny
		if order(keys[i]) == order(keys[i+1]) || nl < n.minLeaf || n.drawn-nl < n.minLeaf || wr <= 0 {
			continue
		}
		if !n.target.entropy && float64(sl*wr)+float64(sr*wl) <
			float64((most+float64(n.weight*(1-slack)))*(wl*wr))-float64(rounding*n.weight) {
			continue
		}
		if terms += len(left); terms > maxTerms {
			if terms = 0; n.Cancelled() {
				return false
			}
		}
		if z := -n.target.impurity(left, wl) - n.target.impurity(right, wr); z > most {
			most, at = z, i
		}
	}
	return best.take(keys, at, most, false)
}

// maxTerms is how many terms are added up between looks at the call: less than a millisecond's.
const maxTerms = 1 << 16

// weightedRounding bounds the rounding error that each row adds to a sum of squares,
// relative to the square of the total weight: some ten operations of 2⁻⁵³ each.
const weightedRounding = 0x1p-49
