package trial

import (
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

// A Family returns a learner's settings to tune over, without seeds. If a setting has a number of trees, it gets no
// more.
type Family func(t *Trial) []forest.Learner

// OfTable returns the grid that a learner has for a trial's training data.
func OfTable(l forest.Tunable) Family {
	return func(t *Trial) []forest.Learner { return l.Grid(t.Train) }
}

// ExtraTrees are extremely randomised trees with the random forest's grid.
func ExtraTrees(t *Trial) (grid []forest.Learner) {
	for _, l := range (rf.Learner{}).Grid(t.Train) {
		grid = append(grid, rf.ExtraTrees{NodeFeatures: l.(rf.Learner).NodeFeatures})
	}
	return grid
}

// Settings returns the grid for a trial, with numbers of trees and seeds.
func (f Family) Settings(t *Trial, trees int) []forest.Learner {
	grid := f(t)
	for i, l := range grid {
		grid[i] = Seeded(withTrees(l, t.Trees(trees)), t.Seed)
	}
	return grid
}

// Tuned returns the method that compares its settings with forests of compare trees, and trains the best with the
// final number. Settings are compared by out-of-bag error, or where trees have all rows by stratified five-fold
// cross-validation with at most 50 trees.
func Tuned(compare, trees int, f Family) Method {
	return Method{Fit: func(ctx context.Context, t *Trial) error {
		grid := f.Settings(t, trees)
		best, compare := 0, compare
		if len(grid) > 1 {
			var split eval.Splitter
			switch grid[0].(type) {
			case ccf.Learner, rf.ExtraTrees:
				split = datasets.KFold{K: 5, Stratified: true, Seed: t.Seed}
				compare = min(compare, 50)
			}
			tuning, err := eval.Tune(ctx, f.Settings(t, compare), t.Train, split)
			if err != nil {
				return err
			}
			if best = tuning.Best; compare == trees {
				t.Model = tuning.Model
			}
		}
		t.Setting = Setting(grid[best], t.Train.P())
		if t.Model != nil {
			return nil
		}
		return t.Fit(ctx, grid[best])
	}}
}

// Raced returns the method that tunes by [eval.Race]. More has the share of trees that weren't grown ("saved"). Races
// don't know that trees of some settings cost more: with costs, settings with many candidates are given up too early
// (SPORF on statlog_vehicle loses five points of κ).
func Raced(trees int, f Family) Method {
	return Method{Fit: func(ctx context.Context, t *Trial) error {
		race, err := t.race(ctx, trees, f.Settings(t, trees), eval.RaceOptions{})
		if err != nil {
			return err
		}
		grown := 0
		for _, n := range race.Trees {
			grown += n
		}
		t.More["saved"] = 1 - float64(grown)/float64(len(race.Trees)*trees)
		return nil
	}}
}

// race trains the forest that wins a race.
func (t *Trial) race(
	ctx context.Context, trees int, grid []forest.Learner, options eval.RaceOptions,
) (*eval.Tuning, error) {
	race, err := eval.Race(ctx, grid, withTrees, t.Trees(trees), t.Train, options)
	if err == nil {
		t.Model, t.Setting = race.Model, Setting(grid[race.Best], t.Train.P())
	}
	return race, err
}

// WithSetting is [Fitted] for a learner whose setting is recorded.
func WithSetting(learner func(t *Trial) forest.Learner, steps ...datasets.Step) Method {
	return Method{Fit: func(ctx context.Context, t *Trial) error {
		l := forest.Pipeline(Seeded(t.limited(learner(t)), t.Seed), steps...)
		t.Setting = Setting(l, t.Train.P())
		return t.Fit(ctx, l)
	}}
}

// Setting returns the tuned parameters of a learner as text, for data of p features.
func Setting(l forest.Learner, p int) string {
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
