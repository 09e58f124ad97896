package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/notebooks/figures/graf"
	"github.com/obliqua-ml/obliqua/notebooks/figures/hrf"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	grafruns "github.com/obliqua-ml/obliqua/tools/experiments/graf"
	hrfruns "github.com/obliqua-ml/obliqua/tools/experiments/hrf"
	taoruns "github.com/obliqua-ml/obliqua/tools/experiments/tao"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
	"github.com/obliqua-ml/obliqua/tools/experiments/trials"
)

// A baselineSet is data of an experiment of the SPORF, GRAF, HRF or TAO paper or on auto, with its training and test
// rows, on which methods of other libraries are measured.
//
// Sets of SPORF's table 1 are called sporf/ and the name of their file, those of GRAF's table D.1 fd_ and theirs, and
// hypercubes of GRAF's figures 4 to 7 cube/, the problem, a slash and the number of features. Sets of the experiment
// "auto" are called auto/ and their name where methods have their defaults, and autotuned/ where they are tuned. Sets of
// HRF's table 5 are called hrf/ and the paper's name. Those of TAO's tables 2 and 3 are called tao/ and theirs where a
// split is a seed, taotuned/ where methods are tuned, too, and taoxgb/ and taoxgb25/ for a method that has no seed.
type baselineSet struct {
	Name   string
	Values bool // whether rows have values, not classes
	Splits int
	Split  func(ctx context.Context, split int) (train, test *datasets.Dataset, err error) // from 1
}

// baselineSets returns the sets of table 1 whose partitions are in the folders of OBLIQUA_DATA, the sets of table D.1,
// the hypercubes of figures 4 to 7 with ten repeats, 50 divisions of HRF's sets, Letter and R8 of TAO's, and the sets
// and folds of auto but its larger ones, those of classes twice, in this order. For sets of values features are
// standardised, as for auto's methods.
func baselineSets() (sets []baselineSet) {
	add := func(name string, values bool, splits int, run paper.Run, rows trial.Action) {
		sets = append(sets, baselineSet{name, values, splits,
			func(ctx context.Context, split int) (train, test *datasets.Dataset, err error) {
				t := trial.Trial{Run: run}
				t.Repeat, t.Seed = split, uint64(split)
				err = rows(ctx, &t)
				return t.Train, t.Test, err
			}})
	}
	for _, set := range partitionedSets() {
		add("sporf/"+set, false, 5, paper.Run{Problem: set}, trial.Partitioned)
	}
	for _, set := range graf.Sets {
		add("fd_"+set, false, 4, paper.Run{Problem: set}, publishedFold)
	}
	for features := 3; features <= 15; features++ {
		for _, cube := range slices.Sorted(slices.Values(graf.Cubes.Grids[0].Problems)) {
			add(fmt.Sprint("cube/", cube, "/", features), false, 10, paper.Run{Problem: cube, X: features}, cubeRows)
		}
	}
	for _, set := range hrf.Sets {
		add("hrf/"+set, false, 50, paper.Run{Problem: set}, hrfruns.Prepared)
	}
	for _, set := range []string{"letter", "r8"} {
		add("tao/"+set, false, 5, paper.Run{Problem: set}, taoruns.Rows)
		add("taotuned/"+set, false, 5, paper.Run{Problem: set}, taoruns.Rows)
		add("taoxgb/"+set, false, 1, paper.Run{Problem: set}, taoruns.Rows)
	}
	add("taoxgb25/mnist", false, 1, paper.Run{Problem: "mnist"}, taoruns.Rows)
	for _, set := range trials.AutoSets {
		add("auto/"+set, false, trials.Folds, paper.Run{Problem: set}, trials.CollectionFold)
		add("autotuned/"+set, false, 5, paper.Run{Problem: set}, trials.CollectionFold)
	}
	for _, set := range trials.AutoValueSets {
		add("auto/"+set, true, trials.Folds, paper.Run{Problem: set}, func(ctx context.Context, t *trial.Trial) error {
			if err := trials.ValueFold(ctx, t); err != nil {
				return err
			}
			return t.Prepare(ctx, trials.OneHotSteps)
		})
	}
	return sets
}

func publishedFold(ctx context.Context, t *trial.Trial) error {
	d, folds, err := grafruns.PublishedFolds(ctx, t.Problem)
	if err == nil {
		t.Train, t.Test = folds[t.Repeat-1].Split(d)
	}
	return err
}

func cubeRows(_ context.Context, t *trial.Trial) (err error) {
	t.Train, t.Test, err = grafruns.Cube(t.Problem, t.X, t.Seed)
	return err
}

// partitionedSets returns the SPORF authors' sets of which OBLIQUA_DATA has data and partition.
func partitionedSets() []string {
	found := map[string]bool{}
	for _, dir := range filepath.SplitList(os.Getenv("OBLIQUA_DATA")) {
		paths, _ := filepath.Glob(filepath.Join(dir, "sporf", "data", "*.csv.gz"))
		for _, path := range paths {
			name := strings.TrimSuffix(filepath.Base(path), ".csv.gz")
			if _, err := os.Stat(filepath.Join(dir, "sporf", "partitions", name+"_partitions.txt.gz")); err == nil {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
