package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/contest"
)

// RaceOptions are the options of [Race].
type RaceOptions struct {
	First int // trees of each learner in the first round; 0 means 40

	// Cost returns what a tree of learner i costs, compared with the others, above 0; nil
	// means that all cost the same. For the Grid of a SPORF it is Candidates.
	Cost func(i int) float64
}

// Race compares learners, such as a learner's Grid, by out-of-bag error, like [Tune], but spends few trees on learners
// that fall behind. trees is the number of trees of the winner's forest; withTrees returns a learner with its number of
// trees changed.
//
// Forests grow in rounds: to First trees, then to twice as many each time, at last to
// trees. After a round learners leave for one of three reasons.
//
//   - A learner that costs at least four times as much as another must be better than that
//     one: by a paired test at level 0.16, about one standard error.
//   - A learner leaves if it is worse than the best of the others by that test at level 0.05,
//     divided by the number of rounds and by the number of other learners.
//   - The rest are taken by ascending error, the earlier of ties first, as long as their
//     trees cost at most half of what those of all learners of the round cost; the first
//     always stays. So a round costs about as much as the one before. With equal costs
//     this is successive halving (Karnin, Koren and Somekh, Almost optimal
//     exploration in multi-armed bandits, ICML 2013).
//
// The paired test compares rows that are out of bag for both: for classes it is the exact
// sign test on rows that one labels rightly and the other wrongly, for values the t-test on
// squared errors. Where rows have groups, it compares the sums of groups instead. The race ends
// when one learner is left, or at a learner with an error of 0. That learner's forest grows to
// trees. So learners should be in ascending order of cost.
//
// The test at level 0.05 drops a learner whose expected error is the lowest in every round
// with a probability of at most 0.05 (Bonferroni), if the differences between two learners
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
// Race returns an error where Tune does, if trees is below 1 or First below 0, and if a cost is not above 0.
func Race[L forest.Learner](ctx context.Context, learners []L, withTrees func(l L, trees int) L, trees int,
	d *datasets.Dataset, o RaceOptions, steps ...datasets.Step) (*Tuning, error) {
	o.First = cmp.Or(o.First, 40)
	t, err := newTuner(d, learners)
	if err != nil {
		return nil, err
	}
	if trees < 1 || o.First < 1 {
		return nil, fmt.Errorf("eval: a race from %d to %d trees; want 1 or more", o.First, trees)
	}
	t.Trees = make([]int, len(learners))
	rounds := contest.Doubling(o.First, trees)
	rule := survival{level: 0.05 / float64(len(rounds)*max(1, len(learners)-1)), values: d.Values != nil, groups: d.Groups}
	for i := range learners {
		cost := 1.0
		if o.Cost != nil {
			cost = o.Cost(i)
		}
		if !(cost > 0) {
			return nil, fmt.Errorf("eval: learner %d of %d: cost %v; want one above 0", i+1, len(learners), cost)
		}
		rule.costs = append(rule.costs, cost)
	}
	return t.run(ctx, contest.Contest{Rounds: rounds, Stay: rule.stay},
		func(c *contest.Contestant, trees int) ([]float64, float64, error) {
			t.Trees[c.Number] = trees
			return t.outOfBag(ctx, c, forest.Pipeline(withTrees(learners[c.Number], trees), steps...))
		})
}

const (
	dear   = 4    // a learner that costs this many times as much as another must be better than that one,
	beaten = 0.16 // by a test at this level
)

// A survival is the rule by which learners stay in a race.
type survival struct {
	costs  []float64
	level  float64
	values bool    // whether losses are squared errors
	groups []int32 // of the rows
}

// stay returns which of the learners, by ascending error, stay.
func (s survival) stay(running []*contest.Contestant) (kept []*contest.Contestant) {
	var total, sum float64
	for _, c := range running {
		total += s.costs[c.Number]
	}
	for _, c := range running {
		cost := s.costs[c.Number]
		switch {
		case slices.ContainsFunc(running, func(other *contest.Contestant) bool {
			return s.costs[other.Number]*dear <= cost && s.worse(other, c) > beaten
		}):
		case len(kept) == 0 || sum+cost <= total/2 && s.worse(c, kept[0]) > s.level:
			sum += cost
			kept = append(kept, c)
		}
	}
	return kept
}

// worse returns the p-value of the one-sided paired test whether a's losses are higher than b's.
func (s survival) worse(a, b *contest.Contestant) float64 {
	d := contest.Compare(a.Losses, b.Losses, nil, s.groups)
	switch {
	case !s.values && d.Higher == 0:
		return 1
	case !s.values: // the probability of at least d.Higher heads if a fair coin is tossed
		return mathext.RegIncBeta(float64(d.Higher), float64(d.Lower+1), 0.5)
	case d.Units < 2:
		return nan
	}
	p := float64(studentBeyond(d.Z(), float64(d.Units-1)) / 2)
	if d.Mean > 0 {
		return p
	}
	return 1 - p
}
