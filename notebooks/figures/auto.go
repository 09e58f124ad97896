package figures

import (
	"context"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// autoMethods are the methods that auto is compared with, and itself, all with their defaults. Those with values
// learn values, too.
var autoMethods = []struct {
	name    string
	values  bool
	learner func(seed uint64) forest.Learner
}{
	{"RF", true, func(seed uint64) forest.Learner { return rf.Learner{Seed: seed} }},
	{"ET", true, func(seed uint64) forest.Learner { return rf.ExtraTrees{Seed: seed} }},
	{"SPORF", true, func(seed uint64) forest.Learner { return sporf.Learner{Seed: seed} }},
	{"GRAF", false, func(seed uint64) forest.Learner { return graf.Learner{Seed: seed} }},
	{"CCF", false, func(seed uint64) forest.Learner { return ccf.Learner{Seed: seed} }},
	{"rotation forest", false, func(seed uint64) forest.Learner { return rotation.Learner{Seed: seed} }},
	{"mix", true, func(seed uint64) forest.Learner { return mix.Learner{Seed: seed} }},
	{"auto", true, func(seed uint64) forest.Learner { return auto.Learner{Seed: seed} }},
}

// autoValueSets are those of [Calibration], whose names have an odd CRC-32, and three others, so that there are twelve. Of
// those with more than 3000 rows as many are taken, evenly spaced.
var autoValueSets = append(slices.Clone(coverageSets), "auto_mpg", "electrical_grid", "energy_cooling")

// autoLargeSets are the sets of odd names that [mixSets] leaves out because they have more than 80,000 cells, up to 500,000.
var autoLargeSets = []string{
	"adult", "arrhythmia", "chess-krvkp", "nursery", "pendigits", "plant-margin", "plant-shape", "plant-texture", "statlog-shuttle",
}

// autoFolds are five folds of each of three partitions of the rows.
const autoFolds = 15

// Auto returns the runs that compare auto with other methods, all with their defaults, on the five
// folds of three partitions, stratified for classes, each with its own seed. The score is the error rate or, for values, the mean squared error divided by the variance of the training
// rows' values. A record's repeat is its fold, 1 to 15. Missing cells are filled, categories become indicators, and features are standardised on the training rows, but for auto, which prepares them itself. More
// has "processor" and "predict" as in [Mix], and for auto the report's "trees", out-of-bag error "oob", the same "corrected" for choosing, its interval "low" and "high", and
// what slanted splits gain as "slanted", "slanted.low" and "slanted.high". The paper's setting (there is no paper: it is the slow one) has
// the 35 sets of [Mix], 12 of values and, with the first partition only, nine larger ones of classes; the fast one has a set of each of the first two.
func Auto(paper bool) Experiment {
	e := Experiment{Name: "auto-fast"}
	classes, values := mixSets[6:7], autoValueSets[3:4]
	if paper {
		e.Name = "auto-paper"
		classes, values = mixSets, autoValueSets
	}
	add := func(set string, values bool, folds int, split func(ctx context.Context, set string, fold int) (train, test *datasets.Dataset, err error)) {
		for _, m := range autoMethods {
			if values && !m.values {
				continue
			}
			for fold := range folds {
				seed := 1 + uint64(fold/5)
				e.Runs = append(e.Runs, Run{Problem: set, Method: m.name, Repeat: fold + 1, Seed: seed,
					Do: func(ctx context.Context) (Result, error) {
						train, test, err := split(ctx, set, fold)
						if err != nil {
							return Result{}, err
						}
						return autoRun(ctx, m.learner(seed), train, test)
					}})
			}
		}
	}
	for _, set := range classes {
		add(set, false, autoFolds, mixFold)
	}
	for _, set := range values {
		add(set, true, autoFolds, valueFold)
	}
	if paper {
		for _, set := range autoLargeSets {
			add(set, false, 5, mixFold)
		}
	}
	return e
}

// valueFold returns a fold of a set of values, numbered as in mixFold.
func valueFold(ctx context.Context, set string, fold int) (train, test *datasets.Dataset, err error) {
	d, folds, err := valueFolds(ctx, set, fold/5)
	if err != nil {
		return nil, nil, err
	}
	train, test = folds[fold%5].Split(d)
	return train, test, nil
}

// autoRun trains a learner and measures it on the test rows.
func autoRun(ctx context.Context, learner forest.Learner, train, test *datasets.Dataset) (Result, error) {
	_, prepares := learner.(auto.Learner)
	if !prepares {
		learner = forest.Pipeline(learner, oneHotSteps)
	}
	begun := processorSeconds()
	model, err := learner.Fit(ctx, train)
	if err != nil {
		return Result{}, err
	}
	trained := processorSeconds()
	r := Result{Seconds: trained - begun}
	sd := deviation(train.Values)
	if model.Regression() {
		r.Score = eval.MSE(must.Value(model.PredictValues(ctx, test)), test.Values) / (sd * sd)
	} else {
		r.Score = eval.Error(must.Value(model.Predict(ctx, test)), test.Labels)
	}
	r.More = map[string]float64{"processor": r.Seconds, "predict": processorSeconds() - trained}
	if prepares {
		report, err := auto.Read(model)
		if err != nil {
			return Result{}, err
		}
		unit := 1.0
		if report.Values {
			unit = sd * sd
		}
		for name, v := range map[string]float64{"oob": report.Error, "corrected": report.Corrected, "low": report.Interval.Low, "high": report.Interval.High,
			"slanted": report.Slanted, "slanted.low": report.SlantedInterval.Low, "slanted.high": report.SlantedInterval.High} {
			r.More[name] = v / unit
		}
		r.More["trees"] = float64(report.Trees)
		r.Setting = report.Chosen
	}
	return r, nil
}
