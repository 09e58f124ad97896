package forest

import (
	"fmt"
	"math"
)

// Decide returns for each row the class of least expected cost, given the probabilities of its classes, n × classes, as
// [Forest.Proba] returns them. costs[t][c] is the cost of predicting class c where class t is true; an infinite one
// forbids c unless t has a probability of 0. Ties go to the smaller index. The probabilities should be calibrated (see
// [Calibrate]). They are those of the training data with their row weights, so classes that weights have made more
// frequent there are too probable elsewhere.
//
// Decide panics if costs isn't classes × classes, or if one is NaN or −Inf.
func Decide(proba, costs [][]float64) []int32 {
	for t, row := range costs {
		for c, cost := range row {
			if !(cost > math.Inf(-1)) {
				panic(fmt.Sprintf("forest: a cost of %v of class %d where %d is true; want a number, or +Inf", cost, c, t))
			}
		}
	}
	labels := make([]int32, len(proba))
	var expected []float64
	for i, p := range proba {
		if len(costs) != len(p) {
			panic(fmt.Sprintf("forest: costs of %d classes for probabilities of %d", len(costs), len(p)))
		}
		expected = append(expected[:0], make([]float64, len(p))...)
		for t, row := range costs {
			if len(row) != len(p) {
				panic(fmt.Sprintf("forest: %d costs where class %d is true; want one for each of %d classes", len(row), t, len(p)))
			}
			if p[t] == 0 {
				continue // not even an infinite cost counts
			}
			for c, cost := range row {
				expected[c] -= float64(p[t] * cost)
			}
		}
		labels[i] = argmax(expected)
	}
	return labels
}

// BalancedCosts returns costs for [Decide] that make the balanced error small, the mean
// over classes of each class's share of wrong predictions: a mistake costs 1/share of the true class.
// shares are the classes' shares of the rows that count, usually those of the training data (with
// their row weights); a class of share 0 costs nothing. BalancedCosts panics if one is negative or NaN.
func BalancedCosts(shares []float64) [][]float64 {
	costs := matrix(make([]float64, len(shares)*len(shares)), len(shares))
	for t, share := range shares {
		if !(share >= 0) {
			panic(fmt.Sprintf("forest: a share of %v of class %d; want 0 or more", share, t))
		}
		for c := range shares {
			if c != t && share > 0 {
				costs[t][c] = 1 / share
			}
		}
	}
	return costs
}
