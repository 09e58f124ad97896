package forest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/groups"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// An OutOfBag holds a forest's out-of-bag predictions: each training row is predicted by
// the trees that were grown without it (see [Forest.SampleCounts]), or by the member of a boosted
// forest that was boosted without it (see Forest.Members).
type OutOfBag struct {
	Rows   []int32   // the rows that are out of bag for at least one tree, ascending
	Votes  [][]int32 // classification: out-of-bag votes by row and class, n × classes; nil if the rule is [Sum]
	Labels []int32   // classification: predicted class by row, length n; −1 if the row is in every tree's sample
	Values []float64 // regression: predicted value by row, length n; NaN if the row is in every tree's sample

	// Proba holds, for classification, the probabilities by row and class, n × classes, as
	// [Forest.Proba] gives them, by the trees that were grown without the row, calibrated if the
	// forest is (by the power that suits all trees). They are NaN if the row is in every tree's sample.
	Proba [][]float64

	losses []float64 // as Forest.OutOfBagLosses returns them
}

// OutOfBag returns the out-of-bag votes, predictions and probabilities of the training
// rows. Predictions follow the forest's rule, as [Forest.Predict] and
// [Forest.PredictValues] do.
//
// train must be the data that the forest was trained on, with the same rows in the same
// order and in the same groups: each tree's sample is drawn again from the number of rows or groups and the seed, and
// the folds of a boosted forest from the labels, too. OutOfBag returns an error if every tree was grown on all rows, if
// the rule is [Sum] and Members is nil, if [Forest.CheckTraining] or [Forest.Check] does, if there are more than 2³¹
// rows × classes ([Forest.OutOfBagLosses] needs no memory for each), and ctx's error soon after ctx is cancelled.
//
// The forest's Steps were fitted to all rows, including those that are out of bag. They
// are applied here as in training (see [datasets.ApplyTraining]). Where they encode categories of few rows each by
// their targets, as [datasets.Prepare] does with more than 30 categories, errors out of bag are a little too low. Those
// of cross-validation aren't.
func (f *Forest) OutOfBag(ctx context.Context, train *datasets.Dataset) (*OutOfBag, error) {
	x, err := f.outOfBagData(ctx, train)
	if err != nil {
		return nil, err
	}
	n, k := x.N(), len(f.Classes)
	if err := f.checkCells(n); err != nil {
		return nil, err
	}
	o := &OutOfBag{}
	if k > 0 {
		o.Proba = matrix(make([]float64, n*k), n)
		if f.Rule != Sum {
			o.Votes = matrix(make([]int32, n*k), n)
		}
	}
	if err := f.predictOutOfBag(ctx, x, o); err != nil {
		return nil, err
	}
	return o, nil
}

// maxCells is the largest number of votes or probabilities, one for each row and class, that are returned at once.
const maxCells = 1 << 31

// checkCells returns an error if the forest has too many classes to say something of each for n rows.
func (f *Forest) checkCells(n int) error {
	if k := len(f.Classes); k > 0 && n > maxCells/k {
		return fmt.Errorf("forest: %d rows × %d classes; want at most %d, or fewer rows at a time",
			n, k, int64(maxCells))
	}
	return nil
}

// OutOfBagLosses returns the out-of-bag loss of each row: 1 if its class is predicted wrongly and 0 otherwise or, for
// regression, the squared error. It is NaN if the row is in every tree's sample. The losses take memory for the rows
// alone: with many classes, that is far less than [Forest.OutOfBag] needs. OutOfBagLosses returns an error where
// OutOfBag does, but for the number of cells.
func (f *Forest) OutOfBagLosses(ctx context.Context, train *datasets.Dataset) ([]float64, error) {
	x, err := f.outOfBagData(ctx, train)
	if err != nil {
		return nil, err
	}
	var o OutOfBag
	err = f.predictOutOfBag(ctx, x, &o)
	return orError(o.losses, err)
}

// outOfBagData returns the training data after the forest's steps, or an error if there are
// no out-of-bag predictions.
func (f *Forest) outOfBagData(ctx context.Context, train *datasets.Dataset) (*datasets.Dataset, error) {
	switch {
	case f.Rule == Sum && f.Members == nil:
		return nil, errors.New("forest: no out-of-bag predictions for the rule Sum without Members: all trees are needed")
	case f.Rule != Sum && f.Rows > 0 && f.Sampling.all(cmp.Or(f.Groups, f.Rows)):
		return nil, errors.New("forest: every tree was grown on all rows, so none is out of bag")
	}
	_, x, err := f.TransformedTraining(ctx, train)
	return x, err
}

// CheckTraining returns an error if train can't be the data that the forest was trained
// on: if [datasets.Dataset.Check] does, if the number of rows, that of groups or the classes differ, or if
// it lacks labels or, for regression, values. It doesn't compare the columns;
// [Forest.Check] does.
func (f *Forest) CheckTraining(train *datasets.Dataset) error {
	if err := train.Check(); err != nil {
		return err
	}
	_, units := groups.Number(train.Groups, 0)
	switch {
	case f.Rows == 0:
		return errors.New("forest: how many rows it was trained on isn't known, so neither is which rows are out of bag")
	case f.Rows != train.N():
		return fmt.Errorf("forest: want the training data, of %d rows; these have %d", f.Rows, train.N())
	case f.Groups != units:
		return fmt.Errorf("forest: want the training data, whose rows have %d groups; these have %d (Dataset.Groups)",
			f.Groups, units)
	case f.Regression() && train.Values == nil:
		return errors.New("forest: want the training data; these have no target values")
	case !f.Regression() && train.Labels == nil:
		return errors.New("forest: want the training data; these have no labels")
	case !f.Regression() && !slices.Equal(f.Classes, train.Classes):
		return fmt.Errorf("forest: the model was trained on classes %s, the data have %s", summary(f.Classes),
			summary(train.Classes))
	}
	return nil
}

// predictOutOfBag sets the fields of o, but Votes and Proba only if they have memory.
func (f *Forest) predictOutOfBag(ctx context.Context, train *datasets.Dataset, o *OutOfBag) error {
	n := train.N()
	trees := make([]int32, n) // for which a row is out of bag
	if f.Regression() {
		o.Values = make([]float64, n)
	} else {
		o.Labels = make([]int32, n)
	}
	rules := []Rule{f.Rule}
	if o.Votes != nil {
		rules = append(rules, Plurality, Average)
	}
	folds, err := f.folds(train)
	if err != nil {
		return err
	}
	err = f.eachOutOfBag(ctx, train, nil, folds, func(w *walker, leaves iter.Seq[reached]) {
		tallies := newTallies(f, w, rules)
		if folds != nil {
			clear(tallies[Sum].values) // ofMember adds the base
		}
		trees := trees[w.lo:w.hi]
		for at := range leaves {
			tallies.add(at.tree, &f.Trees[at.tree], at.leaf, at.rows)
			for _, r := range at.rows {
				trees[r]++
			}
		}
		if folds != nil {
			f.ofMember(tallies[Sum].values, folds[w.lo:w.hi])
		}
		if f.Regression() {
			for i, sum := range tallies[f.Rule].values {
				o.Values[w.lo+i] = f.value(sum, int(trees[i])) // 0/0 is NaN
			}
			return
		}
		tallies[f.Rule].label(o.Labels[w.lo:w.hi])
		if o.Votes != nil {
			tallies[Plurality].votes(o.Votes[w.lo:w.hi])
		}
		if o.Proba != nil {
			for i, row := range o.Proba[w.lo:w.hi] {
				f.proba(row, tallies[f.probaRule()], i, int(trees[i])) // 0/0 is NaN
			}
		}
	})
	o.losses = make([]float64, n)
	for i, count := range trees {
		switch {
		case count == 0:
			o.losses[i] = math.NaN()
			if o.Labels != nil {
				o.Labels[i] = -1
			}
			continue
		case o.Values != nil:
			d := o.Values[i] - train.Values[i]
			o.losses[i] = float64(d * d)
		case o.Labels[i] != train.Labels[i]:
			o.losses[i] = 1
		}
		o.Rows = append(o.Rows, int32(i))
	}
	return err
}

// folds returns the fold of each training row, the number of the member that was boosted without its group, and −1 for
// rows of weight 0, of whose group no member has a row; nil if the forest has no members.
func (f *Forest) folds(train *datasets.Dataset) ([]int, error) {
	if f.Members == nil {
		return nil, nil
	}
	folds, err := samples.Folds(train, len(f.Members)/len(f.Base), f.Seed)
	of, _ := groups.Number(train.Groups, f.Rows)
	groups.Level(folds, of)
	return folds, err
}

// memberCounts sets counts, whose memory it uses, to 0 for the rows for which folds names the member that tree t is of
// or none, and else to 1.
func (f *Forest) memberCounts(counts []uint16, folds []int, t int) []uint16 {
	members := len(f.Members) / len(f.Base)
	member := t / (f.RoundTrees() / members) % members
	counts = slices.Grow(counts[:0], len(folds))
	for _, k := range folds {
		if k < 0 || k == member {
			counts = append(counts, 0)
		} else {
			counts = append(counts, 1)
		}
	}
	return counts
}

// ofMember turns the values of the trees that are out of bag, summed by row and output, into the sums of the member of
// the row's fold or, for rows that no member has, of the forest.
func (f *Forest) ofMember(sums []float64, folds []int) {
	outputs, members := len(f.Base), float64(len(f.Members)/len(f.Base))
	for i, k := range folds {
		base, times := f.Base, 1.0
		if k >= 0 {
			base, times = f.Members[k*outputs:], members
		}
		for o := range outputs {
			sum := &sums[i*outputs+o]
			*sum = base[o] + float64(times**sum)
		}
	}
}

// A reached is a leaf of a tree with rows of a block that reach it.
type reached struct {
	tree int
	leaf int32
	rows []uint16
}

// eachOutOfBag calls visit for blocks of the given rows, all if nil, in parallel. It passes on the leaves of all trees
// that rows of the block reach, out of bag: outside of the sample or, if folds isn't nil, of the member.
func (f *Forest) eachOutOfBag(ctx context.Context, train *datasets.Dataset, rows []int32, folds []int,
	visit func(w *walker, leaves iter.Seq[reached])) error {
	bags, err := f.outOfBagBits(ctx, train, rows, folds)
	if err != nil {
		return err
	}
	if rows != nil {
		train = train.Subset(rows)
	}
	return f.eachBlock(ctx, train, func(w *walker) {
		visit(w, func(yield func(reached) bool) {
			for i, t := range f.trees(ctx) {
				for leaf, rows := range w.leaves(t, w.pick(bags[i])) {
					if !yield(reached{i, leaf, rows}) {
						return
					}
				}
			}
		})
	})
}

// outOfBagBits returns a set of rows for each tree: bit i%64 of word i/64 is set if row rows[i]
// is out of bag, or row i if rows is nil.
func (f *Forest) outOfBagBits(ctx context.Context, train *datasets.Dataset, rows []int32, folds []int) (
	[][]uint64, error) {
	n := train.N()
	if rows != nil {
		n = len(rows)
	}
	out := matrix(make([]uint64, len(f.Trees)*((n+63)/64)), len(f.Trees))
	of, _ := groups.Number(train.Groups, f.Rows)
	err := parallel.Workers(ctx, len(out), len(out), func(trees iter.Seq[int]) {
		var counts []uint16
		for t := range trees {
			if folds == nil {
				counts = f.SampleCounts(counts, train, t)
				groups.Level(counts, of)
			} else {
				counts = f.memberCounts(counts, folds, t)
			}
			for i := range n {
				row := i
				if rows != nil {
					row = int(rows[i])
				}
				if counts[row] == 0 {
					out[t][i/64] |= 1 << (i % 64)
				}
			}
		}
	})
	return out, err
}

// Losses returns what [Forest.OutOfBagLosses] does. They are o's memory.
func (o *OutOfBag) Losses() []float64 { return o.losses }

// String returns the number of rows that are out of bag, and their error, in one line.
func (o *OutOfBag) String() string {
	what := "error rate"
	if o.Values != nil {
		what = "mean squared error"
	}
	return fmt.Sprintf("%d rows are out of bag, with %s %.4g", len(o.Rows), what, o.Error())
}

// Error returns the out-of-bag error, the mean of [Forest.OutOfBagLosses] over Rows: the error rate or,
// for regression, the mean squared error. Row weights are ignored. It is NaN if Rows is
// empty, as it is with one row of data, which every sample holds.
func (o *OutOfBag) Error() float64 {
	var sum float64
	for _, i := range o.Rows {
		sum += o.losses[i]
	}
	return sum / float64(len(o.Rows))
}
