package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/contest"
)

// A Tuning is the result of [Tune] and [Race].
type Tuning struct {
	Learners []forest.Learner // those that were compared

	Best int    // index of the learner with the lowest loss, the first of ties
	By   string // this loss: "error rate", "mean squared error", or "mean absolute error" (see godt.Tune)

	// Error and StdErr have an entry for each learner: the error rate or, for values, the mean squared error, and its
	// standard error. They are NaN for learners that weren't tried. The lowest of several looks lower than that learner's
	// error is on new rows, since it was chosen for it: measure the winner on rows that had no part in the choice.
	Error, StdErr []float64

	// Trees has an entry for each learner of a [Race]: the trees that it had when its Error was last measured.
	Trees []int

	// Model is the best learner's forest, trained on all rows, if the errors are
	// out-of-bag errors. It is nil if they come from folds.
	Model *forest.Forest
}

// Tune compares learners, such as those of a learner's Grid, by their error on the folds of by, or by their out-of-bag
// error if by is nil: error rates or, for values, mean squared errors. It stops at an error of 0, since no later
// learner could be better. All learners get the same folds, and at most two models are in memory at a time. Progress
// (see [forest.WithProgress]) starts again with each learner.
//
// The steps come before each learner, as in [forest.Pipeline]. They are fitted to the
// training rows of each fold or, for out-of-bag errors, to all rows.
//
// The standard error of folds is that of [Scores.Loss]. That of an out-of-bag error is
// the standard error of its mean over rows or, where rows have groups, over groups.
//
// Tune returns an error if there are no learners, where [datasets.Dataset.Check] or by
// does, and if a learner fails or leaves no row out of bag; that error has the learner's
// number. It returns ctx's error soon after ctx is cancelled.
func Tune[L forest.Learner](ctx context.Context, learners []L, d *datasets.Dataset, by Splitter,
	steps ...datasets.Step) (*Tuning, error) {
	t, err := newTuner(d, learners)
	if err != nil {
		return nil, err
	}
	if by != nil {
		folds, err := by.Folds(d)
		if err != nil {
			return nil, err
		}
		by = predefined(folds)
	}
	return t.run(ctx, contest.Contest{Rounds: []int{0}},
		func(c *contest.Contestant, _ int) ([]float64, float64, error) {
			learner := learners[c.Number]
			if by == nil {
				return t.outOfBag(ctx, c, forest.Pipeline(learner, steps...))
			}
			scores, err := CrossValidate(ctx, learner, d, by, steps...)
			_, stderr := scores.Loss()
			return scores.losses(), stderr, err
		})
}

// A tuner makes a Tuning of learners for a data set.
type tuner struct {
	*Tuning
	train    *datasets.Dataset
	prepared forest.Prepared // train, for learners without steps
}

func newTuner[L forest.Learner](d *datasets.Dataset, learners []L) (*tuner, error) {
	if len(learners) == 0 {
		return nil, errors.New("eval: no learners to choose from")
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	unknown := slices.Repeat([]float64{nan}, len(learners))
	t := &Tuning{By: contest.Loss(d), Error: unknown, StdErr: slices.Clone(unknown)}
	for _, l := range learners {
		t.Learners = append(t.Learners, l)
	}
	return &tuner{Tuning: t, train: d}, nil
}

// run holds a contest between the learners. measure returns a learner's losses and the standard error of their mean.
func (t *tuner) run(ctx context.Context, between contest.Contest,
	measure func(c *contest.Contestant, trees int) (losses []float64, stderr float64, err error)) (*Tuning, error) {
	between.Perfect = true
	between.Measure = func(c *contest.Contestant, trees int) ([]float64, error) {
		losses, stderr, err := measure(c, trees)
		if err != nil {
			return nil, fmt.Errorf("eval: learner %d of %d: %w", c.Number+1, len(t.Error), err)
		}
		t.Error[c.Number], t.StdErr[c.Number] = contest.Mean(losses), stderr
		return losses, nil
	}
	running, err := between.Run(ctx, len(t.Error))
	if err != nil {
		return nil, err
	}
	t.Best, t.Model = running[0].Number, running[0].Model
	return t.Tuning, nil
}

// outOfBag grows a contestant's forest and returns its out-of-bag losses and the standard error of their mean.
func (t *tuner) outOfBag(ctx context.Context, c *contest.Contestant, learner forest.Learner) (
	losses []float64, stderr float64, err error) {
	options := forest.Options{Grown: c.Model, Prepared: &t.prepared}
	if c.Model, err = forest.Grow(ctx, learner, t.train, options); err != nil {
		return nil, 0, err
	}
	if losses, err = c.Model.OutOfBagLosses(ctx, t.train); err != nil {
		return nil, 0, err
	}
	known := slices.DeleteFunc(slices.Clone(losses), math.IsNaN)
	if len(known) == 0 {
		return nil, 0, errors.New("no row is out of bag; grow more trees")
	}
	mean, stderr := MeanStdErr(known)
	switch {
	case t.train.Groups != nil:
		stderr = contest.Compare(losses, make([]float64, len(losses)), nil, t.train.Groups).StdErr
	case !c.Model.Regression():
		stderr = math.Sqrt(mean * (1 - mean) / float64(len(known)))
	}
	return losses, stderr, nil
}
