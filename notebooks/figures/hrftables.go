package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// testToTrain is the ratio of test to training rows in section 4: 20 % to 80 %.
const testToTrain = 0.25

// hrfSteps treat missing cells and categories as the paper does, but are fitted to training
// rows only.
var hrfSteps = datasets.Steps{datasets.Impute{}, datasets.TargetEncoding{Folds: 1}}

// HRFTable5 is the part of table 5 whose sets are at hand: random forests and HRF, tuned out
// of bag (m in {√p, log2 p, p}; α in {0.2, 0.5, 0.7, 0.9} and β in {1, 3, 6, 10}, and as α = 0
// of the authors' program the leaf rule without weights), and bagging and extremely randomised
// trees with their defaults. 50 random splits in the paper's setting. More has the mean
// errors ("err.name"), and what tests makes of HRF and each other one, by its name.
func HRFTable5(paper bool) Experiment {
	return hrfTable("hrf-table5", "table 5", paper, func(errors map[string][]float64, more map[string]float64) {
		for _, name := range []string{"rf", "bagging", "et"} {
			tests(more, name, errors["hrf"], errors[name])
		}
	}, "hrf", "rf", "bagging", "et")
}

// HRFTable6 has what table 6 needs beyond table 5: the same splits and forests without
// HRF, and the comparisons of random forests, bagging and extremely randomised trees with one another.
func HRFTable6(paper bool) Experiment {
	return hrfTable("hrf-table6", "table 6", paper, func(errors map[string][]float64, more map[string]float64) {
		for _, pair := range [][2]string{{"rf", "bagging"}, {"rf", "et"}, {"bagging", "et"}} {
			tests(more, pair[0]+"-"+pair[1], errors[pair[0]], errors[pair[1]])
		}
	}, "rf", "bagging", "et")
}

// hrfTable measures methods on all sets at hand. The score is the mean error of the first one.
func hrfTable(name, method string, paper bool, compare func(errors map[string][]float64, more map[string]float64), methods ...string) Experiment {
	splits := 3
	if paper {
		splits = 50
	}
	e := Experiment{Name: settingName(name, paper)}
	for _, short := range hrfTable5Sets() {
		e.Runs = append(e.Runs, Run{Problem: short, Method: method, X: splits, Repeat: 1, Seed: 1, Do: func(ctx context.Context) (Result, error) {
			begin := time.Now()
			errors, err := tunedErrors(ctx, short, splits, methods)
			if err != nil {
				return Result{}, err
			}
			result := Result{Seconds: time.Since(begin).Seconds(), More: map[string]float64{}}
			for name, of := range errors {
				result.More["err."+name], _ = eval.MeanStdErr(of)
			}
			compare(errors, result.More)
			result.Score = result.More["err."+methods[0]]
			return result, nil
		}})
	}
	return e
}

// settingName returns the name of an experiment's file, in the paper's setting or the fast one.
func settingName(name string, paper bool) string {
	if paper {
		return name + "-paper"
	}
	return name + "-fast"
}

// tunedErrors returns the errors of methods on each of so many random splits of a set.
func tunedErrors(ctx context.Context, short string, splits int, methods []string) (map[string][]float64, error) {
	d, err := hrfData(ctx, short)
	if err != nil {
		return nil, err
	}
	errors := map[string][]float64{}
	for _, name := range methods {
		errors[name] = make([]float64, splits)
	}
	return errors, parallel.Errors(splits, func(r int) error {
		train, test, err := datasets.Holdout{Test: 0.2, Seed: uint64(r + 1)}.Split(d)
		if err != nil {
			return err
		}
		steps, err := hrfSteps.Fit(ctx, train)
		if err != nil {
			return err
		}
		if train, err = steps.Apply(ctx, train); err != nil {
			return err
		}
		if test, err = steps.Apply(ctx, test); err != nil {
			return err
		}
		for _, name := range methods {
			model, err := fitBest(ctx, hrfGrid(name, train.P(), uint64(r+1)), train)
			if err != nil {
				return fmt.Errorf("%s, split %d: %w", name, r+1, err)
			}
			errors[name][r] = eval.Error(must.Value(model.Predict(ctx, test)), test.Labels)
		}
		return nil
	})
}

// hrfGrid returns the settings of a method for p features.
func hrfGrid(method string, p int, seed uint64) (grid []forest.Learner) {
	switch method {
	case "hrf":
		grid = append(grid, rf.Learner{Trees: hrfTrees, Constant: forest.MakeLeaf, Seed: seed})
		for _, l := range (rf.HRF{Trees: hrfTrees, Seed: seed}).Grid(ofFeatures(p)) {
			if l.(rf.HRF).Memory.Alpha > 0 {
				grid = append(grid, l)
			}
		}
	case "rf":
		for _, m := range []float64{math.Sqrt(float64(p)), math.Log2(float64(p)), float64(p)} {
			grid = append(grid, rf.Learner{Trees: hrfTrees, NodeFeatures: max(1, int(m)), Seed: seed})
		}
	case "bagging":
		grid = append(grid, rf.Bagging{Trees: hrfTrees, Seed: seed})
	case "et":
		grid = append(grid, rf.ExtraTrees{Trees: hrfTrees, Seed: seed})
	}
	return grid
}

// fitBest tunes out of bag, if there is something to tune.
func fitBest(ctx context.Context, grid []forest.Learner, train *datasets.Dataset) (*forest.Forest, error) {
	if len(grid) == 1 {
		return grid[0].Fit(ctx, train)
	}
	tuning, err := eval.Tune(ctx, grid, train, nil)
	if err != nil {
		return nil, err
	}
	return tuning.Model, nil
}

// tests compares the errors a and b of two methods on the same splits. It sets the mean of
// a − b ("diff.name"), the p-values of a being less and greater by the signed-rank test
// ("better-p.name", "worse-p.name"), and the two-sided one of the corrected resampled t-test
// of Nadeau and Bengio (Machine Learning 52, 2003), which allows for the splits' overlap ("t-p.name").
func tests(more map[string]float64, name string, a, b []float64) {
	more["better-p."+name] = eval.Wilcoxon(b, a)
	more["worse-p."+name] = eval.Wilcoxon(a, b)
	resampled := eval.ResampledTTest(a, b, testToTrain)
	more["diff."+name], more["t-p."+name] = resampled.Difference, resampled.P
}

func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

// HRFLeafRule divides the difference of HRF from a random forest into the part of the leaf
// rule and that of the weights, on the sets of table 5 with the parameters' defaults: 50
// random splits in the paper's setting, and also 100 for three sets. More has what tests makes of
// the leaf rule in a random forest ("rule"), of the weights in forests that draw on ("weights-on"), and
// of the weights in forests with the leaf rule ("weights-leaf").
func HRFLeafRule(paper bool) Experiment {
	e := Experiment{Name: settingName("hrf-leafrule", paper)}
	for _, short := range hrfTable5Sets() {
		splits := []int{5}
		if paper {
			splits[0] = 50
			if slices.Contains([]string{"bal", "smo", "vow"}, short) {
				splits = append(splits, 100)
			}
		}
		for _, n := range splits {
			e.Runs = append(e.Runs, Run{Problem: short, Method: "leaf rule", X: n, Repeat: 1, Seed: 1,
				Do: func(ctx context.Context) (Result, error) { return hrfLeafRule(ctx, short, n) }})
		}
	}
	return e
}

func hrfLeafRule(ctx context.Context, short string, splits int) (Result, error) {
	d, err := hrfData(ctx, short)
	if err != nil {
		return Result{}, err
	}
	return comparison{
		contenders: leafRules,
		steps:      hrfSteps,
		data: func(_ context.Context, repeat int) (train, test *datasets.Dataset, err error) {
			return datasets.Holdout{Test: 0.2, Seed: uint64(repeat)}.Split(d)
		},
		compare: func(errors [][]float64, more map[string]float64) {
			plain, leaf, weighted, both := errors[0], errors[1], errors[2], errors[3]
			tests(more, "rule", leaf, plain)
			tests(more, "weights-on", weighted, plain)
			tests(more, "weights-leaf", both, leaf)
		},
	}.run(ctx, splits)
}

// HRFNoiseShare is table 8: the share of features whose importance in a CART tree grown on
// all rows is below 1/p, p being the number of encoded columns. The score is the mean over trees of different
// seeds, which differ where cuts tie; More has the least and the largest, and p.
func HRFNoiseShare(paper bool) Experiment {
	e := Experiment{Name: settingName("hrf-table8", paper)}
	trees := 3
	if paper {
		trees = 20
	}
	for _, short := range hrfTable5Sets() {
		e.Runs = append(e.Runs, Run{Problem: short, Method: "noise share", X: trees, Repeat: 1, Seed: 1, Do: func(ctx context.Context) (Result, error) {
			begin := time.Now()
			d, err := hrfData(ctx, short)
			if err != nil {
				return Result{}, err
			}
			steps, err := hrfSteps.Fit(ctx, d)
			if err != nil {
				return Result{}, err
			}
			if d, err = steps.Apply(ctx, d); err != nil {
				return Result{}, err
			}
			shares := make([]float64, trees)
			for seed := range shares {
				if shares[seed], err = NoiseShare(ctx, d, uint64(seed+1)); err != nil {
					return Result{}, err
				}
			}
			mean, _ := eval.MeanStdErr(shares)
			return Result{Score: mean, Seconds: time.Since(begin).Seconds(), More: map[string]float64{
				"least": slices.Min(shares), "most": slices.Max(shares), "p": float64(d.P())}}, nil
		}})
	}
	return e
}

// NoiseShare grows a CART tree on all rows and returns the share of features whose
// importance is below 1/p (section 4.2).
func NoiseShare(ctx context.Context, d *datasets.Dataset, seed uint64) (float64, error) {
	tree, err := rf.CART{Seed: seed}.Fit(ctx, d)
	if err != nil {
		return 0, err
	}
	below := 0
	for _, v := range tree.Importance() {
		if v < 1/float64(d.P()) {
			below++
		}
	}
	return float64(below) / float64(d.P()), nil
}
