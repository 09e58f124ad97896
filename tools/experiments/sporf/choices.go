package sporf

import (
	"context"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	learners "github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/internal/papers/sporf"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

var choices = []trial.Study{
	{Experiment: &sporf.Simulated, Rows: drawn, Methods: everyChoice, Measure: strength, Work: workOnSample},
	{Experiment: &sporf.OnSets, Rows: standardisedFold, Methods: everyChoice, Measure: kappas,
		Work: func(c paper.Cell, size trial.Size) float64 {
			return work(c.Method, 0.8*size.Rows, 0.2*size.Rows, int(size.Features))
		}},
}

// work is in proportion to the time of training and testing every choice: log₂n levels, of which each takes as long as
// n rows times d candidates, and about eight candidates for each test row.
func work(method string, n, test float64, p int) (sum float64) {
	if n < 2 || p == 0 {
		return 0
	}
	for _, c := range sporf.Choices(method, p) {
		sum += math.Log2(n) * (n*float64(c.D) + 8*test)
	}
	return sum
}

func workOnSample(c paper.Cell, _ trial.Size) float64 {
	p := map[string]int{"sparse parity": 20, "orthant": 6, "trunk": 10}[c.Problem]
	return work(c.Method, float64(c.X), 10_000, p)
}

var everyChoice = map[string]trial.Method{"RF": {Fit: choose}, "SPORF": {Fit: choose}, "F-RC": {Fit: choose},
	"RR-RF": {Fit: choose}, "CCF": {Fit: crossValidated}}

// crossValidated trains the setting of CCF that is best in five-fold cross-validation.
func crossValidated(ctx context.Context, t *trial.Trial) error {
	grid := families["CCF"].Settings(t, trees)
	tuning, err := eval.Tune(ctx, grid, t.Train, datasets.KFold{K: 5, Stratified: true, Seed: t.Seed})
	if err != nil {
		return err
	}
	t.Setting = trial.Setting(grid[tuning.Best], t.Train.P())
	return t.Fit(ctx, grid[tuning.Best])
}

// choose trains the method with every choice of the authors' grid, and keeps the forest of lowest out-of-bag error.
func choose(ctx context.Context, t *trial.Trial) error {
	t.More["features"] = float64(t.Train.P())
	rng, ties, lowest := forest.NewRand(t.Seed), 0, math.Inf(1)
	var best *forest.Forest
	for _, c := range sporf.Choices(t.Method, t.Train.P()) {
		oob, err := measureChoice(ctx, t, c)
		if err != nil {
			return err
		}
		if oob < lowest {
			lowest, ties = oob, 0
		}
		if oob == lowest {
			if ties++; rng.Intn(ties) == 0 { // each of the ties is as likely
				best, t.Setting = t.Model, fmt.Sprintf("d=%d k=%d", c.D, c.K)
			}
		}
	}
	t.Model = best
	return nil
}

// measureChoice trains one choice and returns its out-of-bag error.
func measureChoice(ctx context.Context, t *trial.Trial, c sporf.Choice) (float64, error) {
	begun := trial.ProcessorSeconds()
	if err := t.Fit(ctx, authorsForest(t, c)); err != nil {
		return 0, err
	}
	t.More[c.Name("seconds")] = rounded(trial.ProcessorSeconds()-begun, 1e3)
	labels, err := t.Model.Predict(ctx, t.Test)
	if err != nil {
		return 0, err
	}
	t.More[c.Name("error")] = rounded(eval.Error(labels, t.Test.Labels), 1e6)
	oob, err := t.Model.OutOfBag(ctx, t.Train)
	if err != nil {
		return 0, err
	}
	t.More[c.Name("oob")] = rounded(oob.Error(), 1e6)
	return oob.Error(), nil
}

func rounded(v, scale float64) float64 { return math.Round(v*scale) / scale }

// authorsForest returns a forest as the authors' programs grow it.
func authorsForest(t *trial.Trial, c sporf.Choice) forest.Learner {
	n, sampling := t.Trees(trees), forest.Sampling{WithinClasses: true}
	switch t.Method {
	case "SPORF":
		return learners.Learner{Trees: n, Candidates: c.D, Density: float64(c.K) / float64(t.Train.P()), NoRedraw: true,
			Sampling: sampling, Seed: t.Seed}
	case "F-RC":
		return learners.FRC{Trees: n, Candidates: c.D, Combined: c.K, NoRedraw: true, Sampling: sampling, Seed: t.Seed}
	case "RR-RF":
		return rotation.Random{Trees: n, NodeFeatures: c.D, Unscaled: true, Sampling: sampling, Seed: t.Seed}
	}
	return rf.Learner{Trees: n, NodeFeatures: c.D, Constant: rf.MakeLeaf, Sampling: sampling, Seed: t.Seed}
}

// standardisedFold takes the authors' fold of a set whose features are standardised, and constant ones dropped, over
// all rows.
func standardisedFold(ctx context.Context, t *trial.Trial) error {
	return trial.PartitionedAfter(ctx, t, func(d *datasets.Dataset) (*datasets.Dataset, error) {
		_, d, err := datasets.Steps{datasets.Standardise{}}.Fit(ctx, varying(d))
		return d, err
	})
}

// varying returns the set without its constant features.
func varying(d *datasets.Dataset) *datasets.Dataset {
	some := *d
	some.Features, some.Columns = nil, nil
	for j, column := range d.Columns {
		for _, v := range column {
			if v != column[0] {
				some.Features, some.Columns = append(some.Features, d.Features[j]), append(some.Columns, column)
				break
			}
		}
	}
	return &some
}
