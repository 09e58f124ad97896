package tao

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// solveAxis fits the split of one feature and threshold that sends the least weight to the wrong side of its pseudolabel.
// All rows go to one side if that is better than any split.
func (o *optimizer) solveAxis(s *scratch, n *node) {
	all, right := 0.0, 0.0 // weights
	for k, side := range s.sides {
		all += s.weights[k]
		if side > 0 {
			right += s.weights[k]
		}
	}
	order, least := resized(&s.order, len(s.rows)), math.Inf(1)
	feature, sign, threshold := int32(0), float32(0), float32(0)
	for _, j := range n.features {
		o.sortBy(s, order, j)
		wrong := all - right // if every row goes right
		for i, k := range order[:len(order)-1] {
			wrong += float64(float64(s.sides[k]) * s.weights[k])
			low, high := o.columns[j][s.rows[k]], o.columns[j][s.rows[order[i+1]]]
			if low == high {
				continue
			}
			if wrong < least {
				least, feature, sign, threshold = wrong, j, 1, between(low, high)
			}
			if all-wrong < least {
				least, feature, sign, threshold = all-wrong, j, -1, between(-high, -low)
			}
		}
	}
	switch {
	case min(right, all-right) >= least:
		n.fn, n.threshold = forest.Linear([]int32{feature}, []float32{sign}), threshold
	case right < all-right:
		n.oneSide(-1)
	default:
		n.oneSide(1)
	}
}

// oneSide makes a split that sends every row to a side, −1 for left and 1 for right.
func (n *node) oneSide(side int8) {
	n.fn, n.threshold = forest.Function{Kind: forest.Sparse}, -float32(side)
}

// sortBy orders the numbers of s.rows by the rows' cells of a feature.
func (o *optimizer) sortBy(s *scratch, order []int32, feature int32) {
	column := o.columns[feature]
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(column[s.rows[a]], column[s.rows[b]]) })
}

// between returns the middle of two numbers, which rounding keeps from low and below high.
func between(low, high float32) float32 {
	middle := low + float32((high-low)/2)
	if middle-middle != 0 || middle >= high {
		return low
	}
	return middle
}
