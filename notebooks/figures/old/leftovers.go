package old

import (
	"cmp"
	"context"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	trials "github.com/obliqua-ml/obliqua/notebooks/figures/trial"
)

const sporfTrees = 500

// sporfFold loads a set of the SPORF authors: the fold of their partition that is the trial's repeat.
func sporfFold(ctx context.Context, t *trial) error {
	of := trials.Trial{Run: paper.Run{Problem: t.Problem, Repeat: t.Repeat}}
	err := trials.Partitioned(ctx, &of)
	t.train, t.test = of.Train, of.Test
	return err
}

// byRepeat puts all first repeats first, and so on.
func byRepeat(runs []Run) []Run {
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Compare(a.Repeat, b.Repeat) })
	return runs
}

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
