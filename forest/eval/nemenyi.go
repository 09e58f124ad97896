package eval

import (
	"fmt"
	"math"
	"slices"
)

// Nemenyi returns the critical difference of Nemenyi's test (1963; Demšar, Statistical
// comparisons of classifiers over multiple data sets, 2006, section 3.2.2). Two of the methods
// differ at level alpha if their mean ranks over the data sets, as in [Friedman], are at least this
// far apart. If no methods differ, the probability of finding any difference, over all pairs, is
// about alpha.
//
// It is q·√(k(k + 1)/6N) for k methods and N sets. Here q is the quantile 1 − alpha of the
// studentized range of k numbers with infinite degrees of freedom, divided by √2. This is an
// approximation for many sets.
//
// Nemenyi panics unless there are two methods and a set, and 0 < alpha < 1.
func Nemenyi(methods, sets int, alpha float64) float64 {
	if methods < 2 || sets < 1 || !(alpha > 0 && alpha < 1) {
		panic(fmt.Sprintf("eval: a critical difference of %d methods on %d sets at level %v; "+
			"want 2 or more, 1 or more, and a level between 0 and 1", methods, sets, alpha))
	}
	k := float64(methods)
	return studentizedRange(methods, 1-alpha) / math.Sqrt2 * math.Sqrt(k*(k+1)/(6*float64(sets)))
}

// studentizedRange returns the p-quantile of the range (largest minus smallest) of k independent
// standard normal numbers.
func studentizedRange(k int, p float64) float64 {
	lo, hi := 0.0, 1.0
	for rangeBelow(k, hi) < p {
		lo, hi = hi, 2*hi
	}
	for {
		mid := (lo + hi) / 2
		if mid <= lo || mid >= hi {
			return mid
		}
		if rangeBelow(k, mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// rangeBelow returns the probability that the range of k independent standard normal numbers is
// less than q: k∫φ(z)(Φ(z) − Φ(z − q))^(k−1)dz, where z is the largest number. The integrand is
// smooth and vanishes at both ends, so the trapezoidal rule converges faster than any power of the
// step.
func rangeBelow(k int, q float64) float64 {
	const step, end = 1. / 32, 9. // φ(9) is 1e-18
	sum := 0.0
	for z := -end; z <= end; z += step {
		between := normalBelow(z) - normalBelow(z-q)
		sum += float64(math.Exp(-z*z/2) * math.Pow(between, float64(k-1)))
	}
	return float64(k) * sum * step / math.Sqrt(2*math.Pi)
}

// normalBelow returns the probability that a standard normal number is less than z.
func normalBelow(z float64) float64 { return float64(math.Erfc(-z/math.Sqrt2) / 2) }

// Cliques returns the largest groups of two or more methods whose mean ranks are all less than a
// critical difference apart, so that none of a group differs from another. Groups hold indices of
// methods in ascending order of rank, and may overlap. The group with the best rank comes first.
//
// Cliques panics if a rank or the difference is NaN.
func Cliques(ranks []float64, difference float64) [][]int {
	for i, r := range ranks {
		if math.IsNaN(r - difference) {
			panic(fmt.Sprintf("eval: rank %v of method %d and a critical difference of %v", r, i, difference))
		}
	}
	order := ascending(ranks)
	var cliques [][]int
	for lo, end := 0, 0; lo < len(order); lo++ {
		hi := lo + 1
		for hi < len(order) && ranks[order[hi]]-ranks[order[lo]] < difference {
			hi++
		}
		if hi > end && hi > lo+1 { // otherwise it is part of the group before, or a method alone
			cliques, end = append(cliques, slices.Clone(order[lo:hi])), hi
		}
	}
	return cliques
}
