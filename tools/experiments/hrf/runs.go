// Package hrf does the runs of the HRF paper's experiments.
package hrf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/papers/hrf"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Studies are how the paper's runs are done, but for those of our own experiments, which are complete.
var Studies = []trial.Study{
	{Experiment: &hrf.Sizes, Rows: whole, Do: trial.Sized},
	{Experiment: &hrf.Depths, Rows: simulated, Do: byMethod(map[string]trial.Action{
		"depths":      compare(depths, append([]contender{bagging}, leafRules...)...),
		"tree depths": compare(treeDepths, bagging, leafRules[0], leafRules[3])})},
	{Experiment: &hrf.Noise, Rows: simulated, Do: byMethod(map[string]trial.Action{
		"comparison":     compare(nil, slices.Concat(leafRules[:1], memories, leafRules[1:])...),
		"fewer features": compare(nil, append([]contender{leafRules[3]}, subspaces(0.6, 0.8)...)...)})},
	{Experiment: &hrf.Tuned, Do: tunedOnce},
	{Experiment: &hrf.Shares, Rows: whole, Do: shares},
}

// byMethod does what a run's method asks for.
func byMethod(actions map[string]trial.Action) trial.Action {
	return func(ctx context.Context, t *trial.Trial) error { return actions[t.Method](ctx, t) }
}

const trees = 100

// steps treat missing cells and categories as the paper does, but are fitted to training rows only.
var steps = datasets.Steps{datasets.Impute{}, datasets.TargetEncoding{Folds: 1}}

// The four forests that tell the leaf rule of HRF from its weights: both have both rules.
var leafRules = []contender{
	{"rf", trial.With(rf.Learner{Trees: trees})},
	{"rf-leaf", trial.With(rf.Learner{Trees: trees, Constant: rf.MakeLeaf})},
	{"hrf-on", trial.With(rf.HRF{Trees: trees, Constant: rf.DrawOn})},
	{"hrf", trial.With(rf.HRF{Trees: trees})},
}

var (
	bagging  = contender{"bagging", trial.With(rf.Bagging{Trees: trees})}
	memories = []contender{
		{"h-sporf", trial.With(sporf.Learner{Trees: trees, Memory: forest.Memory{Alpha: 0.5, Beta: 1}})}, bagging,
		{"sporf", trial.With(sporf.Learner{Trees: trees})}}
)

// subspaces are bagging whose trees draw shares of the features, without replacement and rounded down.
func subspaces(shares ...float64) (all []contender) {
	for _, share := range shares {
		all = append(all, contender{fmt.Sprintf("bagging-%.0f", 100*share),
			trial.Fitted(func(t *trial.Trial) forest.Learner { return sharing(share, t.Train.P()) })})
	}
	return all
}

func sharing(share float64, p int) rf.Bagging {
	return rf.Bagging{Trees: trees, TreeFeatures: max(1, int(share*float64(p)))}
}

// shareGrid is bagging's grid of table 4: 60 to 100 % of the features for a tree.
func shareGrid(t *trial.Trial) (grid []forest.Learner) {
	for _, share := range []float64{0.6, 0.7, 0.8, 0.9, 1} {
		l := sharing(share, t.Train.P())
		if k := len(grid); k == 0 || grid[k-1].(rf.Bagging).TreeFeatures != l.TreeFeatures {
			grid = append(grid, l)
		}
	}
	return grid
}

// nodeGrid is that of random forests in table 4: √p, log₂ p or p features of a node.
func nodeGrid(t *trial.Trial) (grid []forest.Learner) {
	p := float64(t.Train.P())
	for _, m := range []float64{math.Sqrt(p), math.Log2(p), p} {
		grid = append(grid, rf.Learner{NodeFeatures: max(1, int(m))})
	}
	return grid
}

// simulated draws the rows of a simulation, 700 for training and 300 for testing, anew for each repeat (section 3). X
// is the number of features that are noise.
func simulated(_ context.Context, t *trial.Trial) (err error) {
	p := map[string]trial.Sampler{"paper": sim.SelectionBias{}, "equal-scale": sim.SelectionBias{EqualScale: true},
		"null": sim.SelectionBias{Null: true}, "noise": sim.NoiseFeatures{Noise: t.X}}[t.Problem]
	t.Train, t.Test, err = datasets.Holdout{Test: 0.3, Seed: t.Seed}.Split(p.Sample(1000, t.Seed))
	return err
}

// divided takes a fifth of a set for testing, another one for each repeat (section 4).
func divided(ctx context.Context, t *trial.Trial) error {
	d, err := Load(ctx, t.Problem)
	if err == nil {
		t.Train, t.Test, err = datasets.Holdout{Test: 0.2, Seed: t.Seed}.Split(d)
	}
	return err
}

// Prepared is a division of a set of table 5, with missing cells and categories treated as for the forests: the trial's
// seed, from 1, is the number of the division.
func Prepared(ctx context.Context, t *trial.Trial) error {
	if err := divided(ctx, t); err != nil {
		return err
	}
	return t.Prepare(ctx, steps)
}

// whole takes all rows of a set.
func whole(ctx context.Context, t *trial.Trial) (err error) {
	t.Train, err = Load(ctx, t.Problem)
	return err
}

// depths measures what figures 3 and 4 draw.
func depths(f *forest.Forest) map[string]float64 {
	more := map[string]float64{}
	for j, d := range inspect.MeanFeatureDepths(f, 1) {
		more[fmt.Sprint("d", j+1)] = d
	}
	diversity := inspect.TreeDiversity(f, false)
	more["ds"], more["distance"] = diversity.Dissimilarity, diversity.Distance
	more["ds-split"] = inspect.TreeDiversity(f, true).Dissimilarity
	return more
}

// treeDepths counts the trees in which a feature has a depth, by both.
func treeDepths(f *forest.Forest) map[string]float64 {
	more := map[string]float64{}
	for i := range f.Trees {
		one := *f
		one.Trees = f.Trees[i : i+1]
		for j, d := range inspect.MeanFeatureDepths(&one, 1) {
			more[fmt.Sprintf("d%d.%v", j+1, d)]++
		}
	}
	return more
}

// shares measures table 8: trees of different seeds differ where cuts tie.
func shares(ctx context.Context, t *trial.Trial) error {
	if err := t.PrepareAll(ctx, steps); err != nil {
		return err
	}
	all := make([]float64, t.X)
	for seed := range all {
		var err error
		if all[seed], err = NoiseShare(ctx, t.Train, uint64(seed+1)); err != nil {
			return err
		}
	}
	t.Score, t.More["p"] = eval.Mean(all), float64(t.Train.P())
	t.More["least"], t.More["most"] = slices.Min(all), slices.Max(all)
	return nil
}

// NoiseShare grows a CART tree on all rows and returns the share of features whose importance is below 1/p
// (section 4.2).
func NoiseShare(ctx context.Context, d *datasets.Dataset, seed uint64) (float64, error) {
	tree, err := rf.CART{Seed: seed}.Fit(ctx, d)
	if err != nil {
		return 0, err
	}
	below := 0
	for _, v := range tree.Importance() {
		if v < 1/float64(d.P()) {
			below++
		}
	}
	return float64(below) / float64(d.P()), nil
}
