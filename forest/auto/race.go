package auto

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

const (
	clearly    = 2.33    // standard errors by which the random forest must be better: the 99 % quantile of the normal
	behind     = 1.645   // standard errors above the best at which a mix stops: the 95 % quantile
	fewest     = 100     // trees of a forest whose number of trees isn't set
	most       = 500     // and the most
	fewestRows = 20      // of a table for which nine tenths of the rows leave some out
	mostMixed  = 1 << 27 // the most rows × classes for which leaves of five rows, with a weight a class, fit in memory
)

// rounds are the numbers of trees at which forests are compared.
var rounds = []int{25, 50, 100}

// A contestant is a forest in the race.
type contestant struct {
	name      string
	learner   func(trees int) forest.Learner
	model     *forest.Forest
	residuals *residuals // of its out-of-bag trees
	score     []float64  // by row: the Brier score or squared error of infinitely many such trees; NaN if it isn't known
	loss      []float64  // see [forest.Forest.OutOfBagLosses]; set when the race is over
}

// A race is a race and its outcome.
type race struct {
	mixes   []*contestant
	axis    *contestant // the random forest
	winner  *contestant
	choice  eval.Choice
	trees   int  // of the winner's forest
	settled bool // whether the number of trees was left to the race, and the most are enough

	prepared forest.Prepared // the table, for all forests
}

// race compares the forests on a table that is prepared.
func (l Learner) race(ctx context.Context, train *datasets.Dataset) (*race, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	if err := grow.CheckTarget(train); err != nil {
		return nil, err
	}
	mixOf := func(name string, m mix.Learner) *contestant {
		return &contestant{name: "mix of directions" + name, learner: func(trees int) forest.Learner {
			m.Trees, m.Seed = trees, l.Seed
			return m
		}}
	}
	r := &race{trees: l.Trees, mixes: []*contestant{mixOf("", mix.Learner{})}}
	if len(train.Classes) == 0 || train.N() <= mostMixed/len(train.Classes) {
		r.mixes = append(r.mixes, mixOf(" with leaves of five rows or more", mix.Learner{MinLeaf: 5}))
	}
	if train.N() >= fewestRows {
		r.mixes = append(r.mixes, mixOf(" with bootstrap samples of fits", mix.Learner{Bootstrap: mix.OfFits}))
	}
	r.axis = &contestant{name: "random forest", learner: func(trees int) forest.Learner { return rf.Learner{Trees: trees, Seed: l.Seed} }}
	total := l.Trees
	if total == 0 {
		total = most
	}
	if err := r.run(ctx, train, total); err != nil {
		return nil, err
	}
	if r.trees == 0 {
		r.trees, r.settled = r.winner.residuals.enough()
	}
	return r, nil
}

// run grows the forests to 100 trees or, if that is less, to the given number, and chooses the winner.
func (r *race) run(ctx context.Context, train *datasets.Dataset, trees int) error {
	running := r.mixes
	silent := forest.WithProgress(ctx, nil)
	for _, n := range rounds {
		n = min(n, trees)
		for _, c := range running {
			progress := silent
			if c == running[0] {
				report := forest.Progress(ctx)
				progress = forest.WithProgress(ctx, func(done, _ int) { report(done, trees) })
			}
			if err := r.grow(progress, c, train, n); err != nil {
				return err
			}
		}
		best := slices.MinFunc(running, func(a, b *contestant) int { return cmp.Compare(mean(a.score), mean(b.score)) })
		running = slices.DeleteFunc(slices.Clone(running), func(c *contestant) bool { return worse(c.score, best.score, nil) > behind })
		if n == trees {
			break
		}
	}
	if err := r.grow(silent, r.axis, train, min(rounds[len(rounds)-1], trees)); err != nil {
		return err
	}
	var losses [][]float64
	for _, c := range r.all() {
		var err error
		if c.loss, err = c.model.OutOfBagLosses(ctx, train); err != nil {
			return err
		}
		losses = append(losses, c.loss)
	}
	scores := scoresOf(r.all())
	var err error
	r.choice, err = eval.Bootstrap{}.Choice(ctx, losses, func(rows []int) int { return choose(scores, rows) })
	if err != nil {
		return err
	}
	r.winner = r.all()[r.choice.Chosen]
	if math.IsNaN(r.choice.Interval.Low) {
		return fmt.Errorf("%d trees of %d rows leave too few rows out of bag to compare forests; want more",
			trees, train.N())
	}
	return nil
}

// all returns the mixes and the random forest.
func (r *race) all() []*contestant { return append(slices.Clone(r.mixes), r.axis) }

func scoresOf(contestants []*contestant) (scores [][]float64) {
	for _, c := range contestants {
		scores = append(scores, c.score)
	}
	return scores
}

// continued returns the contestant's forest with the given number of trees.
func (r *race) continued(ctx context.Context, c *contestant, train *datasets.Dataset, trees int) (*forest.Forest, error) {
	return forest.Grow(ctx, c.learner(trees), train, forest.Options{Grown: c.model, Prepared: &r.prepared})
}

// grow grows the contestant's forest to the given number of trees and measures it.
func (r *race) grow(ctx context.Context, c *contestant, train *datasets.Dataset, trees int) error {
	var err error
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

// choose returns the number of the forest to take, given the scores of the mixes and, at last, the random forest: the
// best mix, unless the random forest is clearly better.
func choose(scores [][]float64, rows []int) int {
	axis := len(scores) - 1
	best := lowest(scores[:axis], rows)
	if worse(scores[best], scores[axis], rows) > clearly {
		return axis
	}
	return best
}

// lowest returns the number of the lowest of scores, the first of equals.
func lowest(scores [][]float64, rows []int) int {
	best := 0
	for m := range scores {
		if worse(scores[best], scores[m], rows) > 0 {
			best = m
		}
	}
	return best
}

// worse returns by how many standard errors the mean of a is above that of b, over the rows where both are known; nil
// means all rows. It is 0 if the means are equal or fewer than two rows are known, and infinite if all rows differ by the same.
func worse(a, b []float64, rows []int) float64 {
	mean, err := difference(a, b, rows)
	if mean == 0 {
		return 0
	}
	return mean / err
}

// difference returns the mean of a − b over rows that are known, and its standard error; see worse. Other training data would change
// the difference further. Both are 0 if fewer than two rows are known.
func difference(a, b []float64, rows []int) (mean, err float64) {
	var n, sum, squares float64
	add := func(i int) {
		if d := a[i] - b[i]; d == d {
			n++
			sum += d
			squares += float64(d * d)
		}
	}
	for _, i := range rows {
		add(i)
	}
	if rows == nil {
		for i := range a {
			add(i)
		}
	}
	if n < 2 {
		return 0, 0
	}
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-float64(mean*mean)) / (n - 1))
}
