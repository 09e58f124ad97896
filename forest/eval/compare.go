package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// A Contender is a method that takes part in [Compare].
type Contender struct {
	Name    string
	Learner forest.Learner
	Oblique bool // whether its splits combine features, which [Compare] sees; see [Comparison.Verdict]
}

// A Comparison is the result of [Compare]. The loss of a method is its error rate or, for
// regression, its root mean squared error.
type Comparison struct {
	Contenders  []Contender // the first is the baseline
	Regression  bool
	Rows        int
	Scores      []Scores    // of each contender
	Loss        [][]float64 // by contender and split
	R2          [][]float64 // by contender and split: [R2] for regression, NaN where values don't vary; otherwise nil
	TestToTrain float64     // test rows divided by training rows, of all splits together
	Level       float64     // of the intervals: 0.95

	// Differences compare each contender with the baseline. That of the baseline itself is
	// 0, and its P and Holm are 1.
	Differences []Difference
}

// A Difference compares the losses x of a method with those of another one, y; see [ResampledTTest].
type Difference struct {
	Difference float64 // mean of x − y: negative if the method is better
	StdErr     float64 // its corrected standard error
	P          float64 // two-sided p-value: the probability of so large a difference if the methods perform alike
	Holm       float64 // P adjusted for the number of methods compared, by Holm's procedure

	// Interval is the confidence interval of the difference, Difference ± t·StdErr. With
	// several methods it is as much wider as Holm's procedure asks for, so that it excludes
	// 0 if and only if Holm is below 1 − Level.
	Interval Interval
}

// An Interval holds the numbers from Low to High.
type Interval struct{ Low, High float64 }

// Compare trains and tests all contenders on the same splits of a data set, and compares
// the loss of each with that of the first one, the baseline, which must be chosen before the
// losses are seen. If by is nil, the splits are those of [RepeatedKFold] with zeros. A
// learner with steps is one of [forest.Pipeline].
//
// Each comparison is the corrected resampled t-test of Nadeau and Bengio (2003), for which
// the variance of the mean difference over J splits is (1/J + n₂/n₁)·s², with n₁ training
// and n₂ test rows; see [ResampledTTest]. Bouckaert and Frank (PAKDD 2004) use it for
// repeated folds. The p-values are adjusted by Holm's procedure (1979), so that the
// probability of any wrong claim is at most 1 − Level, as far as the test's assumptions
// hold: the correction is an approximation, and the losses of splits are taken for normal.
//
// What is compared are learners on training sets a little smaller than d, drawn like d, not
// two trained models.
//
// Compare returns an error if there are fewer than two contenders, if two have the same
// name, if there are fewer than two splits, and where [CrossValidate] does; that error names the contender. It wraps
// ctx's error soon after ctx is cancelled. Progress (see [forest.WithProgress]) counts the trees of all splits and
// contenders.
func Compare(ctx context.Context, contenders []Contender, d *datasets.Dataset, by Splitter) (*Comparison, error) {
	if err := checkContenders(contenders); err != nil {
		return nil, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	if by == nil {
		by = RepeatedKFold(0, 0, 0)
	}
	folds, err := by.Folds(d)
	if err != nil {
		return nil, err
	}
	if len(folds) < 2 {
		return nil, fmt.Errorf("eval: %d split to compare methods on; want at least 2", len(folds))
	}
	c := &Comparison{Contenders: slices.Clone(contenders), Regression: d.Values != nil, Rows: d.N(), Level: 0.95}
	for i, contender := range contenders {
		progress := foldContext(ctx, i, len(contenders))
		scores, err := CrossValidate(progress, contender.Learner, d, predefined(folds))
		if err != nil {
			return nil, fmt.Errorf("eval: %s: %w", contender.Name, err)
		}
		c.add(scores)
	}
	var test, train int
	for _, f := range folds {
		test, train = test+len(f.Test), train+len(f.Train)
	}
	c.TestToTrain = float64(test) / float64(train)
	others := make([]int, len(contenders)-1)
	for i := range others {
		others[i] = i + 1
	}
	c.Differences = append([]Difference{{P: 1, Holm: 1}}, c.against(0, others)...)
	return c, nil
}

func checkContenders(contenders []Contender) error {
	if len(contenders) < 2 {
		return errors.New("eval: a comparison needs at least two methods")
	}
	for i, c := range contenders {
		if c.Name == "" || c.Learner == nil {
			return fmt.Errorf("eval: method %d of the comparison lacks a name or a learner", i+1)
		}
		if slices.ContainsFunc(contenders[:i], func(other Contender) bool { return other.Name == c.Name }) {
			return fmt.Errorf("eval: two methods of the comparison are called %q", c.Name)
		}
	}
	return nil
}

// add appends the scores of the next contender.
func (c *Comparison) add(scores Scores) {
	loss := scores.losses()
	c.Contenders[len(c.Scores)].Oblique = slices.ContainsFunc(scores.Folds, func(s Score) bool { return s.Oblique })
	if c.Regression {
		r2 := make([]float64, len(loss))
		for f, mse := range loss {
			loss[f], r2[f] = math.Sqrt(mse), scores.Folds[f].R2
		}
		c.R2 = append(c.R2, r2)
	}
	c.Scores, c.Loss = append(c.Scores, scores), append(c.Loss, loss)
}

// against compares methods with a baseline, one Difference for each of them.
func (c *Comparison) against(baseline int, methods []int) []Difference {
	differences := make([]Difference, len(methods))
	p := make([]float64, len(methods))
	for i, m := range methods {
		differences[i] = ResampledTTest(c.Loss[m], c.Loss[baseline], c.TestToTrain)
		p[i] = differences[i].P
	}
	adjusted, levels := holm(p, 1-c.Level)
	for i := range differences {
		d := &differences[i]
		half := float64(studentQuantile(levels[i], float64(len(c.Loss[0])-1)) * d.StdErr)
		d.Holm, d.Interval = adjusted[i], Interval{d.Difference - half, d.Difference + half}
	}
	return differences
}

// holm returns p-values adjusted for their number by Holm's sequentially rejective procedure (Scandinavian Journal of
// Statistics 6, 1979): if those hypotheses are rejected whose adjusted p-value is at most α, any true one is rejected
// with a probability of at most α, whatever the dependence between the tests. A NaN stays NaN and counts as a test.
//
// It also returns the level at which the procedure tests each hypothesis if all are tested at level alpha: alpha
// divided by the number of hypotheses that aren't rejected yet.
func holm(p []float64, alpha float64) (adjusted, levels []float64) {
	known := slices.Clone(p)
	for i, v := range p {
		if math.IsNaN(v) {
			known[i] = 2 // comes last
		}
	}
	adjusted, levels = make([]float64, len(p)), make([]float64, len(p))
	largest, left := 0.0, len(p)
	for k, i := range ascending(known) {
		if math.IsNaN(p[i]) {
			adjusted[i] = nan
		} else {
			largest = max(largest, min(1, float64(len(p)-k)*p[i]))
			adjusted[i] = largest
		}
		levels[i] = alpha / float64(left)
		if adjusted[i] <= alpha {
			left--
		}
	}
	return adjusted, levels
}

// studentQuantile returns the number that a number of Student's t distribution is beyond, on
// either side of 0, with probability p; see [studentBeyond].
func studentQuantile(p, degrees float64) float64 {
	x := mathext.InvRegIncBeta(degrees/2, 0.5, p)
	return math.Sqrt(degrees * (1 - x) / x)
}

type repeatedKFold struct {
	k, repeats int
	seed       uint64
}

// RepeatedKFold returns a splitter that divides the rows into k folds (0 means 5), as many times as repeats says (0
// means 2), each time anew, as [datasets.KFold] does. With labels the folds are stratified. The same seed gives the
// same folds. The splitter's errors are those of KFold, and one if repeats is negative.
func RepeatedKFold(k, repeats int, seed uint64) Splitter { return repeatedKFold{k, repeats, seed} }

func (r repeatedKFold) Folds(d *datasets.Dataset) (folds []datasets.Fold, err error) {
	if r.repeats < 0 {
		return nil, fmt.Errorf("eval: folds repeated %d times", r.repeats)
	}
	seeds := forest.NewRand(r.seed)
	for range cmp.Or(r.repeats, 2) {
		more, err := datasets.KFold{K: r.k, Stratified: d.Labels != nil, Seed: seeds.Uint64()}.Folds(d)
		if err != nil {
			return nil, err
		}
		folds = append(folds, more...)
	}
	return folds, nil
}
