// Package trials has the comparisons of boosting and of auto, the default learner, with other methods and libraries.
// No paper has them; docs/boost.md and docs/auto.md say what came out.
package trials

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Boost compares package boost, with and without signed sums, with mix and auto, all with their defaults, on the rows
// of sets of up to 2000 rows that no setting of package boost was chosen on.
var Boost = trial.Study{
	Experiment: boostExperiment("boost", "boost", "boost without sums", "mix", "auto"),
	Rows:       boostFold, Steps: datasets.Steps{datasets.Prepare{}}, Measure: measured,
	Methods: map[string]trial.Method{"boost": trial.With(boost.Learner{}),
		"boost without sums": trial.With(boost.Learner{Sums: -1}), "mix": trial.With(mix.Learner{}),
		"auto": trial.With(auto.Learner{})},
}

// boostExperiment lists the runs of methods on boostSets: five folds of each of three partitions, one partition after
// another. A run's repeat is its fold, 1 to 15, and its seed that of the partition and of the method.
func boostExperiment(name string, methods ...string) *paper.Experiment {
	e := &paper.Experiment{Name: name, File: name + "-paper.csv"}
	for i := range 3 {
		for _, r := range (paper.Grid{Problems: boostSets, Methods: methods, Repeats: 5, Order: "prmx"}).Runs() {
			r.Repeat, r.Seed = r.Repeat+5*i, 3+uint64(i)
			e.List = append(e.List, r)
		}
	}
	return e
}

// Anchors compares other libraries, which predict asks, on the folds of the first partition of the same rows. What
// matters most is done first.
func Anchors(predict func(context.Context, *trial.Trial) (Prediction, error)) trial.Study {
	s := trial.Study{Experiment: &paper.Experiment{Name: "boost-anchors", File: "boost-anchors-paper.csv"},
		Rows: boostFold, Steps: datasets.Steps{datasets.Prepare{}}, Methods: map[string]trial.Method{},
		Measure: func(ctx context.Context, t *trial.Trial) error {
			made, err := predict(ctx, t)
			if err == nil {
				judge(t, made)
			}
			return err
		}}
	none := trial.Method{Fit: func(context.Context, *trial.Trial) error { return nil }}
	for _, folds := range [][]int{{1, 2}, {3, 4, 5}} {
		for _, methods := range anchors {
			for _, set := range boostSets {
				for _, fold := range folds {
					for _, method := range methods {
						s.Methods[method] = none
						s.List = append(s.List, paper.Run{Problem: set, Method: method, Repeat: fold, Seed: 3})
					}
				}
			}
		}
	}
	return s
}

// anchors are the methods of [Anchors], the first ones first.
var anchors = [][]string{{"OQBoost", "OQBoost 500", "OQBoost stopped"}, {"CatBoost tuned", "LightGBM tuned"},
	{"AutoGluon medium"}, {"FLAML"}, {"XGBoost tuned", "AutoGluon best"},
	{"CatBoost", "CatBoost refit", "LightGBM refit", "XGBoost refit"}}

// measured judges what our forests predict.
func measured(ctx context.Context, t *trial.Trial) (err error) {
	var made Prediction
	begun := trial.ProcessorSeconds()
	if t.Train.Values != nil {
		made.Values, err = t.Model.PredictValues(ctx, t.Test)
	} else {
		made.Proba, err = t.Model.Proba(ctx, t.Test)
	}
	if err != nil {
		return err
	}
	made.Fit, made.Predict = t.Processor, trial.ProcessorSeconds()-begun
	if t.Method == "auto" {
		report, err := auto.Read(t.Model)
		if err != nil {
			return err
		}
		made.Setting = report.Chosen
		for name, v := range map[string]float64{"expected": report.Error, "low": report.Interval.Low,
			"high": report.Interval.High} {
			if report.Values {
				v = math.Sqrt(v / stat.PopVariance(t.Train.Values, nil))
			}
			t.More[name] = v
		}
	}
	judge(t, made)
	return nil
}

// A Prediction is what a method says of the test rows.
type Prediction struct {
	Setting      string
	Fit, Predict float64     // processor seconds
	Proba        [][]float64 // of each test row and class
	Values       []float64   // of each test row, where there are no classes
}

// leastProbability is what smaller probabilities count as, so that no row decides.
const leastProbability = 1e-6

// judge sets what a record has.
//
// The score is the log-loss, with probabilities of at least 10⁻⁶, or for values the root of the mean squared error
// divided by the standard deviation of the training rows' values. More has "error" and "auc" of classes, "processor"
// and "predict", the processor seconds of training and of predicting the test rows, and "rows", a check sum of them
// all. Of auto it has "expected", the error rate, or score of values, that its report says to expect, and the interval
// from "low" to "high".
func judge(t *trial.Trial, made Prediction) {
	t.Setting, t.Seconds = made.Setting, made.Fit
	t.More["processor"], t.More["predict"] = made.Fit, made.Predict
	t.More["rows"] = float64(rowsSum(t.Train, t.Test))
	if t.Test.Values != nil {
		t.Score = math.Sqrt(eval.MSE(made.Values, t.Test.Values) / stat.PopVariance(t.Train.Values, nil))
		return
	}
	labels, proba := make([]int32, t.Test.N()), make([][]float64, t.Test.N())
	for i, p := range made.Proba {
		labels[i] = int32(floats.MaxIdx(p))
		for _, v := range p {
			proba[i] = append(proba[i], max(v, leastProbability))
		}
		floats.Scale(1/floats.Sum(proba[i]), proba[i])
	}
	t.Score, t.More["error"] = eval.LogLoss(proba, t.Test.Labels), eval.Error(labels, t.Test.Labels)
	if area := eval.AUC(made.Proba, t.Test.Labels); area == area {
		t.More["auc"] = area
	}
}

// rowsSum returns the CRC-32 modulo 10⁶ of columns and targets to train, then those to test. Methods of other libraries
// had the rows of the same sum. Files of results have six digits of a number.
func rowsSum(train, test *datasets.Dataset) uint32 {
	sum := crc32.NewIEEE()
	for _, d := range []*datasets.Dataset{train, test} {
		for j := range d.P() {
			binary.Write(sum, binary.LittleEndian, d.Column(nil, j))
		}
		if d.Values != nil {
			binary.Write(sum, binary.LittleEndian, d.Values)
		} else {
			binary.Write(sum, binary.LittleEndian, d.Labels)
		}
	}
	return sum.Sum32() % 1e6
}
