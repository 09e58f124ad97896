package hrf

import (
	"context"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// table4 are the paper's grids. All have 100 trees.
var table4 = map[string]trial.Family{"RF": nodeGrid, "bagging": shareGrid, "ET": depthGrid, "HRF": memories4}

// depthGrid is that of extremely randomised trees: depths of 4, 6 and any, and 2 or 4 rows to split a node.
func depthGrid(*trial.Trial) (grid []forest.Learner) {
	for _, depth := range []int{4, 6, 0} {
		for _, rows := range []int{2, 4} {
			grid = append(grid, rf.ExtraTrees{Growth: forest.Growth{MaxDepth: depth, MinSplit: rows}})
		}
	}
	return grid
}

// memories4 is HRF's: α from 0.1 to 0.9 and β from 1 to min(10, p), and the leaf rule without weights, which is α = 0
// of the authors' program with any β.
func memories4(t *trial.Trial) []forest.Learner {
	grid := []forest.Learner{rf.Learner{Constant: rf.MakeLeaf}}
	for tenths := 1; tenths <= 9; tenths++ {
		for beta := 1; beta <= min(10, t.Train.P()); beta++ {
			grid = append(grid, rf.HRF{Memory: forest.Memory{Alpha: float64(tenths) / 10, Beta: beta}})
		}
	}
	return grid
}

// tunedOnce tunes a method on the training rows of the first division, by the error of stratified 5-fold
// cross-validation, and tests the setting in all X divisions. See [hrf.Tuned].
func tunedOnce(ctx context.Context, t *trial.Trial) error {
	first := *t
	if err := Prepared(ctx, &first); err != nil {
		return err
	}
	grid := table4[t.Method].Settings(&first, trees)
	tuning, err := eval.Tune(ctx, grid, first.Train, datasets.KFold{K: 5, Stratified: true, Seed: t.Seed})
	if err != nil {
		return err
	}
	best := grid[tuning.Best]
	t.Setting, t.More["rows"] = setting(best), float64(first.Test.N())
	errors := make([]float64, t.X)
	err = parallel.Errors(t.X, func(r int) (err error) {
		errors[r], err = testedOn(ctx, t.Problem, uint64(r+1), best)
		return err
	})
	for r, e := range errors {
		t.More[fmt.Sprint("wrong", r+1)] = math.Round(e * t.More["rows"])
	}
	t.Score = eval.Mean(errors)
	return err
}

// testedOn returns a learner's error in a division.
func testedOn(ctx context.Context, set string, division uint64, l forest.Learner) (float64, error) {
	t := trial.Trial{Run: paper.Run{Problem: set, Seed: division}}
	err := Prepared(ctx, &t)
	if err == nil {
		err = t.Fit(ctx, trial.Seeded(l, division))
	}
	if err == nil {
		err = trial.ErrorRate(ctx, &t)
	}
	return t.Score, err
}

// setting returns what is tuned of a learner as text.
func setting(l forest.Learner) string {
	switch l := l.(type) {
	case rf.HRF:
		return fmt.Sprintf("α=%g β=%d", l.Memory.Alpha, l.Memory.Beta)
	case rf.ExtraTrees:
		return fmt.Sprintf("depth=%d min=%d", l.MaxDepth, l.MinSplit)
	case rf.Bagging:
		return fmt.Sprintf("features=%d", l.TreeFeatures)
	case rf.Learner:
		if l.Constant != rf.MakeLeaf {
			return fmt.Sprintf("m=%d", l.NodeFeatures)
		}
	}
	return "α=0"
}
