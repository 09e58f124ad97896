package figures

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
)

// sporfSets are the sets of table 1 that are computed here, quick ones first, with the
// number of trees for comparing SPORF's settings. It is below 500 where the settings
// with d = p² take too long; the best setting is then trained again with 500.
var sporfSets = []struct {
	name       string
	tuneTrees  int
	kappa, sem [2]float64 // published, in percent: RF, SPORF
}{
	{"wine", 500, [2]float64{94, 95}, [2]float64{4, 3}},
	{"balance_scale", 500, [2]float64{77, 94}, [2]float64{3, 1}},
	{"car", 500, [2]float64{93.1, 96.5}, [2]float64{0.8, 0.2}},
	{"statlog_vehicle", 500, [2]float64{68, 74}, [2]float64{2, 1}},
	{"ionosphere", 500, [2]float64{82, 85}, [2]float64{2, 2}},
	{"hill_valley", 100, [2]float64{12, 100}, [2]float64{2, 0}},
	{"hill_valley-noise", 100, [2]float64{3, 90}, [2]float64{6, 3}},
	{"mushroom", 100, [2]float64{100, 100}, [2]float64{0, 0}},
	{"pendigits", 100, [2]float64{99.1, 99.5}, [2]float64{0.1, 0.1}},
	{"letter", 20, [2]float64{96.37, 96.85}, [2]float64{0.11, 0.13}},
}

// SPORFTable1 returns table 1 for ten sets: κ on each of the authors' five folds of
// their own preprocessed data, which must be in a folder of OBLIQUA_DATA. κ is
// 1 − error / (1 − share of the largest class); a record's repeat is its fold.
// The fast setting has the first three sets and 100 trees.
func SPORFTable1(paper bool) Experiment {
	e := Experiment{Name: "sporf-table1-fast"}
	trees, sets := 100, sporfSets[:3]
	if paper {
		e.Name = "sporf-table1-paper"
		trees, sets = 500, sporfSets
	}
	for _, set := range sets {
		for _, m := range []method{tunedRF, tunedSPORF} {
			for fold := range 5 {
				seed := uint64(fold + 1)
				e.Runs = append(e.Runs, Run{Problem: set.name, Method: m.name, Repeat: fold + 1, Seed: seed,
					Do: func(ctx context.Context) (Result, error) {
						train, test, err := sporfFold(ctx, set.name, fold)
						if err != nil {
							return Result{}, err
						}
						tuneTrees := trees
						if m.name == tunedSPORF.name {
							tuneTrees = min(trees, set.tuneTrees)
						}
						grid := m.grid(train.P(), train.N(), tuneTrees, seed)
						return tuneAndKappa(ctx, grid, trees, train, test)
					}})
			}
		}
	}
	return e
}

// Published returns the published κ and its standard error, in percent, for the sets of
// [SPORFTable1], by set and method.
func Published() map[[2]string][2]float64 {
	published := map[[2]string][2]float64{}
	for _, s := range sporfSets {
		for i, name := range []string{"RF", "SPORF"} {
			published[[2]string{s.name, name}] = [2]float64{s.kappa[i], s.sem[i]}
		}
	}
	return published
}

// sporfFold loads a set of the SPORF authors, and returns a fold of their partition.
func sporfFold(ctx context.Context, name string, fold int) (train, test *datasets.Dataset, err error) {
	d, err := datasets.Load(ctx, "sporf/"+name)
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range filepath.SplitList(os.Getenv("OBLIQUA_DATA")) {
		folds, err := datasets.ReadPartition(filepath.Join(dir, "sporf", "partitions", name+"_partitions.txt.gz"), d.N())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		train, test = folds[fold].Split(d)
		return train, test, nil
	}
	return nil, nil, fmt.Errorf("no folder of OBLIQUA_DATA has the partition of %s", name)
}

// tuneAndKappa is like tuneAndTest, with κ as the score. If settings were compared with
// fewer trees than given, the best is trained again with these.
func tuneAndKappa(ctx context.Context, grid []forest.Learner, trees int, train, test *datasets.Dataset) (Result, error) {
	start := time.Now()
	tuning, err := eval.Tune(ctx, grid, train, nil)
	if err != nil {
		return Result{}, err
	}
	model := tuning.Model
	if len(model.Trees) < trees {
		if model, err = withTrees(grid[tuning.Best], trees).Fit(ctx, train); err != nil {
			return Result{}, err
		}
	}
	return Result{
		Seconds: time.Since(start).Seconds(),
		Score:   eval.ChanceKappa(model.Predict(test), test.Labels),
		Setting: setting(grid[tuning.Best], train.P()),
	}, nil
}

func withTrees(l forest.Learner, trees int) forest.Learner {
	switch l := l.(type) {
	case rf.Learner:
		l.Trees = trees
		return l
	case sporf.Learner:
		l.Trees = trees
		return l
	}
	panic(fmt.Sprintf("figures: can't set the number of trees of a %T", l))
}
