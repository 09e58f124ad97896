package graf

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	forests "github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/notebooks/figures/graf"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// settings returns the grid of table D.1 for p features: M and MinSplit as in section 7.2. GRAF has K = M. The oblique
// tree, whose fits are slow, has at most 100 trees and M for at most 32 features.
func settings(method string, trees int, seed uint64, p int) (grid []forest.Learner) {
	if method == "OT" {
		trees, p = min(trees, 100), min(p, 32)
	}
	for _, l := range (forests.Learner{}).Grid(&datasets.Dataset{Columns: make([][]float32, p)}) {
		l := l.(forests.Learner)
		grid = append(grid, trial.Seeded(learner(method, trees, l.TreeFeatures, l.MinSplit), seed))
	}
	return grid
}

const (
	tuningTrees = 100 // when comparing settings
	tableTrees  = 200 // the paper tunes this, from 100 to 2000
)

// PublishedFolds loads a set of the collection of Fernández-Delgado and others, and its four folds, which must be in a
// folder of OBLIQUA_DATA.
func PublishedFolds(ctx context.Context, set string) (*datasets.Dataset, []datasets.Fold, error) {
	d, err := public.Load(ctx, "fd_"+set)
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join("fd_folds", set+".kfold.txt.gz")
	folds, err := trial.FromData(path, func(path string) ([]datasets.Fold, error) {
		return datasets.ReadKFold(ctx, path, d.N())
	})
	return d, folds, err
}

// tuneAndFold compares the settings of a method on the training part of every fold by 5-fold cross-validation, and
// tests the best. It also tests all other settings, to find the best in hindsight.
func tuneAndFold(ctx context.Context, t *trial.Trial) error {
	d, folds, err := PublishedFolds(ctx, t.Problem)
	if err != nil {
		return err
	}
	grid := settings(t.Method, t.Trees(tableTrees), t.Seed, d.P())
	tuned, byGrid := make([]float64, len(folds)), make([]float64, len(grid))
	var chosen []string
	for k, fold := range folds {
		t.Train, t.Test = fold.Split(d)
		best, err := tuneByKappa(ctx, settings(t.Method, t.Trees(tuningTrees), t.Seed, d.P()), t.Train)
		if err != nil {
			return fmt.Errorf("fold %d: %w", k+1, err)
		}
		for i, l := range grid {
			if err = t.Fit(ctx, l); err == nil {
				err = trial.ByLabels(eval.Kappa)(ctx, t)
			}
			if err != nil {
				return fmt.Errorf("fold %d: %w", k+1, err)
			}
			byGrid[i] += t.Score / float64(len(folds))
			if i == best {
				tuned[k] = t.Score
			}
		}
		chosen = append(chosen, trial.Setting(grid[best], d.P()))
		t.More[fmt.Sprint("fold", k+1)] = tuned[k]
	}
	t.Score, t.Setting = eval.Mean(tuned), strings.Join(chosen, "; ")
	t.More["sd"], t.More["best"] = stat.PopStdDev(tuned, nil), slices.Max(byGrid)
	return nil
}

// paperTrees are the numbers of trees that the paper tunes over (section 7.2).
var paperTrees = []int{100, 200, 500, 1000, 2000}

// tunedKappa measures a method of table D.1.
func tunedKappa(ctx context.Context, t *trial.Trial) error {
	if method, ok := strings.CutSuffix(t.Method, graf.Once); ok {
		return tuneOnce(ctx, t, method)
	}
	return tuneAndFold(ctx, t)
}

// tuneOnce tunes a method as the paper does, like Fernández-Delgado and others: once, by κ on a half of the rows after
// training on the other half, and tests the best setting in four folds of all rows.
func tuneOnce(ctx context.Context, t *trial.Trial, method string) error {
	d, folds, err := PublishedFolds(ctx, t.Problem)
	if err != nil {
		return err
	}
	train, test, err := datasets.Holdout{Test: 0.5, Stratified: true, Seed: t.Seed}.Split(d)
	if err != nil {
		return err
	}
	most := t.Trees(paperTrees[len(paperTrees)-1])
	setting, trees, err := bestPrefix(ctx, settings(method, most, t.Seed, d.P()), train, test)
	if err != nil {
		return err
	}
	best := settings(method, trees, t.Seed, d.P())[setting]
	var kappas []float64
	for k, fold := range folds {
		t.Train, t.Test = fold.Split(d)
		if err = t.Fit(ctx, best); err == nil {
			err = trial.ByLabels(eval.Kappa)(ctx, t)
		}
		if err != nil {
			return fmt.Errorf("fold %d: %w", k+1, err)
		}
		kappas = append(kappas, t.Score)
		t.More[fmt.Sprint("fold", k+1)] = t.Score
	}
	t.Score, t.Setting = eval.Mean(kappas), fmt.Sprintf("%s trees=%d", trial.Setting(best, d.P()), trees)
	t.More["sd"] = stat.PopStdDev(kappas, nil)
	return nil
}

// bestPrefix returns which setting and which of [paperTrees] give the highest κ on the test rows, the first of equals.
// The first trees of a large forest are those of a small one with its seed.
func bestPrefix(
	ctx context.Context, grid []forest.Learner, train, test *datasets.Dataset,
) (setting, trees int, err error) {
	highest := math.Inf(-1)
	for i, l := range grid {
		model, err := l.Fit(ctx, train)
		if err != nil {
			return 0, 0, err
		}
		all := model.Trees
		for _, n := range paperTrees {
			model.Trees = all[:min(n, len(all))]
			labels, err := model.Predict(ctx, test)
			if err != nil {
				return 0, 0, err
			}
			if kappa := eval.Kappa(labels, test.Labels); kappa > highest {
				highest, setting, trees = kappa, i, len(model.Trees)
			}
		}
	}
	return setting, trees, nil
}

// tuneByKappa returns the index of the learner with the highest κ over all rows of a 5-fold cross-validation together.
func tuneByKappa(ctx context.Context, grid []forest.Learner, d *datasets.Dataset) (best int, err error) {
	parts, err := datasets.KFold{K: 5, Stratified: true, Seed: 1}.Folds(d)
	if err != nil {
		return 0, err
	}
	highest := math.Inf(-1)
	for i, l := range grid {
		labels := make([]int32, d.N())
		for _, part := range parts {
			train, test := part.Split(d)
			model, err := l.Fit(ctx, train)
			if err != nil {
				return 0, err
			}
			predicted, err := model.Predict(ctx, test)
			if err != nil {
				return 0, err
			}
			for k, y := range predicted {
				labels[part.Test[k]] = y
			}
		}
		if kappa := eval.Kappa(labels, d.Labels); kappa > highest {
			best, highest = i, kappa
		}
	}
	return best, nil
}
