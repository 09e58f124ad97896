package inspect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
)

// A Permutation is the result of [PermutationImportance], with an entry for each
// feature.
type Permutation struct {
	Mean   []float64 // mean over repeats of the increase of the loss; may be negative
	StdErr []float64 // its standard error over repeats; NaN for one repeat
}

// PermutationImportance measures how much a model's loss on d grows when the cells of
// one feature are permuted at random (Breiman, Random Forests, 2001, section 10). It
// permutes each feature repeats times. The rows should be ones that the model was not
// trained on.
//
// An importance is negative if the loss fell. For irrelevant features that happens by
// chance, within a few standard errors of 0. If it is below that, using the feature
// makes the predictions for these rows worse.
//
// A nil loss means the error rate, or for regression the mean squared error. Both ignore row weights, and so does the
// permutation. If Rows of d has a row twice, both keep the same cells. One more column is all the memory needed.
//
// It returns an error where [datasets.Dataset.Check] or [forest.Forest.Check] does, if
// loss is nil and d has no target of the model's kind or other classes, and ctx's error soon after ctx
// is cancelled. It panics if repeats is not positive.
func PermutationImportance(ctx context.Context, model *forest.Forest, d *datasets.Dataset,
	loss func(*forest.Forest, *datasets.Dataset) float64, repeats int, seed uint64) (*Permutation, error) {
	if repeats < 1 {
		panic("inspect: permutation importance of no repeats")
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	if err := model.Check(d); err != nil {
		return nil, err
	}
	if loss == nil {
		if d.Labels == nil && !model.Regression() || d.Values == nil && model.Regression() {
			return nil, errors.New("inspect: permutation importance needs labels, or target values for regression")
		}
		if !slices.Equal(model.Classes, d.Classes) {
			return nil, fmt.Errorf("inspect: the model predicts the classes %.60q, and the rows have %.60q", model.Classes,
				d.Classes)
		}
		loss = func(model *forest.Forest, d *datasets.Dataset) float64 { return defaultLoss(ctx, model, d) }
	}
	rows := distinctRows(d)
	base := loss(model, d)
	shuffled := *d
	shuffled.Columns = slices.Clone(d.Columns)
	result := &Permutation{}
	var increase []float64
	var column []float32
	order := make([]int32, len(rows))
	for j, original := range d.Columns {
		column = append(column[:0], original...)
		shuffled.Columns[j] = column
		increase = increase[:0]
		for r := range repeats {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			copy(order, rows)
			shuffle(order, forest.NewRand(seed, uint64(j), uint64(r)))
			for i, row := range rows {
				column[row] = original[order[i]]
			}
			increase = append(increase, loss(model, &shuffled)-base)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		shuffled.Columns[j] = original
		mean, stderr := eval.MeanStdErr(increase)
		result.Mean, result.StdErr = append(result.Mean, mean), append(result.StdErr, stderr)
	}
	return result, nil
}

// defaultLoss returns the error rate or the mean squared error, or NaN if ctx is
// cancelled. d must have been checked.
func defaultLoss(ctx context.Context, model *forest.Forest, d *datasets.Dataset) float64 {
	if model.Regression() {
		values, err := model.PredictValues(ctx, d)
		if err != nil {
			return math.NaN()
		}
		return eval.MSE(values, d.Values)
	}
	labels, err := model.Predict(ctx, d)
	if err != nil {
		return math.NaN()
	}
	return eval.Error(labels, d.Labels)
}

// distinctRows returns the distinct rows of d's columns that d has, ascending.
func distinctRows(d *datasets.Dataset) []int32 {
	if d.Rows != nil {
		rows := slices.Clone(d.Rows)
		slices.Sort(rows)
		return slices.Compact(rows)
	}
	return samples.UpTo(d.N())
}

// shuffle puts x in random order (Fisher and Yates).
func shuffle(x []int32, rng forest.Rand) {
	for i := len(x) - 1; i > 0; i-- {
		k := rng.Intn(i + 1)
		x[i], x[k] = x[k], x[i]
	}
}
