package auto

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/contest"
	"github.com/obliqua-ml/obliqua/internal/progress"
)

const (
	clearly    = 2.33    // standard errors by which the random forest must be better: the normal 99 % quantile
	behind     = 1.645   // standard errors above the best at which a mix or boosting stops: the normal 95 % quantile
	fewest     = 100     // least number of trees, if the learner doesn't say how many
	most       = 500     // largest number of trees then
	firstRound = 25      // trees at the first comparison
	lastRound  = 100     // trees at the last one
	fewestRows = 20      // or groups; with fewer, samples of nine tenths of them leave hardly any out
	mostMixed  = 1 << 27 // rows × classes; beyond, leaves of five rows with a weight a class don't fit in memory

	mostClasses = 10      // with more, boosting would take much longer than forests, since it grows a tree for each
	mostBoosted = 1 << 24 // rows × classes; with more, its scores would take too much memory
	quickRate   = 0.3     // at which boosting is tried first
)

// A contestant is a forest in the race.
type contestant struct {
	name      string
	learner   func(trees int) forest.Learner
	model     *forest.Forest
	residuals *residuals // of its out-of-bag trees; nil of the boosted forest

	// score is the Brier score or squared error by row: of infinitely many such trees or, of the boosted forest, of the
	// member that was boosted without the row. It is NaN if not known.
	score []float64

	loss []float64 // see [forest.Forest.OutOfBagLosses]; set when the race is over
}

// A race compares forests.
type race struct {
	contestants []*contestant // mixes and, at the end, the random forest
	boosted     *contestant   // nil if boosting doesn't take part
	winner      *contestant
	choice      contest.Choice
	trees       int  // of the winner's forest
	settled     bool // whether the number of trees was left to the race, and the most are enough
	done        int  // trees that were reported as progress

	prepared forest.Prepared // the table, for all forests
	groups   []int32         // of its rows
}

// all returns all contestants.
func (r *race) all() []*contestant {
	if r.boosted == nil {
		return r.contestants
	}
	return append(slices.Clip(r.contestants), r.boosted)
}

// mixes returns the mixes.
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
	if k := max(1, len(train.Classes)); l.Trees == 0 && k <= mostClasses && train.N() <= mostBoosted/k {
		if err := r.boost(ctx, train, l.Seed); err != nil {
			return nil, err
		}
	}
	for _, c := range r.all() {
		if c.loss, err = c.model.OutOfBagLosses(ctx, train); err != nil {
			return nil, err
		}
	}
	if err := r.choose(ctx, total); err != nil {
		return nil, err
	}
	switch {
	case r.winner == r.boosted:
		r.trees, r.settled = len(r.winner.model.Trees), true
	case r.trees == 0:
		r.trees, r.settled = r.winner.residuals.enough()
	}
	return r, nil
}

// run grows the forests to 100 trees or, if that is less, to the given number. measure grows one and sets its score.
func (r *race) run(ctx context.Context, trees int, measure func(context.Context, *contestant, int) error) error {
	rounds := contest.Doubling(firstRound, min(lastRound, trees))
	report := progress.Of(ctx)
	tell := func(c *contestant) context.Context {
		return progress.With(ctx, func(done, of int, _ string) {
			r.done = max(r.done, done)
			report(r.done, trees, fmt.Sprintf("%s, %d of %d", c.name, done, of))
		})
	}
	_, err := contest.Contest{Rounds: rounds, Stay: r.keepUp,
		Measure: func(c *contest.Contestant, n int) ([]float64, error) {
			of := r.mixes()[c.Number]
			err := measure(tell(of), of, n)
			return of.score, err
		}}.Run(ctx, len(r.mixes()))
	if err != nil {
		return err
	}
	return measure(tell(r.axis()), r.axis(), rounds[len(rounds)-1])
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

// boost adds the boosted forest: first one of large steps, which takes little time, and if no forest is clearly better
// one of small steps in its place.
func (r *race) boost(ctx context.Context, train *datasets.Dataset, seed uint64) (err error) {
	c := &contestant{name: "boosted forest"}
	r.boosted = c
	report := progress.Of(ctx)
	told := progress.With(ctx, func(done, of int, _ string) {
		report(r.done, most, fmt.Sprintf("%s, %d of %d", c.name, done, of))
	})
	for _, l := range []boost.Learner{{Rate: quickRate, Seed: seed}, {Seed: seed}} {
		c.learner = func(int) forest.Learner { return l }
		if c.model, err = forest.Grow(told, l, train, forest.Options{Prepared: &r.prepared}); err != nil {
			return err
		}
		oob, err := c.model.OutOfBag(ctx, train)
		if err != nil {
			return err
		}
		c.score = scoresOf(oob, train)
		if r.best(nil) < len(r.contestants) {
			break
		}
	}
	return nil
}

// scoresOf returns the Brier score or squared error of each row.
func scoresOf(oob *forest.OutOfBag, train *datasets.Dataset) []float64 {
	scores := make([]float64, train.N())
	for i := range scores {
		if oob.Values != nil {
			d := oob.Values[i] - train.Values[i]
			scores[i] = d * d
			continue
		}
		for c, p := range oob.Proba[i] {
			if int32(c) == train.Labels[i] {
				p--
			}
			scores[i] += float64(p * p)
		}
	}
	return scores
}

// choose sets the winner, and what choosing it makes of its error.
func (r *race) choose(ctx context.Context, trees int) (err error) {
	var losses [][]float64
	for _, c := range r.all() {
		losses = append(losses, c.loss)
	}
	r.choice, err = contest.Choose(ctx, losses, r.groups, r.best)
	if err != nil {
		return err
	}
	r.winner = r.all()[r.choice.Chosen]
	if math.IsNaN(r.choice.Low) {
		return fmt.Errorf("%d trees of %d rows leave too few rows out of bag to compare forests; want more",
			trees, len(r.winner.loss))
	}
	return nil
}

// best returns the number of the forest to take by the scores of some rows, nil for all: the mix of the lowest, unless
// the random forest is clearly better, and the boosted forest unless that one is better.
func (r *race) best(rows []int) int {
	best := r.bestMix(rows)
	if contest.Compare(r.contestants[best].score, r.axis().score, rows, r.groups).Z() > clearly {
		best = len(r.contestants) - 1
	}
	if r.boosted != nil && contest.Compare(r.boosted.score, r.contestants[best].score, rows, r.groups).Z() <= behind {
		best = len(r.contestants)
	}
	return best
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
