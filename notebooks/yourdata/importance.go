package yourdata

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/viz"
)

// An Importance is how much a learner's loss grows when the cells of a column of the test rows
// are shuffled.
type Importance struct {
	Column int
	Mean   float64 // mean over splits of the increase of the error rate or mean squared error
	Half   float64 // half the length of its 95 % interval
}

// Importances returns the permutation importance of each column on the splits of
// [eval.RepeatedKFold], each with a model of its own, in descending order. The interval is that of
// the corrected resampled t-test, see [eval.ResampledTTest], so it takes account of other rows and
// models, not of shuffling alone. Importances returns an error where the learner does, and
// ctx's error soon after ctx is cancelled.
func Importances(ctx context.Context, learner forest.Learner, d *datasets.Dataset) ([]Importance, error) {
	const k, repeats = 5, 2
	by, err := eval.RepeatedKFold{K: k, Repeats: repeats, Seed: 1}.Folds(d)
	if err != nil {
		return nil, err
	}
	increases := make([][]float64, d.P()) // by column and split
	report := forest.Progress(ctx)
	for f, fold := range by {
		train, test := fold.Split(d)
		model, err := learner.Fit(forest.WithProgress(ctx, func(done, total int) { report(f*total+done, len(by)*total) }), train)
		if err != nil {
			return nil, err
		}
		p, err := inspect.PermutationImportance(ctx, model, test, nil, 1, uint64(f))
		if err != nil {
			return nil, err
		}
		for j, mean := range p.Mean {
			increases[j] = append(increases[j], mean)
		}
	}
	quantile := distuv.StudentsT{Sigma: 1, Nu: k*repeats - 1}.Quantile(0.975)
	importances := make([]Importance, d.P())
	for j, x := range increases {
		t := eval.ResampledTTest(x, make([]float64, len(x)), 1./(k-1))
		importances[j] = Importance{Column: j, Mean: t.Difference, Half: quantile * t.StdErr}
	}
	slices.SortStableFunc(importances, func(a, b Importance) int { return cmp.Compare(b.Mean, a.Mean) })
	return importances, nil
}

// ImportanceBars returns a chart of the first importances, at most that many.
func ImportanceBars(importances []Importance, d *datasets.Dataset, most int) viz.Bars {
	bars := viz.Bars{Title: "What shuffling a column costs", X: "increase of the error, percentage points, with 95 % intervals"}
	unit := 100.0
	if d.Values != nil {
		bars.X, unit = "increase of the mean squared error, with 95 % intervals", 1
	}
	for _, i := range importances[:min(most, len(importances))] {
		bars.Names = append(bars.Names, d.Features[i.Column].Name)
		bars.Values, bars.Err = append(bars.Values, unit*i.Mean), append(bars.Err, unit*i.Half)
	}
	return bars
}
