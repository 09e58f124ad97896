package figures

import (
	"context"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/quantile"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// coverageSets are the sets of values whose name, after "fd_", has an odd CRC-32. No setting of
// package forest/quantile was chosen on them.
var coverageSets = []string{
	"ale_localization", "boston", "combined_cycle", "computer_hardware", "energy_heating", "forest_fires",
	"gas_turbine_2011", "istanbul_stock", "parkinsons_telemonitoring",
}

// coverageRows is how many rows of larger sets of values are used, evenly spaced.
const coverageRows = 3000

// calibrationMethods are the forests whose probabilities and intervals are judged.
var calibrationMethods = []struct {
	name    string
	learner func(trees int) forest.Learner
}{
	{"mix", func(trees int) forest.Learner { return mix.Learner{Trees: trees, Seed: 1} }},
	{"honest mix", func(trees int) forest.Learner { return mix.Learner{Trees: trees, Honest: true, Seed: 1} }},
	{"RF", func(trees int) forest.Learner { return rf.Learner{Trees: trees, Seed: 1} }},
}

// Calibration returns the runs that judge the probabilities of [forest.Calibrate] on the sets of
// [Mix], and the intervals of package forest/quantile on sets of values, by five folds whose test rows are taken
// together. x is the number of trees: 100 and 500, on few sets 50 in the fast setting.
//
// For classes the score is the expected calibration error of the predicted class: of how often it is right
// and the probability that it gets, in ten bins of as many rows. More has it as "ece", what would be expected
// of it by chance if all probabilities were true as "chance", log-loss, Brier score and error, the same of uncalibrated
// probabilities with ".raw", and the mean over folds of the fitted power and floor. Of ten bins of equal width it
// has the rows ("rows.9"), the sum of the probabilities ("sure.9") and how often they were right
// ("right.9"), and all of these with ".raw".
//
// For values the score is the share of test rows in their interval of level 0.8. More has the shares as "cover.80" and "cover.95",
// those of the leaves alone with ".leaf", and mean widths of intervals divided by the values' standard deviation as
// "width.80" and so on.
func Calibration(paper bool) Experiment {
	e := Experiment{Name: "calibration-fast"}
	classes, values, trees := mixSets[5:7], coverageSets[1:2], []int{50}
	if paper {
		e.Name = "calibration-paper"
		classes, values, trees = mixSets, coverageSets, []int{100, 500}
	}
	for _, x := range trees {
		for _, m := range calibrationMethods {
			for _, set := range classes {
				e.Runs = append(e.Runs, Run{Problem: set, Method: m.name, X: x, Repeat: 1, Seed: 1,
					Do: func(ctx context.Context) (Result, error) { return reliability(ctx, set, m.learner(x)) }})
			}
			for _, set := range values {
				e.Runs = append(e.Runs, Run{Problem: set, Method: m.name, X: x, Repeat: 1, Seed: 1,
					Do: func(ctx context.Context) (Result, error) { return coverage(ctx, set, m.learner(x)) }})
			}
		}
	}
	return e
}

// reliability judges probabilities on five folds.
func reliability(ctx context.Context, set string, learner forest.Learner) (Result, error) {
	begun := processorSeconds()
	var raw, calibrated [][]float64
	var truth []int32
	more := map[string]float64{}
	for fold := range 5 {
		train, test, err := mixFold(ctx, set, fold)
		if err != nil {
			return Result{}, err
		}
		model, err := forest.Pipeline(learner, datasets.Standardise{}).Fit(ctx, train)
		if err != nil {
			return Result{}, err
		}
		model.Calibration = forest.Calibration{} // learners may calibrate by themselves
		after, err := forest.Calibrate(ctx, model, train)
		if err != nil {
			return Result{}, err
		}
		more["power"] += after.Calibration.Power / 5
		more["floor"] += after.Calibration.Floor / 5
		raw, calibrated = append(raw, must.Value(model.Proba(ctx, test))...), append(calibrated, must.Value(after.Proba(ctx, test))...)
		truth = append(truth, test.Labels...)
	}
	addReliability(more, raw, truth, ".raw")
	addReliability(more, calibrated, truth, "")
	return Result{Score: more["ece"], Seconds: processorSeconds() - begun, More: more}, nil
}

// addReliability adds the measures of some probabilities.
func addReliability(more map[string]float64, proba [][]float64, truth []int32, suffix string) {
	predicted := make([]int32, len(proba))
	sure, right := make([][]float64, len(proba)), make([]int32, len(proba)) // of the predicted class
	for i, p := range proba {
		best := 0
		for c := range p {
			if p[c] > p[best] {
				best = c
			}
		}
		predicted[i] = int32(best)
		sure[i] = []float64{max(0, 1-p[best]), min(1, p[best])}
		bin := fmt.Sprint(".", min(9, int(10*sure[i][1])))
		more["rows"+bin+suffix]++
		more["sure"+bin+suffix] += sure[i][1]
		if predicted[i] == truth[i] {
			right[i] = 1
			more["right"+bin+suffix]++
		}
	}
	more["ece"+suffix] = eval.Calibration(sure, right, 1, 10, true).Error
	more["chance"+suffix] = calibrationByChance(sure)
	more["logloss"+suffix] = eval.LogLoss(proba, truth)
	more["brier"+suffix] = eval.Brier(proba, truth)
	more["error"+suffix] = eval.Error(predicted, truth)
}

// calibrationByChance returns the expected calibration error of true probabilities: the mean of 100 draws
// of what happens.
func calibrationByChance(sure [][]float64) float64 {
	const draws = 100
	rng := forest.NewRand(1)
	happened := make([]int32, len(sure))
	sum := 0.0
	for range draws {
		for i, p := range sure {
			happened[i] = 0
			if rng.Float64() < p[1] {
				happened[i] = 1
			}
		}
		sum += eval.Calibration(sure, happened, 1, 10, true).Error
	}
	return sum / draws
}

// valueFolds returns a set of values, thinned to coverageRows, and the five folds of a partition, numbered from 0.
func valueFolds(ctx context.Context, set string, partition int) (*datasets.Dataset, []datasets.Fold, error) {
	d, err := public.Load(ctx, set)
	if err != nil {
		return nil, nil, err
	}
	if n := d.N(); n > coverageRows {
		rows := make([]int32, coverageRows)
		for i := range rows {
			rows[i] = int32(i * n / coverageRows)
		}
		d = d.Subset(rows)
	}
	folds, err := datasets.KFold{K: 5, Seed: 3 + uint64(partition)}.Folds(d)
	return d, folds, err
}

// coverage judges intervals on five folds.
func coverage(ctx context.Context, set string, learner forest.Learner) (Result, error) {
	begun := processorSeconds()
	d, folds, err := valueFolds(ctx, set, 0)
	if err != nil {
		return Result{}, err
	}
	more := map[string]float64{}
	n, sd := float64(d.N()), deviation(d.Values)
	for _, fold := range folds {
		train, test := fold.Split(d)
		model, err := forest.Pipeline(learner, oneHotSteps).Fit(ctx, train)
		if err != nil {
			return Result{}, err
		}
		m, err := quantile.Fit(ctx, model, train)
		if err != nil {
			return Result{}, err
		}
		levels := []float64{0.025, 0.1, 0.9, 0.975}
		corrected, err := m.Quantiles(ctx, test, levels...)
		if err != nil {
			return Result{}, err
		}
		leaf, err := m.LeafQuantiles(ctx, test, levels...)
		if err != nil {
			return Result{}, err
		}
		for i, y := range test.Values {
			for suffix, q := range map[string][]float64{"": corrected[i], ".leaf": leaf[i]} {
				addInterval(more, "80"+suffix, q[1], y, q[2], n, sd)
				addInterval(more, "95"+suffix, q[0], y, q[3], n, sd)
			}
		}
	}
	return Result{Score: more["cover.80"], Seconds: processorSeconds() - begun, More: more}, nil
}

// addInterval adds one of n test rows.
func addInterval(more map[string]float64, level string, low, y, high, n, sd float64) {
	if low <= y && y <= high {
		more["cover."+level] += 1 / n
	}
	more["width."+level] += (high - low) / sd / n
}

// deviation returns the standard deviation of some values.
func deviation(values []float64) float64 {
	n, mean, squares := float64(len(values)), 0.0, 0.0
	for _, y := range values {
		mean += y / n
	}
	for _, y := range values {
		squares += (y - mean) * (y - mean) / n
	}
	return math.Sqrt(squares)
}
