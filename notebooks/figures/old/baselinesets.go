package old

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
	grafruns "github.com/obliqua-ml/obliqua/notebooks/figures/graf/runs"
)

// A BaselineSet is data of an experiment of the SPORF or GRAF paper or on auto, with its training and test rows, on
// which tools/peers measures methods of other libraries.
//
// Sets of SPORF's table 1 are called sporf/ and the name of their file, those of GRAF's table D.1 fd_ and theirs, and
// hypercubes of GRAF's figures 4 to 7 cube/, the problem, a slash and the number of features. Sets of the experiment
// "auto" are called auto/ and their name where methods have their defaults, and autotuned/ where they are tuned.
type BaselineSet struct {
	Name   string
	Values bool // whether rows have values, not classes
	Splits int
	Split  func(ctx context.Context, split int) (train, test *datasets.Dataset, err error) // from 1
}

// BaselineSets returns the sets of table 1 whose partitions are in the folders of OBLIQUA_DATA, the sets of table D.1,
// the hypercubes of figures 4 to 7 with three repeats, and the sets and folds of auto but its larger ones, those of
// classes twice, in this order. For sets of values features are standardised, as for auto's methods.
func BaselineSets() []BaselineSet {
	var sets []BaselineSet
	add := func(prefix string, p problem, values bool, x, splits int) {
		name, _, _ := strings.Cut(p.name, "/") // of a hypercube without its number of features
		sets = append(sets, BaselineSet{prefix + p.name, values, splits,
			func(ctx context.Context, split int) (train, test *datasets.Dataset, err error) {
				t := trial{Run: Run{Problem: name, X: x, Repeat: split, Seed: uint64(split)}}
				err = p.rows(ctx, &t)
				return t.train, t.test, err
			}})
	}
	for _, p := range problems(partitionedSets(), sporfFold) {
		add("sporf/", p, false, 0, 5)
	}
	for _, p := range problems(graf.Sets, func(ctx context.Context, t *trial) error {
		d, folds, err := grafruns.PublishedFolds(ctx, t.Problem)
		if err == nil {
			t.train, t.test = folds[t.Repeat-1].Split(d)
		}
		return err
	}) {
		add("fd_", p, false, 0, 4)
	}
	cubes := problems(slices.Sorted(slices.Values(graf.Cubes.Grids[0].Problems)),
		func(_ context.Context, t *trial) (err error) {
			t.train, t.test, err = grafruns.Cube(t.Problem, t.X, t.Seed)
			return err
		})
	for features := 3; features <= 15; features++ {
		for _, p := range cubes {
			p.name = fmt.Sprint(p.name, "/", features)
			add("cube/", p, false, features, 3)
		}
	}
	for _, p := range problems(mixSets, collectionFold) {
		add("auto/", p, false, 0, autoFolds)
		add("autotuned/", p, false, 0, 5)
	}
	for _, p := range problems(autoValueSets, func(ctx context.Context, t *trial) (err error) {
		if err = valueFold(ctx, t); err == nil {
			t.train, t.test, err = prepared(ctx, oneHotSteps, t.train, t.test)
		}
		return err
	}) {
		add("auto/", p, true, 0, autoFolds)
	}
	return sets
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
