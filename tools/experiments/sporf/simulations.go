package sporf

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	learners "github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/papers/sporf"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

var (
	parity   = sim.SparseParity{Features: 20, Informative: 3}
	problems = map[string]trial.Sampler{"consistency": sim.Consistency{}, "orthant": sim.Orthant{Features: 6},
		"sparse parity": parity, "trunk": sim.Trunk{Features: 10}}
	drawn = trial.Drawn(problems, 0)
)

var simulations = []trial.Study{
	{Experiment: &sporf.Consistency, Rows: drawn, Methods: consistencyMethods()},
	{Experiment: &sporf.Errors, Rows: drawn, Methods: errorMethods()},
	{Experiment: &sporf.Importances, Rows: drawn, Measure: importances, Methods: map[string]trial.Method{
		"RF":    fixed(rf.Learner{Trees: trees, NodeFeatures: 3}),
		"SPORF": fixed(learners.Learner{Trees: trees, Candidates: 10, Density: 0.5})}},
	{Experiment: &sporf.Bias, Do: bias(25, tunedOnce(100))},
	{Experiment: &sporf.WholeBias, Do: bias(100, func() trial.Action { return choose }),
		Work: workOnSample},
}

// consistencyMethods are the methods of figure 1. With the depth cap, each tree of a random forest spends its levels on
// the stripes, as in the theorem of Biau et al., and has none left for the checkerboard.
func consistencyMethods() map[string]trial.Method {
	methods := tuned(trees, trees)
	methods["RF, depth cap"] = trial.Tuned(trees, trees, func(t *trial.Trial) []forest.Learner {
		return []forest.Learner{rf.Learner{NodeFeatures: t.Train.P(), Growth: depthCap(t.Train.N())}}
	})
	methods["SPORF, depth cap"] = trial.Tuned(trees, trees, func(t *trial.Trial) []forest.Learner {
		return learners.Learner{Growth: depthCap(t.Train.N())}.Grid(t.Train)
	})
	methods["RF, as the authors"] = asAuthors(func(g forest.Growth) forest.Learner {
		return rf.Learner{Trees: trees, NodeFeatures: 2, Growth: g, Constant: rf.MakeLeaf}
	})
	methods["SPORF, as the authors"] = asAuthors(func(g forest.Growth) forest.Learner {
		return learners.Learner{Trees: trees, Candidates: 2, Density: 0.5, Growth: g, NoRedraw: true}
	})
	return methods
}

// asAuthors returns a method of the authors' notebook of figure 1. With 10,000 rows it is tested on the training rows.
func asAuthors(learner func(g forest.Growth) forest.Learner) trial.Method {
	fitted := trial.Fitted(func(t *trial.Trial) forest.Learner {
		g := depthCap(t.Train.N())
		g.MaxDepth--
		return learner(g)
	})
	return trial.Method{Fit: func(ctx context.Context, t *trial.Trial) error {
		if t.Train.N() == t.Test.N() {
			t.Test = t.Train
		}
		return fitted.Fit(ctx, t)
	}}
}

func depthCap(n int) forest.Growth {
	return forest.Growth{MaxDepth: bits.Len(uint(n - 1)), MinSplit: 6}
}

// errorMethods compare settings with 50 trees from 5000 rows on, and with all below. The kept results of RF and SPORF
// with 5000 rows are older: they were compared with all.
func errorMethods() map[string]trial.Method {
	small, large := tuned(trees, trees), tuned(50, trees)
	for name, below := range small {
		small[name] = trial.Method{Fit: func(ctx context.Context, t *trial.Trial) error {
			if t.X < 5000 {
				return below.Fit(ctx, t)
			}
			return large[name].Fit(ctx, t)
		}}
	}
	return small
}

// trunkBayes returns the error of the best classifier that knows only a projection of [sim.Trunk]. Along a the classes
// are Gaussians with means ±a·μ and standard deviation ‖a‖, so it is Φ(−|a·μ|/‖a‖).
func trunkBayes(a forest.Projection) float64 {
	var dot, squares float64
	for i, j := range a.Index {
		w := float64(a.Weights[i])
		dot += w / math.Sqrt(float64(j+1))
		squares += w * w
	}
	return math.Erfc(math.Abs(dot)/math.Sqrt(2*squares)) / 2
}

// importances measures figure 4. Importances are relative to the largest: only so can SPORF's, which are shared among
// many more projections, lie above the random forest's.
func importances(_ context.Context, t *trial.Trial) error {
	all := t.Model.Projections()
	t.More["largest"] = all[0].Importance
	for i, p := range all[:min(10, len(all))] {
		bayes := trunkBayes(p)
		t.Score += bayes / 10
		t.More[fmt.Sprint("bayes.", i+1)] = bayes
		t.More[fmt.Sprint("importance.", i+1)] = p.Importance / all[0].Importance
		for k, j := range p.Index {
			t.More[fmt.Sprintf("weight.%d.%d", i+1, j+1)] = float64(p.Weights[k])
		}
	}
	return nil
}

func strength(ctx context.Context, t *trial.Trial) error {
	trees, err := inspect.StrengthCorrelation(ctx, t.Model, t.Test)
	if err != nil {
		return err
	}
	t.More["strength"], t.More["correlation"] = trees.Strength, trees.Correlation
	return trial.ErrorRate(ctx, t)
}

// bias trains forests on samples of X rows of sparse parity, tests them on the same 10,000 rows, and decomposes their
// error by James. Fit returns what trains the forests of a run.
func bias(samples int, fit func() trial.Action) trial.Action {
	return func(ctx context.Context, t *trial.Trial) error {
		test, train := parity.Sample(10000, 1), fit()
		predictions := make([][]int32, samples)
		for i := range predictions {
			sample := *t
			sample.Seed, sample.More = uint64(i+1), map[string]float64{}
			sample.Train, sample.Test = parity.Sample(t.X, 2*sample.Seed), test
			err := train(ctx, &sample)
			if err == nil {
				predictions[i], err = sample.Model.Predict(ctx, test)
			}
			if err != nil {
				return err
			}
			t.Setting = sample.Setting
		}
		posterior := make([][]float64, test.N()) // labels have no noise
		for i, y := range test.Labels {
			posterior[i] = make([]float64, len(test.Classes))
			posterior[i][y] = 1
		}
		j := eval.JamesDecomposition(predictions, posterior)
		t.Score, t.More["samples"] = j.Error, float64(samples)
		t.More["bias"], t.More["variance"], t.More["effect"] = j.Bias, j.Variance, j.VarianceEffect
		return nil
	}
}

// tunedOnce trains with the setting that is best on the first sample.
func tunedOnce(trees int) func() trial.Action {
	return func() trial.Action {
		best := -1
		return func(ctx context.Context, t *trial.Trial) error {
			grid := families[t.Method].Settings(t, t.Trees(trees))
			if best < 0 {
				tuning, err := eval.Tune(ctx, grid, t.Train, nil)
				if err != nil {
					return err
				}
				best = tuning.Best
			}
			t.Setting = trial.Setting(grid[best], t.Train.P())
			return t.Fit(ctx, grid[best])
		}
	}
}
