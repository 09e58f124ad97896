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
	"github.com/obliqua-ml/obliqua/internal/papers/graf"
	"github.com/obliqua-ml/obliqua/internal/papers/hrf"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	grafruns "github.com/obliqua-ml/obliqua/tools/experiments/graf"
	hrfruns "github.com/obliqua-ml/obliqua/tools/experiments/hrf"
	taoruns "github.com/obliqua-ml/obliqua/tools/experiments/tao"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// A protocol is the sets of an experiment of the SPORF, GRAF, HRF or TAO paper, and how methods are tuned on them:
// classifiers.py says that.
type protocol struct {
	prefix  string // of the sets' names
	measure string
	methods []string
	splits  int // from 1
	sets    []paper.Run
	rows    func(ctx context.Context, set paper.Run) (train, test *datasets.Dataset, err error)
}

// name returns the name of a set in the files of results.
func (p protocol) name(set paper.Run) string {
	if set.X > 0 {
		return fmt.Sprint(p.prefix, set.Problem, "/", set.X)
	}
	return p.prefix + set.Problem
}

// protocols returns those of SPORF's table 1, whose partitions are in the folders of OBLIQUA_DATA, of GRAF's table D.1
// and figures 4 to 7, of HRF's table 5, and of TAO's tables 2 and 3 and figure 5.
func protocols() []protocol {
	const xgboost = "XGB1 XGB2 XGB5 XGB10 XGB20 XGB40 XGB60 XGB80 XGB100"
	of := func(prefix, measure, methods string, splits int, sets []string, rows trial.Action) protocol {
		p := protocol{prefix: prefix, measure: measure, methods: strings.Fields(methods), splits: splits, rows: rowsOf(rows)}
		for _, set := range sets {
			p.sets = append(p.sets, paper.Run{Problem: set})
		}
		return p
	}
	cubes := of("cube/", "kappa", "XGB ADA GB", 10, nil, cubeRows)
	for features := 3; features <= 15; features++ {
		for _, cube := range slices.Sorted(slices.Values(graf.Cubes.Grids[0].Problems)) {
			cubes.sets = append(cubes.sets, paper.Run{Problem: cube, X: features})
		}
	}
	letters := []string{"letter", "r8"}
	return []protocol{
		of("sporf/", "error", "XGB", 5, partitionedSets(), trial.Partitioned),
		of("fd_", "kappa", "XGB ADA GB", 4, graf.Sets, publishedFold),
		cubes,
		of("hrf/", "error", "XGB CAT GB", 50, hrf.Sets, hrfruns.Prepared),
		of("taotuned/", "error", "ADA100 ADA1000", 5, letters, taoruns.Rows),
		of("taoxgb/", "error", xgboost+" XGB1000", 1, letters, taoruns.Rows),
		of("taoxgb25/", "error", xgboost, 1, []string{"mnist"}, taoruns.Rows),
	}
}

// rowsOf makes a function of an action that sets a trial's rows.
func rowsOf(rows trial.Action) func(ctx context.Context, set paper.Run) (train, test *datasets.Dataset, err error) {
	return func(ctx context.Context, set paper.Run) (train, test *datasets.Dataset, err error) {
		t := trial.Trial{Run: set}
		err = rows(ctx, &t)
		return t.Train, t.Test, err
	}
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
