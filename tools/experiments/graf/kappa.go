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
	"github.com/obliqua-ml/obliqua/internal/papers/graf"
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
		compared := settings(t.Method, t.Trees(tuningTrees), t.Seed, d.P())
		best, _, err := tuneByKappa(ctx, compared, t.Train, []int{tuningTrees})
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

// tuneOnce tunes a method as the paper does: once, by κ in 5-fold cross-validation on a half of the rows. It tests the
// best setting in four folds of all rows, so that rows that are tested have been seen in tuning.
func tuneOnce(ctx context.Context, t *trial.Trial, method string) error {
	d, folds, err := PublishedFolds(ctx, t.Problem)
	if err != nil {
		return err
	}
	half, _, err := datasets.Holdout{Test: 0.5, Stratified: true, Seed: t.Seed}.Split(d)
	if err != nil {
		return err
	}
	most := t.Trees(paperTrees[len(paperTrees)-1])
	setting, trees, err := tuneByKappa(ctx, settings(method, most, t.Seed, d.P()), half, paperTrees)
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

// tuneByKappa returns which learner of a grid and which number of trees have the highest κ over all rows of a 5-fold
// cross-validation together, the first of equals. The numbers ascend; those beyond a forest's trees stand for all.
func tuneByKappa(
	ctx context.Context, grid []forest.Learner, d *datasets.Dataset, numbers []int,
) (best, trees int, err error) {
	parts, err := datasets.KFold{K: 5, Stratified: true, Seed: 1}.Folds(d)
	if err != nil {
		return 0, 0, err
	}
	highest := math.Inf(-1)
	for i, l := range grid {
		labels := make([][]int32, len(numbers))
		for k := range numbers {
			labels[k] = make([]int32, d.N())
		}
		most := 0
		for _, part := range parts {
			if most, err = labelPart(ctx, l, d, part, numbers, labels); err != nil {
				return 0, 0, err
			}
		}
		for k, n := range numbers {
			if kappa := eval.Kappa(labels[k], d.Labels); kappa > highest {
				highest, best, trees = kappa, i, min(n, most)
			}
		}
	}
	return best, trees, nil
}

// labelPart sets the labels that each number of trees predicts for the test rows of a part, and returns how many trees
// there are. The first trees of a large forest are those of a small one with its seed.
func labelPart(
	ctx context.Context, l forest.Learner, d *datasets.Dataset, part datasets.Fold, numbers []int, labels [][]int32,
) (most int, err error) {
	train, test := part.Split(d)
	model, err := l.Fit(ctx, train)
	if err != nil {
		return 0, err
	}
	all := model.Trees
	for k, n := range numbers {
		model.Trees = all[:min(n, len(all))]
		predicted, err := model.Predict(ctx, test)
		if err != nil {
			return 0, err
		}
		for i, y := range predicted {
			labels[k][part.Test[i]] = y
		}
	}
	return len(all), nil
}
