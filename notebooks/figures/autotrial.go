package figures

import (
	"context"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// trialSets are the sets on which the idea of auto was first tried. Settings were chosen on some of them.
var trialSets = []string{
	"balance-scale", "breast-cancer-wisc-diag", "car", "conn-bench-sonar-mines-rocks", "contrac", "ecoli", "energy-y1", "glass", "hill-valley",
	"image-segmentation", "ionosphere", "libras", "mammographic", "oocytes_merluccius_nucleus_4d", "page-blocks", "parkinsons", "pima", "ringnorm",
	"seeds", "spambase", "statlog-german-credit", "statlog-image", "statlog-vehicle", "synthetic-control", "tic-tac-toe", "twonorm", "waveform",
	"wine", "wine-quality-red",
}

// A trialColumn is a method of [AutoTrial]: forests of which the one of lowest out-of-bag error is
// taken or, if average is true, whose probabilities are averaged.
type trialColumn struct {
	name    string
	average bool
	forests []func(p int) forest.Learner
}

// trialColumns returns the methods of the trial but for auto, with the given number of trees.
func trialColumns(trees int) []trialColumn {
	type grower = func(p int) forest.Learner
	var (
		random = func(int) forest.Learner { return rf.Learner{Trees: trees, Seed: 1} }
		extra  = func(int) forest.Learner { return rf.ExtraTrees{Trees: trees, Seed: 1} }
		sparse = func(int) forest.Learner { return sporf.Learner{Trees: trees, Seed: 1} }
		planes = func(int) forest.Learner { return graf.Learner{Trees: trees, Seed: 1} }
		two    = func(p int) forest.Learner {
			return sporf.Learner{Trees: trees, Density: 2 / float64(p), Seed: 1}
		}
		three = func(p int) forest.Learner {
			return sporf.Learner{Trees: trees, Candidates: 3 * p, Density: 2 / float64(p), Seed: 1}
		}
		ridge = func(p int) forest.Learner {
			return oblique.Learner{Trees: trees / 2, NodeFeatures: min(p, 16), Seed: 1}
		}
	)
	return []trialColumn{
		{"RF", false, []grower{random}},
		{"ET", false, []grower{extra}},
		{"SPORF", false, []grower{sparse}},
		{"SPORF, λ 2/p", false, []grower{two}},
		{"SPORF, d 3p, λ 2/p", false, []grower{three}},
		{"GRAF", false, []grower{planes}},
		{"ridge", false, []grower{ridge}},
		{"RF and SPORF averaged", true, []grower{random, sparse}},
		{"RF, SPORF, GRAF and ET averaged", true, []grower{random, sparse, planes, extra}},
		{"RF or SPORF", false, []grower{random, sparse}},
	}
}

// AutoTrial returns the runs that compare auto with its defaults and ten simpler methods of 200 trees (ridge: 100), on 29
// sets: the error on five stratified folds with seed 1. Features are standardised on the training rows, but for auto, which
// prepares them itself. A record's repeat is its fold. The paper's setting (there is no paper: it is the slow one) has all sets,
// the fast one wine and 50 trees.
func AutoTrial(paper bool) Experiment {
	e := Experiment{Name: "autotrial-fast"}
	sets, trees := trialSets[len(trialSets)-2:len(trialSets)-1], 50
	if paper {
		e.Name = "autotrial-paper"
		sets, trees = trialSets, 200
	}
	add := func(set, method string, do func(ctx context.Context, train, test *datasets.Dataset) (Result, error)) {
		for fold := range 5 {
			e.Runs = append(e.Runs, Run{Problem: set, Method: method, Repeat: fold + 1, Seed: 1,
				Do: func(ctx context.Context) (Result, error) {
					train, test, err := mixFold(ctx, set, fold)
					if err != nil {
						return Result{}, err
					}
					return do(ctx, train, test)
				}})
		}
	}
	for _, set := range sets {
		for _, c := range trialColumns(trees) {
			add(set, c.name, c.run)
		}
		add(set, "auto", func(ctx context.Context, train, test *datasets.Dataset) (Result, error) {
			return autoRun(ctx, auto.Learner{Seed: 1}, train, test)
		})
	}
	return e
}

// run trains the forests on the training rows and measures what becomes of them on the test rows.
func (c trialColumn) run(ctx context.Context, train, test *datasets.Dataset) (Result, error) {
	train, test, err := prepared(ctx, train, test)
	if err != nil {
		return Result{}, err
	}
	begun := processorSeconds()
	models, err := c.fit(ctx, train)
	if err != nil {
		return Result{}, err
	}
	r := Result{Seconds: processorSeconds() - begun}
	r.Score = eval.Error(classesOf(models, test), test.Labels)
	return r, nil
}

// fit trains the forests, and returns those that predict.
func (c trialColumn) fit(ctx context.Context, train *datasets.Dataset) (models []*forest.Forest, err error) {
	var learners []forest.Learner
	for _, learner := range c.forests {
		learners = append(learners, learner(train.P()))
	}
	if !c.average && len(learners) > 1 {
		tuning, err := eval.Tune(ctx, learners, train, nil)
		if err != nil {
			return nil, err
		}
		return []*forest.Forest{tuning.Model}, nil
	}
	for _, learner := range learners {
		model, err := learner.Fit(ctx, train)
		if err != nil {
			return nil, err
		}
		models = append(models, model)
	}
	return models, nil
}

// classesOf returns the classes that models predict by the sum of their probabilities.
func classesOf(models []*forest.Forest, d *datasets.Dataset) []int32 {
	if len(models) == 1 {
		return must.Value(models[0].Predict(context.Background(), d))
	}
	classes := make([]int32, d.N())
	sums := must.Value(models[0].Proba(context.Background(), d))
	for _, m := range models[1:] {
		for i, proba := range must.Value(m.Proba(context.Background(), d)) {
			for c, p := range proba {
				sums[i][c] += p
			}
		}
	}
	for i, sum := range sums {
		for c := range sum {
			if sum[c] > sum[classes[i]] {
				classes[i] = int32(c)
			}
		}
	}
	return classes
}
