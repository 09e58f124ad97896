package forest

import (
	"context"
	"errors"
	"iter"
	"math"
	"runtime"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// blockRows is how many rows are sent down the trees at once: enough that most nodes
// get some of them, and few enough that their columns stay in cache. They must be
// numbered by a uint16.
const blockRows = 8192

// blockCells is the largest number of cells of a view that a worker copies at a time,
// and of scores that it keeps: 8 MiB of each.
const blockCells = 1 << 21

// eachBlock calls visit for blocks of the rows of d, which [Forest.prepare] returned, in
// parallel, with a walker that has entered the block. If ctx is cancelled it returns ctx's
// error; then some blocks weren't visited, or not by all trees.
func (f *Forest) eachBlock(ctx context.Context, d *datasets.Dataset, visit func(w *walker)) error {
	n := d.N()
	workers := min(runtime.GOMAXPROCS(0), (n+127)/128)
	if workers == 0 {
		return ctx.Err()
	}
	size := min(blockRows, blockCells/max(1, len(f.Classes)))
	if d.Rows != nil {
		size = min(size, blockCells/d.P())
	}
	size = max(1, size)
	blocks := (n + size*workers - 1) / (size * workers) * workers // the same number for each worker
	size = (n + blocks - 1) / blocks
	err := parallel.Workers(ctx, (n+size-1)/size, workers, func(blocks iter.Seq[int]) {
		w := f.newWalker(d, size)
		for b := range blocks {
			w.enter(b*size, min((b+1)*size, n))
			visit(w)
		}
	})
	if err != nil {
		return err
	}
	return ctx.Err()
}

// trees iterates over the forest's trees with their numbers, until ctx is cancelled.
func (f *Forest) trees(ctx context.Context) iter.Seq2[int, *Tree] {
	return func(yield func(int, *Tree) bool) {
		for i := range f.Trees {
			if ctx.Err() != nil || !yield(i, &f.Trees[i]) {
				return
			}
		}
	}
}

var (
	errNeedsClasses = errors.New("forest: this forest predicts values, not classes; use PredictValues")
	errNeedsValues  = errors.New("forest: this forest predicts classes, not values; use Predict or Proba")
	errSumsNoVotes  = errors.New("forest: the trees of this forest predict values, which are summed, and don't vote; " +
		"use Proba")
)

// Predict returns the predicted class index of every row, length n. Ties go to
// the smaller index. It returns an error if the forest predicts values and where
// [Forest.Check] does, and ctx's error soon after ctx is cancelled.
func (f *Forest) Predict(ctx context.Context, d *datasets.Dataset) ([]int32, error) {
	if f.Regression() {
		return nil, errNeedsClasses
	}
	x, err := f.prepare(ctx, d)
	if err != nil {
		return nil, err
	}
	labels := make([]int32, x.N())
	err = f.eachBlock(ctx, x, func(w *walker) { f.tallies(ctx, w, f.Rule)[f.Rule].label(labels[w.lo:w.hi]) })
	return orError(labels, err)
}

// PredictNames returns the name of the predicted class of every row, length n. Predict returns its index in Classes. It
// returns an error where [Forest.Predict] does.
func (f *Forest) PredictNames(ctx context.Context, d *datasets.Dataset) ([]string, error) {
	labels, err := f.Predict(ctx, d)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(labels))
	for i, class := range labels {
		names[i] = f.Classes[class]
	}
	return names, nil
}

// orError returns the predictions, or nil and the error.
func orError[T any](predicted []T, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return predicted, nil
}

// tallies returns a tally by each of the rules of all trees, for the rows of a block.
func (f *Forest) tallies(ctx context.Context, w *walker, rules ...Rule) tallies {
	s := newTallies(f, w, rules)
	for i, t := range f.trees(ctx) {
		for leaf, rows := range w.leaves(t, w.rows) {
			s.add(i, t, leaf, rows)
		}
	}
	return s
}

// label sets labels to the predicted class of each row.
func (s *tally) label(labels []int32) {
	for i := range labels {
		switch {
		case s.values == nil:
			labels[i] = argmax(s.scores[i*s.classes : (i+1)*s.classes])
		case s.outputs > 1:
			labels[i] = argmax(s.values[i*s.outputs : (i+1)*s.outputs])
		case s.values[i] > 0:
			labels[i] = 1
		default:
			labels[i] = 0
		}
	}
}

// proba writes the calibrated class probabilities of row i of a tally to dst, given the
// number of trees.
func (f *Forest) proba(dst []float64, s *tally, i, trees int) {
	switch {
	case s.values == nil:
		for c, v := range s.scores[i*s.classes : (i+1)*s.classes] {
			dst[c] = float64(v) / float64(trees)
		}
	case s.outputs > 1:
		portable.Softmax(dst, s.values[i*s.outputs:(i+1)*s.outputs])
	default:
		odds := portable.Exp(-math.Abs(s.values[i])) // of the less likely class
		dst[0], dst[1] = odds/(1+odds), 1/(1+odds)
		if s.values[i] < 0 {
			dst[0], dst[1] = dst[1], dst[0]
		}
	}
	f.Calibration.Apply(dst)
}

func argmax[T int32 | float32 | float64](s []T) int32 {
	best := 0
	for c, v := range s {
		if v > s[best] {
			best = c
		}
	}
	return int32(best)
}

// Votes returns the number of trees that vote for each class, n × classes: each
// tree votes for the largest class of the leaf that the row reaches. It returns an error
// where [Forest.Predict] does, if there are more than 2³¹ rows × classes, and if the
// forest's rule is [Sum], whose trees don't vote.
func (f *Forest) Votes(ctx context.Context, d *datasets.Dataset) ([][]int32, error) {
	switch {
	case f.Regression():
		return nil, errNeedsClasses
	case f.Rule == Sum:
		return nil, errSumsNoVotes
	}
	x, err := f.prepare(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := f.checkCells(x.N()); err != nil {
		return nil, err
	}
	votes := matrix(make([]int32, x.N()*len(f.Classes)), x.N())
	err = f.eachBlock(ctx, x, func(w *walker) { f.tallies(ctx, w, Plurality)[Plurality].votes(votes[w.lo:w.hi]) })
	return orError(votes, err)
}

// votes writes the counts of a tally by [Plurality], row after row.
func (s *tally) votes(dst [][]int32) {
	for i, row := range dst {
		for c, v := range s.scores[i*s.classes:][:s.classes] {
			row[c] = int32(v)
		}
	}
}

// probaRule returns the rule by which trees give probabilities.
func (f *Forest) probaRule() Rule {
	if f.Rule == Sum {
		return Sum
	}
	return Average
}

// Proba returns the class probabilities of every row, n × classes: the average of the trees' class proportions,
// calibrated if the forest is (see [Calibrate]), or, if the forest's rule is [Sum], the probabilities of the log-odds
// (see Forest.Base). With the rules [Plurality] and [Consensus] the most probable class may differ from the predicted
// one. It returns an error where [Forest.Predict] does, and if there are more than 2³¹ rows × classes.
func (f *Forest) Proba(ctx context.Context, d *datasets.Dataset) ([][]float64, error) {
	_, proba, err := f.classify(ctx, d, false)
	return proba, err
}

// Classify returns the predicted class index of every row and the class probabilities, as [Forest.Predict] and
// [Forest.Proba] do, but sends the rows down the trees once. It returns an error where Proba does.
func (f *Forest) Classify(ctx context.Context, d *datasets.Dataset) (labels []int32, proba [][]float64, err error) {
	return f.classify(ctx, d, true)
}

// classify returns the probabilities and, if they are wanted, the classes.
func (f *Forest) classify(ctx context.Context, d *datasets.Dataset, labelled bool) (
	labels []int32, proba [][]float64, err error) {
	if f.Regression() {
		return nil, nil, errNeedsClasses
	}
	x, err := f.prepare(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	if err := f.checkCells(x.N()); err != nil {
		return nil, nil, err
	}
	rules := []Rule{f.probaRule()}
	if labelled {
		rules, labels = append(rules, f.Rule), make([]int32, x.N())
	}
	proba = matrix(make([]float64, x.N()*len(f.Classes)), x.N())
	err = f.eachBlock(ctx, x, func(w *walker) {
		s := f.tallies(ctx, w, rules...)
		if labelled {
			s[f.Rule].label(labels[w.lo:w.hi])
		}
		for i := range w.hi - w.lo {
			f.proba(proba[w.lo+i], s[f.probaRule()], i, len(f.Trees))
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return labels, proba, nil
}

// PredictValues returns a regression forest's predicted value of every row, length
// n: the mean of the trees' values or, if the rule is [Sum], their sum, plus Base, or its
// exponential if LogLink is set. It returns an error if the forest predicts classes and where [Forest.Check] does, and
// ctx's error soon after ctx is cancelled.
func (f *Forest) PredictValues(ctx context.Context, d *datasets.Dataset) ([]float64, error) {
	if !f.Regression() {
		return nil, errNeedsValues
	}
	x, err := f.prepare(ctx, d)
	if err != nil {
		return nil, err
	}
	values := make([]float64, x.N())
	err = f.eachBlock(ctx, x, func(w *walker) {
		for i, sum := range f.tallies(ctx, w, f.Rule)[f.Rule].values {
			values[w.lo+i] = f.value(sum, len(f.Trees))
		}
	})
	return orError(values, err)
}

// value returns the prediction for a sum over the given number of trees.
func (f *Forest) value(sum float64, trees int) float64 {
	switch {
	case f.LogLink:
		return portable.Exp(sum)
	case f.Rule == Sum:
		return sum
	}
	return sum/float64(trees) + f.Offset()
}

// Apply returns the leaves that each row reaches, as indices in the trees' Nodes,
// n × trees. It returns an error where [Forest.Check] does, and ctx's error soon after
// ctx is cancelled.
func (f *Forest) Apply(ctx context.Context, d *datasets.Dataset) ([][]int32, error) {
	x, err := f.prepare(ctx, d)
	if err != nil {
		return nil, err
	}
	leaves := matrix(make([]int32, x.N()*len(f.Trees)), x.N())
	err = f.eachBlock(ctx, x, func(w *walker) {
		block := leaves[w.lo:w.hi]
		for i, t := range f.trees(ctx) {
			for leaf, rows := range w.leaves(t, w.rows) {
				for _, r := range rows {
					block[r][i] = leaf
				}
			}
		}
	})
	return orError(leaves, err)
}

// matrix divides cells into n rows of equal length, without copying.
func matrix[T any](cells []T, n int) [][]T {
	rows := make([][]T, n)
	for i := range rows {
		k := len(cells) / n
		rows[i] = cells[i*k : (i+1)*k : (i+1)*k]
	}
	return rows
}
