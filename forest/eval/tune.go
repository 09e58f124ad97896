package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// A Tuning is the result of [Tune]. Error and StdErr have an entry for each learner
// tried: the error rate, or for regression the mean squared error, and its standard
// error.
type Tuning struct {
	Best          int // index of the learner with the lowest error, the first of ties
	Error, StdErr []float64

	// Model is the best learner's forest, trained on all rows, if the errors are
	// out-of-bag errors. It is nil if they come from folds.
	Model *forest.Forest
}

// Tune compares learners, such as those of a learner's Grid, by their error on the folds
// of by, or by their out-of-bag error if by is nil. It stops at an error of 0, since no
// later learner could be better. All learners get the same folds, and at most two models
// are in memory at a time. Progress (see [forest.WithProgress]) starts again with each
// learner.
//
// The steps come before each learner, as in [forest.Pipeline]. They are fitted to the
// training rows of each fold or, for out-of-bag errors, to all rows.
//
// The standard error of folds is that of [Scores.Loss]. That of an out-of-bag error is
// the standard error of its mean over rows.
//
// Tune returns an error if there are no learners, where [datasets.Dataset.Check] or by
// does, and if a learner fails or leaves no row out of bag; that error has the learner's
// number. It returns ctx's error soon after ctx is cancelled.
func Tune[L forest.Learner](ctx context.Context, learners []L, d *datasets.Dataset, by Splitter, steps ...datasets.Step) (*Tuning, error) {
	if len(learners) == 0 {
		return nil, errors.New("eval: no learners to choose from")
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	var folds Predefined
	if by != nil {
		f, err := by.Folds(d)
		if err != nil {
			return nil, err
		}
		folds = f
	}
	t := &Tuning{}
	for i, learner := range learners {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var model *forest.Forest
		var loss, stderr float64
		var err error
		if by == nil {
			model, loss, stderr, err = fitOutOfBag(ctx, forest.Pipeline(learner, steps...), d)
		} else {
			loss, stderr, err = foldLoss(ctx, learner, d, folds, steps)
		}
		if err != nil {
			return nil, fmt.Errorf("eval: learner %d of %d: %w", i+1, len(learners), err)
		}
		t.Error, t.StdErr = append(t.Error, loss), append(t.StdErr, stderr)
		if i == 0 || loss < t.Error[t.Best] {
			t.Best, t.Model = i, model
		}
		if loss == 0 {
			return t, nil
		}
	}
	return t, nil
}

func foldLoss(ctx context.Context, learner forest.Learner, d *datasets.Dataset, folds Predefined, steps []datasets.Step) (loss, stderr float64, err error) {
	scores, err := CrossValidate(ctx, learner, d, folds, steps...)
	if err != nil {
		return 0, 0, err
	}
	loss, stderr = scores.Loss()
	return loss, stderr, nil
}

func fitOutOfBag(ctx context.Context, learner forest.Learner, d *datasets.Dataset) (model *forest.Forest, loss, stderr float64, err error) {
	model, losses, err := outOfBagLoss(ctx, learner, d, forest.Options{})
	if err != nil {
		return nil, 0, 0, err
	}
	losses = slices.DeleteFunc(losses, math.IsNaN)
	loss, stderr = MeanStdErr(losses)
	if !model.Regression() {
		stderr = BinomialStdErr(loss, len(losses))
	}
	return model, loss, stderr, nil
}
