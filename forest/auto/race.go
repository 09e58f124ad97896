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
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

const (
	clearly    = 2.33  // standard errors: the 99 % quantile of the normal distribution
	fewest     = 100   // trees of a forest whose number of trees isn't set
	most       = 500   // and the most
	fewestRows = 20    // of a table for which nine tenths of the rows leave some out
	leftOver   = 0.005 // of the Brier score or mean squared error: what further trees may take away
)

// rounds are the numbers of trees at which forests are compared.
var rounds = []int{25, 50, 100}

// A contestant is a forest in the race.
type contestant struct {
	name    string
	learner func(trees int) forest.Learner
	model   *forest.Forest
	loss    []float64 // see [forest.OutOfBag.Losses]
}

// A race is a race and its outcome.
type race struct {
	mixes   []*contestant
	axis    *contestant // the random forest
	winner  *contestant
	choice  eval.Choice
	trees   int  // of the winner's forest
	settled bool // whether the number of trees was left to the race, and the most are enough
}

// race compares the forests on a table that is prepared.
func (l Learner) race(ctx context.Context, train *datasets.Dataset) (*race, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	if err := forest.CheckWhole(ctx); err != nil {
		return nil, err
	}
	mixOf := func(name string, m mix.Learner) *contestant {
		return &contestant{name: "mix of directions" + name, learner: func(trees int) forest.Learner {
			m.Trees, m.Seed = trees, l.Seed
			return m
		}}
	}
	r := &race{trees: l.Trees, mixes: []*contestant{mixOf("", mix.Learner{}), mixOf(" with leaves of five rows or more", mix.Learner{MinLeaf: 5})}}
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
		var err error
		if r.trees, r.settled, err = enough(ctx, r.winner.model, train); err != nil {
			return nil, err
		}
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
			if err := c.grow(progress, train, n); err != nil {
				return err
			}
		}
		best := slices.MinFunc(running, func(a, b *contestant) int { return cmp.Compare(mean(a.loss), mean(b.loss)) })
		running = slices.DeleteFunc(slices.Clone(running), func(c *contestant) bool { return worse(c.loss, best.loss, nil) > clearly })
		if n == trees {
			break
		}
	}
	if err := r.axis.grow(silent, train, min(rounds[len(rounds)-1], trees)); err != nil {
		return err
	}
	var losses [][]float64
	for _, c := range r.all() {
		losses = append(losses, c.loss)
	}
	r.choice = eval.Bootstrap{}.Choice(losses, func(rows []int) int { return choose(losses, rows) })
	r.winner = r.all()[r.choice.Chosen]
	if math.IsNaN(r.choice.Interval.Low) {
		return fmt.Errorf("auto: %d trees of %d rows leave too few rows out of bag to compare forests; want more", trees, train.N())
	}
	return ctx.Err()
}

// all returns the mixes and the random forest.
func (r *race) all() []*contestant { return append(slices.Clone(r.mixes), r.axis) }

// grow grows the forest to the given number of trees and measures it.
func (c *contestant) grow(ctx context.Context, train *datasets.Dataset, trees int) error {
	if c.model != nil {
		ctx = forest.WithGrown(ctx, c.model)
	}
	var err error
	if c.model, err = c.learner(trees).Fit(ctx, train); err != nil {
		return err
	}
	oob, err := c.model.OutOfBag(ctx, train)
	if err != nil {
		return err
	}
	c.loss = oob.Losses()
	return nil
}

// choose returns the number of the forest to take, given the losses of the mixes and, at last, the random forest: the
// best mix, unless the random forest is clearly better.
func choose(losses [][]float64, rows []int) int {
	best, axis := 0, len(losses)-1
	for m := range axis {
		if worse(losses[best], losses[m], rows) > 0 {
			best = m
		}
	}
	if worse(losses[best], losses[axis], rows) > clearly {
		return axis
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

// scoreRows is how many rows enough looks at.
const scoreRows = 2000

// enough returns the number of trees at which all trees that could still be grown would lower the mean Brier
// score or squared error by leftOver of it, at least fewest and at most most. settled says whether most are enough.
//
// Trees are drawn independently, so the expected score of T of them is P + V/T (Probst and Boulesteix, JMLR 18, 2018): V is the
// variance of what a tree says about a row, and P the score of infinitely many. Both follow without
// bias from the residuals of a row's out-of-bag trees: P is the mean product of those of two different trees, V the variance.
func enough(ctx context.Context, model *forest.Forest, train *datasets.Dataset) (trees int, settled bool, err error) {
	var rows []int32
	for k := range min(train.N(), scoreRows) {
		rows = append(rows, int32(k*train.N()/min(train.N(), scoreRows)))
	}
	sample := train.Subset(rows)
	leaves, err := model.ApplyContext(ctx, sample)
	if err != nil {
		return 0, false, err
	}
	k := max(1, len(model.Classes))
	n, sums, squares := make([]float64, len(rows)), make([]float64, len(rows)*k), make([]float64, len(rows))
	residual := make([]float64, k)
	var drawn []uint16
	for t := range model.Trees {
		drawn = model.Sampling.Counts(drawn, train.N(), model.Seed, t)
		for i, row := range rows {
			if drawn[row] > 0 {
				continue
			}
			residualOf(residual, model.Trees[t].Leaf(int(leaves[i][t])), sample, i)
			n[i]++
			for c, r := range residual {
				sums[i*k+c] += r
				squares[i] += float64(r * r)
			}
		}
	}
	var p, v float64
	for i, n := range n {
		if n < 2 {
			continue
		}
		square := 0.0 // of the sum
		for _, s := range sums[i*k : (i+1)*k] {
			square += float64(s * s)
		}
		p += (square - squares[i]) / (n * (n - 1))
		v += (squares[i] - square/n) / (n - 1)
	}
	switch need := math.Ceil(v / (leftOver * p)); {
	case !(p > 0) && v > 0, need > most:
		return most, false, nil
	case !(need > fewest):
		return fewest, true, nil
	default:
		return int(need), true, nil
	}
}

// residualOf sets residual to what a leaf says of row i, less what is true: class proportions less 1 for the row's
// class, or the value less the row's.
func residualOf(residual []float64, leaf forest.Leaf, d *datasets.Dataset, i int) {
	if leaf.Kind == forest.LeafValue {
		residual[0] = float64(leaf.Value) - d.Values[i]
		return
	}
	for c := range residual {
		residual[c] = 0
	}
	if leaf.Kind == forest.LeafClass {
		residual[leaf.Class] = 1
	}
	sum := 0.0
	for _, w := range leaf.Dist {
		sum += float64(w)
	}
	for c, w := range leaf.Dist {
		residual[c] = float64(w) / sum
	}
	residual[d.Labels[i]]--
}
