package old

import (
	"context"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// whole returns the rows that lack no cell.
func whole(d *datasets.Dataset) *datasets.Dataset {
	var rows []int32
	for i := range d.N() {
		if !slices.ContainsFunc(d.Row(nil, i), func(v float32) bool { return v != v }) {
			rows = append(rows, int32(i))
		}
	}
	return d.Subset(rows)
}

// errorOn returns the error rate of a forest.
func errorOn(f *forest.Forest, d *datasets.Dataset) float64 {
	return eval.Error(must.Value(f.Predict(context.Background(), d)), d.Labels)
}
