package auto

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

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

const axisName = "random forest"

const (
	clearly    = 2.33    // standard errors by which the random forest must be better: the normal 99 % quantile
	behind     = 1.645   // standard errors above the best at which a mix is out: the normal 95 % quantile
	fewest     = 100     // least number of trees, if the learner doesn't say how many
	most       = 500     // largest number of trees then
	firstRound = 25      // trees at the first comparison
	lastRound  = 100     // trees at the last one
	fewestRows = 20      // or groups; with fewer, samples of nine tenths of them leave hardly any out
	mostMixed  = 1 << 27 // rows × classes; beyond, leaves of five rows with a weight a class don't fit in memory
	mostRaced  = 1 << 14 // rows; of a table of twice as many or more a sample of about so many races
	mostGrown  = 1 << 26 // rows × trees beyond the fewest trees; more would take too much time and memory

	mostBoosted = 1 << 30 // rows × trees; of a table of twice as many rows or more a sample is boosted
	mostScores  = 1 << 22 // rows × classes; with more, boosting would take too much time
	manyRows    = 10_000  // with more, boosting has larger steps
	quickRate   = 0.6     // at which boosting is tried first if there is a deadline, and with three to ten classes

	racingShare  = 0.5  // of the time until a context's deadline, after which the race ends
	growingShare = 0.85 // the same for the growing of the winner; then errors are measured and probabilities calibrated
	atOnce       = 10   // trees that are grown together until then, since those of an unfinished call are lost
	certain      = 0.8  // of the time that is left: what boosting is planned for
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

	// fair is score if the probabilities of out-of-bag trees are calibrated, as a forest's are that wins. Boosting, whose
	// probabilities need none, is compared with it. It is score for values, and of a mix that stopped early.
	fair []float64

	loss []float64 // see [forest.Forest.OutOfBagLosses]; set when the race is over
}

// trees returns how many trees its forest has so far.
func (c *contestant) trees() int {
	if c.model == nil {
		return 0
	}
	return len(c.model.Trees)
}

// A race compares forests.
type race struct {
	seed        uint64
	table       *datasets.Dataset // that they grow on: the training data or a sample of it
	sampled     int               // rows of a sample, otherwise 0
	contestants []*contestant     // mixes and, at the end, the random forest
	boosted     *contestant       // nil if boosting doesn't take part
	margin      float64           // standard errors by which a forest must be better than it
	winner      *contestant
	choice      contest.Choice
	trees       int  // of the winner's forest, if it isn't boosted
	settled     bool // whether the number of trees was left to the race, and the most are enough
	done        int  // trees that were reported as progress

	// If the context has a deadline:
	racing, growing time.Time // when the race ends, and the growing of the winner
	short           bool      // whether one of them ended before it was done

	rate  float64       // of boosting, for its forest in the race
	spent time.Duration // on that

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

// race compares the forests on a table that is prepared, which began at a time.
func (l Learner) race(ctx context.Context, begun time.Time, train *datasets.Dataset) (*race, error) {
	if l.Trees < 0 {
		return nil, fmt.Errorf("%d trees; want 1 or more, or 0 for as many as needed", l.Trees)
	}
	if err := grow.CheckTarget(train); err != nil {
		return nil, err
	}
	table, err := sample(train, mostRaced, l.Seed)
	if err != nil {
		return nil, err
	}
	r := &race{seed: l.Seed, table: table, groups: table.Groups, trees: l.Trees}
	if table != train {
		r.sampled = table.N()
	}
	if deadline, ok := ctx.Deadline(); ok {
		whole := float64(deadline.Sub(begun))
		r.racing = begun.Add(time.Duration(racingShare * whole))
		r.growing = begun.Add(time.Duration(growingShare * whole))
	}
	enter := func(name string, learner func(trees int) forest.Learner) {
		r.contestants = append(r.contestants, &contestant{name: name, learner: learner})
	}
	mixed := func(name string, m mix.Learner) {
		enter("mix of directions"+name, func(trees int) forest.Learner {
			m.Trees, m.Seed = trees, l.Seed
			return m
		})
	}
	k := max(1, len(train.Classes))
	mixed("", mix.Learner{})
	if k == 1 || train.N() <= mostMixed/k {
		mixed(" with leaves of five rows or more", mix.Learner{MinLeaf: 5})
	}
	if samples.Units(table) >= fewestRows {
		mixed(" with bootstrap samples of fits", mix.Learner{BootstrapFits: true})
	}
	enter(axisName, func(trees int) forest.Learner { return rf.Learner{Trees: trees, Seed: l.Seed} })
	if l.Trees == 0 && table.N() <= mostScores/k {
		if r.margin = behind; train.Labels != nil {
			r.margin = 1
		}
		r.boosted = &contestant{name: "boosted forest", learner: func(int) forest.Learner { return r.boosting(r.rate) }}
	}
	total := cmp.Or(l.Trees, most)
	if err := r.run(ctx, total, r.grow); err != nil {
		return nil, err
	}
	for _, c := range r.all() {
		if err := r.finish(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := r.choose(ctx, total); err != nil {
		return nil, err
	}
	switch {
	case r.winner == r.boosted:
		r.settled = true
	case r.trees == 0:
		r.trees, r.settled = r.winner.residuals.treesNeeded()
		if limit := max(fewest, mostGrown/train.N()); r.trees > limit {
			r.trees, r.settled = limit, false
		}
	}
	return r, nil
}

// boostRate returns the rate at which a number of rows are boosted. With many rows large steps do little harm.
func boostRate(rows int) float64 {
	if rows > manyRows {
		return 0.3
	}
	return 0.15
}

// raceRate returns the rate at which boosting races. With three to ten classes large steps tell as much in half of the
// time.
func (r *race) raceRate() float64 {
	if k := len(r.table.Classes); 3 <= k && k <= 10 && r.table.N() <= manyRows {
		return quickRate
	}
	return boostRate(r.table.N())
}

// sample returns all rows or, of at least twice as many as most, a fold of at least most.
func sample(train *datasets.Dataset, most int, seed uint64) (*datasets.Dataset, error) {
	k := min(train.N()/most, samples.Units(train)/fewestRows)
	if k < 2 {
		return train, nil
	}
	fold, err := samples.Folds(train, k, seed)
	var rows []int32
	for i, f := range fold {
		if f == 0 {
			rows = append(rows, int32(i))
		}
	}
	return train.Subset(rows), err
}

// run grows the forests to 100 trees or, if that is less, to the given number. measure grows one and sets its score.
// The random forest and boosting come first. Those that have no score when time is over are out.
func (r *race) run(ctx context.Context, trees int, measure func(context.Context, *contestant, int) error) error {
	rounds := contest.Doubling(firstRound, min(lastRound, trees))
	alone := func(c *contestant, n int, until time.Time) (bool, error) {
		return r.runUntil(ctx, until, func(ctx context.Context) error { return measure(r.reporting(ctx, c, trees), c, n) })
	}
	last := rounds[len(rounds)-1]
	steps, until := []int{last}, r.growing
	if !until.IsZero() {
		steps = contest.Doubling(atOnce, last)
	}
	for _, n := range steps { // the first may last longer than the race, so that there is a forest
		if ok, err := alone(r.axis(), n, until); err != nil {
			return err
		} else if !ok && r.axis().score == nil {
			return fmt.Errorf("no time for %d trees of a random forest: %w", n, context.DeadlineExceeded)
		}
		until = r.racing
	}
	if r.boosted != nil {
		if err := r.raceBoosted(func() (bool, error) { return alone(r.boosted, 0, r.racing) }); err != nil {
			return err
		}
	}
	_, err := r.runUntil(ctx, r.racing, func(ctx context.Context) error {
		_, err := contest.Contest{Rounds: rounds, Stay: r.survivors,
			Measure: func(c *contest.Contestant, n int) ([]float64, error) {
				of := r.mixes()[c.Number]
				err := measure(r.reporting(ctx, of, trees), of, n)
				return of.score, err
			}}.Run(ctx, len(r.mixes()))
		return err
	})
	r.contestants = slices.DeleteFunc(r.contestants, func(c *contestant) bool { return c.score == nil })
	return err
}

// raceBoosted boosts the forest that races, by calls of grow. If there is a deadline, it has large steps at first, and
// is boosted anew only if that should take less than a quarter of the time left.
func (r *race) raceBoosted(grow func() (bool, error)) error {
	rates := []float64{r.raceRate()}
	if !r.racing.IsZero() && rates[0] < quickRate {
		rates = []float64{quickRate, rates[0]}
	}
	for _, rate := range rates {
		if expected := r.spent.Seconds() * r.rate / rate; expected > time.Until(r.racing).Seconds()/4 && r.spent > 0 {
			r.short = true
			break
		}
		begun, before := time.Now(), r.rate
		r.rate = rate
		ok, err := grow()
		if err != nil {
			return err
		}
		if !ok {
			r.rate = before
			break
		}
		r.spent = time.Since(begun)
	}
	if r.boosted.score == nil {
		r.boosted = nil
	}
	return nil
}

// runUntil runs step until a deadline; a zero one is none. It returns false if the deadline passed or step failed.
func (r *race) runUntil(ctx context.Context, until time.Time, step func(ctx context.Context) error) (bool, error) {
	if until.IsZero() {
		err := step(ctx)
		return err == nil, err
	}
	inner, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	err := inner.Err()
	if err == nil {
		err = step(inner)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		r.short = true
		return false, nil
	}
	return err == nil, err
}

// reporting returns a context whose progress is reported out of a number of trees, with the contestant's name and the
// time left.
func (r *race) reporting(ctx context.Context, c *contestant, trees int) context.Context {
	report, begun, before := progress.Of(ctx), time.Now(), -1
	return progress.With(ctx, func(done, of int, _ string) {
		if before < 0 {
			before = done - 1
		}
		if c != r.axis() && c != r.boosted {
			r.done = max(r.done, done)
		}
		state := fmt.Sprintf("%s, %d of %d", c.name, done, of)
		if left := time.Since(begun) / time.Duration(done-before) * time.Duration(of-done); left >= time.Second {
			state += fmt.Sprintf(", at most about %v", left.Round(time.Second))
		}
		report(r.done, trees, state)
	})
}

// survivors returns the mixes that go on after a round: all that aren't clearly behind the best mix. After the second
// round, or if boosting is clearly better than the best mix, that one goes on alone.
func (r *race) survivors(running []*contest.Contestant) []*contest.Contestant {
	best := running[0].Losses
	if running[0].Trees > firstRound ||
		r.boosted != nil && contest.Compare(best, r.boosted.score, nil, r.groups).Z() > clearly {
		return running[:1]
	}
	return slices.DeleteFunc(slices.Clone(running), func(c *contest.Contestant) bool {
		return contest.Compare(c.Losses, best, nil, r.groups).Z() > behind
	})
}

// grow grows the contestant's forest, to the given number of trees if it isn't boosted, and measures it.
func (r *race) grow(ctx context.Context, c *contestant, trees int) error {
	model, err := forest.Grow(ctx, c.learner(trees), r.table, forest.Options{Grown: c.model, Prepared: &r.prepared})
	if err != nil {
		return err
	}
	if c == r.boosted {
		oob, err := model.OutOfBag(ctx, r.table)
		if err != nil {
			return err
		}
		c.model, c.score = model, scoresOf(oob, r.table)
		return nil
	}
	if c.residuals == nil {
		c.residuals = newResiduals(r.table, len(model.Classes))
	}
	if err := c.residuals.add(ctx, model, r.table); err != nil {
		return err
	}
	c.model, c.score = model, c.residuals.scores(r.table.N())
	return nil
}

// finish sets the losses of a contestant when the race is over, and its fair scores.
func (r *race) finish(ctx context.Context, c *contestant) error {
	if c.fair = c.score; c == r.boosted || r.boosted == nil || c.model.Regression() || len(c.model.Trees) < lastRound {
		var err error
		c.loss, err = c.model.OutOfBagLosses(ctx, r.table)
		return err
	}
	oob, err := c.model.OutOfBag(ctx, r.table)
	if err != nil {
		return err
	}
	model, err := forest.Calibrate(ctx, c.model, r.table)
	if err != nil {
		return err
	}
	c.loss, c.fair = oob.Losses(), slices.Clone(c.score)
	before := scoresOf(oob, r.table)
	for _, proba := range oob.Proba {
		if proba[0] == proba[0] { // the row is out of bag
			model.Calibration.Apply(proba)
		}
	}
	for i, after := range scoresOf(oob, r.table) {
		c.fair[i] += after - before[i]
	}
	return nil
}

// learner returns the learner of the winner's forest.
func (r *race) learner() forest.Learner {
	if r.winner == r.boosted {
		return r.boosting(boostRate(r.table.N()))
	}
	return r.winner.learner(r.trees)
}

// boosting returns the learner that boosts at a rate, with as many rounds × rate at most as package boost has.
func (r *race) boosting(rate float64) boost.Learner {
	most := 60.0
	switch {
	case r.table.Values != nil:
		most = 300
	case len(r.table.Classes) >= boost.OneTree:
		most = 200
	}
	return boost.Learner{Rate: rate, Rounds: int(math.Round(most / rate)), Seed: r.seed}
}

// grown returns the winner's forest and the rows that it was grown on: all of them, unless that takes too long.
func (r *race) grown(ctx context.Context, train *datasets.Dataset) (
	model *forest.Forest, table *datasets.Dataset, err error) {
	if r.winner == r.boosted {
		model, train, err = r.boost(ctx, train)
	} else {
		model, err = r.continued(ctx, train)
	}
	if model == nil && err == nil { // there isn't time
		return r.winner.model, r.table, nil
	}
	return model, train, err
}

// continued returns the winner's forest of all rows, if it isn't boosted, with fewer trees if time is short. After the
// race of a sample it returns nil if they are very few.
func (r *race) continued(ctx context.Context, train *datasets.Dataset) (model *forest.Forest, err error) {
	trees := 0
	if r.table == train {
		model, trees = r.winner.model, len(r.winner.model.Trees)
	}
	for ok := true; ok && trees < r.trees; {
		next := r.trees
		if !r.growing.IsZero() {
			next = min(next, trees+atOnce)
		}
		ok, err = r.runUntil(ctx, r.growing, func(ctx context.Context) error {
			f, err := forest.Grow(r.reporting(ctx, r.winner, r.trees), r.winner.learner(next), train,
				forest.Options{Grown: model, Prepared: &r.prepared})
			if err == nil {
				model, trees = f, next
			}
			return err
		})
	}
	if r.table != train && trees < min(firstRound, r.trees) {
		model = nil
	}
	return model, err
}

// boost returns the winner's forest, if it is boosted, and the rows that it was grown on: all or, where that would take
// too long, a sample. It returns nil if the time until the deadline is too short.
func (r *race) boost(ctx context.Context, train *datasets.Dataset) (
	model *forest.Forest, table *datasets.Dataset, err error) {
	f, l := r.winner.model, r.boosting(boostRate(train.N()))
	if r.table == train && r.rate == l.Rate {
		return f, train, nil
	}
	best := float64(len(f.Trees) / f.RoundTrees()) // rounds in the race
	need := best * r.rate / l.Rate
	raced := float64(r.table.N())
	limit, fit := mostBoosted/max(need*float64(f.RoundTrees()), 16*float64(len(f.Members)*len(f.Base))), 0.0
	if !r.growing.IsZero() { // rounds on the rows that raced; package boost goes on so long after the best one
		fit = certain * time.Until(r.growing).Seconds() / r.spent.Seconds() * (best + 2.5/r.rate)
		limit = min(limit, max(raced, raced*fit/need))
	}
	if table, err = sample(train, int(limit), r.seed); err != nil {
		return nil, nil, err
	}
	if !r.growing.IsZero() {
		r.limitRounds(&l, best, fit*raced/float64(table.N()))
		if l.Rate >= r.rate && table.N() <= r.table.N() {
			return nil, nil, nil
		}
	}
	_, err = r.runUntil(ctx, r.growing, func(ctx context.Context) (err error) {
		model, err = forest.Grow(r.reporting(ctx, r.winner, most), l, table, forest.Options{Prepared: &r.prepared})
		return err
	})
	return model, table, err
}

// limitRounds gives boosting the rounds that there is time for, and a rate at which this number may suffice, if the
// best round of the race was the given one.
func (r *race) limitRounds(l *boost.Learner, best, rounds float64) {
	rounds = max(1, rounds)
	if rate := best * r.rate / rounds; rate > l.Rate {
		l.Rate, r.short = rate, true
	}
	l.Rounds = int(min(rounds, float64(l.Rounds)))
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

// best returns the number of the winner by the scores of some rows, nil for all. Boosting wins unless a forest is
// better. Of the forests the best mix wins unless the random forest is clearly better.
func (r *race) best(rows []int) int {
	best := r.bestMix(rows)
	if contest.Compare(r.contestants[best].score, r.axis().score, rows, r.groups).Z() > clearly {
		best = len(r.contestants) - 1
	}
	if r.boosted == nil {
		return best
	}
	if contest.Compare(r.boosted.score, r.contestants[best].fair, rows, r.groups).Z() <= r.margin {
		best = len(r.contestants)
	}
	return best
}

// bestMix returns the number of the mix that raced longest, of several the one with the lowest mean score, the first of
// equals.
func (r *race) bestMix(rows []int) (best int) {
	for m, c := range r.mixes() {
		of := r.contestants[best]
		more := c.trees() - of.trees()
		if more > 0 || more == 0 && contest.Compare(of.score, c.score, rows, r.groups).Mean > 0 {
			best = m
		}
	}
	return best
}
