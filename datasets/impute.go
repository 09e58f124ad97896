package datasets

import (
	"context"
	"fmt"
	"slices"
)

// Impute fills missing cells: in a numeric column with the mean of the training
// data, and in a categorical one with its most frequent category (of several,
// the one listed first). Means and frequencies are weighted.
type Impute struct{}

// Fit computes the means and the most frequent categories of train. It returns
// an error if train is invalid (see [Dataset.Check]), if a column has no value in
// any row of positive weight, or if a mean is not finite.
func (Impute) Fit(ctx context.Context, train *Dataset) (Transform, error) {
	if err := train.Check(); err != nil {
		return nil, err
	}
	t := imputed{features: train.Features, fill: make([]float32, train.P())}
	for j, f := range train.Features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		fill, ok := train.mean(j)
		if f.Categories != nil {
			fill, ok = train.mode(j)
		}
		if !ok {
			return nil, fmt.Errorf("datasets: Impute of %s: column %q has no value to learn from; drop it", train.label(), f.Name)
		}
		t.fill[j] = float32(fill)
		if v := t.fill[j]; v-v != 0 {
			return nil, fmt.Errorf("datasets: Impute of %s: the mean of column %q is %v; want a finite number", train.label(), f.Name, v)
		}
	}
	return t, nil
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
	totals := make([]float64, len(d.Features[j].Categories))
	for i := range d.N() {
		if v := d.At(i, j); v == v {
			totals[int32(v)] += d.weight(i)
		}
	}
	best := 0
	for c, total := range totals {
		if total > totals[best] {
			best = c
		}
	}
	return float64(best), len(totals) > 0 && totals[best] > 0
}

type imputed struct {
	features []Feature
	fill     []float32
}

func (t imputed) Apply(ctx context.Context, d *Dataset) (*Dataset, error) {
	if err := checkFitted("Impute", t.features, d); err != nil {
		return nil, err
	}
	features, columns := slices.Clone(d.Features), slices.Clone(d.Columns)
	for j := range columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !d.missing(j) {
			continue
		}
		fill := t.fill[j]
		if c := t.features[j].Categories; c != nil {
			fill = features[j].code(c[int32(fill)])
		}
		columns[j] = slices.Clone(columns[j])
		for i, v := range columns[j] {
			if v != v {
				columns[j][i] = fill
			}
		}
	}
	return d.withColumns(features, columns), nil
}

// missing reports whether a row of d has no value in column j.
func (d *Dataset) missing(j int) bool {
	for i := range d.N() {
		if v := d.At(i, j); v != v {
			return true
		}
	}
	return false
}

// code returns the code of a category, which is added if it is not listed.
func (f *Feature) code(category string) float32 {
	c := slices.Index(f.Categories, category)
	if c < 0 {
		c = len(f.Categories)
		f.Categories = append(slices.Clone(f.Categories), category)
	}
	return float32(c)
}
