// Package eval measures how well forests predict: metrics, cross-validation, tuning,
// bias and variance, and tests whether methods differ over data sets, and by how much.
//
// A metric is a plain function of predictions and truth, in that order, such as eval.Error(predicted, test.Labels),
// where predicted is what [forest.Forest.Predict] returns. Labels are class indices, 0 or more. Row weights are
// ignored. Metrics panic if the slices differ in length, and return NaN if there are no rows.
package eval

import (
	"fmt"
	"math"
	"slices"
)

var nan = math.NaN()

func mustMatch(pred, truth int) {
	if pred != truth {
		panic(fmt.Sprintf("eval: %d predictions for %d rows", pred, truth))
	}
}

// MeanStdErr returns the mean of x and its standard error, s/√n with s² the unbiased
// variance. The standard error of fewer than two numbers is NaN. For the folds of a
// cross-validation, which share training rows, it is too small.
func MeanStdErr(x []float64) (mean, stderr float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v
	}
	mean /= n
	if len(x) < 2 {
		return mean, nan
	}
	var squares float64
	for _, v := range x {
		squares += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(squares / (n - 1) / n)
}

// Mean returns the mean of x, or NaN if x is empty.
func Mean(x []float64) float64 {
	mean, _ := MeanStdErr(x)
	return mean
}

// Median returns the median of x: the middle number or the mean of the two middle ones. It is NaN
// if x is empty or has a NaN.
func Median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	if len(x) == 0 || math.IsNaN(sorted[0]) { // NaN sorts first
		return nan
	}
	return (sorted[(len(x)-1)/2] + sorted[len(x)/2]) / 2
}
