package datasets

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A Step learns from training data how to change a data set, such as the values that replace missing cells. Fit it on
// training data alone, to keep the test data out of the model. Fit returns the fitted step and the training data as a
// learner should see them: what [ApplyTraining] makes of them. It returns ctx's error soon after ctx is cancelled.
//
// The steps of this package are [OneHot], [Ordinal], [Impute], [Standardise], [TargetEncoding] and [Prepare], which
// does what any table needs; [Steps] combines several. Other packages can have their own; if they fit what
// [NewTransform] returns, it can be saved.
type Step interface {
	Fit(ctx context.Context, train *Dataset) (Transform, *Dataset, error)
}

// A Transform is a fitted step. Apply returns a changed data set, which may share
// memory with d. It returns an error that wraps [ErrSchema] if the columns of d
// differ, by name, number or kind, from those that the step was fitted on.
// Categories are matched by name, so d may list others, or in another order. Apply
// returns ctx's error soon after ctx is cancelled.
//
// The transforms of this package can be saved; see [MarshalTransform]. One of another package may have the methods
//
//	ApplyTraining(ctx context.Context, train *Dataset) (*Dataset, error)
//	ApplyRow(dst, row []float32) error
//
// too: the first if it changes its training data in a different way from other data; see [ApplyTraining]. The second
// sets dst to what Apply makes of a row of a table with the columns of the training data, so that single rows are
// predicted fast. Those of this package do that without allocating memory.
type Transform interface {
	Apply(ctx context.Context, d *Dataset) (*Dataset, error)
}

// ApplyTraining applies t to the data that it was fitted on, the same rows in the same order, as a learner should see
// them: by its method of that name if it has one, and otherwise by t.Apply. A nil t is an error.
func ApplyTraining(ctx context.Context, t Transform, train *Dataset) (*Dataset, error) {
	switch t := t.(type) {
	case nil:
		return nil, errors.New("datasets: a transform is nil")
	case interface {
		ApplyTraining(context.Context, *Dataset) (*Dataset, error)
	}:
		return t.ApplyTraining(ctx, train)
	}
	return t.Apply(ctx, train)
}

// Steps is a sequence of steps. Each is fitted on the training data as changed by
// the steps before it.
type Steps []Step

// Fit fits the steps in order. It returns an error if a step does, or is nil.
func (s Steps) Fit(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	var all Transform = sequence{}
	for i, step := range s {
		if step == nil {
			return nil, nil, fmt.Errorf("datasets: step %d of %d is nil", i+1, len(s))
		}
		t, made, err := step.Fit(ctx, train)
		if err != nil {
			return nil, nil, err
		}
		all, train = Then(all, t), made
	}
	return all, train, nil
}

// A sequence applies transforms one after another.
type sequence []Transform

func (s sequence) Apply(ctx context.Context, d *Dataset) (*Dataset, error) {
	return s.each(d, func(t Transform, d *Dataset) (*Dataset, error) { return t.Apply(ctx, d) })
}

func (s sequence) ApplyTraining(ctx context.Context, train *Dataset) (*Dataset, error) {
	return s.each(train, func(t Transform, d *Dataset) (*Dataset, error) { return ApplyTraining(ctx, t, d) })
}

func (s sequence) each(d *Dataset, apply func(Transform, *Dataset) (*Dataset, error)) (made *Dataset, err error) {
	for _, t := range s {
		if t == nil {
			return nil, errors.New("datasets: a transform is nil")
		}
		if d, err = apply(t, d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// fit checks train and fits the step of a name: of returns what becomes of column j.
func (d *Dataset) fit(ctx context.Context, name string, of func(j int) ([]Column, error)) (Transform, *Dataset, error) {
	if err := d.Check(); err != nil {
		return nil, nil, err
	}
	columns := make([][]Column, d.P())
	err := parallel.Errors(d.P(), func(j int) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if columns[j], err = of(j); err != nil {
			err = fmt.Errorf("datasets: %s of %s: %w", name, d.label(), err)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	t, err := newProgram(d.Features, slices.Concat(columns...))
	if err != nil {
		return nil, nil, fmt.Errorf("datasets: %s of %s: %w", name, d.label(), err)
	}
	made, err := t.run(ctx, d, true)
	return t, made, err
}

// column returns column j of the name, changed by the operations.
func column(name string, j int, ops ...Op) []Column { return []Column{{name, j, ops}} }

// op returns an operation.
func op(kind opKind, numbers ...float64) Op { return Op{Do: opNames[kind], Numbers: numbers} }

// weight returns the weight of row i.
func (d *Dataset) weight(i int) float64 {
	if d.Weights != nil {
		return float64(d.Weights[i])
	}
	return 1
}

// OneHot replaces every categorical column by one column per category of the
// training data, called column=category, which is 1 where the cell is that
// category and 0 elsewhere. A category that the training data do not list gives
// 0 in all of them. A missing cell is missing in all of them; use Impute first.
// Numeric columns are not changed.
type OneHot struct{}

// Fit takes the categories that train lists, even those that no row has, so that
// all folds of a data set get the same columns. It returns an error if train is
// invalid (see [Dataset.Check]), or if no columns would be left.
func (OneHot) Fit(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	return train.fit(ctx, "OneHot", train.oneHot)
}

func (d *Dataset) oneHot(j int) ([]Column, error) {
	f := d.Features[j]
	if f.Categories == nil {
		return column(f.Name, j), nil
	}
	var columns []Column
	for c, category := range f.Categories {
		columns = append(columns, column(f.Name+"="+category, j, op(opIs, float64(c)))...)
	}
	return columns, nil
}

// Ordinal replaces every categorical column by a numeric one that holds the index
// of the category among those that the training data list. A category that they
// do not list is an error of Apply. Missing cells stay missing, and numeric
// columns are not changed.
type Ordinal struct{}

// Fit takes the categories that train lists. It returns an error if train is
// invalid (see [Dataset.Check]).
func (Ordinal) Fit(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	return train.fit(ctx, "Ordinal", train.ordinal)
}

func (d *Dataset) ordinal(j int) ([]Column, error) {
	f := d.Features[j]
	if f.Categories == nil {
		return column(f.Name, j), nil
	}
	return column(f.Name, j, op(opNumber)), nil
}

// Impute fills missing cells: in a numeric column with the mean of the training
// data, and in a categorical one with its most frequent category (of several,
// the one listed first). Means and frequencies are weighted.
type Impute struct{}

// Fit computes the means and the most frequent categories of train. It returns
// an error if train is invalid (see [Dataset.Check]), if a column has no value in
// any row of positive weight, or if a mean is not finite.
func (Impute) Fit(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	return train.fit(ctx, "Impute", train.imputed)
}

func (d *Dataset) imputed(j int) ([]Column, error) {
	f := d.Features[j]
	fill, ok := d.mean(j)
	if f.Categories != nil {
		fill, ok = d.mode(j)
	}
	if !ok {
		return nil, fmt.Errorf("column %q has no value to learn from; drop it", f.Name)
	}
	v := float32(fill)
	if v-v != 0 {
		return nil, fmt.Errorf("the mean of column %q is %v; want a finite number", f.Name, v)
	}
	return column(f.Name, j, op(opFill, float64(v))), nil
}

// mean returns the weighted mean of the cells of column j that are not missing;
// ok is false if their weights sum to 0.
func (d *Dataset) mean(j int) (mean float64, ok bool) {
	sum, total := 0.0, 0.0
	for i := range d.N() {
		if v := d.At(i, j); v == v {
			w := d.weight(i)
			sum += float64(w * float64(v))
			total += w
		}
	}
	return sum / total, total > 0
}

// mode returns the code of largest total weight in column j; ok is false if that
// is 0.
func (d *Dataset) mode(j int) (code float64, ok bool) {
	totals := make([]float64, len(d.Features[j].Categories)+1) // the last is 0
	for i := range d.N() {
		if v := d.At(i, j); v == v {
			totals[int32(v)] += d.weight(i)
		}
	}
	most := slices.Max(totals)
	return float64(slices.Index(totals, most)), most > 0
}

// Standardise gives every numeric column zero mean and unit variance over the
// training data. The variance is the mean squared deviation (divided by n, not
// n−1). Means are weighted and ignore missing cells, which stay missing. A column
// that is constant in the training data is only centred. Finite cells stay finite: what is
// too large for a float32 becomes the largest one. Categorical columns are not changed.
type Standardise struct{}

// Fit computes the means and standard deviations of train. A column without a
// value in any row of positive weight is not changed. Fit returns an error if
// train is invalid (see [Dataset.Check]), or if a column has an infinite cell.
func (Standardise) Fit(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	return train.fit(ctx, "Standardise", train.standardised)
}

func (d *Dataset) standardised(j int) ([]Column, error) {
	f := d.Features[j]
	if f.Categories != nil {
		return column(f.Name, j), nil
	}
	mean, sd := d.moments(j)
	if v := mean + sd; v-v != 0 {
		return nil, fmt.Errorf("column %q has mean %v and standard deviation %v; want finite numbers", f.Name, mean, sd)
	}
	return column(f.Name, j, op(opScale, mean, sd)), nil
}

// moments returns the weighted mean and standard deviation of column j. If all
// cells are equal, the standard deviation returned is 1.
func (d *Dataset) moments(j int) (mean, sd float64) {
	mean, ok := d.mean(j)
	if !ok {
		return 0, 1
	}
	sum, total := 0.0, 0.0
	low, high := math.Inf(1), math.Inf(-1)
	for i := range d.N() {
		w, v := d.weight(i), float64(d.At(i, j))
		if v != v || w == 0 {
			continue
		}
		low, high = min(low, v), max(high, v)
		sum += float64(w * (v - mean) * (v - mean))
		total += w
	}
	if low == high { // not sum == 0, since the mean is rounded
		return low, 1
	}
	return mean, math.Sqrt(sum / total)
}
