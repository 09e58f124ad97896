// Package boost grows forests by Newton boosting: shallow trees, each fitted to the residuals of those before. Nodes
// are split on single features and on sums of features, signed or fitted.
//
// A forest has several members, each boosted without one fold of the rows. They are boosted in lockstep. After each
// round every row has a score of the member that hasn't seen it, and boosting stops where the loss of these scores is
// lowest. So no row is lost to a validation set, and the members, whose scores are averaged, vary less than one of
// them. By how much, a few rows tell that two members don't see (see [forest.Forest.AveragingGains]). The method is
// ours; its parts are Friedman's (Greedy function approximation: a gradient boosting machine, 2001, and Stochastic
// gradient boosting, 2002) with the leaves of Chen and Guestrin (XGBoost, 2016, equation 5).
package boost

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A Learner boosts trees. The zero value has nothing to be set.
//
// Values are fitted by squared error, by another [Loss], or by the pinball loss of a quantile: then a leaf has that
// quantile of the residuals (Friedman 2001, section 4.3). Two classes are fitted by their log-odds, and more by the
// softmax of as many scores; the loss of classes is the log-loss. A round has a tree for each of three to five classes.
// From six on it has one tree for all: a node draws the class that it is split for, with a probability in proportion to
// the sum of the squared gradients of its rows, and a leaf has a value for each class. The forest's rule is
// [forest.Sum]. Of more than 10,000 rows, trees of classes draw rows of large gradients with a higher probability.
//
// Cuts are searched exactly in tables of at most 256 rows of positive weight. In others they are searched between at
// most 256 bins of a feature, and at most 128 of a sum.
//
// Cells may be missing and columns categorical (see Fills and Categories of [forest.Forest]). A single feature tries
// missing cells on both sides. Categories are divided by the best cut in the order of their means, which the penalty
// draws to the node's mean. Of more than 255 categories the rarest count as one. Sums have no categorical features, and
// those of features of very different scale are those of the largest: see [datasets.Standardise].
type Learner struct {
	Rounds   int     // most rounds; 0 means 1000 for two to five classes and 2000 for more and for values
	Rate     float64 // a tree's values are multiplied by it; 0 means 0.1 for classes, 0.15 for values
	Depth    int     // of trees; 0 means 4
	MinLeaf  int     // least rows of a leaf; 0 means 1 for squared error and 5 for other losses
	Folds    int     // members, each without one fold; 0 means 5, 10 for values; 1 boosts all rows, for all Rounds
	Penalty  float64 // λ, added to the weight of a leaf in units of the rows' mean weight; 0 means 1, −1 none
	Fraction float64 // of the rows for a tree, drawn without replacement; 0 means 0.8, or 0.3 by gradients
	Sums     float64 // slanted sums that a node tries for each feature; 0 means 0.7, −1 none
	Quantile float64 // level of the quantile of values to predict; 0.5 lowers the absolute error; 0 means by Loss
	Loss     Loss    // of values; 0 means squared error
	Seed     uint64
}

// Fit boosts the forest; see [forest.Learner]. Weights of rows multiply their losses, and only their ratios matter.
// Progress counts rounds, up to Rounds, though boosting mostly ends earlier.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow boosts the forest with options; see [forest.Grower]. Trees depend on those before, so it can't grow a part.
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	if o.First > 0 || o.Last > 0 {
		return nil, fmt.Errorf("boost: %w", forest.ErrWhole)
	}
	l = l.withDefaults(train)
	if err := l.check(); err != nil {
		return nil, err
	}
	engine, err := grow.New(train, grow.Params{
		Method:   "boost",
		Trees:    1,
		Growth:   forest.Growth{MaxDepth: l.Depth, MinLeaf: l.MinLeaf},
		Sampling: forest.Sampling{Fraction: l.Fraction, WithoutReplacement: true},
		Seed:     l.Seed,
		Fallback: grow.NoRedraw,
		Raw:      true,
		Options:  forest.Options{Prepared: o.Prepared},
	})
	if err != nil {
		return nil, err
	}
	b, err := l.begin(parallel.Until(ctx), engine, train)
	if err != nil {
		return nil, err
	}
	return b.boost(ctx)
}

// maxScores is the largest number of scores of all rows, members and outputs, which take 8 bytes each.
const maxScores = 1 << 27

func (l Learner) withDefaults(train *datasets.Dataset) Learner {
	n := train.N() // panics with words if train is nil
	rounds, rate, least, folds, fraction := 1000, 0.1, 5, 5, 0.8
	switch {
	case train.Values != nil:
		rounds, rate, folds = 2000, 0.15, 10
		if l.Loss == standard && l.Quantile == 0 {
			least = 1
		}
	case len(train.Classes) >= OneTree:
		rounds = 2000
	}
	if train.Values == nil && n > sampledRows {
		fraction = 0.3
	}
	l.Rounds, l.Rate = cmp.Or(l.Rounds, rounds), cmp.Or(l.Rate, rate)
	l.Depth, l.MinLeaf, l.Folds = cmp.Or(l.Depth, 4), cmp.Or(l.MinLeaf, least), cmp.Or(l.Folds, folds)
	l.Penalty, l.Fraction, l.Sums = cmp.Or(l.Penalty, 1), cmp.Or(l.Fraction, fraction), cmp.Or(l.Sums, 0.7)
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
	case l.Loss >= losses || l.Quantile > 0 && l.Loss != standard:
		return fmt.Errorf("boost: Loss %d and Quantile %v; want a known loss, and a quantile only without one",
			l.Loss, l.Quantile)
	case !(l.Sums >= 0 && l.Sums <= 1000):
		return fmt.Errorf("boost: %v sums a feature; want 0 to 1000, or −1 for none", l.Sums)
	}
	return nil
}

// A booster boosts the members of a forest.
type booster struct {
	Learner
	train   *datasets.Dataset // whose values are those that grow.Relative returns, or events for Poisson
	loss    loss
	fold    []int // of each row, which is the number of the member that doesn't see it; −1 for none
	second  []int // another member that doesn't see the row, either; −1 for most rows
	members []member
	cells   [][]float32 // by feature
	columns [][]float32 // the same with the forest's Fills for missing cells, as sums see them
	numeric []int32     // features without categories
	binned  *binned
	forest  *forest.Forest

	mu      sync.Mutex // of what follows, and of members' rounds
	changed *sync.Cond
	losses  []float64 // of folds, by round and member
	rounds  int       // that all members have
	best    int       // the round with the lowest loss
	lowest  float64
	ended   bool // a worker has ended
}

// A member is boosted without the rows of its fold.
type member struct {
	base   []float64   // by output
	scores [][]float64 // by output and row
	rounds int
	busy   bool // somebody boosts it

	// While a grower has the member:
	weights []float64   // of the rows; 0 of those that it doesn't see
	targets [][]float64 // as scores: gradient divided by the second derivative
	hessian [][]float64 // the same: second derivative times the weight
	delta   float64     // δ of [Huber]
	tied    float64     // gradient of a quantile's rows whose values equal their scores
}

func (l Learner) begin(call parallel.Call, engine *grow.Engine, train *datasets.Dataset) (*booster, error) {
	relative, offset := *train, []float64(nil)
	if l.Loss == Poisson && train.Values != nil {
		var err error
		if relative.Values, offset, err = events(train); err != nil {
			return nil, err
		}
	} else {
		relative.Values, offset = grow.Relative(train.Values, grow.RowWeights(train))
	}
	train = &relative
	loss, err := l.newLoss(train)
	if err != nil {
		return nil, err
	}
	l.Penalty *= grow.MeanWeight(train)
	b := &booster{Learner: l, train: train, loss: loss, forest: engine.Forest()}
	n, outputs := train.N(), b.loss.outputs()
	if n > maxScores/(b.Folds*outputs) {
		return nil, fmt.Errorf("boost: %d rows, %d members and %d scores a row; the product must be at most %d: "+
			"take fewer rows, put rare classes together, or set Folds", n, b.Folds, outputs, maxScores)
	}
	for j := range train.P() {
		b.cells = append(b.cells, train.Column(nil, j))
		if train.Features[j].Categories == nil {
			b.numeric = append(b.numeric, int32(j))
		}
	}
	b.columns = b.forest.Filled(&datasets.Dataset{Columns: b.cells}).Columns
	if err := b.divide(train); err != nil {
		return nil, err
	}
	b.members = make([]member, b.Folds)
	parallel.For(len(b.members), func(k int) {
		m := member{base: b.loss.base(b.weights(make([]float64, n), k))}
		for _, base := range m.base {
			m.scores = append(m.scores, slices.Repeat([]float64{base}, n))
		}
		b.members[k] = m
	})
	b.binned = newBinned(call, b.cells, b.forest.Categories, train.Weights)
	b.changed = sync.NewCond(&b.mu)
	f := b.forest
	f.Rule, f.Trees, f.Base, f.LogLink = forest.Sum, nil, make([]float64, outputs), l.Loss == Poisson
	for _, m := range b.members {
		for o, base := range m.base {
			f.Base[o] += base / float64(len(b.members))
		}
		if len(b.members) > 1 {
			f.Members = append(f.Members, m.base...)
		}
	}
	if offset != nil {
		f.Base[0] += offset[0]
		for k := range f.Members {
			f.Members[k] += offset[0]
		}
	}
	return b, nil
}

// blockRows is how many rows are looked at between looks at the call.
const blockRows = 1 << 12

// weights sets the weights of the rows for member k, 0 of those that it doesn't see, and returns them.
func (b *booster) weights(to []float64, k int) []float64 {
	for i := range to {
		to[i] = 0
		if b.Folds == 1 || b.fold[i] != k && b.second[i] != k {
			to[i] = grow.Weight(b.train, int32(i))
		}
	}
	return to
}

// divide divides the rows of positive weight into folds, groups whole.
func (b *booster) divide(train *datasets.Dataset) error {
	b.Folds = min(b.Folds, samples.Units(train))
	if b.Folds == 1 {
		b.fold = slices.Repeat([]int{-1}, train.N())
		return nil
	}
	var err error
	if b.fold, err = samples.Folds(train, b.Folds, b.Seed); err == nil {
		b.second, err = samples.Twice(train, b.fold, b.Folds, b.Seed)
	}
	return err
}

// boost grows rounds of trees, a tree for each member and output, until the loss out of fold hasn't fallen for
// a while. It returns the forest of the rounds up to the lowest loss. Where no round lowers it, the forest has
// the first round's trees with leaves of 0, so that it predicts its base.
func (b *booster) boost(ctx context.Context) (*forest.Forest, error) {
	call := parallel.Until(ctx)
	for k := range b.members {
		b.lowest += b.outOfFold(call, k)
	}
	parallel.For(min(len(b.members), runtime.GOMAXPROCS(0)), func(int) { b.work(ctx, call) })
	if b.rounds < b.last() {
		return nil, ctx.Err()
	}
	f := b.forest
	round := len(f.Trees) / (len(b.losses) / len(b.members))
	if b.best == 0 {
		b.best = 1
		for _, t := range f.Trees[:round] {
			clear(t.Dist)
			for i := range t.Nodes {
				if n := &t.Nodes[i]; n.IsLeaf() {
					n.Value = 0
				}
			}
		}
	}
	f.Trees = slices.Clip(f.Trees[:b.best*round])
	return f, nil
}

// last returns how many rounds there are, if the loss doesn't fall any more.
func (b *booster) last() int {
	if b.Folds == 1 {
		return b.Rounds
	}
	return min(b.Rounds, b.best+int(min(2.5/b.Rate, 1<<30)))
}

// work boosts one member after another by a round, until the last round or until ctx ends.
func (b *booster) work(ctx context.Context, call parallel.Call) {
	defer func() { // even if the progress function panics, the other workers end
		b.mu.Lock()
		defer b.mu.Unlock()
		b.ended = true
		b.changed.Broadcast()
	}()
	g, report := newGrower(b, call), forest.Progress(ctx)
	for k := b.next(); k >= 0; k = b.next() {
		trees, loss := g.round(k)
		if ctx.Err() != nil {
			return
		}
		b.add(k, trees, loss, report)
	}
}

// next returns the member to boost: the idle one with the fewest rounds. It may be a round ahead of the others, so that
// no core is idle at the end of a round. It returns −1 after the last round.
func (b *booster) next() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ; !b.ended && b.rounds < b.last(); b.changed.Wait() {
		behind := -1
		for k, m := range b.members {
			if !m.busy && m.rounds < min(b.rounds+2, b.Rounds) && (behind < 0 || m.rounds < b.members[behind].rounds) {
				behind = k
			}
		}
		if behind >= 0 {
			b.members[behind].busy = true
			return behind
		}
	}
	return -1
}

// add adds a round of member k: its trees, and the loss of its fold after them.
func (b *booster) add(k int, trees []forest.Tree, loss float64, report func(done, total int)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.changed.Broadcast()
	m := &b.members[k]
	if at := m.rounds * len(b.members); at == len(b.losses) {
		b.losses = append(b.losses, make([]float64, len(b.members))...)
		b.forest.Trees = append(b.forest.Trees, make([]forest.Tree, len(b.members)*len(trees))...)
	}
	at := m.rounds*len(b.members) + k
	b.losses[at] = loss
	copy(b.forest.Trees[at*len(trees):], trees)
	m.busy, m.rounds = false, m.rounds+1
	if slices.ContainsFunc(b.members, func(m member) bool { return m.rounds == b.rounds }) {
		return
	}
	sum := 0.0
	for _, loss := range b.losses[b.rounds*len(b.members):][:len(b.members)] {
		sum += loss
	}
	if b.rounds++; b.Folds == 1 || sum < b.lowest {
		b.best, b.lowest = b.rounds, sum
	}
	report(b.rounds, b.Rounds)
}

// outOfFold returns the loss of member k's fold.
func (b *booster) outOfFold(call parallel.Call, k int) (sum float64) {
	row, scores := make([]float64, b.loss.outputs()), b.members[k].scores
	for i, fold := range b.fold {
		if i%blockRows == 0 && parallel.Cancelled(call) {
			return sum
		}
		if fold != k {
			continue
		}
		for o := range row {
			row[o] = scores[o][i]
		}
		sum += float64(grow.Weight(b.train, int32(i)) * b.loss.of(i, row))
	}
	return sum
}
