package old

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/quantile"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// calibration judges the probabilities of [forest.Calibrate] on mixSets, and the intervals of package forest/quantile
// on sets of values, by five folds whose test rows are taken together. X is the number of trees: 100 and 500, on few
// sets 50 in the fast setting.
//
// For classes the score is the expected calibration error of the predicted class. Rows are put into ten bins of as many
// rows by the probability of the class that is predicted; the error is the mean difference, over rows, between their
// bin's mean probability and how often its predictions are right. More has it as "ece"; what would be expected of it by
// chance if all probabilities were true as "chance"; log-loss, Brier score and error; the same of uncalibrated
// probabilities with ".raw"; and the mean over folds of the fitted power and floor. Of ten bins of equal width it has
// the rows ("rows.9"), the sum of the probabilities ("sure.9") and how often they were right ("right.9"), and all of
// these with ".raw".
//
// For values the score is the share of test rows in their interval of level 0.8. More has the shares as "cover.80" and
// "cover.95", those of the leaves alone with ".leaf", and mean widths of intervals divided by the values' standard
// deviation as "width.80" and so on.
func calibration(s size) []Run {
	return study{
		problems: append(problems(pick(s, mixSets[5:7], mixSets), collectionFold),
			problems(pick(s, coverageSets[1:2], coverageSets), valueFold)...),
		methods: []method{
			fitted("mix", func(t *trial) forest.Learner { return mix.Learner{Trees: t.X} }, oneHotSteps),
			fitted("honest mix", func(t *trial) forest.Learner { return mix.Learner{Trees: t.X, Honest: true} }, oneHotSteps),
			fitted("RF", func(t *trial) forest.Learner { return rf.Learner{Trees: t.X} }, oneHotSteps),
		},
		xs: pick(s, []int{50}, []int{100, 500}), order: "xmpr",
		do: func(ctx context.Context, t *trial) error {
			begun, judge := processorSeconds(), reliability
			if t.train.Values != nil {
				judge = coverage
			}
			err := judge(ctx, t)
			t.Seconds = processorSeconds() - begun
			return err
		},
	}.runs()
}

// onFolds loads each of five folds, trains the method's forest on it, and calls judge.
func (t *trial) onFolds(ctx context.Context, judge func() error) error {
	for t.Repeat = 1; t.Repeat <= 5; t.Repeat++ {
		for _, do := range []action{t.problem.rows, t.method.fit} {
			if err := do(ctx, t); err != nil {
				return err
			}
		}
		if err := judge(); err != nil {
			return err
		}
	}
	return nil
}

// reliability judges probabilities on five folds.
func reliability(ctx context.Context, t *trial) error {
	var raw, calibrated [][]float64
	var truth []int32
	err := t.onFolds(ctx, func() error {
		t.model.Calibration = forest.Calibration{} // learners may calibrate by themselves
		after, err := forest.Calibrate(ctx, t.model, t.train)
		if err != nil {
			return err
		}
		t.More["power"] += after.Calibration.Power / 5
		t.More["floor"] += after.Calibration.Floor / 5
		before, err := t.model.Proba(ctx, t.test)
		if err != nil {
			return err
		}
		proba, err := after.Proba(ctx, t.test)
		raw, calibrated, truth = append(raw, before...), append(calibrated, proba...), append(truth, t.test.Labels...)
		return err
	})
	if err != nil {
		return err
	}
	addReliability(t.More, raw, truth, ".raw")
	addReliability(t.More, calibrated, truth, "")
	t.Score = t.More["ece"]
	return nil
}

// addReliability adds the measures of some probabilities.
func addReliability(more map[string]float64, proba [][]float64, truth []int32, suffix string) {
	predicted := make([]int32, len(proba))
	sure, right := make([][]float64, len(proba)), make([]int32, len(proba)) // of the predicted class
	for i, p := range proba {
		best := floats.MaxIdx(p)
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

// coverage judges intervals on five folds.
func coverage(ctx context.Context, t *trial) error {
	err := t.onFolds(ctx, func() error {
		m, err := quantile.Fit(ctx, t.model, t.train)
		if err != nil {
			return err
		}
		levels := []float64{0.025, 0.1, 0.9, 0.975}
		corrected, err := m.Quantiles(ctx, t.test, levels...)
		if err != nil {
			return err
		}
		leaf, err := m.LeafQuantiles(ctx, t.test, levels...)
		if err != nil {
			return err
		}
		all := slices.Concat(t.train.Values, t.test.Values)
		n, sd := float64(len(all)), stat.PopStdDev(all, nil)
		for i, y := range t.test.Values {
			for suffix, q := range map[string][]float64{"": corrected[i], ".leaf": leaf[i]} {
				addInterval(t.More, "80"+suffix, q[1], y, q[2], n, sd)
				addInterval(t.More, "95"+suffix, q[0], y, q[3], n, sd)
			}
		}
		return nil
	})
	t.Score = t.More["cover.80"]
	return err
}

// addInterval adds one of n test rows.
func addInterval(more map[string]float64, level string, low, y, high, n, sd float64) {
	if low <= y && y <= high {
		more["cover."+level] += 1 / n
	}
	more["width."+level] += (high - low) / sd / n
}
