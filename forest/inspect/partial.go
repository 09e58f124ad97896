package inspect

import (
	"context"
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
)

// A Partial is the partial dependence of a model's predictions on one feature. The values are its cells: if it has a
// Scale, Scale.Value says which numbers they stand for.
type Partial struct {
	Values []float64 // of the feature, ascending
	Mean   []float64 // the mean prediction at each

	// Rows are the curves of the single rows, whose mean is Mean: individual conditional
	// expectation (Goldstein, Kapelner, Bleich and Pitkin, 2015). Row i of the data has the
	// prediction Rows[i][v] when the feature is Values[v] and its other cells stay.
	Rows [][]float64
}

// PartialDependence returns how a model's predictions depend on one feature, averaged
// over the other features of the rows of d (Friedman, Greedy function approximation, 2001,
// equation 53): for each value v of the feature the mean of the predictions for all rows, in
// which the feature's cell is replaced by v. A prediction is the probability of a class,
// or for regression the value; class is then ignored. Row weights are ignored.
//
// The values of a categorical feature are its categories. A feature with few distinct values, at most points, has all
// of them. Otherwise they are points of equal distance between its quantiles of 5 and 95 %. Missing cells have no part
// in that.
//
// Where features depend on each other, rows with replaced cells may be unlike any real
// one. It returns an error where [datasets.Dataset.Check] or [forest.Forest.Check] does, or
// if all cells of the feature are missing, and ctx's error soon after ctx is cancelled. It
// panics if there is no such feature or class, or points isn't at least 2.
func PartialDependence(ctx context.Context, model *forest.Forest, d *datasets.Dataset,
	class, feature, points int) (*Partial, error) {
	r, err := newReplaced(model, d, class, feature, points)
	if err != nil {
		return nil, err
	}
	result := &Partial{}
	if result.Values, err = gridOf(d, feature, points); err != nil {
		return nil, err
	}
	result.Rows = make([][]float64, d.N())
	for i := range result.Rows {
		result.Rows[i] = make([]float64, len(result.Values))
	}
	report := forest.Progress(ctx)
	for v, value := range result.Values {
		r.set(value)
		predictions, err := r.predict(ctx)
		if err != nil {
			return nil, err
		}
		for i, p := range predictions {
			result.Rows[i][v] = p
		}
		result.Mean = append(result.Mean, eval.Mean(predictions))
		report(v+1, len(result.Values))
	}
	return result, nil
}

// replaced are data in which the cells of a feature are replaced.
type replaced struct {
	model   *forest.Forest
	class   int
	data    datasets.Dataset // with a column of its own for the feature
	feature int
}

func newReplaced(model *forest.Forest, d *datasets.Dataset, class, feature, points int) (*replaced, error) {
	if points < 2 {
		panic(fmt.Sprintf("inspect: partial dependence at %d points", points))
	}
	if !model.Regression() && (class < 0 || class >= len(model.Classes)) {
		panic(fmt.Sprintf("inspect: partial dependence of class %d of %d", class, len(model.Classes)))
	}
	if feature < 0 || feature >= d.P() {
		panic(fmt.Sprintf("inspect: partial dependence on feature %d of %d", feature, d.P()))
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	if err := model.Check(d); err != nil {
		return nil, err
	}
	r := &replaced{model, class, *d, feature}
	r.data.Columns = slices.Clone(d.Columns)
	r.data.Columns[feature] = make([]float32, len(d.Columns[feature]))
	return r, nil
}

// set replaces all cells of the feature by one value.
func (r *replaced) set(value float64) {
	column := r.data.Columns[r.feature]
	for i := range column {
		column[i] = float32(value)
	}
}

// predict returns the model's predictions, which are made on all cores.
func (r *replaced) predict(ctx context.Context) ([]float64, error) {
	if r.model.Regression() {
		return r.model.PredictValues(ctx, &r.data)
	}
	proba, err := r.model.Proba(ctx, &r.data)
	if err != nil {
		return nil, err
	}
	p := make([]float64, len(proba))
	for i := range p {
		p[i] = proba[i][r.class]
	}
	return p, nil
}

// gridOf returns the values at which the dependence on a feature is measured.
func gridOf(d *datasets.Dataset, feature, points int) ([]float64, error) {
	var cells []float64
	for _, v := range d.Column(nil, feature) {
		if v-v == 0 {
			cells = append(cells, float64(v))
		}
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("inspect: feature %d has no values", feature)
	}
	slices.Sort(cells)
	if distinct := slices.Compact(slices.Clone(cells)); len(distinct) <= points || d.Features[feature].Categories != nil {
		return distinct, nil
	}
	lo, hi := cells[len(cells)*5/100], cells[len(cells)-1-len(cells)*5/100]
	if lo == hi { // nearly all cells are equal
		lo, hi = cells[0], cells[len(cells)-1]
	}
	grid := make([]float64, points)
	for i := range grid {
		grid[i] = lo + (hi-lo)*float64(i)/float64(points-1)
	}
	return grid, nil
}
