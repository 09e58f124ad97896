package eval

import (
	"math"
	"slices"
)

// MAE returns the mean absolute error of predicted values.
func MAE(pred, truth []float64) float64 {
	mustMatch(len(pred), len(truth))
	var sum float64
	for i, y := range truth {
		sum += math.Abs(pred[i] - y)
	}
	return sum / float64(len(truth))
}

// MSE returns the mean squared error of predicted values.
func MSE(pred, truth []float64) float64 {
	mustMatch(len(pred), len(truth))
	var sum float64
	for i, y := range truth {
		sum += float64((pred[i] - y) * (pred[i] - y))
	}
	return sum / float64(len(truth))
}

// RMSE returns the square root of [MSE].
func RMSE(pred, truth []float64) float64 { return math.Sqrt(MSE(pred, truth)) }

// R2 returns 1 − MSE/variance, the share of the variance of truth that the predictions
// explain. It is NaN if truth doesn't vary.
func R2(pred, truth []float64) float64 {
	mustMatch(len(pred), len(truth))
	if len(truth) == 0 || slices.Min(truth) == slices.Max(truth) {
		return nan
	}
	mean, _ := MeanStdErr(truth)
	var squares float64
	for _, y := range truth {
		squares += float64((y - mean) * (y - mean))
	}
	return 1 - MSE(pred, truth)/(squares/float64(len(truth)))
}
