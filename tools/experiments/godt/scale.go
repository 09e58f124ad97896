package godt

import (
	"context"

	"github.com/obliqua-ml/obliqua/datasets"
)

// scaled is a step that maps each column's range over the training rows to [−1, 1], as LIBSVM's site has some of the
// thesis's sets. A constant column becomes 0. Columns must be numeric and complete.
type scaled struct{}

// ranges are the middle and half of the width of each column's range.
type ranges [][2]float64

func (scaled) Fit(ctx context.Context, train *datasets.Dataset) (datasets.Transform, *datasets.Dataset, error) {
	var all ranges
	for j := range train.P() {
		low, high := train.At(0, j), train.At(0, j)
		for i := range train.N() {
			low, high = min(low, train.At(i, j)), max(high, train.At(i, j))
		}
		half := (float64(high) - float64(low)) / 2
		if half == 0 {
			half = 1
		}
		all = append(all, [2]float64{(float64(low) + float64(high)) / 2, half})
	}
	made, err := all.Apply(ctx, train)
	return all, made, err
}

func (r ranges) Apply(_ context.Context, d *datasets.Dataset) (*datasets.Dataset, error) {
	c := *d
	c.Rows, c.Columns = nil, columns(d)
	for j, column := range c.Columns {
		for i, v := range column {
			column[i] = float32((float64(v) - r[j][0]) / r[j][1])
		}
	}
	return &c, nil
}
