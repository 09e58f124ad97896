package eval

import (
	"math"
	"slices"

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
// Holm and Interval of the result are those of no test, 0; [Compare] sets them. If all scores are equal, P is 1. Where
// the differences are the same but for the rounding of the scores, as 3/15 − 2/15 and 2/15 − 1/15 are, StdErr is 0.
// StdErr and P are NaN for fewer than two splits. ResampledTTest panics if the slices differ in length, or if
// testToTrain is negative.
func ResampledTTest(x, y []float64, testToTrain float64) Difference {
	mustMatch(len(x), len(y))
	if !(testToTrain >= 0) {
		panic("eval: ResampledTTest needs a ratio of test to training rows of at least 0")
	}
	differences := make([]float64, len(x))
	largest := 0.0
	for i := range x {
		differences[i] = x[i] - y[i]
		largest = max(largest, math.Abs(x[i]), math.Abs(y[i]))
	}
	n := float64(len(x))
	r := Difference{P: 1}
	r.Difference, r.StdErr = MeanStdErr(differences)
	if len(x) > 1 && largest <= math.MaxFloat64 && slices.Max(differences)-slices.Min(differences) <= rounded*largest {
		r.StdErr = 0
	}
	r.StdErr *= math.Sqrt(1 + float64(n*testToTrain))
	if r.Difference != 0 || r.StdErr != 0 {
		t := r.Difference / r.StdErr
		r.P = studentBeyond(t, n-1)
	}
	return r
}

// rounded is by how much the differences of two pairs of scores that are rounded may differ, for scores of at most 1:
// each score may be off by 2⁻⁵⁴, and each difference as well.
const rounded = 6 * 0x1p-54

// studentBeyond returns the probability that a number of Student's t distribution is at
// least as far from 0 as t.
func studentBeyond(t, degrees float64) float64 {
	if math.IsNaN(t) {
		return nan
	}
	return mathext.RegIncBeta(degrees/2, 0.5, degrees/(degrees+float64(t*t)))
}
