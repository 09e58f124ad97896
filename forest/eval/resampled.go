package eval

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// ResampledTTest compares two methods by their scores x and y on the same random splits of a
// data set, with the corrected resampled t-test of Nadeau and Bengio (Inference for the
// generalization error, Machine Learning 52, 2003). testToTrain is the number of test rows of a
// split divided by the number of training rows.
//
// Random splits share training rows, so their results are correlated, and s²/n
// for n splits underestimates the variance of the mean. The test takes (1/n + testToTrain)·s²
// and Student's t distribution with n − 1 degrees of freedom. So the standard error doesn't
// vanish, however many splits there are. With testToTrain 0 it is the paired t-test.
//
// Holm and Interval of the result are those of no test, 0; [Compare] sets them. If all scores are equal, P is 1. StdErr
// and P are NaN for fewer than two splits. ResampledTTest panics if the slices differ in length, or if testToTrain is
// negative.
func ResampledTTest(x, y []float64, testToTrain float64) Difference {
	mustMatch(len(x), len(y))
	if !(testToTrain >= 0) {
		panic("eval: ResampledTTest needs a ratio of test to training rows of at least 0")
	}
	differences := make([]float64, len(x))
	for i := range x {
		differences[i] = x[i] - y[i]
	}
	n := float64(len(x))
	r := Difference{P: 1}
	r.Difference, r.StdErr = MeanStdErr(differences)
	r.StdErr *= math.Sqrt(1 + float64(n*testToTrain))
	if r.Difference != 0 || r.StdErr != 0 {
		t := r.Difference / r.StdErr
		r.P = studentBeyond(t, n-1)
	}
	return r
}

// studentBeyond returns the probability that a number of Student's t distribution is at
// least as far from 0 as t.
func studentBeyond(t, degrees float64) float64 {
	if math.IsNaN(t) {
		return nan
	}
	return mathext.RegIncBeta(degrees/2, 0.5, degrees/(degrees+float64(t*t)))
}
