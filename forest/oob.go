package forest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// An OutOfBag is what a forest says about its own training rows when each is
// asked only of the trees that were grown without it.
type OutOfBag struct {
	Rows   []int32   // the rows that at least one tree left out, ascending
	Votes  [][]int32 // classification: votes of those trees by row and class, n × classes
	Labels []int32   // classification: predicted class by row, −1 where every tree saw the row
	Values []float64 // regression: predicted value by row, NaN where every tree saw the row

	train *datasets.Dataset
}

// OutOfBag returns the out-of-bag votes and predictions of the training rows.
// They follow the forest's rule, as [Forest.Predict] and [Forest.PredictValues]
// do.
//
// train must be the data that the forest was trained on, with the same rows in
// the same order: which rows a tree saw follows from their number alone.
// OutOfBag returns an error if every tree saw every row, if the rule is [Sum], if
// train has another number of rows, no target of the forest's kind or other classes, and where
// [Forest.Check] does, and ctx's error soon after ctx is cancelled.
//
// The forest's Steps were fitted on all rows, those that a tree left out among them; here
// they are applied as they were for training (see [datasets.ApplyTraining]).
func (f *Forest) OutOfBag(ctx context.Context, train *datasets.Dataset) (*OutOfBag, error) {
	if f.Sampling.all(f.Rows) {
		return nil, errors.New("forest: every tree was grown on all rows, so none is out of bag")
	}
	if f.Rule == Sum {
		return nil, errors.New("forest: the trees' values are summed, so no row can do without some of them")
	}
	if err := f.CheckTraining(train); err != nil {
		return nil, err
	}
	x, err := f.prepare(train, datasets.ApplyTraining)
	if err != nil {
		return nil, err
	}
	if f.Regression() {
		return f.outOfBagValues(ctx, x)
	}
	return f.outOfBagLabels(ctx, x)
}

// CheckTraining returns an error if train can't be the data that the forest was trained
// on: no table, or one with another number of rows, no target of the forest's kind, or
// other classes. Whether the columns are the same is for [Forest.Check] to say.
func (f *Forest) CheckTraining(train *datasets.Dataset) error {
	if err := train.Check(); err != nil {
		return err
	}
	switch {
	case f.Rows != train.N():
		return fmt.Errorf("forest: want the training data, of %d rows; these have %d", f.Rows, train.N())
	case f.Regression() && train.Values == nil:
		return errors.New("forest: want the training data, but these have no target values")
	case !f.Regression() && train.Labels == nil:
		return errors.New("forest: want the training data, but these have no labels")
	case !f.Regression() && !slices.Equal(f.Classes, train.Classes):
		return fmt.Errorf("forest: the model was trained on classes %s, the data have %s", summary(f.Classes), summary(train.Classes))
	}
	return nil
}

func (f *Forest) outOfBagLabels(ctx context.Context, train *datasets.Dataset) (*OutOfBag, error) {
	n, k := train.N(), len(f.Classes)
	votes := make([]int32, n*k)
	o := &OutOfBag{Votes: matrix(votes, n), Labels: make([]int32, n), train: train}
	err := f.eachOutOfBag(ctx, train, func(w *walker, each func(add func(tree int, leaf int32, rows []uint16))) {
		x := cells{block: w}
		count, said := newTally(f, Plurality, w.hi-w.lo, x), newTally(f, f.Rule, w.hi-w.lo, x)
		each(func(tree int, leaf int32, rows []uint16) {
			count.add(tree, &f.Trees[tree], leaf, rows)
			said.add(tree, &f.Trees[tree], leaf, rows)
		})
		count.votes(votes[w.lo*k : w.hi*k])
		said.label(o.Labels[w.lo:w.hi])
	})
	if err != nil {
		return nil, err
	}
	for i, votes := range o.Votes {
		if slices.Max(votes) == 0 {
			o.Labels[i] = -1
			continue
		}
		o.Rows = append(o.Rows, int32(i))
	}
	return o, nil
}

func (f *Forest) outOfBagValues(ctx context.Context, train *datasets.Dataset) (*OutOfBag, error) {
	o := &OutOfBag{Values: make([]float64, train.N()), train: train}
	err := f.eachOutOfBag(ctx, train, func(w *walker, each func(add func(tree int, leaf int32, rows []uint16))) {
		said, trees := newTally(f, f.Rule, w.hi-w.lo, cells{block: w}), make([]int, w.hi-w.lo)
		each(func(tree int, leaf int32, rows []uint16) {
			said.add(tree, &f.Trees[tree], leaf, rows)
			for _, r := range rows {
				trees[r]++
			}
		})
		for i, sum := range said.values {
			o.Values[w.lo+i] = f.value(sum, trees[i]) // 0/0 is NaN
		}
	})
	if err != nil {
		return nil, err
	}
	for i, v := range o.Values {
		if !math.IsNaN(v) {
			o.Rows = append(o.Rows, int32(i))
		}
	}
	return o, nil
}

// eachOutOfBag calls visit for blocks of rows, in parallel, with a function that
// gives each tree's leaves and the rows that reach them out of bag.
func (f *Forest) eachOutOfBag(ctx context.Context, train *datasets.Dataset,
	visit func(w *walker, each func(add func(tree int, leaf int32, rows []uint16)))) error {
	bags, err := f.outOfBagBits(ctx, train.N())
	if err != nil {
		return err
	}
	return f.eachBlock(ctx, train, func(w *walker) {
		visit(w, func(add func(tree int, leaf int32, rows []uint16)) {
			for i, t := range f.trees(ctx) {
				for leaf, rows := range w.leaves(t, w.pick(bags[i])) {
					add(i, leaf, rows)
				}
			}
		})
	})
}

// outOfBagBits returns a set of rows for each tree: bit i%64 of word i/64 is
// set if the tree didn't see row i.
func (f *Forest) outOfBagBits(ctx context.Context, n int) ([][]uint64, error) {
	out := matrix(make([]uint64, len(f.Trees)*((n+63)/64)), len(f.Trees))
	err := parallel.Workers(ctx, len(out), len(out), func(trees iter.Seq[int]) {
		var counts []uint16
		for t := range trees {
			counts = f.Sampling.Counts(counts, n, f.Seed, t)
			for i, c := range counts {
				if c == 0 {
					out[t][i/64] |= 1 << (i % 64)
				}
			}
		}
	})
	return out, err
}

// Error returns the out-of-bag error: the share of wrong labels, or for
// regression the mean squared error, over Rows. Row weights don't count. It is
// NaN if no row was left out.
func (o *OutOfBag) Error() float64 {
	var sum float64
	for _, i := range o.Rows {
		if o.Values != nil {
			d := o.Values[i] - o.train.Values[i]
			sum += float64(d * d)
		} else if o.Labels[i] != o.train.Labels[i] {
			sum++
		}
	}
	return sum / float64(len(o.Rows))
}
