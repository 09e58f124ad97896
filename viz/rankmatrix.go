package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A RankMatrix shows which methods are better than which others over many data sets (Gupta et al., GRAF, figure 11).
// Each cell is the p-value of a pair, with a star if it is below 0.05. Smaller p-values are darker, down to 0.0001.
// Columns are in order of mean rank, the best first; rows are in the opposite order.
//
// [Draw] panics if there are no methods, or if the numbers of ranks, and of rows and columns of p-values, aren't the
// number of methods.
type RankMatrix struct {
	Title   string
	Methods []string
	Ranks   []float64 // mean rank of each method, 1 is best, as in eval.Friedman

	// P[i][j] is the p-value of the test whether method j is better than method i,
	// as eval.PairwiseWilcoxon returns it. A NaN is an empty cell.
	P [][]float64
}

const (
	significant = 0.05 // the level below which a p-value has a star
	darkest     = 4    // −log10 of the p-value below which cells grow no darker
)

func (r RankMatrix) figure() *Figure {
	n := len(r.Methods)
	if n == 0 || len(r.Ranks) != n || len(r.P) != n {
		misuse("%d methods with %d ranks and %d rows of p-values", n, len(r.Ranks), len(r.P))
	}
	for i, row := range r.P {
		if len(row) != n {
			misuse("row %d of %d methods has %d p-values", i, n, len(row))
		}
	}
	order := inOrder(r.Ranks)
	h := HeatMap{Title: r.Title, Limit: darkest, Columns: ranked(r.Methods, r.Ranks),
		X: fmt.Sprintf("H0: column = row;  H1: column > row;  * p < %g", significant)}
	var better []string
	for _, i := range slices.Backward(order) {
		h.Rows = append(h.Rows, r.Methods[i])
		values, text := make([]float64, n), make([]string, n)
		for k, j := range order {
			p := r.P[i][j]
			values[k], text[k] = min(darkest, math.Log10(1/p)), formatShort(p, 2)
			if p < significant {
				text[k] += " *"
				better = append(better, fmt.Sprintf("%s over %s, %s", r.Methods[j], r.Methods[i], formatShort(p, 2)))
			}
		}
		h.Values, h.Text = append(h.Values, values), append(h.Text, text)
	}
	f := h.figure()
	f.Alt = fmt.Sprintf("Methods by mean rank: %s. Significantly better: %s.", strings.Join(h.Columns, ", "),
		cmp.Or(strings.Join(better, "; "), "none"))
	return f
}

// ranked returns the names of methods with their mean ranks, the best first.
func ranked(methods []string, ranks []float64) (names []string) {
	for _, j := range inOrder(ranks) {
		names = append(names, fmt.Sprintf("%s (%.2f)", methods[j], ranks[j]))
	}
	return names
}
