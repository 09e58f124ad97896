package auto

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/contest"
)

const (
	clearly    = 2.33    // standard errors by which the random forest must be better: the normal 99 % quantile
	behind     = 1.645   // standard errors above the best at which a mix stops: the normal 95 % quantile
	fewest     = 100     // least number of trees, if the learner doesn't say how many
	most       = 500     // largest number of trees then
	firstRound = 25      // trees at the first comparison
	lastRound  = 100     // trees at the last one
	fewestRows = 20      // or groups; with fewer, samples of nine tenths of them leave hardly any out
	mostMixed  = 1 << 27 // rows × classes; beyond, leaves of five rows with a weight a class don't fit in memory
)

// A contestant is a forest in the race.
type contestant struct {
	name      string
	learner   func(trees int) forest.Learner
	model     *forest.Forest
	residuals *residuals // of its out-of-bag trees
	score     []float64  // by row: the Brier score or squared error of infinitely many such trees; NaN if not known
	loss      []float64  // see [forest.Forest.OutOfBagLosses]; set when the race is over
}

// A race compares forests.
type race struct {
	contestants []*contestant // mixes and, at the end, the random forest
	winner      *contestant
	choice      contest.Choice
	trees       int  // of the winner's forest
	settled     bool // whether the number of trees was left to the race, and the most are enough

	prepared forest.Prepared // the table, for all forests
	groups   []int32         // of its rows
}

// mixes returns all contestants but the random forest.
func (r *race) mixes() []*contestant { return r.contestants[:len(r.contestants)-1] }

// axis returns the random forest.
func (r *race) axis() *contestant { return r.contestants[len(r.contestants)-1] }

// race compares the forests on a table that is prepared.
func (l Learner) race(ctx context.Context, train *datasets.Dataset) (*race, error) {
	if l.Trees < 0 {
		return nil, fmt.Errorf("%d trees; want 1 or more, or 0 for as many as needed", l.Trees)
	}
	if err := grow.CheckTarget(train); err != nil {
		return nil, err
	}
	r := &race{trees: l.Trees, groups: train.Groups}
	enter := func(name string, learner func(trees int) forest.Learner) {
		r.contestants = append(r.contestants, &contestant{name: name, learner: learner})
	}
	mixed := func(name string, m mix.Learner) {
		enter("mix of directions"+name, func(trees int) forest.Learner {
			m.Trees, m.Seed = trees, l.Seed
			return m
		})
	}
	mixed("", mix.Learner{})
	if k := len(train.Classes); k == 0 || train.N() <= mostMixed/k {
		mixed(" with leaves of five rows or more", mix.Learner{MinLeaf: 5})
	}
	if samples.Units(train) >= fewestRows {
		mixed(" with bootstrap samples of fits", mix.Learner{BootstrapFits: true})
	}
	enter("random forest", func(trees int) forest.Learner { return rf.Learner{Trees: trees, Seed: l.Seed} })
	total := cmp.Or(l.Trees, most)
	err := r.run(ctx, total, func(ctx context.Context, c *contestant, trees int) error {
		return r.grow(ctx, c, train, trees)
	})
	if err != nil {
		return nil, err
	}
	for _, c := range r.contestants {
		if c.loss, err = c.model.OutOfBagLosses(ctx, train); err != nil {
			return nil, err
		}
	}
	if err := r.choose(ctx, total); err != nil {
		return nil, err
	}
	if r.trees == 0 {
		r.trees, r.settled = r.winner.residuals.enough()
	}
	return r, nil
}

// run grows the forests to 100 trees or, if that is less, to the given number. measure grows one and sets its score.
func (r *race) run(ctx context.Context, trees int, measure func(context.Context, *contestant, int) error) error {
	rounds := contest.Doubling(firstRound, min(lastRound, trees))
	report, silent := forest.Progress(ctx), forest.WithProgress(ctx, nil)
	loud, reported := forest.WithProgress(ctx, func(done, _ int) { report(done, trees) }), 0
	_, err := contest.Contest{Rounds: rounds, Stay: r.keepUp,
		Measure: func(c *contest.Contestant, n int) ([]float64, error) {
			progress := silent
			if n > reported { // the first forest of a round
				progress, reported = loud, n
			}
			of := r.mixes()[c.Number]
			err := measure(progress, of, n)
			return of.score, err
		}}.Run(ctx, len(r.mixes()))
	if err != nil {
		return err
	}
	return measure(silent, r.axis(), rounds[len(rounds)-1])
}

// keepUp returns which mixes go on after a round: those that aren't clearly behind the best.
func (r *race) keepUp(running []*contest.Contestant) []*contest.Contestant {
	return slices.DeleteFunc(slices.Clone(running), func(c *contest.Contestant) bool {
		return contest.Compare(c.Losses, running[0].Losses, nil, r.groups).Z() > behind
	})
}

// continued returns the contestant's forest with the given number of trees.
func (r *race) continued(ctx context.Context, c *contestant, train *datasets.Dataset, trees int) (
	*forest.Forest, error) {
	return forest.Grow(ctx, c.learner(trees), train, forest.Options{Grown: c.model, Prepared: &r.prepared})
}

// grow grows the contestant's forest to the given number of trees and measures it.
func (r *race) grow(ctx context.Context, c *contestant, train *datasets.Dataset, trees int) (err error) {
	if c.model, err = r.continued(ctx, c, train, trees); err != nil {
		return err
	}
	if c.residuals == nil {
		c.residuals = newResiduals(train, len(c.model.Classes))
	}
	if err := c.residuals.add(ctx, c.model, train); err != nil {
		return err
	}
	c.score = c.residuals.scores(train.N())
	return nil
}

// choose sets the winner, and what choosing it makes of its error.
func (r *race) choose(ctx context.Context, trees int) (err error) {
	var losses [][]float64
	for _, c := range r.contestants {
		losses = append(losses, c.loss)
	}
	r.choice, err = contest.Choose(ctx, losses, r.groups, r.best)
	if err != nil {
		return err
	}
	r.winner = r.contestants[r.choice.Chosen]
	if math.IsNaN(r.choice.Low) {
		return fmt.Errorf("%d trees of %d rows leave too few rows out of bag to compare forests; want more",
			trees, len(r.winner.loss))
	}
	return nil
}

// best returns the number of the forest to take by the scores of some rows, nil for all: the mix of the lowest, unless
// the random forest is clearly better.
func (r *race) best(rows []int) int {
	slanted := r.bestMix(rows)
	if contest.Compare(r.contestants[slanted].score, r.axis().score, rows, r.groups).Z() > clearly {
		return len(r.contestants) - 1
	}
	return slanted
}

// bestMix returns the number of the mix with the lowest mean score, the first of equals.
func (r *race) bestMix(rows []int) (best int) {
	for m, c := range r.mixes() {
		if contest.Compare(r.contestants[best].score, c.score, rows, r.groups).Mean > 0 {
			best = m
		}
	}
	return best
}
