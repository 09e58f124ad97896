package figures

import (
	"context"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// mixSets are the sets that no setting of mix was chosen on: those of the Fernández-Delgado
// collection whose name (with "fd_") has an odd CRC-32 and that have at least 100 rows and at most
// 80,000 cells.
var mixSets = []string{
	"acute-nephritis", "balance-scale", "bank", "blood", "breast-cancer", "breast-cancer-wisc-prog", "breast-tissue",
	"congressional-voting", "conn-bench-vowel-deterding", "contrac", "ecoli", "energy-y1", "energy-y2", "glass",
	"haberman-survival", "hepatitis", "horse-colic", "image-segmentation", "monks-1", "monks-2", "monks-3",
	"oocytes_merluccius_states_2f", "page-blocks", "parkinsons",
	"pittsburg-bridges-REL-L", "planning", "seeds", "statlog-australian-credit", "statlog-heart", "teaching", "thyroid",
	"vertebral-column-2clases", "wine", "wine-quality-red", "wine-quality-white",
}

// mixMethods are the methods that mix is compared with, and itself, with their defaults but for the number of trees; ridge nodes have
// up to 16 features.
var mixMethods = []struct {
	name    string
	learner func(p, trees int, seed uint64) forest.Learner
}{
	{"RF", func(_, trees int, seed uint64) forest.Learner { return rf.Learner{Trees: trees, Seed: seed} }},
	{"ET", func(_, trees int, seed uint64) forest.Learner { return rf.ExtraTrees{Trees: trees, Seed: seed} }},
	{"SPORF", func(_, trees int, seed uint64) forest.Learner { return sporf.Learner{Trees: trees, Seed: seed} }},
	{"ridge", func(p, trees int, seed uint64) forest.Learner {
		return oblique.Learner{Trees: trees, NodeFeatures: min(p, 16), Seed: seed}
	}},
	{"mix", func(_, trees int, seed uint64) forest.Learner { return mix.Learner{Trees: trees, Seed: seed} }},
}

// Mix returns the runs that compare mix with other methods by their defaults: the error on five
// stratified folds, features standardised on the training rows. A record's repeat is its fold. More has
// "processor", the processor seconds of training, and "predict", those of predicting the test rows; they are of this
// process, so do one run at a time where they matter. The paper's setting (there is no paper: it is the slow one) has 35 sets and 100 trees,
// the fast one three sets and 50 trees.
func Mix(paper bool) Experiment {
	e := Experiment{Name: "mix-fast"}
	sets, trees := mixSets[5:8], 50
	if paper {
		e.Name = "mix-paper"
		sets, trees = mixSets, 100
	}
	for _, set := range sets {
		for _, m := range mixMethods {
			for fold := range 5 {
				e.Runs = append(e.Runs, Run{Problem: set, Method: m.name, Repeat: fold + 1, Seed: 1,
					Do: func(ctx context.Context) (Result, error) {
						train, test, err := mixFold(ctx, set, fold)
						if err != nil {
							return Result{}, err
						}
						return errorAndTime(ctx, forest.Pipeline(m.learner(train.P(), trees, 1), datasets.Standardise{}), train, test)
					}})
			}
		}
	}
	return e
}

// mixFold returns a fold of a set: folds 0 to 4 are those of one partition of the rows, 5 to 9 of another, and so on.
func mixFold(ctx context.Context, set string, fold int) (train, test *datasets.Dataset, err error) {
	d, err := public.Load(ctx, "fd_"+set)
	if err != nil {
		return nil, nil, err
	}
	folds, err := datasets.KFold{K: 5, Stratified: true, Seed: 3 + uint64(fold/5)}.Folds(d)
	if err != nil {
		return nil, nil, err
	}
	train, test = folds[fold%5].Split(d)
	return train, test, nil
}

func errorAndTime(ctx context.Context, learner forest.Learner, train, test *datasets.Dataset) (Result, error) {
	begun := processorSeconds()
	model, err := learner.Fit(ctx, train)
	if err != nil {
		return Result{}, err
	}
	trained := processorSeconds()
	r := Result{Score: eval.Error(must.Value(model.Predict(ctx, test)), test.Labels), Seconds: trained - begun}
	r.More = map[string]float64{"processor": r.Seconds, "predict": processorSeconds() - trained}
	return r, nil
}

// A Standing is how a method does among others over several sets.
type Standing struct {
	Method  string
	Error   float64 // the mean over sets
	Rank    float64 // the mean over sets, 1 for the lowest error, ties sharing the mean of their ranks
	Regret  float64 // the largest difference to the lowest error of a set
	On      string  // the set of that
	Train   float64 // processor seconds of training, over all sets
	Predict float64 // and of prediction
}

// Standings compares methods by the records of an experiment such as [Mix], over the sets on which every
// method has as many repeats as the most that one has. It also returns the number of these sets.
func Standings(records []Record) (standings []Standing, sets int) {
	means := Means(records)
	repeats := 0
	var methods, problems []string
	for _, m := range means {
		repeats = max(repeats, m.Repeats)
		if !slices.Contains(methods, m.Method) {
			methods = append(methods, m.Method)
			standings = append(standings, Standing{Method: m.Method, Regret: math.Inf(-1)})
		}
		if !slices.Contains(problems, m.Problem) {
			problems = append(problems, m.Problem)
		}
	}
	for _, problem := range problems {
		var of []Mean
		for _, method := range methods {
			i := slices.IndexFunc(means, func(m Mean) bool { return m.Problem == problem && m.Method == method && m.Repeats == repeats })
			if i >= 0 {
				of = append(of, means[i])
			}
		}
		if len(of) < len(methods) {
			continue
		}
		sets++
		addSet(standings, problem, of)
	}
	for i := range standings {
		standings[i].Error /= float64(sets)
		standings[i].Rank /= float64(sets)
	}
	return standings, sets
}

// addSet adds the means of all methods on a set.
func addSet(standings []Standing, problem string, of []Mean) {
	var errors []float64
	for _, m := range of {
		errors = append(errors, m.Mean)
	}
	least, ranks := slices.Min(errors), eval.Ranks(errors)
	for i, m := range of {
		s := &standings[i]
		s.Error += m.Mean
		s.Rank += ranks[i]
		if regret := m.Mean - least; regret > s.Regret {
			s.Regret, s.On = regret, problem
		}
		s.Train += float64(m.Repeats) * m.More["processor"]
		s.Predict += float64(m.Repeats) * m.More["predict"]
	}
}
