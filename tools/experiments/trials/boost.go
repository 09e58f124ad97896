// Package trials has the comparisons of boosting and of auto, the default learner, with other methods and libraries.
// No paper has them; docs/boost.md and docs/auto.md say what came out.
package trials

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Boost compares package boost, with and without signed sums, with mix and auto, all with their defaults, on the rows
// that [BoostPeers] has.
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

// measured judges what our forests predict.
func measured(ctx context.Context, t *trial.Trial) (err error) {
	var reply BoostReply
	begun := trial.ProcessorSeconds()
	if t.Train.Values != nil {
		reply.Values, err = t.Model.PredictValues(ctx, t.Test)
	} else {
		reply.Proba, err = t.Model.Proba(ctx, t.Test)
	}
	if err != nil {
		return err
	}
	reply.Fit, reply.Predict, reply.Rows = t.Processor, trial.ProcessorSeconds()-begun, rowsSum(t.Train, t.Test)
	if t.Method == "auto" {
		report, err := auto.Read(t.Model)
		if err != nil {
			return err
		}
		reply.Setting = report.Chosen
	}
	return judge(t, reply)
}

// A BoostJob asks a method of another library for predictions.
type BoostJob struct {
	Train, Test *datasets.Dataset
	Method      string
	Seed        uint64
}

// A BoostReply is the answer to a [BoostJob].
type BoostReply struct {
	Setting string      `json:"setting"` // version and number of rounds
	Fit     float64     `json:"fit"`     // processor seconds
	Predict float64     `json:"predict"` // the same
	Rows    uint32      `json:"rows"`    // CRC-32 modulo 10⁶ of columns and targets to train, then those to test
	Proba   [][]float64 `json:"proba"`   // of each test row and class
	Values  []float64   `json:"values"`  // of each test row, where there are no classes
}

// BoostPeers returns boosting by other libraries, which peer asks, on sets of up to 2000 rows that no setting of
// package boost was chosen on. Tables are prepared by [datasets.Prepare], and all methods have the same matrices.
//
// The score is the log-loss, with probabilities of at least 10⁻⁶, or for values the root of the mean squared error
// divided by the standard deviation of the training rows' values. More has "error" and "auc" of classes, "processor"
// and "predict", the processor seconds of training and of predicting the test rows, and "rows", a check sum of them
// all.
func BoostPeers(peer func(context.Context, BoostJob) (BoostReply, error)) trial.Study {
	names := []string{"CatBoost", "CatBoost stopped", "CatBoost refit", "LightGBM", "LightGBM stopped", "LightGBM refit",
		"XGBoost", "XGBoost stopped", "XGBoost refit", "HistGradientBoosting", "HistGradientBoosting stopped", "YDF",
		"YDF oblique"}
	s := trial.Study{Experiment: boostExperiment("boost-peers", names...), Rows: boostFold,
		Steps: datasets.Steps{datasets.Prepare{}}, Methods: map[string]trial.Method{},
		Measure: func(ctx context.Context, t *trial.Trial) error {
			reply, err := peer(ctx, BoostJob{t.Train, t.Test, t.Method, t.Seed})
			if err != nil {
				return err
			}
			return judge(t, reply)
		}}
	for _, name := range names {
		s.Methods[name] = trial.Method{Fit: func(context.Context, *trial.Trial) error { return nil }}
	}
	return s
}

// leastProbability is what smaller probabilities count as, so that no row decides.
const leastProbability = 1e-6

// judge sets what [BoostPeers] says a record has. It returns an error if the reply can't be right.
func judge(t *trial.Trial, reply BoostReply) error {
	if want := rowsSum(t.Train, t.Test); reply.Rows != want {
		return fmt.Errorf("%s had rows of check sum %d, want %d", t.Method, reply.Rows, want)
	}
	t.Setting, t.Seconds = reply.Setting, reply.Fit
	t.More["processor"], t.More["predict"], t.More["rows"] = reply.Fit, reply.Predict, float64(reply.Rows)
	n := t.Test.N()
	if t.Test.Values != nil {
		if len(reply.Values) != n {
			return fmt.Errorf("%d values of %d test rows", len(reply.Values), n)
		}
		t.Score = math.Sqrt(eval.MSE(reply.Values, t.Test.Values) / stat.PopVariance(t.Train.Values, nil))
		return nil
	}
	if len(reply.Proba) != n {
		return fmt.Errorf("probabilities of %d of %d test rows", len(reply.Proba), n)
	}
	labels, proba := make([]int32, n), make([][]float64, n)
	for i, p := range reply.Proba {
		if len(p) != len(t.Test.Classes) {
			return fmt.Errorf("%d probabilities of %d classes", len(p), len(t.Test.Classes))
		}
		labels[i] = int32(floats.MaxIdx(p))
		for _, v := range p {
			proba[i] = append(proba[i], max(v, leastProbability))
		}
		floats.Scale(1/floats.Sum(proba[i]), proba[i])
	}
	t.Score, t.More["error"] = eval.LogLoss(proba, t.Test.Labels), eval.Error(labels, t.Test.Labels)
	if area := eval.AUC(reply.Proba, t.Test.Labels, nil); area == area {
		t.More["auc"] = area
	}
	return nil
}

// rowsSum returns the check sum that a [BoostReply] has. Files of results have six digits of a number.
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
