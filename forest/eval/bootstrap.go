package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// A Bootstrap says how intervals are found by drawing samples with replacement.
type Bootstrap struct {
	Samples int     // number of samples; 0 means 10,000
	Level   float64 // probability that an interval should hold the true value; 0 means 0.95
	Seed    uint64
}

// An Interval holds the numbers from Low to High.
type Interval struct{ Low, High float64 }

// An Effect is the size of a difference between two methods; see [Bootstrap.PairedEffect].
type Effect struct {
	Estimate   float64  // the statistic of the differences
	Percentile Interval // between quantiles of the statistic over bootstrap samples
	BCa        Interval // the same, corrected for bias and skewness
}

// PairedEffect returns a statistic of the differences x[i] − y[i], such as their [Mean] or
// [Median], with bootstrap intervals. x and y are scores of two methods on the same data sets.
//
// The percentile interval lies between the quantiles (1 − Level)/2 and (1 + Level)/2 of the
// statistic over samples of the differences, drawn with replacement. BCa takes other quantiles,
// which correct for the bias and the skewness of the statistic (Efron, Better bootstrap confidence
// intervals, 1987; Efron and Tibshirani 1993, eq. 14.9 to 14.15). Samples whose statistic equals
// the estimate count half as below it, as in SciPy. Quantiles are interpolated linearly.
//
// If leaving out one difference never changes the statistic, skewness isn't corrected for. If all
// differences are equal, both intervals are the estimate alone. BCa is NaN if the statistic of all
// samples is above the estimate, or below it. All results are NaN if there are no differences or
// one is NaN. Intervals from few differences are too short: with ten normal ones, the percentile
// interval of the mean at level 0.95 holds the true mean in about 90 % of cases.
//
// PairedEffect panics if x and y differ in length, if Samples is negative, or if Level isn't in
// [0, 1). statistic must neither keep nor change its argument.
func (b Bootstrap) PairedEffect(x, y []float64, statistic func([]float64) float64) Effect {
	mustMatch(len(x), len(y))
	b = b.checked(10_000)
	none := Interval{nan, nan}
	differences := make([]float64, len(x))
	for i := range x {
		differences[i] = x[i] - y[i]
	}
	if len(x) == 0 || slices.ContainsFunc(differences, math.IsNaN) {
		return Effect{nan, none, none}
	}
	return b.effect(differences, b.distribution(differences, statistic), statistic)
}

// checked returns b with its defaults, and panics if it can't be used.
func (b Bootstrap) checked(samples int) Bootstrap {
	if b.Samples < 0 || !(b.Level >= 0 && b.Level < 1) {
		panic("eval: Bootstrap needs a positive number of samples and a level between 0 and 1")
	}
	b.Samples, b.Level = cmp.Or(b.Samples, samples), cmp.Or(b.Level, 0.95)
	return b
}

// distribution returns the statistic of each bootstrap sample of x.
func (b Bootstrap) distribution(x []float64, statistic func([]float64) float64) []float64 {
	rng := forest.NewRand(b.Seed)
	sample, values := make([]float64, len(x)), make([]float64, b.Samples)
	for s := range values {
		for i := range sample {
			sample[i] = x[rng.Intn(len(x))]
		}
		values[s] = statistic(sample)
	}
	return values
}

// effect returns the intervals for the statistic's distribution over bootstrap samples of x. It
// sorts the distribution.
func (b Bootstrap) effect(x, distribution []float64, statistic func([]float64) float64) Effect {
	slices.Sort(distribution)
	e := Effect{Estimate: statistic(x)}
	tail := float64((1 - b.Level) / 2)
	e.Percentile = Interval{quantile(distribution, tail), quantile(distribution, 1-tail)}
	below := 0.0
	for _, v := range distribution {
		switch {
		case v < e.Estimate:
			below++
		case v == e.Estimate:
			below += 0.5
		}
	}
	bias, skew := normalQuantile(below/float64(len(distribution))), acceleration(x, statistic)
	corrected := func(p float64) float64 {
		z := bias + normalQuantile(p)
		return quantile(distribution, normalBelow(bias+z/(1-float64(skew*z))))
	}
	e.BCa = Interval{corrected(tail), corrected(1 - tail)}
	return e
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

// quantile returns the p-quantile of sorted numbers, interpolated linearly between order
// statistics (type 7 of Hyndman and Fan, 1996). It is NaN if p is.
func quantile(sorted []float64, p float64) float64 {
	if math.IsNaN(p) {
		return nan
	}
	at := float64(p * float64(len(sorted)-1))
	lo := int(at)
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + float64((at-float64(lo))*(sorted[hi]-sorted[lo]))
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
