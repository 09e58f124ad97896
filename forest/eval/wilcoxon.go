package eval

import (
	"fmt"
	"math"
)

// Wilcoxon returns the p-value of the one-sided signed-rank test of pairs
// (Wilcoxon 1945): under the null hypothesis that differences x[i] − y[i] are
// symmetric about 0, the probability of as large a sum of the ranks of those
// above 0. It is small where x is greater than y.
//
// Pairs that are equal are dropped; magnitudes that are equal share their mean
// rank. The distribution is exact for up to 13 pairs, and for up to 50 of which
// none are equal and no magnitudes tied; otherwise it is normal, with the
// variance that ties leave and no correction for continuity. These are the
// rules of SciPy 1.17's wilcoxon(x, y, alternative="greater").
//
// Differences are tied if they are the same number: of 0.3 − 0.2 and 0.2 − 0.1
// the former is less. If all pairs are equal, p is 1. A NaN gives NaN; slices
// of different lengths panic.
func Wilcoxon(x, y []float64) float64 {
	if len(x) != len(y) {
		panic(fmt.Sprintf("eval: signed ranks of %d and %d numbers", len(x), len(y)))
	}
	var magnitude []float64
	var positive []bool
	for i := range x {
		d := x[i] - y[i]
		if math.IsNaN(d) {
			return nan
		}
		if d != 0 {
			magnitude, positive = append(magnitude, math.Abs(d)), append(positive, d > 0)
		}
	}
	rank := ranks(magnitude)
	var statistic, sum, squares float64
	for i, r := range rank {
		if positive[i] {
			statistic += r
		}
		sum += r
		squares += r * r
	}
	n := float64(len(x)) // squares has its largest value if all pairs count and none are tied
	if len(x) <= 13 || len(x) <= 50 && squares == n*(n+1)*(2*n+1)/6 {
		return exactSignedRank(rank, statistic)
	}
	if len(rank) == 0 {
		return 1
	}
	z := (statistic - sum/2) / math.Sqrt(squares/4)
	return math.Erfc(z/math.Sqrt2) / 2
}

// exactSignedRank returns the probability that the ranks whose fair coin falls
// on heads add up to at least the statistic.
func exactSignedRank(rank []float64, statistic float64) float64 {
	top := len(rank) * (len(rank) + 1)
	prob := make([]float64, top+1) // of each sum, doubled since mean ranks may be halves
	prob[0] = 1
	for _, r := range rank {
		step := int(2 * r)
		for s := top; s >= 0; s-- {
			prob[s] /= 2
			if s >= step {
				prob[s] += prob[s-step] / 2
			}
		}
	}
	var p float64
	for _, q := range prob[int(2*statistic):] {
		p += q
	}
	return p
}

// PairwiseWilcoxon compares each method with every other one: p[i][j] is
// [Wilcoxon]'s p-value for method j having higher scores than method i, times
// the number of the other methods but at most 1 (Bonferroni's correction for
// the tests of one method, a column; figure 11 of Gupta et al., GRAF). On the
// diagonal it is NaN.
//
// scores is what [FriedmanTest] takes.
func PairwiseWilcoxon(scores [][]float64) [][]float64 {
	column := make([][]float64, mustBeTable(scores))
	for j := range column {
		for _, set := range scores {
			column[j] = append(column[j], set[j])
		}
	}
	p := make([][]float64, len(column))
	for i := range p {
		p[i] = make([]float64, len(column))
		for j := range p[i] {
			p[i][j] = nan
			if i != j {
				p[i][j] = min(1, float64(len(column)-1)*Wilcoxon(column[j], column[i]))
			}
		}
	}
	return p
}
