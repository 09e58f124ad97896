package exercise

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
)

func standardError() solution {
	const e, n = 0.1, 400
	const variance = e * (1 - e) // of a row that is wrong with probability e: e(1 − e)² + (1 − e)e²
	want := math.Sqrt(variance / n)
	return solution{
		want, 0.0005,
		fmt.Sprintf("√(0.1·0.9/400) = %.3f. Two standard errors on either side reach from %.2f to %.2f.", want, e-2*want,
			e+2*want),
		[]mistake{
			{2 * want, "That is two standard errors."},
			{math.Sqrt(variance), "That is the standard deviation of a single row. The mean of 400 rows varies less."},
			{variance / n, "That is the variance of the error rate. The standard error is its square root."},
			{variance / math.Sqrt(n), "You divided the variance by √400. Take the root of the variance, too."},
			{math.Sqrt(e / n), "You took 0.1 for the variance of a row. It is 0.1·0.9."},
		},
		"A test row is wrong with probability 0.1: what is its variance? The mean of 400 independent rows has a 400th " +
			"of that.",
	}
}

// Differences returns the ten differences of exercise 5.2, in percentage points of error:
// one method minus another, on ten random splits into four fifths of training rows and a
// fifth of test rows.
func Differences() []float64 {
	return []float64{-1.5, -0.5, -2.0, 0.5, -1.0, -2.5, -0.5, 0.0, -1.5, -1.0}
}

func corrected() solution {
	const n = 10
	mean, variance := stat.MeanVariance(Differences(), nil)
	const testToTrain = 0.2 / 0.8
	t := func(variance, factor float64) float64 { return mean / math.Sqrt(factor*variance) }
	want, naive := t(variance, 1.0/n+testToTrain), t(variance, 1.0/n)
	return solution{
		want, 0.01,
		fmt.Sprintf("t = %.2f, and %.2f without the correction. With 9 degrees of freedom, a difference is claimed at the "+
			"5 %% level beyond ±2.26.", want, naive),
		[]mistake{
			{-want, "The sign is that of method minus baseline: the mean difference is negative."},
			{
				naive,
				"That is the ordinary paired t statistic. It takes the splits for independent, but they share training " +
					"rows: replace 1/10 by 1/10 + n₂/n₁.",
			},
			{
				t(variance, 1.0/n+0.2),
				"You took the share of test rows of all rows, 1/5. The correction has test rows divided by training rows.",
			},
			{t(variance, testToTrain), "You replaced 1/10. The ratio of test to training rows is added to it."},
			{
				t(variance*(n-1)/n, 1.0/n+testToTrain),
				"You divided the sum of squares by 10. The unbiased variance divides by 9.",
			},
			{t(variance*variance, 1.0/n+testToTrain), "You took the variance for the standard deviation, or forgot a root."},
		},
		"t = mean/√((1/10 + n₂/n₁)·s²), with s² the unbiased variance of the differences and n₂/n₁ the test rows " +
			"divided by the training rows.",
	}
}

// Noise returns n rows of p standard normal features and a class, "0" or "1", that does not
// depend on them. Nobody can predict it better than a coin.
func Noise(n, p int, seed uint64) *datasets.Dataset { return shifted(n, p, 0, seed) }

// shifted returns n rows of p normal features, of which the first five have means ±shift/2
// in the two classes.
func shifted(n, p int, shift float64, seed uint64) *datasets.Dataset {
	rng := forest.NewRand(6, seed)
	rows, class := make([][]float64, n), make([]int, n)
	for i := range rows {
		class[i] = i % 2
		rows[i] = make([]float64, p)
		for j := range rows[i] {
			rows[i][j] = rng.Normal()
			if j < 5 {
				rows[i][j] += shift * (float64(class[i]) - 0.5)
			}
		}
	}
	d := must.Value(datasets.FromRows(rows, class))
	d.Name = "noise"
	return d
}

// MostRelated returns the k features whose means differ most between the two classes of d,
// in units of their standard deviations, the first one most. It panics if k isn't from 0
// to the number of features.
func MostRelated(d *datasets.Dataset, k int) []int {
	if k < 0 || k > d.P() {
		panic("exercise: no such number of features")
	}
	related := make([]float64, d.P())
	features := make([]int, d.P())
	for j := range related {
		var of [2][]float64 // cells by class
		for i, v := range d.Column(nil, j) {
			c := d.Labels[i]
			of[c] = append(of[c], float64(v))
		}
		mean0, variance0 := stat.PopMeanVariance(of[0], nil)
		mean1, variance1 := stat.PopMeanVariance(of[1], nil)
		within := (float64(variance0*float64(len(of[0]))) + float64(variance1*float64(len(of[1])))) / float64(d.N())
		related[j], features[j] = math.Abs(mean0-mean1)/math.Sqrt(within), j
	}
	slices.SortStableFunc(features, func(a, b int) int { return cmp.Compare(related[b], related[a]) })
	return features[:k]
}

// Honest judges a function that estimates the error of this procedure: choose the ten
// features of a table that are related to the class most, and grow a random forest on
// them. The function is tried on tables of 50 rows and 500 features in which nothing
// predicts the class, and on tables in which five features do.
func Honest(estimate func(*datasets.Dataset) float64) Judgement {
	var noise, signal []float64
	for seed := range uint64(10) {
		e := estimate(Noise(50, 500, 100+seed))
		if math.IsNaN(e) {
			return Judgement{}
		}
		if e < 0 || e > 1 {
			return wrong("It returns %g. An error rate is a number from 0 to 1.", e)
		}
		noise = append(noise, e)
		signal = append(signal, estimate(shifted(50, 500, 2, 200+seed)))
	}
	n, s := eval.Mean(noise), eval.Mean(signal)
	// Estimates from 10·50 rows have a standard error of 0.022 where the truth is a half.
	switch {
	case !(n >= 0.4):
		return wrong("On noise, where no method can be better than 0.5, it reports %.2f on average. Some choice still sees "+
			"the labels of the test rows.", n)
	case !(s <= 0.35):
		return wrong("On noise it reports %.2f, as it should. But where five features tell the class apart it reports "+
			"%.2f: is the forest trained on features that were chosen from its own training rows?", n, s)
	case n > 0.6:
		return wrong("On noise it reports %.2f on average, which is worse than a coin. Does each fold predict rows that it "+
			"wasn't trained on, once?", n)
	}
	return right("On noise it reports %.2f on average, and %.2f where five features tell the class apart.", n, s)
}
