package eval

import (
	"fmt"
	"maps"
	"slices"
)

// Error returns the share of rows whose predicted class is wrong. 1 − Error is the accuracy.
func Error(pred, truth []int32) float64 {
	mustMatch(len(pred), len(truth))
	wrong := 0
	for i, y := range truth {
		if pred[i] != y {
			wrong++
		}
	}
	return float64(wrong) / float64(len(truth))
}

// Kappa returns Cohen's kappa (1960), (a − e)/(1 − e). Here a is the accuracy, and e =
// Σ_c p_c·t_c is the accuracy of independent labels with the same class shares, p_c in
// pred and t_c in truth. It is NaN if e is 1: all labels of pred and truth are the
// same class.
func Kappa(pred, truth []int32) float64 {
	n := float64(len(truth))
	var agree, chance float64
	for _, c := range tally(pred, truth) {
		agree += float64(c.hits) / n
		chance += float64(float64(c.pred) / n * (float64(c.truth) / n))
	}
	if n == 0 {
		return nan
	}
	return (agree - chance) / (1 - chance)
}

// ChanceKappa returns what Tomita et al. (2020) call kappa: 1 − error/chance, where
// chance is the error of always predicting the largest class of truth. It is NaN if
// truth has only one class.
func ChanceKappa(pred, truth []int32) float64 {
	largest := 0
	for _, c := range tally(pred, truth) {
		largest = max(largest, c.truth)
	}
	if largest == len(truth) {
		return nan
	}
	return 1 - Error(pred, truth)/(1-float64(largest)/float64(len(truth)))
}

// Precision returns the mean over classes of the class's precision: the share of the
// rows predicted to be in the class that are in it.
//
// Precision, [Recall] and [F1] average over the classes that occur in pred or truth. A
// share of no rows is taken as 0 (scikit-learn: average="macro", zero_division=0).
func Precision(pred, truth []int32) float64 {
	return macro(pred, truth, func(c count) float64 { return ratio(c.hits, c.pred) })
}

// Recall returns the mean over classes of the class's recall: the share of the rows in
// the class that are predicted to be in it; see [Precision].
func Recall(pred, truth []int32) float64 {
	return macro(pred, truth, func(c count) float64 { return ratio(c.hits, c.truth) })
}

// F1 returns the mean over classes of the harmonic mean of the class's precision and
// recall; see [Precision].
func F1(pred, truth []int32) float64 {
	return macro(pred, truth, func(c count) float64 { return ratio(2*c.hits, c.pred+c.truth) })
}

// macro returns the mean of a measure over the classes that occur.
func macro(pred, truth []int32, measure func(count) float64) float64 {
	var sum, classes float64
	for _, c := range tally(pred, truth) {
		sum += measure(c)
		classes++
	}
	return sum / classes
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// A count holds the numbers of rows that are predicted to be of a class, that are of
// the class, and both.
type count struct{ pred, truth, hits int }

// tally returns the counts of the classes that occur, in ascending order.
func tally(pred, truth []int32) (counts []count) {
	mustMatch(len(pred), len(truth))
	pairs := map[[2]int32]int{} // rows by predicted and true class
	for i, y := range truth {
		pairs[[2]int32{pred[i], y}]++
	}
	of := map[int32]count{}
	for pair, rows := range pairs {
		p, y := pair[0], pair[1]
		if p < 0 || y < 0 {
			panic(fmt.Sprintf("eval: class %d; want 0 or more", min(p, y)))
		}
		c := of[y]
		c.truth += rows
		if p == y {
			c.hits += rows
		}
		of[y] = c
		c = of[p]
		c.pred += rows
		of[p] = c
	}
	for _, class := range slices.Sorted(maps.Keys(of)) {
		counts = append(counts, of[class])
	}
	return counts
}
