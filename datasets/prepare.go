package datasets

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/portable"
)

// Prepare makes any table ready for forests of slanted splits: tables with missing cells,
// categories, columns of wild scales, and constant columns. What a column becomes is
// learned from the training rows of positive weight:
//
//   - A numeric column stays one. It is left out if it has one value only, or none. Of dates the month, the day of the
//     week and the hour are further columns where they vary, called "column month" and so on.
//   - A column of two categories becomes an indicator of the second, called column=category.
//     One of 3 to 30 categories, or of as many as there are classes less one, becomes an
//     indicator of each. Categories without a row don't count.
//   - A column whose categories are intervals that don't overlap, such as <10, 10-19 and
//     20+, becomes the place of the interval, from the lowest.
//   - A column of more categories is encoded by [TargetEncoding] with MinRows 2 and Smoothing
//     1, both times the mean weight, and 3 folds, so training rows are encoded from other rows.
//     With fewer than 50 rows it becomes indicators, too. With only one class it is left out.
//   - If missing cells tell something about the target, there is a further column, called
//     "column is missing", that is 1 where the cell is missing and 0 elsewhere.
//   - A column of more than ten values and heavy tails, a kurtosis of 10 or more, is replaced by its normal scores
//     Φ⁻¹(rank), where the rank of a value is between 0 and 1. The exponential distribution
//     has a kurtosis of 9.
//   - Columns of heavy tails keep their values if they are nearly linear functions of each other, since their scores
//     would hide what the differences of such columns tell. They are if the values and the scores of two columns both
//     correlate by 0.95 or more, or −0.95 or less, over up to 256 evenly spaced rows, at least half of which have both
//     cells. A column is compared with the next 100 columns of heavy tails at most.
//   - All columns are standardised over their known cells. Then a missing cell is 0, the mean.
//     So is, in all columns made of it, a category without training rows. Where categories
//     are encoded by their targets, both get the code of the mean target.
//
// Missing cells tell something about the target if the correlation r between the two is
// significant at the level of 5 %: if |r|√(n−1) is above that quantile of the normal
// distribution, where 1/(n−1) is the variance of r over all permutations of the target.
// The test needs at least five missing and five known cells and, for classes, as many
// expected in each class and outside of it. With K > 2 classes it is made for each class
// against the others, at 5 %/K. Weighted rows count as n = (Σw)²/Σw².
type Prepare struct{}

// The settings were chosen by measurement; see docs/results/learners.md.
const (
	oneHotLimit   = 30   // the most categories that get indicators, but with few rows or many classes
	fewRows       = 50   // the fewest rows with which columns of more categories are encoded by their targets
	missingLevel  = 0.05 // of the test of missing cells
	fewestMissing = 5    // the fewest cells of each kind in that test
)

// Fit fits the step. It returns an error if train is invalid (see [Dataset.Check]), has no target or fewer than two
// rows of positive weight, where [Dataset.CheckLabels] does, if a numeric cell is infinite, or if no column would be
// left.
func (Prepare) Fit(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	if err := train.Check(); err != nil {
		return nil, nil, err
	}
	if train.Labels == nil && train.Values == nil {
		return nil, nil, fmt.Errorf("datasets: Prepare of %s: no target to learn from", train.label())
	}
	if err := train.CheckLabels(); err != nil {
		return nil, nil, err
	}
	return Steps{stepFunc(arrange), stepFunc(encodeRest), stepFunc(normalScores), Standardise{}, Impute{}}.Fit(ctx, train)
}

// A stepFunc is a step by its method Fit.
type stepFunc func(context.Context, *Dataset) (Transform, *Dataset, error)

// Fit fits the step.
func (fit stepFunc) Fit(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	return fit(ctx, train)
}

// encodeRest encodes the columns that have too many categories for indicators. With more folds a row's code tells its
// own target by what is missing from it, also to trees that were grown without the row.
func encodeRest(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	if !slices.ContainsFunc(train.Features, func(f Feature) bool { return f.Categories != nil }) {
		return sequence{}, train, nil
	}
	target := summarise(train)
	mean := target.weight / float64(target.rows) // so that weights that are all k times as large give the same codes
	return TargetEncoding{MinRows: 2 * mean, Smoothing: mean, Folds: 3}.Fit(ctx, train)
}

// arrange makes indicators and places of categories. It leaves cells missing, and categories where there are too many.
func arrange(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	target := summarise(train)
	if target.rows < 2 {
		return nil, nil, fmt.Errorf("datasets: Prepare of %s: %d of %d rows have a weight above 0; want at least two",
			train.label(), target.rows, train.N())
	}
	return train.fit(ctx, "Prepare", func(j int) ([]Column, error) {
		choose := target.categorical
		if train.Features[j].Categories == nil {
			choose = train.numeric
		}
		columns, err := choose(j)
		if target.missingTells(j) {
			columns = append(columns, missingCells(train.Features[j], j)...)
		}
		return columns, err
	})
}

// numeric returns what becomes of numeric column j.
func (d *Dataset) numeric(j int) ([]Column, error) {
	low, high := float32(math.Inf(1)), float32(math.Inf(-1))
	for i := range d.N() {
		v := d.At(i, j)
		if v-v != 0 && v == v {
			return nil, fmt.Errorf("row %d, column %q is %v; want a finite number or a missing cell", i, d.Features[j].Name, v)
		}
		if v == v && d.weight(i) > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	if low < high {
		return append(column(d.Features[j].Name, j), d.dateColumns(j)...), nil
	}
	return nil, nil
}

// A targetSummary describes the target of training rows: their values, or for each class
// an output that is 1 for it and 0 for others. Two classes have one output, since the
// second says the same.
type targetSummary struct {
	train    *Dataset
	rows     int       // of positive weight
	weight   float64   // of all rows
	count    float64   // of rows, n
	mean, sd []float64 // by output
}

func summarise(train *Dataset) targetSummary {
	outputs := 1
	if len(train.Classes) > 2 {
		outputs = len(train.Classes)
	}
	t := targetSummary{train: train, mean: make([]float64, outputs), sd: make([]float64, outputs)}
	squares := 0.0
	for i := range train.N() {
		w := train.weight(i)
		if w > 0 {
			t.rows++
		}
		t.weight += w
		squares += float64(w * w)
		t.addTo(t.mean, i, w)
	}
	t.count = t.weight * t.weight / squares
	for o := range t.mean {
		t.mean[o] /= t.weight
		t.sd[o] = math.Sqrt(t.mean[o] * (1 - t.mean[o]))
	}
	if train.Values != nil {
		sum := 0.0
		for i, y := range train.Values {
			sum += float64(train.weight(i) * (y - t.mean[0]) * (y - t.mean[0]))
		}
		t.sd[0] = math.Sqrt(sum / t.weight)
	}
	return t
}

// addTo adds the outputs of row i times w to sums.
func (t *targetSummary) addTo(sums []float64, i int, w float64) {
	if t.train.Labels == nil {
		sums[0] += float64(w * t.train.Values[i])
	} else if o := int(t.train.Labels[i]); o < len(sums) {
		sums[o] += w
	}
}

// categorical returns what becomes of categorical column j. If it has too many categories it stays, to be encoded
// later.
func (t *targetSummary) categorical(j int) ([]Column, error) {
	d, f, classes := t.train, t.train.Features[j], len(t.train.Classes)
	seen := make([]bool, len(f.Categories))
	for i := range d.N() {
		if v := d.At(i, j); v == v && d.weight(i) > 0 {
			seen[int32(v)] = true
		}
	}
	var codes []int
	for c, ok := range seen {
		if ok {
			codes = append(codes, c)
		}
	}
	if k := len(codes); k > 2 {
		if columns := ordered(f, j); columns != nil {
			return columns, nil
		}
		if k > max(oneHotLimit, classes-1) && t.rows >= fewRows {
			if classes == 1 {
				return nil, nil
			}
			return column(f.Name, j), nil
		}
	}
	return indicated(f, j, codes), nil
}

// missingTells reports whether missing cells of column j tell something about the target.
func (t *targetSummary) missingTells(j int) bool {
	missing := 0.0
	sums := make([]float64, len(t.mean)) // of the outputs of rows with a missing cell
	for i := range t.train.N() {
		if v := t.train.At(i, j); v != v {
			missing += t.train.weight(i)
			t.addTo(sums, i, t.train.weight(i))
		}
	}
	share := missing / t.weight
	rarer := min(share, 1-share)
	for o, mean := range t.mean {
		expected := rarer * t.count
		if t.train.Labels != nil {
			expected *= min(mean, 1-mean)
		}
		if !(expected >= fewestMissing && t.sd[o] > 0) {
			continue
		}
		covariance := (sums[o] - float64(missing*mean)) / t.weight
		r := covariance / (math.Sqrt(share*(1-share)) * t.sd[o])
		// Beyond r√(n−1), both tails of the normal distribution have less than the level.
		if math.Abs(r)*math.Sqrt((t.count-1)/2) > portable.Erfinv(1-missingLevel/float64(len(sums))) {
			return true
		}
	}
	return false
}
