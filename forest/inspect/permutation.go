package inspect

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
)

// A Permutation is the outcome of [PermutationImportance], a number for each
// feature.
type Permutation struct {
	Mean   []float64 // mean over repeats of the increase of the loss; below 0 where it fell
	StdErr []float64 // its standard error over repeats; NaN for one repeat
}

// PermutationImportance measures how much a model's loss on d grows when the
// cells of one feature change places at random (Breiman, Random Forests, 2001,
// section 10), repeats times for each feature. It is about a fixed model and fixed
// rows, best ones that the model was not trained on.
//
// An importance may be negative: the loss fell. For a feature that doesn't matter
// that happens by chance, within a few standard errors of 0; beyond them, the model
// predicts these rows worse for looking at the feature.
//
// loss nil is the error rate, or for regression the mean squared error. Where
// d has the same row of its columns twice, both keep having the same cells.
// Memory for one more column is all it takes.
//
// It returns an error where [forest.Forest.Check] does, or if loss is nil and d has
// no target, and ctx's error soon after ctx is cancelled. It panics if repeats is
// not positive.
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
		loss = func(model *forest.Forest, d *datasets.Dataset) float64 { return defaultLoss(ctx, model, d) }
	}
	rows := distinctRows(d)
	base := loss(model, d)
	shuffled := *d
	shuffled.Columns = slices.Clone(d.Columns)
	result := &Permutation{}
	increase := make([]float64, repeats)
	var column []float32
	order := make([]int32, len(rows))
	for j, original := range d.Columns {
		column = append(column[:0], original...)
		shuffled.Columns[j] = column
		for r := range increase {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			copy(order, rows)
			shuffle(order, forest.NewRand(seed, uint64(j), uint64(r)))
			for i, row := range rows {
				column[row] = original[order[i]]
			}
			increase[r] = loss(model, &shuffled) - base
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

// defaultLoss is NaN if ctx is cancelled; d has been checked.
func defaultLoss(ctx context.Context, model *forest.Forest, d *datasets.Dataset) float64 {
	if model.Regression() {
		values, err := model.PredictValuesContext(ctx, d)
		if err != nil {
			return math.NaN()
		}
		return eval.MSE(values, d.Values)
	}
	labels, err := model.PredictContext(ctx, d)
	if err != nil {
		return math.NaN()
	}
	return eval.Error(labels, d.Labels)
}

// distinctRows returns the rows of the columns that d has, ascending.
func distinctRows(d *datasets.Dataset) []int32 {
	if d.Rows != nil {
		rows := slices.Clone(d.Rows)
		slices.Sort(rows)
		return slices.Compact(rows)
	}
	rows := make([]int32, d.N())
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// shuffle puts x in random order (Fisher and Yates).
func shuffle(x []int32, rng forest.Rand) {
	for i := len(x) - 1; i > 0; i-- {
		k := rng.Intn(i + 1)
		x[i], x[k] = x[k], x[i]
	}
}
