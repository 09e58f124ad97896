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

// MSE returns the mean squared error of predicted values. Its square root has their unit.
func MSE(pred, truth []float64) float64 {
	mustMatch(len(pred), len(truth))
	var sum float64
	for i, y := range truth {
		sum += float64((pred[i] - y) * (pred[i] - y))
	}
	return sum / float64(len(truth))
}

// R2 returns 1 − MSE/variance, the share of the variance of truth that the predictions
// explain. It is NaN if truth doesn't vary.
func R2(pred, truth []float64) float64 { return 1 - MSE(pred, truth)/variance(truth) }

// variance returns the mean squared deviation of values from their mean, NaN if they don't vary.
func variance(values []float64) float64 {
	if len(values) == 0 || slices.Min(values) == slices.Max(values) {
		return nan // their mean may be rounded
	}
	return MSE(slices.Repeat([]float64{Mean(values)}, len(values)), values)
}
