package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/contest"
)

// A Bootstrap says how intervals are found by drawing samples with replacement.
type Bootstrap struct {
	Samples int     // number of samples; 0 means 10,000
	Level   float64 // probability that an interval should hold the true value; 0 means 0.95
	Seed    uint64
}

// An Interval holds the numbers from Low to High.
type Interval struct{ Low, High float64 }

// PairedEffect returns a statistic of the differences x[i] − y[i], such as their [Mean] or [Median], with two bootstrap
// intervals. x and y are scores of two methods on the same data sets.
//
// The percentile interval lies between the quantiles (1 − Level)/2 and (1 + Level)/2 of the
// statistic over samples of the differences, drawn with replacement. bca takes other quantiles,
// which correct for the bias and the skewness of the statistic (Efron, Better bootstrap confidence
// intervals, 1987; Efron and Tibshirani 1993, eq. 14.9 to 14.15). Samples whose statistic equals
// the estimate count half as below it, as in SciPy. Quantiles are interpolated linearly.
//
// If leaving out one difference never changes the statistic, skewness isn't corrected for. If all
// differences are equal, both intervals are the estimate alone. bca is NaN if the statistic of all
// samples is above the estimate, or below it. All results are NaN if there are no differences or
// one is NaN. Intervals from few differences are too short: with ten normal ones, the percentile
// interval of the mean at level 0.95 holds the true mean in about 90 % of cases.
//
// PairedEffect panics if x and y differ in length, if Samples is negative, or if Level isn't in
// [0, 1). statistic must neither keep nor change its argument.
func (b Bootstrap) PairedEffect(x, y []float64, statistic func([]float64) float64) (
	estimate float64, percentile, bca Interval) {
	mustMatch(len(x), len(y))
	if b.Samples < 0 || !(b.Level >= 0 && b.Level < 1) {
		panic("eval: Bootstrap needs a positive number of samples and a level between 0 and 1")
	}
	differences := make([]float64, len(x))
	for i := range x {
		differences[i] = x[i] - y[i]
	}
	if len(x) == 0 || slices.ContainsFunc(differences, math.IsNaN) {
		return nan, Interval{nan, nan}, Interval{nan, nan}
	}
	rng := forest.NewRand(b.Seed)
	sample, values := make([]float64, len(x)), make([]float64, cmp.Or(b.Samples, 10_000))
	for s := range values {
		for i := range sample {
			sample[i] = differences[rng.Intn(len(x))]
		}
		values[s] = statistic(sample)
	}
	return b.effect(differences, values, statistic)
}

// effect returns the results for the statistic's distribution over bootstrap samples of x. It sorts the distribution.
func (b Bootstrap) effect(x, distribution []float64, statistic func([]float64) float64) (
	estimate float64, percentile, bca Interval) {
	slices.Sort(distribution)
	estimate = statistic(x)
	below := 0.0
	for _, v := range distribution {
		switch {
		case v < estimate:
			below++
		case v == estimate:
			below += 0.5
		}
	}
	between := func(quantile func(p float64) float64) Interval {
		tail := float64((1 - cmp.Or(b.Level, 0.95)) / 2)
		return Interval{quantile(tail), quantile(1 - tail)}
	}
	bias, skew := normalQuantile(below/float64(len(distribution))), acceleration(x, statistic)
	plain := func(p float64) float64 { return contest.Quantile(distribution, p) }
	return estimate, between(plain), between(func(p float64) float64 {
		z := bias + normalQuantile(p)
		return plain(normalBelow(bias + z/(1-float64(skew*z))))
	})
}

// acceleration estimates by the jackknife how fast the standard error of a statistic changes
// (Efron and Tibshirani 1993, eq. 14.15).
func acceleration(x []float64, statistic func([]float64) float64) float64 {
	if len(x) < 2 {
		return 0
	}
	without, values := make([]float64, len(x)-1), make([]float64, len(x))
	for i := range x {
		copy(without, x[:i])
		copy(without[i:], x[i+1:])
		values[i] = statistic(without)
	}
	mean := Mean(values)
	var squares, cubes float64
	for _, v := range values {
		d := mean - v
		squares += float64(d * d)
		cubes += float64(d * d * d)
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}

// Mean returns the mean of x, or NaN if x is empty.
func Mean(x []float64) float64 {
	mean, _ := MeanStdErr(x)
	return mean
}

// Median returns the median of x: the middle number or the mean of the two middle ones. It is NaN
// if x is empty or has a NaN.
func Median(x []float64) float64 {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	if len(x) == 0 || math.IsNaN(sorted[0]) { // NaN sorts first
		return nan
	}
	return (sorted[(len(x)-1)/2] + sorted[len(x)/2]) / 2
}
