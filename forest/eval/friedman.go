package eval

import (
	"fmt"

	"gonum.org/v1/gonum/mathext"
)

// A Friedman is the result of [FriedmanTest].
type Friedman struct {
	Table     [][]float64 // rank of each method on each data set, 1 for the highest score; NaN on a set with a NaN
	Ranks     []float64   // of each method, mean over data sets
	Statistic float64     // corrected for ties
	P         float64     // p-value: the probability of so large a statistic if all methods perform alike
}

// FriedmanTest tests whether methods differ at all (Friedman 1937). scores has a slice
// for each data set, with a score for each method; higher is better. Methods with the
// same score on a set share their mean rank. P comes from the χ² distribution with
// methods − 1 degrees of freedom, an approximation that needs about ten sets or more.
//
// Statistic is that of R's friedman.test and SciPy's friedmanchisquare. Without the
// correction for ties it would be 12·N/(k(k + 1))·Σ_j (Ranks[j] − (k + 1)/2)²
// for N sets and k methods.
//
// Statistic and P are NaN if there are no sets, if a score is NaN, or if all scores are
// tied on every set. FriedmanTest panics if the slices differ in length.
func FriedmanTest(scores [][]float64) Friedman {
	methods := mustBeTable(scores)
	n := float64(len(scores))
	sum := make([]float64, methods) // of ranks minus their expectation
	var between, total float64      // sums of squares
	f := Friedman{Table: make([][]float64, len(scores)), Ranks: make([]float64, methods)}
	for i, set := range scores {
		f.Table[i] = Ranks(set)
		for j, r := range f.Table[i] {
			r = float64(methods+1) - r
			f.Table[i][j] = r
			dev := r - float64(float64(methods+1)/2)
			sum[j] += dev
			total += float64(dev * dev)
		}
	}
	for j, s := range sum {
		f.Ranks[j] = float64(float64(methods+1)/2) + s/n
		between += float64(s * s)
	}
	f.Statistic, f.P = float64(methods-1)*between/total, nan
	if f.Statistic >= 0 {
		f.P = mathext.GammaIncRegComp(float64(methods-1)/2, f.Statistic/2) // χ² beyond the statistic
	}
	return f
}

// mustBeTable returns the number of methods. It panics if a set lacks a score.
func mustBeTable(scores [][]float64) (methods int) {
	for i, set := range scores {
		if len(set) != len(scores[0]) {
			panic(fmt.Sprintf("eval: set %d has scores of %d methods, set 0 of %d", i, len(set), len(scores[0])))
		}
	}
	if len(scores) == 0 {
		return 0
	}
	return len(scores[0])
}
