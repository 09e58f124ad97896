// Package godt does the runs of the GODT thesis's experiments, and has its data.
//
//   - runs.go: how each experiment is done
//   - choosers.go: settings that validation rows choose, and fits.go: fits with these
//   - sets.go: data sets and their divisions
package godt

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	learners "github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/papers/godt"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Studies are how the thesis's runs are done, but for those of our own experiments, which are complete.
var Studies = []trial.Study{
	{Experiment: &godt.Sizes, Rows: divided, Do: trial.Sized},
	{Experiment: &godt.Trees, Do: choose}, {Experiment: &godt.Forests, Do: choose},
	{Experiment: &godt.Quadratic, Do: choose}, {Experiment: &godt.Scaled, Do: choose},
	{Experiment: &godt.Tuned, Do: choose}, {Experiment: &godt.Values, Do: choose},
	{Experiment: &godt.Fits, Do: fitChosen},
	{Experiment: &godt.Variants, Do: choose}, {Experiment: &godt.Madelon, Do: choose},
	{Experiment: &godt.Ensembles, Rows: divided, Steps: Steps, Measure: firstTrees, Methods: map[string]trial.Method{
		"GORF": trial.Fitted(func(t *trial.Trial) forest.Learner {
			return learners.Learner{Trees: t.X, TreeFeatures: treeFeatures[t.Problem]}
		}),
		"RF": trial.Fitted(func(t *trial.Trial) forest.Learner { return rf.Learner{Trees: t.X} })}},
	{Experiment: &godt.Times, Do: timed}, {Experiment: &godt.MadelonTimes, Do: timedOnMadelon},
}

// treeFeatures are the features of a tree that validation rows choose for table 4.1.
var treeFeatures = map[string]int{"Satimages": 18, "Usps": 128, "Madelon": 500}

// divided sets training and validation rows as the training rows.
func divided(ctx context.Context, t *trial.Trial) error {
	d, err := divide(ctx, t.Run)
	t.Train, t.Test = d.both, d.test
	return err
}

// choose chooses a learner on validation rows, and fits it to training and validation rows. Seconds are those of both.
func choose(ctx context.Context, t *trial.Trial) error {
	d, err := divide(ctx, t.Run)
	if err != nil {
		return err
	}
	steps := stepsOf(t.Method)
	train, validation, err := trial.Prepared(ctx, steps, d.train, d.validation)
	if err != nil {
		return err
	}
	if t.Train, t.Test, err = trial.Prepared(ctx, steps, d.both, d.test); err != nil {
		return err
	}
	begun := time.Now()
	learner, err := methods[t.Method](ctx, t, train, validation)
	if err == nil {
		err = t.Fit(ctx, learner)
	}
	if err != nil {
		return err
	}
	t.Seconds = time.Since(begun).Seconds()
	return measure(ctx, t)
}

// measure sets the score and the model's sizes.
func measure(ctx context.Context, t *trial.Trial) (err error) {
	size := t.Model.Size()
	t.More = map[string]float64{"parameters": float64(size.Parameters), "depth": float64(size.Depth),
		"bytes": float64(size.Bytes)}
	t.Score, err = score(ctx, t.Model, t.Test, t.More)
	return err
}

// score returns a forest's accuracy, and sets precision, recall and F1 as means over classes; of values it returns the
// mean absolute error, and sets the mean squared error.
func score(
	ctx context.Context, f *forest.Forest, test *datasets.Dataset, more map[string]float64,
) (float64, error) {
	if test.Values != nil {
		predicted, err := f.PredictValues(ctx, test)
		if err != nil {
			return 0, err
		}
		more["mse"] = eval.MSE(predicted, test.Values)
		return eval.MAE(predicted, test.Values), nil
	}
	predicted, err := f.Predict(ctx, test)
	if err != nil {
		return 0, err
	}
	maps.Copy(more, map[string]float64{"precision": eval.Precision(predicted, test.Labels),
		"recall": eval.Recall(predicted, test.Labels), "f1": eval.F1(predicted, test.Labels)})
	return 1 - eval.Error(predicted, test.Labels), nil
}

// firstTrees measures the accuracy of a forest's first trees. The score is that of the most.
func firstTrees(ctx context.Context, t *trial.Trial) error {
	for _, n := range godt.FirstTrees {
		if n > len(t.Model.Trees) {
			break
		}
		part := *t.Model
		part.Trees = part.Trees[:n]
		predicted, err := part.Predict(ctx, t.Test)
		if err != nil {
			return err
		}
		t.Score = 1 - eval.Error(predicted, t.Test.Labels)
		t.More[fmt.Sprint("accuracy.", n)] = t.Score
	}
	return nil
}

// timed measures the seconds of training.
func timed(ctx context.Context, t *trial.Trial) error {
	at := map[string]int{"rows": 8000, "features": 16, "trees": 1}
	at[t.Method] = t.X
	learner := map[string]forest.Learner{"GODT": learners.Tree{}, "GQDT": learners.Tree{Splitting: quadratic},
		"CART": rf.CART{}, "GORF": learners.Learner{Trees: at["trees"]}, "RF": rf.Learner{Trees: at["trees"]},
		"GQRF": learners.Learner{Trees: at["trees"], Splitting: quadratic}}[t.Problem]
	train := sim.RandomRBF{Features: at["features"], Classes: 10}.Sample(at["rows"], t.Seed)
	begun := time.Now()
	_, err := learner.Fit(ctx, train)
	t.Seconds = time.Since(begun).Seconds()
	t.Score = t.Seconds
	return err
}

// timedOnMadelon measures the processor seconds of training on rows of Madelon's training part.
func timedOnMadelon(ctx context.Context, t *trial.Trial) error {
	d, err := divide(ctx, paper.Run{Problem: "Madelon", Seed: t.Seed})
	if err != nil {
		return err
	}
	at := map[string]int{"rows": d.both.N(), "features": 22}
	at[t.Method] = t.X
	rows := make([]int32, at["rows"])
	for i := range rows {
		rows[i] = int32(i)
	}
	learner := map[string]forest.Learner{"RF": rf.Learner{Trees: 20, NodeFeatures: at["features"]},
		"GORF": learners.Learner{Trees: 20, TreeFeatures: at["features"]},
		"GQRF": learners.Learner{Trees: 20, TreeFeatures: at["features"], Splitting: quadratic}}[t.Problem]
	begun := trial.ProcessorSeconds()
	_, err = learner.Fit(ctx, d.both.Subset(rows))
	t.Score = trial.ProcessorSeconds() - begun
	return err
}
