package eval

import (
	"cmp"
	"math"
	"slices"
)

// Ranks returns the rank of each number, 1 for the lowest. Equal numbers share the mean of
// their ranks. If a number is NaN, all ranks are.
func Ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
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

// RankTable returns the rank of each method on each data set, 1 for the highest score.
// Methods with the same score on a set share the mean of their ranks, and a set with a NaN
// has NaN for all. scores is as in [FriedmanTest], and RankTable panics where that does.
func RankTable(scores [][]float64) [][]float64 {
	methods := mustBeTable(scores)
	table := make([][]float64, len(scores))
	for i, set := range scores {
		table[i] = Ranks(set)
		for j, r := range table[i] {
			table[i][j] = float64(methods+1) - r
		}
	}
	return table
}
