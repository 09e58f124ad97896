package old

import (
	"cmp"
	"context"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	trials "github.com/obliqua-ml/obliqua/notebooks/figures/trial"
	"github.com/obliqua-ml/obliqua/sim"
)

const sporfTrees = 500

var (
	trunk       = sim.Trunk{Features: 10}
	chanceKappa = byLabels(eval.ChanceKappa)
)

// sporfFold loads a set of the SPORF authors: the fold of their partition that is the trial's repeat.
func sporfFold(ctx context.Context, t *trial) error {
	of := trials.Trial{Run: paper.Run{Problem: t.Problem, Repeat: t.Repeat}}
	err := trials.Partitioned(ctx, &of)
	t.train, t.test = of.Train, of.Test
	return err
}

// two loads two data sets.
func two(ctx context.Context, first, second string) (a, b *datasets.Dataset, err error) {
	if a, err = public.Load(ctx, first); err != nil {
		return nil, nil, err
	}
	b, err = public.Load(ctx, second)
	return a, b, err
}

// byRepeat puts all first repeats first, and so on.
func byRepeat(runs []Run) []Run {
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Compare(a.Repeat, b.Repeat) })
	return runs
}
