package old

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	trials "github.com/obliqua-ml/obliqua/notebooks/figures/trial"
)

// The families of table D.1, tuned over M and MinSplit as in section 7.2; GRAF has K = M. The oblique tree, whose fits
// are slow, has at most 100 trees and M for at most 32 features.
var tableD1 = []family{{"GRAF", ofTable(graf.Learner{})}, likeGRAF("OT", 32, 100), likeGRAF("ET", math.MaxInt, 0),
	likeGRAF("RF", math.MaxInt, 0)}

// likeGRAF returns the family of a [grafForest] for each M, of at most so many features, and MinSplit of GRAF's grid.
// It has at most the given number of trees, or any if that is 0.
func likeGRAF(name string, features, trees int) family {
	return family{name, func(t *trial) (grid []forest.Learner) {
		for _, l := range (graf.Learner{}).Grid(ofFeatures(min(t.train.P(), features))) {
			l := l.(graf.Learner)
			grid = append(grid, changed(grafForest(name, trees, l.TreeFeatures), func(fields reflect.Value) {
				fields.FieldByName("MinSplit").SetInt(int64(l.MinSplit))
			}))
		}
		return grid
	}}
}

const (
	tuningTrees = 100 // when comparing settings
	tableTrees  = 200 // the paper tunes this, from 100 to 2000
)

// grafTableD1 is table D.1: Cohen's κ, the mean over four folds. The sets have the numeric coding of Fernández-Delgado
// and others (JMLR 15, 2014) and that collection's folds, which must be in a folder of OBLIQUA_DATA. On the training
// part of each fold, settings are compared by 5-fold cross-validation with 100 trees, by κ over the five parts
// together, and the best is trained with 200 trees. "best" in More is the κ of the setting that is best on the test
// parts, chosen in hindsight.
//
// The sets are those of the paper that we have, of at most 10,000 rows and without the slowest, quick ones first; the
// fast setting has the first three.
func grafTableD1(s size) []Run {
	return byKappa(pick(s, grafSets[:3], grafSets), publishedFolds)
}

// grafFaults is table D.1 for [FaultySets] with a correct coding: categories as numbers, missing cells imputed, columns
// standardised, and four stratified folds of our own.
func grafFaults(s size) []Run {
	var names []string
	for _, set := range pick(s, FaultySets[:1], FaultySets) {
		names = append(names, set.Name)
	}
	return byKappa(names, func(ctx context.Context, set string) (*datasets.Dataset, []datasets.Fold, error) {
		d, err := public.Load(ctx, set)
		if err != nil {
			return nil, nil, err
		}
		steps := datasets.Steps{datasets.Impute{}, datasets.Ordinal{}, datasets.Standardise{}}
		if d, _, err = prepared(ctx, steps, d, d); err != nil {
			return nil, nil, err
		}
		folds, err := datasets.KFold{K: 4, Stratified: true, Seed: 1}.Folds(d)
		return d, folds, err
	})
}

// byKappa lists the runs of tableD1 on sets.
func byKappa(
	sets []string, load func(ctx context.Context, set string) (*datasets.Dataset, []datasets.Fold, error),
) (runs []Run) {
	for _, set := range sets {
		for _, f := range tableD1 {
			runs = append(runs, repeated(set, f.name, 0, 1, func(ctx context.Context, t *trial) error {
				d, folds, err := load(ctx, set)
				if err != nil {
					return err
				}
				return tuneAndFold(ctx, t, f, d, folds)
			})...)
		}
	}
	return runs
}

// FaultySets are the small sets of table D.1 whose published coding is faulty. Fault
// says what the coding does wrong.
var FaultySets = []struct{ Name, Fault string }{
	{"congressional-voting", "codes yes and no alike"},
	{"statlog-australian-credit", "takes the applicant's sex as the class"},
	{"spect", "takes a feature as the class"},
	{"pittsburg-bridges-SPAN", "puts rows without a label into class 0"},
	{"pittsburg-bridges-REL-L", "puts rows without a label into class 0"},
	{"pittsburg-bridges-T-OR-D", "puts rows without a label into class 0"},
	{"soybean", "has a phantom row and lacks a class"},
}

// tuneAndFold compares the settings of a method on the training part of every fold
// and tests the best. It also tests all other settings, to find the best in hindsight.
func tuneAndFold(ctx context.Context, t *trial, f family, d *datasets.Dataset, folds []datasets.Fold) error {
	tuned := make([]float64, len(folds))
	var chosen []string
	var byGrid []float64
	for k, fold := range folds {
		t.train, t.test = fold.Split(d)
		best, err := tuneByKappa(ctx, f.settings(t, tuningTrees), t.train)
		if err != nil {
			return fmt.Errorf("fold %d: %w", k+1, err)
		}
		grid := f.settings(t, tableTrees)
		if byGrid == nil {
			byGrid = make([]float64, len(grid))
		}
		for i, l := range grid {
			if err = t.fit(ctx, l); err == nil {
				err = byLabels(eval.Kappa)(ctx, t)
			}
			if err != nil {
				return fmt.Errorf("fold %d: %w", k+1, err)
			}
			byGrid[i] += t.Score / float64(len(folds))
			if i == best {
				tuned[k] = t.Score
				chosen = append(chosen, setting(l, d.P()))
			}
		}
		t.More[fmt.Sprint("fold", k+1)] = tuned[k]
	}
	t.Score, t.Setting = eval.Mean(tuned), strings.Join(chosen, "; ")
	t.More["sd"], t.More["best"] = stat.PopStdDev(tuned, nil), slices.Max(byGrid)
	return nil
}

// tuneByKappa returns the index of the learner with the highest κ over all rows of a
// 5-fold cross-validation together.
func tuneByKappa(ctx context.Context, grid []forest.Learner, d *datasets.Dataset) (best int, err error) {
	parts, err := datasets.KFold{K: 5, Stratified: true, Seed: 1}.Folds(d)
	if err != nil {
		return 0, err
	}
	highest := math.Inf(-1)
	for i, l := range grid {
		labels := make([]int32, d.N())
		for _, part := range parts {
			train, test := part.Split(d)
			model, err := l.Fit(ctx, train)
			if err != nil {
				return 0, err
			}
			predicted, err := model.Predict(ctx, test)
			if err != nil {
				return 0, err
			}
			for k, y := range predicted {
				labels[part.Test[k]] = y
			}
		}
		if kappa := eval.Kappa(labels, d.Labels); kappa > highest {
			best, highest = i, kappa
		}
	}
	return best, nil
}

// publishedFolds loads a set of the Fernández-Delgado collection and its four folds.
func publishedFolds(ctx context.Context, set string) (*datasets.Dataset, []datasets.Fold, error) {
	d, err := public.Load(ctx, "fd_"+set)
	if err != nil {
		return nil, nil, err
	}
	folds, err := trials.FromData(filepath.Join("fd_folds", set+".kfold.txt.gz"), func(path string) ([]datasets.Fold, error) {
		return datasets.ReadKFold(ctx, path, d.N())
	})
	return d, folds, err
}

// grafFold loads a set: the published fold that is the trial's repeat.
func grafFold(ctx context.Context, t *trial) error {
	d, folds, err := publishedFolds(ctx, t.Problem)
	if err != nil {
		return err
	}
	t.train, t.test = folds[t.Repeat-1].Split(d)
	return nil
}

// grafSets are the sets of table D.1, quick ones first.
var grafSets = strings.Fields(`
	lenses hayes-roth iris haberman-survival teaching acute-inflammation acute-nephritis monks-3 monks-1
	pittsburg-bridges-SPAN pittsburg-bridges-T-OR-D pittsburg-bridges-REL-L pittsburg-bridges-TYPE
	pittsburg-bridges-MATERIAL post-operative monks-2 fertility breast-tissue balance-scale seeds
	vertebral-column-2clases blood echocardiogram glass heart-switzerland titanic breast-cancer mammographic zoo
	planning heart-va wine spect heart-hungarian statlog-heart ilpd-indian-liver lymphography led-display energy-y1
	energy-y2 pima heart-cleveland hepatitis breast-cancer-wisc car conn-bench-vowel-deterding image-segmentation
	tic-tac-toe parkinsons lung-cancer congressional-voting contrac statlog-australian-credit spectf credit-approval
	horse-colic wine-quality-red breast-cancer-wisc-prog abalone statlog-vehicle molec-biol-promoter soybean
	ionosphere dermatology breast-cancer-wisc-diag page-blocks oocytes_trisopterus_nucleus_2f statlog-german-credit
	wine-quality-white audiology-std cylinder-bands oocytes_merluccius_states_2f statlog-image
	conn-bench-sonar-mines-rocks oocytes_trisopterus_states_5b cardiotocography-10clases bank thyroid
	oocytes_merluccius_nucleus_4d pendigits synthetic-control waveform libras ringnorm twonorm mushroom chess-krvkp
	low-res-spect statlog-landsat hill-valley plant-texture plant-margin plant-shape waveform-noise molec-biol-splice
	musk-1 ozone optical spambase arrhythmia`)

// A Cell is the κ of a method on a set of table D.1.
type Cell struct {
	Tuned     float64 // ours, tuned within each fold
	Hindsight float64 // ours, with the setting that is best on the test parts
	Published float64
}

// ReadTableD1 reads the published κ of table D.1 from a CSV file, by set and method. Of each method the file has a
// column whose name ends in "_kappa". The row of averages is left out.
func ReadTableD1(path string) (map[string]map[string]Cell, error) {
	rows, err := ReadTable(path)
	delete(rows, "AVERAGE")
	table := map[string]map[string]Cell{}
	for set, row := range rows {
		table[set] = map[string]Cell{}
		for column, v := range row {
			if method, ok := strings.CutSuffix(column, "_kappa"); ok {
				table[set][method] = Cell{Tuned: math.NaN(), Hindsight: math.NaN(), Published: v}
			}
		}
	}
	return table, err
}

// Compare returns the part of a published table for whose sets all our methods have results, with these results.
func Compare(means []Mean, published map[string]map[string]Cell) map[string]map[string]Cell {
	table := map[string]map[string]Cell{}
	for _, m := range means {
		if table[m.Problem] == nil {
			table[m.Problem] = map[string]Cell{}
		}
		table[m.Problem][m.Method] = Cell{m.Mean, m.More["best"], published[m.Problem][m.Method].Published}
	}
	maps.DeleteFunc(table, func(set string, cells map[string]Cell) bool {
		return published[set] == nil || len(cells) != len(tableD1)
	})
	return table
}

// Difference returns the means over sets of our κ minus the published κ and of the
// difference's absolute value: tuned, and in hindsight.
func Difference(table map[string]map[string]Cell, method string) (tuned, hindsight [2]float64) {
	for _, set := range slices.Sorted(maps.Keys(table)) {
		c := table[set][method]
		for k, d := range []float64{c.Tuned - c.Published, c.Hindsight - c.Published} {
			to := [2]*[2]float64{&tuned, &hindsight}[k]
			to[0] += d / float64(len(table))
			to[1] += math.Abs(d) / float64(len(table))
		}
	}
	return tuned, hindsight
}

// Scores returns a number for each method and each set on which all of them have one, as [eval.FriedmanTest] takes
// them. Sets are in alphabetical order. NaN is no number.
func Scores[C any](
	table map[string]map[string]C, methods []string, of func(method string, cell C) float64,
) (scores [][]float64) {
	for _, set := range slices.Sorted(maps.Keys(table)) {
		var line []float64
		for _, name := range methods {
			if cell, ok := table[set][name]; ok {
				line = append(line, of(name, cell))
			}
		}
		if len(line) == len(methods) && !slices.ContainsFunc(line, math.IsNaN) {
			scores = append(scores, line)
		}
	}
	return scores
}

// WithBaselines returns the part of table D.1 for whose sets each of some methods of other
// libraries has been measured on all four folds, with these methods' cells added: Tuned is
// the mean of κ over folds, Hindsight NaN. The table is that of [Compare], and published that
// of [ReadTableD1]. Sets of baselines are called fd_ and the set's name in the table.
func WithBaselines(
	table, published map[string]map[string]Cell, baselines []PredictionMean, methods ...string,
) map[string]map[string]Cell {
	const folds = 4
	all := map[string]map[string]Cell{}
	added := map[string]int{}
	for _, m := range baselines {
		set, of := strings.CutPrefix(m.Set, "fd_")
		if !of || table[set] == nil || m.Splits != folds || !slices.Contains(methods, m.Method) {
			continue
		}
		if all[set] == nil {
			all[set] = maps.Clone(table[set])
		}
		all[set][m.Method] = Cell{m.Kappa, math.NaN(), published[set][m.Method].Published}
		added[set]++
	}
	maps.DeleteFunc(all, func(set string, _ map[string]Cell) bool {
		return published[set] == nil || added[set] < len(methods)
	})
	return all
}
