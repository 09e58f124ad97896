package forest

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
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
// [Forest.Check] does.
func (f *Forest) OutOfBag(train *datasets.Dataset) (*OutOfBag, error) {
	if f.Sampling.Fraction == 0 {
		return nil, errors.New("forest: every tree was grown on all rows, so none is out of bag")
	}
	if f.Rule == Sum {
		return nil, errors.New("forest: the trees' values are summed, so no row can do without some of them")
	}
	if err := f.checkTraining(train, "out-of-bag predictions"); err != nil {
		return nil, err
	}
	if f.Regression() {
		return f.outOfBagValues(train), nil
	}
	return f.outOfBagLabels(train), nil
}

// checkTraining reports why train can't be the data that the forest was trained
// on, which what needs.
func (f *Forest) checkTraining(train *datasets.Dataset, what string) error {
	if err := train.Check(); err != nil {
		return err
	}
	if f.Rows != train.N() {
		return fmt.Errorf("forest: %s need the training data, of %d rows; these have %d", what, f.Rows, train.N())
	}
	if err := f.Check(train); err != nil {
		return err
	}
	switch {
	case f.Regression() && train.Values == nil:
		return fmt.Errorf("forest: %s need the training data, but these have no target values", what)
	case !f.Regression() && train.Labels == nil:
		return fmt.Errorf("forest: %s need the training data, but these have no labels", what)
	case !f.Regression() && !slices.Equal(f.Classes, train.Classes):
		return fmt.Errorf("forest: the model was trained on classes %s, the data have %s", summary(f.Classes), summary(train.Classes))
	}
	return nil
}

func (f *Forest) outOfBagLabels(train *datasets.Dataset) *OutOfBag {
	n, k := train.N(), len(f.Classes)
	votes := make([]int32, n*k)
	o := &OutOfBag{Votes: matrix(votes, n), Labels: make([]int32, n), train: train}
	f.eachOutOfBag(train, func(w *walker, each func(add func(tree int, leaf int32, rows []uint16))) {
		x := cells{block: w}
		count, said := newTally(f, Plurality, w.hi-w.lo, x), newTally(f, f.Rule, w.hi-w.lo, x)
		each(func(tree int, leaf int32, rows []uint16) {
			count.add(tree, &f.Trees[tree], leaf, rows)
			said.add(tree, &f.Trees[tree], leaf, rows)
		})
		count.votes(votes[w.lo*k : w.hi*k])
		said.label(o.Labels[w.lo:w.hi])
	})
	for i, votes := range o.Votes {
		if slices.Max(votes) == 0 {
			o.Labels[i] = -1
			continue
		}
		o.Rows = append(o.Rows, int32(i))
	}
	return o
}

func (f *Forest) outOfBagValues(train *datasets.Dataset) *OutOfBag {
	o := &OutOfBag{Values: make([]float64, train.N()), train: train}
	f.eachOutOfBag(train, func(w *walker, each func(add func(tree int, leaf int32, rows []uint16))) {
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
	for i, v := range o.Values {
		if !math.IsNaN(v) {
			o.Rows = append(o.Rows, int32(i))
		}
	}
	return o
}

// eachOutOfBag calls visit for blocks of rows, in parallel, with a function that
// gives each tree's leaves and the rows that reach them out of bag.
func (f *Forest) eachOutOfBag(train *datasets.Dataset, visit func(w *walker, each func(add func(tree int, leaf int32, rows []uint16)))) {
	bags := f.outOfBagBits(train.N())
	f.eachBlock(train, func(w *walker) {
		visit(w, func(add func(tree int, leaf int32, rows []uint16)) {
			for i := range f.Trees {
				for leaf, rows := range w.leaves(&f.Trees[i], w.pick(bags[i])) {
					add(i, leaf, rows)
				}
			}
		})
	})
}

// outOfBagBits returns a set of rows for each tree: bit i%64 of word i/64 is
// set if the tree didn't see row i.
func (f *Forest) outOfBagBits(n int) [][]uint64 {
	out := matrix(make([]uint64, len(f.Trees)*((n+63)/64)), len(f.Trees))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(f.Trees)) {
		wg.Go(func() {
			var counts []uint16
			for t := int(next.Add(1)) - 1; t < len(out); t = int(next.Add(1)) - 1 {
				counts = f.Sampling.Counts(counts, n, t)
				for i, c := range counts {
					if c == 0 {
						out[t][i/64] |= 1 << (i % 64)
					}
				}
			}
		})
	}
	wg.Wait()
	return out
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
