package trials

import (
	"context"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Studies are the trials.
var Studies = []trial.Study{Auto, Boost}

// Auto compares auto with other methods, all with their defaults, on the five folds of three partitions, stratified for
// classes, each with its own seed. The score is the error rate or, for values, the mean squared error divided by the
// variance of the training rows' values. A record's repeat is its fold, 1 to 15. Missing cells are filled, categories
// become indicators, and features are standardised on the training rows, but for auto, which prepares them itself.
//
// More has "processor" and "predict", the processor seconds of training and of predicting the test rows, and for auto
// the report's "trees", out-of-bag error "oob", its interval "low" and "high", and
// what slanted splits gain as "slanted", "slanted.low" and "slanted.high". The larger sets have the first partition
// only, and values have no method that is for classes alone.
var Auto = trial.Study{
	Experiment: &paper.Experiment{Name: "auto", File: "auto-paper.csv", List: autoRuns()},
	Rows: func(ctx context.Context, t *trial.Trial) error {
		for _, set := range autoValueSets {
			if set == t.Problem {
				return valueFold(ctx, t)
			}
		}
		return collectionFold(ctx, t)
	},
	Methods: map[string]trial.Method{
		"RF": trial.With(rf.Learner{}, oneHotSteps), "ET": trial.With(rf.ExtraTrees{}, oneHotSteps),
		"SPORF": trial.With(sporf.Learner{}, oneHotSteps), "GRAF": trial.With(graf.Learner{}, oneHotSteps),
		"CCF": trial.With(ccf.Learner{}, oneHotSteps), "rotation forest": trial.With(rotation.Learner{}, oneHotSteps),
		"mix": trial.With(mix.Learner{}, oneHotSteps), "auto": trial.With(auto.Learner{}),
	},
	Measure: autoReport,
}

// folds are five folds of each of three partitions of the rows.
const folds = 15

func autoRuns() (runs []paper.Run) {
	for _, g := range []paper.Grid{
		{Problems: autoSets, Repeats: folds,
			Methods: []string{"RF", "ET", "SPORF", "GRAF", "CCF", "rotation forest", "mix", "auto"}},
		{Problems: autoValueSets, Methods: []string{"RF", "ET", "SPORF", "mix", "auto"}, Repeats: folds},
		{Problems: autoLargeSets, Repeats: 5,
			Methods: []string{"RF", "ET", "SPORF", "GRAF", "CCF", "rotation forest", "mix", "auto"}},
	} {
		for _, r := range g.Runs() {
			r.Seed = 1 + uint64(r.Repeat-1)/5
			runs = append(runs, r)
		}
	}
	return runs
}

// autoReport is the measure of [Auto].
func autoReport(ctx context.Context, t *trial.Trial) error {
	unit, begun := 1.0, trial.ProcessorSeconds()
	if t.Model.Regression() {
		predicted, err := t.Model.PredictValues(ctx, t.Test)
		if err != nil {
			return err
		}
		unit = stat.PopVariance(t.Train.Values, nil)
		t.Score = eval.MSE(predicted, t.Test.Values) / unit
	} else if err := trial.ErrorRate(ctx, t); err != nil {
		return err
	}
	t.Seconds, t.More["processor"], t.More["predict"] = t.Processor, t.Processor, trial.ProcessorSeconds()-begun
	if t.Method != "auto" {
		return nil
	}
	report, err := auto.Read(t.Model)
	if err != nil {
		return err
	}
	for name, v := range map[string]float64{
		"oob": report.Error, "low": report.Interval.Low, "high": report.Interval.High,
		"slanted": report.Slanted, "slanted.low": report.SlantedInterval.Low, "slanted.high": report.SlantedInterval.High,
	} {
		t.More[name] = v / unit
	}
	t.More["trees"], t.Setting = float64(report.Trees), report.Chosen
	return nil
}
