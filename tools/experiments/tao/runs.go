// Package tao does the runs of the TAO paper's experiments.
package tao

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	figures "github.com/obliqua-ml/obliqua/internal/papers/tao"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Studies are how the paper's runs are done. Forests of other learners than TAO are measured by size.
var Studies = []trial.Study{
	{Experiment: &figures.Sizes, Rows: Rows, Do: trial.Sized},
	{Experiment: &figures.Table2, Rows: Rows, Measure: size, Methods: map[string]trial.Method{
		"cart": cart, "rf": randomForest,
		"tao-c": table2(false, 0.01), "tao-c λ=0.1": table2(false, 0.1), "tao-c λ=1": table2(false, 1),
		"tao-l": table2(true, 0.01), "tao-l λ=1": table2(true, 1), "tao-l λ=10": table2(true, 10),
		"tao-c unscaled": table2(false, 0.01, unscaled), "tao-c axis-aligned": table2(false, 0.01, axisAligned),
		"tao-c as the paper": table2(false, 0.01, asPaper(40)), "tao-l as the paper": table2(true, 0.01, asPaper(40))}},
	{Experiment: &figures.Table3, Rows: Rows, Measure: size, Methods: map[string]trial.Method{
		"cart": cart, "rf": randomForest,
		"tao-c as the paper": taoForest(documents), "tao-l as the paper": taoForest(documents)}},
	{Experiment: &figures.Diversity, Rows: Rows, Methods: map[string]trial.Method{
		"different start": diversity(false), "same start": diversity(true),
		"different start as the paper": diversity(false, asPaper(40)),
		"same start as the paper":      diversity(true, asPaper(40))}},
	{Experiment: &figures.Passes, Rows: Rows, Methods: map[string]trial.Method{
		"tao-c": passes(), "tao-c unscaled": passes(unscaled), "tao-c as the paper": passes(asPaper(80))}},
	{Experiment: &figures.Trees, Rows: Rows, Measure: size, Methods: map[string]trial.Method{
		"rf": randomForest, "tao-c": hundred(), "tao-c as the paper": hundred(asPaper(80)),
		"rf of depth 25": trial.Fitted(func(t *trial.Trial) forest.Learner {
			return rf.Learner{Trees: t.X, Growth: forest.Growth{MaxDepth: 25}}
		})}},
	{Experiment: &figures.Pairs, Rows: pairs, Methods: map[string]trial.Method{
		"tao-c λ=0.01": table6(0.01, 20), "tao-c λ=1": table6(1, 20), "tao-c λ=0.01, 40 passes": table6(0.01, 40),
		"tao-c as the paper": table6(0.01, 40, asPaper(40))}},
	{Experiment: &figures.Features, Rows: Rows, Methods: map[string]trial.Method{
		"a node": features(ofNode), "a tree": features(ofTree),
		"a node as the paper": features(ofNode, asPaper(40)), "a tree as the paper": features(ofTree, asPaper(40))}},
	{Experiment: &figures.Path, Rows: Rows, Methods: map[string]trial.Method{
		"forest over λ": overLambda(), "bootstrap": bootstrap(0.01), "bootstrap λ=0.1": bootstrap(0.1),
		"forest over λ as the paper": overLambda(asPaper(40)), "bootstrap as the paper": bootstrap(0.01, asPaper(40))}},
	{Experiment: &figures.Structures, Rows: Rows, Methods: map[string]trial.Method{
		"random structure": structure(), "random structure as the paper": structure(asPaper(40))}},
}

// cart has no seed, as when its results were made.
var cart = trial.Method{Fit: func(ctx context.Context, t *trial.Trial) error { return t.Fit(ctx, rf.CART{}) }}

var randomForest = trial.Fitted(func(t *trial.Trial) forest.Learner { return rf.Learner{Trees: t.X} })

// images returns a learner for the trial's data. Pixels aren't scaled, and the 20,000 images that a reduced experiment
// has are trained with λ = 0.1 and a quarter of the passes, as 0.01 overfits single trees there.
func images(t *trial.Trial, l tao.Learner, lambda float64) tao.Learner {
	l.Lambda = lambda
	if t.Problem == "letter" {
		return l
	}
	if l.Unscaled = true; t.Problem == "mnist20" {
		l.Lambda, l.Passes = 0.1, 10
	}
	return l
}

// unscaled gives the learner features as they are.
func unscaled(l *tao.Learner) { l.Unscaled = true }

// A change is what a method has other than an experiment's other methods.
type change = func(l *tao.Learner)

// asPaper gives the learner the paper's settings (Section 5.1.2): one λ for splits and leaves, of features as they are,
// and splits that are fitted as LIBLINEAR does, which penalises their bias.
func asPaper(passes int) change {
	return func(l *tao.Learner) {
		l.Passes, l.Lambda, l.LeafLambda, l.Unscaled, l.PenalisedBias = passes, 0.01, 0.01, true, true
	}
}

// with makes changes to a learner.
func with(l tao.Learner, changes []change) tao.Learner {
	for _, change := range changes {
		change(&l)
	}
	return l
}

func axisAligned(l *tao.Learner) { l.AxisAligned = true }

// documents has the paper's settings of R8: 20 trees of depth X, and one λ.
func documents(t *trial.Trial) settings {
	l := tao.Learner{LinearLeaves: strings.HasPrefix(t.Method, "tao-l"), Depth: t.X, Trees: 20}
	return settings{with(l, []change{asPaper(40)}), []int{1, 10}, nil}
}

// table2 is depth X. A TAO-c forest on MNIST has 40 trees, other forests 30, but for TAO-l with λ = 10 there.
func table2(linear bool, lambda float64, changes ...change) trial.Method {
	return taoForest(func(t *trial.Trial) settings {
		l := with(images(t, tao.Learner{LinearLeaves: linear, Depth: t.X}, lambda), changes)
		trees := []int{1, 5, 10, 20}
		switch {
		case t.Problem == "letter":
		case !linear:
			l.Trees = 40
			trees = []int{1, 10, 20}
		case lambda == 10:
			l.Trees, trees = 10, []int{1, 5}
		default:
			trees = []int{1, 10, 20}
		}
		return settings{l, trees, nil}
	})
}

// diversity samples a share of X percent of the rows, or a bootstrap sample for 0.
func diversity(sameStart bool, changes ...change) trial.Method {
	return taoForest(func(t *trial.Trial) settings {
		l := tao.Learner{Trees: 20, Depth: 8, SameStart: sameStart,
			Sampling: forest.Sampling{Fraction: float64(t.X) / 100, WithoutReplacement: true}}
		if t.X == 0 {
			l.Sampling = forest.Sampling{Fraction: 1}
		}
		if t.Problem == "letter" {
			l.Depth, l.Passes = 11, 20
		}
		return settings{with(images(t, l, 0.01), changes), []int{1, 2, 5, 10}, nil}
	})
}

// passes is figures 3 and 4: depth X.
func passes(changes ...change) trial.Method {
	return taoForest(func(t *trial.Trial) settings {
		l := tao.Learner{Trees: 30, Depth: t.X, Acceptance: tao.Free}
		if t.Problem == "mnist20" {
			l.Trees = 10
			l = images(t, l, 0.01)
			l.Passes = 20
			return settings{l, []int{1, 2, 5}, []int{1, 2, 5, 10}}
		}
		l.Passes = 80
		return settings{with(images(t, l, 0.01), changes), []int{1, 2, 5, 10, 20}, []int{1, 2, 5, 10, 20, 40, 60}}
	})
}

// hundred is figure 5.
func hundred(changes ...change) trial.Method {
	return taoForest(func(t *trial.Trial) settings {
		l := images(t, tao.Learner{Trees: 100, Depth: 11, Passes: 80}, 0.01)
		return settings{with(l, changes), []int{1, 2, 5, 10, 20, 40, 60, 80}, nil}
	})
}

func table6(lambda float64, passes int, changes ...change) trial.Method {
	return taoForest(func(t *trial.Trial) settings {
		l := tao.Learner{Trees: 30, Passes: passes, Depth: t.X, Unscaled: true, Lambda: lambda}
		return settings{learner: with(l, changes)}
	})
}

func ofNode(l *tao.Learner, m int) { l.NodeFeatures = m }
func ofTree(l *tao.Learner, m int) { l.TreeFeatures = m }

// features sets the number of features m = D^α, where X is 100·α.
func features(set func(l *tao.Learner, m int), changes ...change) trial.Method {
	return taoForest(func(t *trial.Trial) settings {
		l := tao.Learner{Trees: 20, Depth: 8, Sampling: forest.Sampling{Fraction: 1}}
		if t.Problem == "letter" {
			l.Depth, l.Passes = 11, 20
		}
		set(&l, int(math.Round(math.Pow(float64(t.Train.P()), float64(t.X)/100))))
		return settings{with(images(t, l, 0.01), changes), []int{10}, nil}
	})
}

func bootstrap(lambda float64, changes ...change) trial.Method {
	return taoForest(func(t *trial.Trial) settings {
		l := images(t, tao.Learner{Trees: t.X, Depth: 8, Sampling: forest.Sampling{Fraction: 1}}, lambda)
		l.Lambda = lambda
		return settings{learner: with(l, changes)}
	})
}

// overLambda trains X trees, one for each λ of a path. It measures the forest of these trees, and each tree by the
// number of its λ ("test.3", "lambda.3", "parameters.3").
func overLambda(changes ...change) trial.Method {
	return trial.Method{
		Fit: func(ctx context.Context, t *trial.Trial) (err error) {
			l := with(images(t, tao.Learner{Trees: 1, Depth: 8, Sampling: forest.AllRows, Seed: 1}, 0), changes)
			lambdas := make([]float64, t.X)
			for k := range lambdas {
				lambdas[k] = 0.002 * math.Pow(1e5, float64(k)/float64(t.X-1))
				t.More[fmt.Sprintf("lambda.%d", k)] = lambdas[k]
			}
			t.Others, err = l.Path(ctx, t.Train, lambdas...)
			return err
		},
		Measure: measurePath,
	}
}

// measurePath measures what overLambda has trained.
func measurePath(ctx context.Context, t *trial.Trial) error {
	all := *t.Others[0]
	all.Trees = nil
	t.More["best"] = 1
	for k, f := range t.Others {
		all.Trees = append(all.Trees, f.Trees...)
		test, err := errorOn(ctx, f, t.Test)
		if err != nil {
			return err
		}
		t.More["best"], t.More[fmt.Sprintf("test.%d", k)] = min(t.More["best"], test), test
		t.More[fmt.Sprintf("parameters.%d", k)] = float64(f.Size().Parameters)
	}
	var err error
	if t.Score, err = errorOn(ctx, &all, t.Test); err == nil {
		t.More["train"], err = errorOn(ctx, &all, t.Train)
	}
	return err
}

// structure is table 9's: X is 100·Δ1 + Δ2. MNIST has the paper's 100 trees and 40 passes.
func structure(changes ...change) trial.Method {
	return taoForest(func(t *trial.Trial) settings {
		first, second := t.X/100, t.X%100
		l := tao.Learner{FullDepth: first, Depth: second, SplitProbability: splitProbability(first, second, 511), Trees: 100}
		trees := []int{10, 20}
		if t.Problem == "mnist20" {
			l.Trees, trees = 20, []int{10}
		}
		return settings{with(images(t, l, 0.01), changes), trees, nil}
	})
}

// splitProbability returns the p with which trees that are complete to depth full have the given number of nodes on
// average, by bisection of eq. 2. It returns 1 if even complete trees have fewer.
func splitProbability(full, depth int, nodes float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		p := (low + high) / 2
		mean, level := 1.0, 1.0 // nodes at a depth
		for d := range depth {
			level *= 2
			if d >= full {
				level *= p
			}
			mean += level
		}
		if mean < nodes {
			low = p
		} else {
			high = p
		}
	}
	return high
}
