package old

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	trials "github.com/obliqua-ml/obliqua/notebooks/figures/trial"
)

// boostKinds are sets of values, of two classes and of more that no setting of package boost was chosen on: 24 of its
// trial's last comparison, and the eleven largest of mixSets and autoLargeSets with at most ten classes that the trial
// hadn't used. A set is the table as it was published, with its categories, where there is one.
var boostKinds = [3][]string{
	strings.Fields(`
		ailerons beijing_pm25 bias_correction_tmax combined_cycle energy_cooling gas_turbine_2011 istanbul_stock`),
	strings.Fields(`
		adult bank banknote blood bodydims breast-cancer chess-krvkp heart_failure statlog-australian-credit statlog-heart
		vertebral-column-2clases congressional-voting haberman-survival`),
	strings.Fields(`
		contrac thyroid page-blocks glass wine-quality-red conn-bench-vowel-deterding statlog-shuttle nursery pendigits
		wine-quality-white fd_oocytes_merluccius_states_2f fd_energy-y1 fd_energy-y2 balance-scale ecoli`),
}

var boostSets = slices.Concat(boostKinds[:]...)

// boostRows is how many rows of larger sets are used, evenly spaced.
const boostRows = 2000

// boostFold is collectionFold for boostSets.
var boostFold = foldOf("", func(d *datasets.Dataset) *datasets.Dataset { return d.Subset(trials.Spaced(d.N(), boostRows)) })

// boosting compares package boost, with and without signed sums, with mix and auto, all with their defaults, on the
// rows that [BoostPeers] has.
func boosting(s size) []Run {
	ours := func(name string, learner forest.Learner) method {
		m := with(name, learner)
		m.measure = func(ctx context.Context, t *trial) (err error) {
			var reply BoostReply
			begun := processorSeconds()
			if t.train.Values != nil {
				reply.Values, err = t.model.PredictValues(ctx, t.test)
			} else {
				reply.Proba, err = t.model.Proba(ctx, t.test)
			}
			if err != nil {
				return err
			}
			reply.Fit, reply.Predict, reply.Rows = t.processor, processorSeconds()-begun, rowsSum(t.train, t.test)
			if t.Method == "auto" {
				report, err := auto.Read(t.model)
				if err != nil {
					return err
				}
				reply.Setting = report.Chosen
			}
			return t.judge(reply)
		}
		return m
	}
	return boostRuns(s, []method{
		ours("boost", boost.Learner{}), ours("boost without sums", boost.Learner{Sums: -1}),
		ours("mix", mix.Learner{}), ours("auto", auto.Learner{}),
	})
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
// package boost was chosen on: five folds of each of three partitions, stratified for classes. A record's repeat is its
// fold, 1 to 15, and its seed that of the partition and of the method. Tables are prepared by [datasets.Prepare], and
// all methods have the same matrices.
//
// The score is the log-loss, with probabilities of at least 10⁻⁶, or for values the root of the mean squared error
// divided by the standard deviation of the training rows' values. More has "error" and "auc" of classes, "processor"
// and "predict", the processor seconds of training and of predicting the test rows, and "rows", a check sum of them
// all. The slow setting has all sets, the fast one two sets and a partition.
func BoostPeers(paper bool, peer func(context.Context, BoostJob) (BoostReply, error)) Experiment {
	var methods []method
	for _, name := range []string{
		"CatBoost", "CatBoost stopped", "CatBoost refit", "LightGBM", "LightGBM stopped", "LightGBM refit",
		"XGBoost", "XGBoost stopped", "XGBoost refit", "HistGradientBoosting", "HistGradientBoosting stopped",
		"YDF", "YDF oblique",
	} {
		methods = append(methods, method{name: name,
			fit: func(context.Context, *trial) error { return nil },
			measure: func(ctx context.Context, t *trial) error {
				reply, err := peer(ctx, BoostJob{t.train, t.test, name, t.Seed})
				if err != nil {
					return err
				}
				return t.judge(reply)
			},
		})
	}
	s := size(paper)
	return Experiment{Name: "boost-peers" + s.suffix(), Runs: boostRuns(s, methods)}
}

// boostRuns lists the runs of methods on boostSets, one partition after another.
func boostRuns(s size, methods []method) (runs []Run) {
	partition := study{
		problems: problems(pick(s, []string{"istanbul_stock", "blood"}, boostSets), boostFold), methods: methods,
		repeats: 5, order: "prmx", steps: datasets.Steps{datasets.Prepare{}},
	}
	for i := range pick(s, 1, 3) {
		for _, r := range partition.runs() {
			r.Repeat, r.Seed = r.Repeat+5*i, 3+uint64(i)
			runs = append(runs, r)
		}
	}
	return runs
}

// leastProbability is what smaller probabilities count as, so that no row decides.
const leastProbability = 1e-6

// judge sets what [BoostPeers] says a record has. It returns an error if the reply can't be right.
func (t *trial) judge(reply BoostReply) error {
	if want := rowsSum(t.train, t.test); reply.Rows != want {
		return fmt.Errorf("%s had rows of check sum %d, want %d", t.Method, reply.Rows, want)
	}
	t.Setting, t.Seconds = reply.Setting, reply.Fit
	t.More["processor"], t.More["predict"], t.More["rows"] = reply.Fit, reply.Predict, float64(reply.Rows)
	n := t.test.N()
	if t.test.Values != nil {
		if len(reply.Values) != n {
			return fmt.Errorf("%d values of %d test rows", len(reply.Values), n)
		}
		t.Score = math.Sqrt(eval.MSE(reply.Values, t.test.Values) / stat.PopVariance(t.train.Values, nil))
		return nil
	}
	if len(reply.Proba) != n {
		return fmt.Errorf("probabilities of %d of %d test rows", len(reply.Proba), n)
	}
	labels, proba := make([]int32, n), make([][]float64, n)
	for i, p := range reply.Proba {
		if len(p) != len(t.test.Classes) {
			return fmt.Errorf("%d probabilities of %d classes", len(p), len(t.test.Classes))
		}
		labels[i] = int32(floats.MaxIdx(p))
		for _, v := range p {
			proba[i] = append(proba[i], max(v, leastProbability))
		}
		floats.Scale(1/floats.Sum(proba[i]), proba[i])
	}
	t.Score, t.More["error"] = eval.LogLoss(proba, t.test.Labels), eval.Error(labels, t.test.Labels)
	if area := eval.AUC(reply.Proba, t.test.Labels, nil); area == area {
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
