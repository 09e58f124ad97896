package eval

import (
	"cmp"
	"math"
	"slices"
)

// Ranks returns the rank of each number, 1 for the lowest. Equal numbers share the mean of
// their ranks. If a number is NaN, all ranks are.
func Ranks(x []float64) []float64 {
	order := ascending(x)
	r := make([]float64, len(x))
	for lo, hi := 0, 0; lo < len(x); lo = hi {
		for hi = lo + 1; hi < len(x) && x[order[hi]] == x[order[lo]]; hi++ {
		}
		for _, i := range order[lo:hi] {
			r[i] = float64(lo+1+hi) / 2
		}
	}
	if len(x) > 0 && math.IsNaN(x[order[0]]) { // NaN sorts first
		for i := range r {
			r[i] = nan
		}
	}
	return r
}

// ascending returns the indices of numbers in ascending order, equals by index, NaN first.
func ascending(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), a-b) })
	return order
}
