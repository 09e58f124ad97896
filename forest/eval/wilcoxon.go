package eval

import "math"

// Wilcoxon returns the p-value of the one-sided signed-rank test of pairs (Wilcoxon
// 1945). The null hypothesis is that the differences x[i] − y[i] are symmetric about 0;
// the statistic is the sum of the ranks of the positive ones. The p-value is small if x
// tends to be greater than y.
//
// Pairs of equal numbers are dropped, and tied magnitudes share their mean rank. The
// distribution is exact for up to 13 pairs, and for up to 50 if no pair is equal and no
// magnitudes are tied. Otherwise it is normal, with the variance corrected for ties but
// without continuity correction. These are the rules of SciPy 1.17's
// wilcoxon(x, y, alternative="greater"). The two-sided p-value is twice the smaller
// one of Wilcoxon(x, y) and Wilcoxon(y, x), but at most 1.
//
// Differences are tied only if they are the same float64: 0.3 − 0.2 is less than 0.2 − 0.1. So give scores with few
// decimals as whole numbers of the last one. If all pairs are equal, the p-value is 1. If a difference is NaN, so is
// the p-value. Wilcoxon panics if the slices differ in length.
func Wilcoxon(x, y []float64) float64 {
	mustMatch(len(x), len(y))
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
	rank := Ranks(magnitude)
	var statistic, sum, squares float64
	for i, r := range rank {
		if positive[i] {
			statistic += r
		}
		sum += r
		squares += float64(r * r)
	}
	n := float64(len(x)) // squares has its largest value if all pairs count and none are tied
	if len(x) <= 13 || len(x) <= 50 && squares == n*(n+1)*(2*n+1)/6 {
		return exactSignedRank(rank, statistic)
	}
	if len(rank) == 0 {
		return 1
	}
	z := (statistic - float64(sum/2)) / math.Sqrt(squares/4)
	return math.Erfc(z/math.Sqrt2) / 2
}

// exactSignedRank returns the probability that the sum of a random subset of the ranks,
// each taken with probability ½, is at least the statistic.
func exactSignedRank(rank []float64, statistic float64) float64 {
	top := len(rank) * (len(rank) + 1)
	prob := make([]float64, top+1) // of each sum of ranks, doubled since mean ranks may be halves
	prob[0] = 1
	for _, r := range rank {
		step := int(2 * r)
		for s := top; s >= 0; s-- {
			prob[s] = float64(prob[s] / 2)
			if s >= step {
				prob[s] += float64(prob[s-step] / 2)
			}
		}
	}
	var p float64
	for _, q := range prob[int(2*statistic):] {
		p += q
	}
	return p
}

// PairwiseWilcoxon compares each method with every other one: p[i][j] is the p-value of
// [Wilcoxon] for method j having higher scores than method i, times methods − 1, but at
// most 1. This is Bonferroni's correction for the tests of one method, a column (figure
// 11 of Gupta et al., GRAF). The diagonal is NaN.
//
// scores is as in [FriedmanTest].
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
