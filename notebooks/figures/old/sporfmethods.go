package old

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
)

// A family is a learner with the settings to tune over.
type family struct {
	name string
	grid func(t *trial) []forest.Learner // without seeds; if they have a number of trees, it is the most that they get
}

// settings returns the grid for a trial, with numbers of trees and seeds.
func (f family) settings(t *trial, trees int) []forest.Learner {
	grid := f.grid(t)
	for i, l := range grid {
		grid[i] = seeded(withTrees(l, trees), t.Seed)
	}
	return grid
}

// withTrees returns a copy of a learner with another number of trees, but at most as many as it has, if it has a
// number.
func withTrees(l forest.Learner, trees int) forest.Learner {
	return changed(l, func(fields reflect.Value) {
		n := fields.FieldByName("Trees")
		n.SetInt(min(cmp.Or(n.Int(), int64(trees)), int64(trees)))
	})
}

// The grids of section 3.2 of the SPORF paper: d in {p^¼, p^½, p^¾, p}, for oblique forests also p²; λ in {1/p, …,
// 5/p}; fully grown trees. The paper doesn't have extremely randomised trees; they have the random forest's grid.
var (
	familyRF    = family{"RF", ofTable(rf.Learner{})}
	familySPORF = family{"SPORF", ofTable(sporf.Learner{})}
	familyCCF   = family{"CCF", ofTable(ccf.Learner{})}
	familyET    = family{"ET", func(t *trial) (grid []forest.Learner) {
		for _, l := range (rf.Learner{}).Grid(t.train) {
			grid = append(grid, rf.ExtraTrees{NodeFeatures: l.(rf.Learner).NodeFeatures})
		}
		return grid
	}}
)

// ofTable returns the grid that the learner has for a trial's training data.
func ofTable(l forest.Tunable) func(t *trial) []forest.Learner {
	return func(t *trial) []forest.Learner { return l.Grid(t.train) }
}

// ofFeatures returns a table without rows, for the grids of so many features.
func ofFeatures(p int) *datasets.Dataset { return &datasets.Dataset{Columns: make([][]float32, p)} }

// tuned returns methods that compare their settings with forests of the given number of trees, and train the best with
// the final number. Settings are compared by out-of-bag error, or where trees have all rows by stratified five-fold
// cross-validation with at most 50 trees.
func tuned(compare, trees int, families ...family) (methods []method) {
	for _, f := range families {
		methods = append(methods, method{name: f.name, fit: func(ctx context.Context, t *trial) error {
			grid := f.settings(t, trees)
			best, compare := 0, compare
			if len(grid) > 1 {
				var split eval.Splitter
				switch grid[0].(type) {
				case ccf.Learner, rf.ExtraTrees:
					split = datasets.KFold{K: 5, Stratified: true, Seed: t.Seed}
					compare = min(compare, 50)
				}
				tuning, err := eval.Tune(ctx, f.settings(t, compare), t.train, split)
				if err != nil {
					return err
				}
				if best = tuning.Best; compare == trees {
					t.model = tuning.Model
				}
			}
			t.Setting = setting(grid[best], t.train.P())
			if t.model != nil {
				return nil
			}
			return t.fit(ctx, grid[best])
		}})
	}
	return methods
}

// raced returns the method that tunes by [eval.Race]. More has the share of trees that weren't grown ("saved"). Races
// don't know that trees of some settings cost more: with costs, settings with many candidates are given up too early
// (SPORF on statlog_vehicle loses five points of κ).
func raced(trees int, f family) method {
	return method{name: f.name, fit: func(ctx context.Context, t *trial) error {
		grid := f.settings(t, trees)
		race, err := eval.Race(ctx, grid, withTrees, trees, t.train, eval.RaceOptions{})
		if err != nil {
			return err
		}
		t.model, t.Setting = race.Model, setting(grid[race.Best], t.train.P())
		grown := 0
		for _, n := range race.Trees {
			grown += n
		}
		t.More["saved"] = 1 - float64(grown)/float64(len(race.Trees)*trees)
		return nil
	}}
}

// setting returns the tuned parameters as text.
func setting(l forest.Learner, p int) string {
	switch l := l.(type) {
	case rf.Learner, rf.ExtraTrees, rotation.Random:
		return fmt.Sprintf("d=%d", number(l, "NodeFeatures")) + minSplit(l)
	case ccf.Learner:
		return fmt.Sprintf("λ=%d", l.NodeFeatures)
	case oblique.Learner:
		return fmt.Sprintf("M=%d K=%d", l.NodeFeatures, l.Candidates) + minSplit(l)
	case graf.Learner:
		return fmt.Sprintf("M=%d", l.TreeFeatures) + minSplit(l)
	case sporf.Learner:
		return fmt.Sprintf("d=%d λ=%.3g/p", l.Candidates, l.Density*float64(p))
	case sporf.FRC:
		return fmt.Sprintf("d=%d L=%d", l.Candidates, l.Combined)
	default:
		return fmt.Sprintf("%+v", l)
	}
}

// number returns a whole number of a learner by the name of its field.
func number(l forest.Learner, field string) int64 { return reflect.ValueOf(l).FieldByName(field).Int() }

// minSplit returns MinSplit as text, or nothing if it wasn't tuned.
func minSplit(l forest.Learner) string {
	if rows := number(l, "MinSplit"); rows > 0 {
		return fmt.Sprintf(" min=%d", rows)
	}
	return ""
}

// testRows is the size of the test samples (section 4.3).
const testRows = 10000

// drawn returns the problem of a simulation, with n training rows, or as many as the run's X if n is 0.
func drawn(name string, p sampler, n int) problem {
	return problem{name, func(_ context.Context, t *trial) error {
		t.train, t.test = p.Sample(cmp.Or(n, t.X), 2*t.Seed), p.Sample(testRows, 2*t.Seed+1)
		return nil
	}}
}

// A sampler is a simulation.
type sampler interface {
	Sample(n int, seed uint64) *datasets.Dataset
}
