// Package boost grows forests by Newton boosting: shallow trees, each fitted to what those before leave over. Nodes are
// split on single features and on signed sums of features.
//
// A forest has several members, each boosted without one fold of the rows. They are boosted in lockstep. After each
// round every row has a score of the member that hasn't seen it, and boosting stops where the loss of these scores is
// lowest. So no row is lost to a validation set, and the members, whose scores are averaged, vary less than one of
// them. The method is ours; its parts are Friedman's (Greedy function approximation: a gradient boosting machine, 2001,
// and Stochastic gradient boosting, 2002) with the leaves of Chen and Guestrin (XGBoost, 2016, equation 5).
package boost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A Learner boosts trees. The zero value has nothing to be set.
//
// Values are fitted by squared error, or by the pinball loss of a quantile: then a leaf has that quantile of what is
// left over (Friedman 2001, section 4.3). Two classes are fitted by their log-odds, and more by the softmax of as many
// scores, with a tree a class in each round; the loss of classes is the log-loss. The forest's rule is [forest.Sum].
type Learner struct {
	Rounds   int     // most rounds; 0 means 1000 for classes and 2000 for values
	Rate     float64 // what a tree's values are multiplied by; 0 means 0.06 for classes and 0.1 for values
	Depth    int     // of trees; 0 means 4
	MinLeaf  int     // least rows of a leaf; 0 means 5
	Folds    int     // members, each without one fold; 0 means 5; 1 boosts all rows, for Rounds rounds without stopping
	Penalty  float64 // λ, added to the weight of a leaf; 0 means 1, −1 none
	Fraction float64 // of the rows for a tree, drawn without replacement; 0 means 0.8
	Sums     float64 // signed sums that a node tries for each feature; 0 means 1, −1 none
	Quantile float64 // level of the quantile of values to predict, such as 0.5 for the median; 0 means their mean
	Seed     uint64
}

// Fit boosts the forest; see [forest.Learner]. Weights of rows multiply their losses. Progress counts rounds, up to
// Rounds, though boosting mostly ends earlier.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow boosts the forest with options; see [forest.Grower]. Trees depend on those before, so it can't grow a part.
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	if o.First > 0 || o.Last > 0 {
		return nil, fmt.Errorf("boost: %w", forest.ErrWhole)
	}
	l = l.withDefaults(train.Values != nil)
	if err := l.check(); err != nil {
		return nil, err
	}
	if l.Quantile > 0 && train.Values == nil {
		return nil, errors.New("boost: a quantile of classes; want values")
	}
	engine, err := grow.New(train, grow.Params{
		Method:   "boost",
		Trees:    1,
		Growth:   forest.Growth{MaxDepth: l.Depth, MinLeaf: l.MinLeaf},
		Sampling: forest.Sampling{Fraction: l.Fraction, WithoutReplacement: true},
		Seed:     l.Seed,
		Fallback: grow.NoRedraw,
		Options:  forest.Options{Prepared: o.Prepared},
	})
	if err != nil {
		return nil, err
	}
	b, err := l.begin(engine, train)
	if err != nil {
		return nil, err
	}
	return b.boost(ctx)
}

// maxScores is the largest number of scores of all rows, members and outputs, which take 24 bytes each.
const maxScores = 1 << 27

func (l Learner) withDefaults(values bool) Learner {
	rounds, rate := 1000, 0.06
	if values {
		rounds, rate = 2000, 0.1
	}
	l.Rounds, l.Rate = cmp.Or(l.Rounds, rounds), cmp.Or(l.Rate, rate)
	l.Depth, l.MinLeaf, l.Folds = cmp.Or(l.Depth, 4), cmp.Or(l.MinLeaf, 5), cmp.Or(l.Folds, 5)
	l.Penalty, l.Fraction, l.Sums = cmp.Or(l.Penalty, 1), cmp.Or(l.Fraction, 0.8), cmp.Or(l.Sums, 1)
	if l.Penalty == -1 {
		l.Penalty = 0
	}
	if l.Sums == -1 {
		l.Sums = 0
	}
	return l
}

func (l Learner) check() error {
	switch {
	case l.Rounds < 0 || l.Depth < 0 || l.MinLeaf < 0 || l.Folds < 0:
		return fmt.Errorf("boost: Rounds %d, Depth %d, MinLeaf %d, Folds %d: want 0 or more",
			l.Rounds, l.Depth, l.MinLeaf, l.Folds)
	case !(l.Rate > 0 && l.Rate <= 1):
		return fmt.Errorf("boost: a rate of %v; want more than 0 and at most 1", l.Rate)
	case !(l.Penalty >= 0 && l.Penalty < math.Inf(1)):
		return fmt.Errorf("boost: a penalty of %v; want 0 or more, or −1 for none", l.Penalty)
	case !(l.Quantile >= 0 && l.Quantile < 1):
		return fmt.Errorf("boost: the quantile of level %v; want a level in (0, 1), or 0 for the mean", l.Quantile)
	case !(l.Sums >= 0 && l.Sums <= 1000):
		return fmt.Errorf("boost: %v sums a feature; want 0 to 1000, or −1 for none", l.Sums)
	}
	return nil
}

// A booster boosts the members of a forest.
type booster struct {
	Learner
	train   *datasets.Dataset
	engine  *grow.Engine
	loss    loss
	fold    []int // of each row, which is the number of the member that doesn't see it; −1 for none
	members []member
	columns [][]float32
	forest  *forest.Forest
}

// A member is boosted without the rows of its fold.
type member struct {
	weights []float64   // of the rows; 0 in its fold
	base    []float64   // by output
	scores  [][]float64 // by output and row
	targets [][]float64 // the same: gradient divided by the second derivative
	hessian [][]float64 // the same: second derivative times the weight
}

func (l Learner) begin(engine *grow.Engine, train *datasets.Dataset) (*booster, error) {
	b := &booster{Learner: l, train: train, engine: engine, loss: newLoss(train, l.Quantile), forest: engine.Forest()}
	n, outputs := train.N(), b.loss.outputs()
	if n > maxScores/(b.Folds*outputs) {
		return nil, fmt.Errorf("boost: %d rows, %d members and %d scores a row; the product must be at most %d: "+
			"take fewer rows, put rare classes together, or set Folds", n, b.Folds, outputs, maxScores)
	}
	for j := range train.P() {
		b.columns = append(b.columns, train.Column(nil, j))
	}
	if err := b.divide(train); err != nil {
		return nil, err
	}
	b.members = make([]member, b.Folds)
	parallel.For(len(b.members), func(k int) {
		m := member{weights: make([]float64, n)}
		for i := range n {
			if b.Folds == 1 || b.fold[i] != k {
				m.weights[i] = grow.Weight(train, int32(i))
			}
		}
		m.base = b.loss.base(m.weights)
		for _, base := range m.base {
			m.scores = append(m.scores, slices.Repeat([]float64{base}, n))
		}
		for range outputs {
			m.targets, m.hessian = append(m.targets, make([]float64, n)), append(m.hessian, slices.Clone(m.weights))
		}
		b.members[k] = m
	})
	f := b.forest
	f.Rule, f.Trees, f.Base = forest.Sum, nil, make([]float64, outputs)
	for _, m := range b.members {
		for o, base := range m.base {
			f.Base[o] += base / float64(len(b.members))
		}
	}
	return b, nil
}

// divide divides the rows of positive weight into folds.
func (b *booster) divide(train *datasets.Dataset) error {
	var rows []int32
	b.fold = make([]int, train.N())
	for i := range b.fold {
		b.fold[i] = -1
		if grow.Weight(train, int32(i)) > 0 {
			rows = append(rows, int32(i))
		}
	}
	b.Folds = min(b.Folds, len(rows))
	if b.Folds == 1 {
		return nil
	}
	by := datasets.KFold{K: b.Folds, Stratified: train.Labels != nil, Seed: b.Seed}
	folds, err := by.Folds(train.Subset(rows))
	for k, fold := range folds {
		for _, r := range fold.Test {
			b.fold[rows[r]] = k
		}
	}
	return err
}

// boost grows rounds of trees, a tree for each member and output, until the loss out of fold hasn't fallen for
// a while. It returns the forest of the rounds up to the lowest loss. Where no round lowers it, the forest has
// the first round's trees with leaves of 0, so that it predicts its base.
func (b *booster) boost(ctx context.Context) (*forest.Forest, error) {
	report, quiet := forest.Progress(ctx), forest.WithProgress(ctx, nil)
	f, round := b.forest, len(b.members)*b.loss.outputs()
	best, lowest, patience := 0, b.outOfFold(), int(2.5/b.Rate)
	for r := 1; r <= b.Rounds && (b.Folds == 1 || r <= best+patience); r++ {
		if err := b.grow(quiet); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if loss := b.outOfFold(); b.Folds == 1 || loss < lowest {
			best, lowest = r, loss
		}
		report(r, b.Rounds)
	}
	if best == 0 {
		best = 1
		for _, t := range f.Trees[:round] {
			for i := range t.Nodes {
				if n := &t.Nodes[i]; n.IsLeaf() {
					n.Value = 0
				}
			}
		}
	}
	f.Trees = slices.Clip(f.Trees[:best*round])
	return f, nil
}

// grow grows the trees of a round, and adds them to the scores.
func (b *booster) grow(ctx context.Context) error {
	outputs := b.loss.outputs()
	first, specs := len(b.forest.Trees), make([]*grow.Spec, len(b.members)*outputs)
	err := parallel.Errors(len(b.members), func(k int) error {
		m := &b.members[k]
		if b.loss.gradients(parallel.Until(ctx), m); ctx.Err() != nil {
			return ctx.Err()
		}
		for o := range outputs {
			target, err := b.engine.NewTarget(m.targets[o], m.hessian[o])
			if err != nil {
				return err
			}
			specs[k*outputs+o] = &grow.Spec{Target: target, Source: func() grow.Source {
				return &source{p: len(b.columns), sums: b.Sums}
			}}
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.forest.Trees = append(b.forest.Trees, make([]forest.Tree, len(specs))...)
	trees := b.forest.Trees
	if err := b.engine.GrowFrom(ctx, trees, first, func(t int) *grow.Spec { return specs[t-first] }); err != nil {
		return err
	}
	return parallel.Errors(len(specs), func(i int) error {
		b.add(&trees[first+i], &b.members[i/outputs], i%outputs)
		return ctx.Err()
	})
}

// add sets the values of a tree's leaves, and adds them to its member's scores of an output.
func (b *booster) add(t *forest.Tree, m *member, output int) {
	scores, members := m.scores[output], float64(len(b.members))
	r := router{t, b.columns, make([]int32, len(scores)), make([]float32, len(scores)), make([]int32, len(scores))}
	for i := range r.rows {
		r.rows[i] = int32(i)
	}
	r.route(0, 0, len(scores), func(leaf *forest.Node, rows []int32) {
		value := b.loss.leaf(m, leaf, rows, b.Penalty)
		leaf.Value = float32(value * b.Rate / members)
		for _, i := range rows {
			scores[i] += float64(members * float64(leaf.Value))
		}
	})
}

// outOfFold returns the loss of all rows, each by the member that hasn't seen it.
func (b *booster) outOfFold() (sum float64) {
	row := make([]float64, b.loss.outputs())
	for i, k := range b.fold {
		if k < 0 {
			continue
		}
		for o := range row {
			row[o] = b.members[k].scores[o][i]
		}
		sum += float64(grow.Weight(b.train, int32(i)) * b.loss.of(i, row))
	}
	return sum
}
