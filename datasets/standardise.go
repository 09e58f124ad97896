package datasets

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Standardise gives every numeric column zero mean and unit variance over the
// training data. The variance is the mean squared deviation (divided by n, not
// n−1). Means are weighted and ignore missing cells, which stay missing. A column
// that is constant in the training data is only centred. Finite cells stay finite: what is
// too large for a float32 becomes the largest one. Categorical columns are not changed.
type Standardise struct{}

// Fit computes the means and standard deviations of train. A column without a
// value in any row of positive weight is not changed. Fit returns an error if
// train is invalid (see [Dataset.Check]), or if a column has an infinite cell.
func (Standardise) Fit(ctx context.Context, train *Dataset) (Transform, error) {
	if err := train.Check(); err != nil {
		return nil, err
	}
	t := standardised{features: train.Features, mean: make([]float64, train.P()), sd: make([]float64, train.P())}
	for j, f := range train.Features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.sd[j] = 1
		if f.Categories == nil {
			t.mean[j], t.sd[j] = train.moments(j)
			if v := t.mean[j] + t.sd[j]; v-v != 0 {
				return nil, fmt.Errorf("datasets: Standardise of %s: column %q has mean %v and standard deviation %v; want finite numbers",
					train.label(), f.Name, t.mean[j], t.sd[j])
			}
		}
	}
	return t, nil
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

type standardised struct {
	features []Feature
	mean, sd []float64
}

func (t standardised) Apply(ctx context.Context, d *Dataset) (*Dataset, error) {
	if err := checkFitted("Standardise", t.features, d); err != nil {
		return nil, err
	}
	columns := slices.Clone(d.Columns)
	for j, f := range t.features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.Categories != nil {
			continue
		}
		columns[j] = make([]float32, len(d.Columns[j]))
		for i, v := range d.Columns[j] {
			z := (float64(v) - t.mean[j]) / t.sd[j]
			if v-v == 0 { // an infinite cell stays one, so that it is noticed
				z = min(max(z, -math.MaxFloat32), math.MaxFloat32)
			}
			columns[j][i] = float32(z)
		}
	}
	return d.withColumns(d.Features, columns), nil
}
