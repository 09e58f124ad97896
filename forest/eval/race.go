package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// RaceOptions are the options of [Race].
type RaceOptions struct {
	First int     // trees of each learner in the first round; 0 means 40
	Keep  float64 // share of the learners' cost that a round keeps at most, in (0, 1]; 0 means 1/2
	Alpha float64 // level of the test by which a round drops more, in (0, 1); 0 means 0.05

	// Cost returns what a tree of learner i costs, compared with the others, above 0; nil
	// means that all cost the same. For the Grid of a SPORF it is Candidates.
	Cost func(i int) float64
}

// A RaceResult is the result of [Race].
type RaceResult struct {
	Best  int            // index of the learner that wins
	Model *forest.Forest // its forest, trained on all rows

	// Error and Trees have an entry for each learner: its out-of-bag error (error rate or
	// mean squared error) when it was last measured, and the trees that it had then. A
	// learner that was never measured has NaN and 0.
	Error []float64
	Trees []int
}

// Saved returns the share of trees that weren't grown, of those that [Tune] would grow if
// it tried all learners.
func (r *RaceResult) Saved() float64 {
	grown := 0
	for _, n := range r.Trees {
		grown += n
	}
	return 1 - float64(grown)/float64(len(r.Trees)*r.Trees[r.Best])
}

// Race compares learners, such as those of a learner's Grid, by out-of-bag error, like
// [Tune], but spends few trees on those that fall behind. trees is the number of trees of
// the winner's forest; withTrees returns a learner with its number of trees changed.
//
// Forests grow in rounds: to First trees, then to twice as many each time, at last to
// trees. After a round learners leave for one of three reasons.
//
//   - A learner that costs at least four times as much as another must be better than that
//     one: by a paired test at level 0.16, about one standard error.
//   - A learner leaves if it is worse than the best of the others by that test at level Alpha,
//     divided by the number of rounds and by the number of other learners.
//   - The rest are taken by ascending error, the earlier of ties first, as long as their
//     trees cost at most Keep times what those of all learners of the round cost; the first
//     always stays. So a round costs about as much as the one before. With equal costs and
//     Keep = 1/2 this is successive halving (Karnin, Koren and Somekh, Almost optimal
//     exploration in multi-armed bandits, ICML 2013).
//
// The paired test compares rows that are out of bag for both: for classes it is the exact
// sign test on rows that one labels rightly and the other wrongly, for values the t-test on
// squared errors. The race ends when one learner is left, or at a learner with an error of
// 0. That learner's forest grows to trees. So learners should be in ascending order of cost.
//
// The test at level Alpha drops a learner whose expected error is the lowest in every round
// with a probability of at most Alpha (Bonferroni), if the differences between two learners
// are independent over rows, which they are only roughly, since trees share rows. Nothing of
// the kind holds for the other two reasons. With few trees, errors are higher than those of
// the whole forests, most of all where trees differ most: learners that try few candidates
// at a node are then ranked too low. A larger First lessens that.
//
// Learners whose trees depend only on data, parameters, seed and tree number continue their
// forests from round to round; see [forest.Options]. Others grow each round's forest anew,
// which takes up to twice the time. Model is the forest that withTrees(learners[Best],
// trees) grows by itself, after the steps, as in [Tune]. The models of all learners in the
// race are in memory.
//
// Race returns an error where Tune does, and if trees or an option is out of range.
func Race[L forest.Learner](ctx context.Context, learners []L, withTrees func(l L, trees int) L, trees int,
	d *datasets.Dataset, o RaceOptions, steps ...datasets.Step) (*RaceResult, error) {
	o.First, o.Keep, o.Alpha = cmp.Or(o.First, 40), cmp.Or(o.Keep, 0.5), cmp.Or(o.Alpha, 0.05)
	switch {
	case len(learners) == 0:
		return nil, errors.New("eval: no learners to choose from")
	case trees < 1 || o.First < 1 || !(o.Keep > 0 && o.Keep <= 1) || !(o.Alpha > 0 && o.Alpha < 1):
		return nil, fmt.Errorf("eval: a race to %d trees, First %d, Keep %v, Alpha %v; want at least 1 tree, First 1 or more, Keep in (0, 1], Alpha in (0, 1)",
			trees, o.First, o.Keep, o.Alpha)
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	r := &race{ctx: ctx, train: d, result: &RaceResult{Error: make([]float64, len(learners)), Trees: make([]int, len(learners))},
		learner: func(i, trees int) forest.Learner {
			return forest.Pipeline(withTrees(learners[i], trees), steps...)
		}}
	running := make([]*racer, len(learners))
	for i := range running {
		running[i], r.result.Error[i] = &racer{number: i, cost: 1}, nan
		if o.Cost != nil {
			running[i].cost = o.Cost(i)
		}
		if !(running[i].cost > 0) {
			return nil, fmt.Errorf("eval: learner %d of %d: cost %v; want one above 0", i+1, len(learners), running[i].cost)
		}
	}
	rounds := raceRounds(o.First, trees)
	level := o.Alpha / float64(len(rounds)*max(1, len(learners)-1))
	for _, n := range rounds {
		var err error
		if running, err = r.round(running, n); err != nil {
			return nil, err
		}
		running = survivors(running, o.Keep, level)
		if len(running) == 1 {
			break
		}
	}
	winner := running[0]
	if err := r.grow(winner, trees); err != nil {
		return nil, err
	}
	r.result.Best, r.result.Model = winner.number, winner.model
	return r.result, nil
}

// raceRounds returns the numbers of trees at which learners are compared.
func raceRounds(first, trees int) []int {
	var rounds []int
	for n := first; n < trees; n *= 2 {
		rounds = append(rounds, n)
	}
	return append(rounds, trees)
}

// A race is a call of Race.
type race struct {
	ctx     context.Context
	train   *datasets.Dataset
	learner func(i, trees int) forest.Learner
	result  *RaceResult

	prepared forest.Prepared // the table, for learners without steps
}

// A racer is a learner that is still in the race.
type racer struct {
	number int
	cost   float64 // of a tree
	model  *forest.Forest
	loss   []float64 // by row: 0 or 1, or the squared error; NaN if the row isn't out of bag
	error  float64   // mean of loss
}

// round grows the forests to the given number of trees, and returns the learners by
// ascending error, equals in order. If the error of one is 0, it returns only that one.
func (r *race) round(running []*racer, trees int) ([]*racer, error) {
	slices.SortFunc(running, func(a, b *racer) int { return cmp.Compare(a.number, b.number) })
	for _, c := range running {
		if err := r.grow(c, trees); err != nil {
			return nil, err
		}
		if c.error == 0 {
			return []*racer{c}, nil
		}
	}
	slices.SortStableFunc(running, func(a, b *racer) int { return cmp.Compare(a.error, b.error) })
	return running, nil
}

// grow grows a learner's forest to the given number of trees and measures it, unless it
// has as many already.
func (r *race) grow(c *racer, trees int) error {
	if r.result.Trees[c.number] == trees {
		return nil
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	model, loss, err := outOfBagLoss(r.ctx, r.learner(c.number, trees), r.train,
		forest.Options{Grown: c.model, Prepared: &r.prepared})
	if err != nil {
		return fmt.Errorf("eval: learner %d of %d: %w", c.number+1, len(r.result.Trees), err)
	}
	c.model, c.loss, c.error = model, loss, meanLoss(loss)
	r.result.Error[c.number], r.result.Trees[c.number] = c.error, trees
	return nil
}

// outOfBagLoss trains a learner and returns the loss of each row, NaN for those that are in every tree's sample.
func outOfBagLoss(ctx context.Context, learner forest.Learner, d *datasets.Dataset, o forest.Options) (
	*forest.Forest, []float64, error) {
	model, err := forest.Grow(ctx, learner, d, o)
	if err != nil {
		return nil, nil, err
	}
	losses, err := model.OutOfBagLosses(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(losses, func(v float64) bool { return v == v }) {
		return nil, nil, errors.New("no row is out of bag; grow more trees")
	}
	return model, losses, nil
}

func meanLoss(loss []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range loss {
		if !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// dear is how many times as much as another a learner costs that must be better than the
// other, and beaten the level at which it must be.
const (
	dear   = 4
	beaten = 0.16
)

// survivors returns which of the learners, by ascending error, stay in the race.
func survivors(running []*racer, keep, level float64) []*racer {
	var left, kept []*racer
	var total, sum float64
	for _, c := range running {
		total += c.cost
		if !slices.ContainsFunc(running, func(other *racer) bool { return other.cost*dear <= c.cost && worse(other, c) > beaten }) {
			left = append(left, c)
		}
	}
	for i, c := range left {
		if i == 0 || sum+c.cost <= keep*total && worse(c, left[0]) > level {
			sum += c.cost
			kept = append(kept, c)
		}
	}
	return kept
}

// worse returns the p-value of the one-sided paired test whether a's losses are higher
// than b's.
func worse(a, b *racer) float64 {
	var x, y []float64
	var higher, lower float64
	for i, v := range a.loss {
		d := v - b.loss[i]
		switch {
		case math.IsNaN(d):
			continue
		case d > 0:
			higher++
		case d < 0:
			lower++
		}
		x, y = append(x, v), append(y, b.loss[i])
	}
	if !a.model.Regression() {
		return signTest(higher, lower)
	}
	t := ResampledTTest(x, y, 0)
	if t.Difference > 0 {
		return t.P / 2
	}
	return 1 - float64(t.P/2)
}

// signTest returns the probability of at least this many heads if a fair coin is tossed
// heads + tails times.
func signTest(heads, tails float64) float64 {
	if heads == 0 {
		return 1
	}
	return mathext.RegIncBeta(heads, tails+1, 0.5)
}
