package datasets

import (
	"context"
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets/internal/naming"
)

// A Step learns from training data how to change a data set, such as the values
// that replace missing cells. Fit it on training data alone, to keep the test
// data out of the model. Fit returns ctx's error soon after ctx is cancelled.
//
// The steps of this package are [OneHot], [Ordinal], [Impute], [Standardise],
// [TargetEncoding] and [Prepare], which does what any table needs; [Steps] combines several.
type Step interface {
	Fit(ctx context.Context, train *Dataset) (Transform, error)
}

// A Transform is a fitted step. Apply returns a changed data set, which may share
// memory with d. It returns an error that wraps [ErrSchema] if the columns of d
// differ, by name, number or kind, from those that the step was fitted on.
// Categories are matched by name, so d may list others, or in another order. Apply
// returns ctx's error soon after ctx is cancelled.
//
// The transforms of this package can be saved; see [MarshalTransform].
type Transform interface {
	Apply(ctx context.Context, d *Dataset) (*Dataset, error)
}

// Steps is a sequence of steps. Each is fitted on the training data as changed by
// the steps before it.
type Steps []Step

// Fit fits the steps in order, and returns [Transforms]. It returns an error if a step
// does, or is nil.
func (s Steps) Fit(ctx context.Context, train *Dataset) (Transform, error) {
	fitted := make(Transforms, len(s))
	for i, step := range s {
		if step == nil {
			return nil, fmt.Errorf("datasets: step %d of %d is nil", i+1, len(s))
		}
		var err error
		if fitted[i], err = step.Fit(ctx, train); err != nil {
			return nil, err
		}
		if i+1 == len(s) {
			break
		}
		if train, err = ApplyTraining(ctx, fitted[i], train); err != nil {
			return nil, err
		}
	}
	return fitted, nil
}

// Transforms is a sequence of fitted steps. Each is applied to the data as changed by the
// steps before it.
type Transforms []Transform

// Apply applies the transforms in order. It returns an error if one of them does, or is nil.
func (t Transforms) Apply(ctx context.Context, d *Dataset) (*Dataset, error) {
	for i, step := range t {
		if step == nil {
			return nil, fmt.Errorf("datasets: transform %d of %d is nil", i+1, len(t))
		}
		var err error
		if d, err = step.Apply(ctx, d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// checkFitted checks that d is valid and has the features of the training data.
func checkFitted(step string, features []Feature, d *Dataset) error {
	if err := d.checkTable(); err != nil {
		return err
	}
	if d.P() != len(features) {
		return fmt.Errorf("datasets: %s of %s: %w: %d columns; it was fitted on %d", step, d.label(), ErrSchema, d.P(), len(features))
	}
	for j, f := range features {
		g := d.Features[j]
		if g.Name != f.Name {
			return fmt.Errorf("datasets: %s of %s: %w: column %d is %q; it was fitted on %q", step, d.label(), ErrSchema, j, g.Name, f.Name)
		}
		if (g.Categories == nil) != (f.Categories == nil) {
			return fmt.Errorf("datasets: %s of %s: %w: column %q is %s; it was fitted as %s", step, d.label(), ErrSchema, f.Name, g.kind(), f.kind())
		}
	}
	return nil
}

func allNumeric(features []Feature) bool {
	return !slices.ContainsFunc(features, func(f Feature) bool { return f.Categories != nil })
}

func (f Feature) kind() string {
	if f.Categories == nil {
		return "numeric"
	}
	return "categorical"
}

// withColumns returns d with other features and columns.
func (d *Dataset) withColumns(features []Feature, columns [][]float32) *Dataset {
	s := *d
	s.Features, s.Columns = features, columns
	return &s
}

// row returns the index of row i in the columns.
func (d *Dataset) row(i int) int32 {
	if d.Rows != nil {
		return d.Rows[i]
	}
	return int32(i)
}

// weight returns the weight of row i.
func (d *Dataset) weight(i int) float64 {
	if d.Weights != nil {
		return float64(d.Weights[i])
	}
	return 1
}

// indicesIn returns for each category of from its index in to, or −1.
func indicesIn(from, to []string) []int32 {
	if slices.Equal(from, to) { // as in most calls; and fast for tables of a single row
		p := make([]int32, len(from))
		for i := range p {
			p[i] = int32(i)
		}
		return p
	}
	code := make(map[string]int32, len(to))
	for i, name := range to {
		code[name] = int32(i)
	}
	p := make([]int32, len(from))
	for i, name := range from {
		if c, ok := code[name]; ok {
			p[i] = c
		} else {
			p[i] = -1
		}
	}
	return p
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
func (OneHot) Fit(ctx context.Context, train *Dataset) (Transform, error) {
	if err := train.Check(); err != nil {
		return nil, err
	}
	t := newOneHot(train.Features)
	if len(t.after) == 0 {
		return nil, fmt.Errorf("datasets: OneHot of %s: no column holds any category", train.label())
	}
	return t, nil
}

type oneHot struct{ before, after []Feature }

func newOneHot(features []Feature) oneHot {
	if allNumeric(features) {
		return oneHot{before: features, after: features}
	}
	t := oneHot{before: features}
	for _, f := range features {
		if f.Categories == nil {
			t.after = append(t.after, f)
		}
		for _, category := range f.Categories {
			t.after = append(t.after, Feature{Name: f.Name + "=" + category})
		}
	}
	return t
}

func (t oneHot) Apply(ctx context.Context, d *Dataset) (*Dataset, error) {
	if err := checkFitted("OneHot", t.before, d); err != nil {
		return nil, err
	}
	columns := make([][]float32, 0, len(t.after))
	for j, f := range t.before {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.Categories == nil {
			columns = append(columns, d.Columns[j])
			continue
		}
		columns = append(columns, indicators(d.Columns[j], indicesIn(d.Features[j].Categories, f.Categories), len(f.Categories))...)
	}
	return d.withColumns(t.after, columns), nil
}

// indicators returns k columns; row i of column place[cells[i]] is 1.
func indicators(cells []float32, place []int32, k int) [][]float32 {
	columns := newColumns(len(cells), k)
	for i, code := range cells {
		if code != code {
			for _, column := range columns {
				column[i] = nan32
			}
			continue
		}
		if c := place[int32(code)]; c >= 0 {
			columns[c][i] = 1
		}
	}
	return columns
}

// Ordinal replaces every categorical column by a numeric one that holds the index
// of the category among those that the training data list. A category that they
// do not list is an error of Apply. Missing cells stay missing, and numeric
// columns are not changed.
type Ordinal struct{}

// Fit takes the categories that train lists. It returns an error if train is
// invalid (see [Dataset.Check]).
func (Ordinal) Fit(ctx context.Context, train *Dataset) (Transform, error) {
	if err := train.Check(); err != nil {
		return nil, err
	}
	return newOrdinal(train.Features), nil
}

type ordinal struct{ before, after []Feature }

func newOrdinal(features []Feature) ordinal {
	if allNumeric(features) {
		return ordinal{before: features, after: features}
	}
	t := ordinal{before: features, after: slices.Clone(features)}
	for j := range t.after {
		t.after[j].Categories = nil
	}
	return t
}

func (t ordinal) Apply(ctx context.Context, d *Dataset) (*Dataset, error) {
	if err := checkFitted("Ordinal", t.before, d); err != nil {
		return nil, err
	}
	columns := slices.Clone(d.Columns)
	for j, f := range t.before {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		categories := d.Features[j].Categories
		if slices.Equal(categories, f.Categories) {
			continue
		}
		place := indicesIn(categories, f.Categories)
		for i := range d.N() {
			if code := columns[j][d.row(i)]; code == code && place[int32(code)] < 0 {
				return nil, fmt.Errorf("datasets: Ordinal of %s: row %d, column %q: %s is not one of the %d categories it was fitted on",
					d.label(), i, f.Name, naming.Clip(categories[int32(code)]), len(f.Categories))
			}
		}
		columns[j] = slices.Clone(columns[j])
		for i, code := range columns[j] {
			if code == code {
				columns[j][i] = float32(place[int32(code)])
			}
		}
	}
	return d.withColumns(t.after, columns), nil
}
