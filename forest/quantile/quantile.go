// Package quantile turns a forest of values into quantiles and prediction intervals: quantile
// regression forests (Meinshausen, Journal of Machine Learning Research 7, 2006), corrected by
// the forest's out-of-bag rows.
//
// A row's leaves hold training rows. Each tree shares a weight of 1 among those in the row's leaf, by how often they
// were drawn and by their weights; the weights of all trees together are a distribution of the value. Their mean is the
// forest's prediction, and their quantiles are [Model.LeafQuantiles].
//
// The trees of a boosted forest are summed, so a leaf's rows say nothing of the value. Those of a linear leaf are
// spread along its model, not only around it. All leaf quantiles of these forests are the prediction, and intervals are
// as wide in all rows.
//
// Leaves know the spread of the training rows, but not how wrong the trees are, and trees grown to the end have leaves
// of one row. So the quantiles of leaves cover too little on some data and too much on other. [Model.Quantiles] adds a
// constant to each, such that it is right for the training rows, each predicted by the trees that were grown without
// it. This is the conformal correction of quantiles (Romano, Patterson and Candès, NeurIPS 2019, with a constant for
// each side) with out-of-bag rows instead of a second set (Johansson, Boström, Löfström and Linusson, Machine Learning
// 97, 2014). Out-of-bag rows have some 37 % of the trees, whose quantiles are a little more in error, so intervals are
// rather too wide than too narrow. That the share of new rows in an interval is its level holds over all rows, not for
// each kind of row.
package quantile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/internal/members"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A Model knows which training rows are in the leaves of a forest. It is safe for
// concurrent use. It refers to the forest and its training data, which must not change, and takes
// about 10 bytes for each training row and tree.
type Model struct {
	forest *forest.Forest
	bare   *forest.Forest    // without steps
	train  *datasets.Dataset // after the steps
	values []float64         // of the training rows, ascending
	leaves []members.Leaves  // by tree; a member's Row is the rank of its value
	out    [][]uint64        // by tree: bit i%64 of word i/64 is set if training row i is out of bag
	oob    []float64         // of boosted forests and of linear leaves, not leaves and out: out-of-bag predictions
	mu     sync.Mutex
	shifts map[float64]float64 // what is added to a quantile, by its level
}

// Fit finds the training rows in the leaves of a forest. train must be the data that the forest
// was trained on. Fit returns an error if the forest predicts classes, if its rule is
// [forest.Sum] and it has no Members, if it has linear leaves and [forest.Forest.OutOfBag] does, if
// [forest.Forest.CheckTraining] or [forest.Forest.Check] does, and ctx's error soon after ctx is cancelled.
func Fit(ctx context.Context, f *forest.Forest, train *datasets.Dataset) (*Model, error) {
	switch {
	case !f.Regression():
		return nil, errors.New("quantile: the forest predicts classes; want values")
	case f.Rule == forest.Sum && f.Members == nil:
		return nil, errors.New("quantile: the trees' values are summed, so a leaf's rows don't have the predicted value")
	}
	bare, x, err := f.TransformedTraining(ctx, train)
	if err != nil {
		return nil, err
	}
	m := &Model{
		forest: f,
		bare:   bare,
		train:  x,
		out:    make([][]uint64, len(f.Trees)),
		shifts: map[float64]float64{},
	}
	linear := func(t forest.Tree) bool { return t.HasLinearLeaves() }
	if f.Rule == forest.Sum || slices.ContainsFunc(f.Trees, linear) {
		oob, err := f.OutOfBag(ctx, train)
		if err != nil {
			return nil, err
		}
		m.oob = oob.Values
		return m, nil
	}
	if m.leaves, err = members.Find(ctx, bare, x, m.rank(), nil); err != nil {
		return nil, err
	}
	parallel.For(len(m.out), func(t int) {
		m.out[t] = make([]uint64, (x.N()+63)/64)
		for i, c := range f.SampleCounts(nil, x, t) {
			if c == 0 {
				m.out[t][i/64] |= 1 << (i % 64)
			}
		}
	})
	return m, nil
}

// rank sorts the training values and returns the rows in their order.
func (m *Model) rank() []int32 {
	order := samples.UpTo(m.train.N())
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(m.train.Values[a], m.train.Values[b]) })
	m.values = make([]float64, len(order))
	for k, i := range order {
		m.values[k] = m.train.Values[i]
	}
	return order
}

func (m *Model) weight(i int) float64 {
	if m.train.Weights == nil {
		return 1
	}
	return float64(m.train.Weights[i])
}

// Intervals returns an interval for each row of d that holds its value with the given
// probability, such as 0.8: the [Model.Quantiles] (1 − level)/2 and (1 + level)/2. It returns an
// error where Quantiles does.
func (m *Model) Intervals(ctx context.Context, d *datasets.Dataset, level float64) ([]eval.Interval, error) {
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("quantile: intervals that hold a value with probability %v; want one between 0 and 1", level)
	}
	quantiles, err := m.Quantiles(ctx, d, (1-level)/2, (1+level)/2)
	if err != nil {
		return nil, err
	}
	intervals := make([]eval.Interval, len(quantiles))
	for i, q := range quantiles {
		intervals[i] = eval.Interval{Low: q[0], High: q[1]}
	}
	return intervals, nil
}

// Quantiles returns the given quantiles of the value of each row, n × levels: numbers that the value
// doesn't exceed with these probabilities. They are the [Model.LeafQuantiles], corrected as the
// package's comment says. Where corrected quantiles of a row would cross they are swapped, so
// that they ascend with their levels.
//
// The correction of a level q is computed when it is first asked for. It takes the training rows of positive weight
// that are out of bag; of more than 20,000 it takes 20,000, evenly spaced. Their values less their out-of-bag quantiles
// are sorted. If there are n, the correction is number ⌈q(n + 1)⌉ for q ≥ ½, or the largest if there are too few, and
// number ⌊q(n + 1)⌋ for q < ½, or the smallest. Rows count by their weights, divided by the mean weight.
//
// Quantiles returns an error if a level isn't between 0 and 1, if no training row of positive weight is out of bag (as
// when all trees were grown on all rows), where [forest.Forest.Check] does, and ctx's error soon after ctx is
// cancelled. Quantiles are NaN for a row whose leaves hold no training rows, which can be where the forest's method has
// changed its trees after growing them.
func (m *Model) Quantiles(ctx context.Context, d *datasets.Dataset, levels ...float64) ([][]float64, error) {
	rows, err := m.LeafQuantiles(ctx, d, levels...)
	if err != nil {
		return nil, err
	}
	shifts, err := m.correct(ctx, levels)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(levels))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(levels[a], levels[b]) })
	sorted := make([]float64, len(levels))
	for _, row := range rows {
		for k := range row {
			sorted[k] = row[k] + shifts[k]
		}
		slices.Sort(sorted)
		for k, of := range order {
			row[of] = sorted[k]
		}
	}
	return rows, nil
}

// LeafQuantiles returns the given quantiles of the training values in the leaves of each row,
// n × levels, without a correction: the least value y whose weight, with that of all smaller
// values, is at least the level (Meinshausen 2006, equation 5). It returns an error where
// Quantiles does, but for out-of-bag rows.
func (m *Model) LeafQuantiles(ctx context.Context, d *datasets.Dataset, levels ...float64) ([][]float64, error) {
	if err := checkLevels(levels); err != nil {
		return nil, err
	}
	_, d, err := m.forest.Transformed(ctx, d)
	if err != nil {
		return nil, err
	}
	cells := make([]float64, d.N()*len(levels))
	rows := make([][]float64, d.N())
	for i := range rows {
		rows[i] = cells[i*len(levels):][:len(levels):len(levels)]
	}
	if m.oob != nil {
		predicted, err := m.bare.PredictValues(ctx, d)
		for i, v := range predicted {
			fill(rows[i], v)
		}
		return rows, err
	}
	err = m.each(ctx, d, samples.UpTo(d.N()), func(g *gatherer, row int, reached []int32) {
		g.begin()
		for t, leaf := range reached {
			g.add(&m.leaves[t], leaf)
		}
		g.quantiles(rows[row], levels, m.values)
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func fill(quantiles []float64, v float64) {
	for k := range quantiles {
		quantiles[k] = v
	}
}

func checkLevels(levels []float64) error {
	for _, q := range levels {
		if !(q > 0 && q < 1) {
			return fmt.Errorf("quantile: level %v; want one between 0 and 1", q)
		}
	}
	return nil
}

// rowsAtOnce is for how many rows the leaves in all trees are in memory.
const rowsAtOnce = 4096

// each calls visit for the given rows of d, in parallel, with the leaves that they reach. A call
// is given the row's place in rows.
func (m *Model) each(ctx context.Context, d *datasets.Dataset, rows []int32,
	visit func(g *gatherer, row int, reached []int32)) error {
	table := *d
	table.Labels, table.Values, table.Weights, table.Groups = nil, nil, nil, nil // they may be of any length
	for lo := 0; lo < len(rows); lo += rowsAtOnce {
		hi := min(lo+rowsAtOnce, len(rows))
		reached, err := m.bare.Apply(ctx, table.Subset(rows[lo:hi]))
		if err != nil {
			return err
		}
		err = parallel.Workers(ctx, hi-lo, runtime.GOMAXPROCS(0), func(items iter.Seq[int]) {
			var g gatherer
			for i := range items {
				visit(&g, lo+i, reached[i])
			}
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// A gatherer adds up the weights of training values.
type gatherer struct {
	keys []uint64 // rank above, bits of the share below: shares are positive, so they sort, too
}

func (g *gatherer) begin() { g.keys = g.keys[:0] }

// add adds the members of a leaf.
func (g *gatherer) add(l *members.Leaves, leaf int32) {
	for _, m := range l.Of(leaf) {
		g.keys = append(g.keys, uint64(m.Row)<<32|uint64(math.Float32bits(m.Share)))
	}
}

// rounding is by how much a sum of shares, which are rounded to float32, may miss a level.
const rounding = 1e-6

// quantiles writes the quantiles of the added members to dst. values has the value of each rank.
func (g *gatherer) quantiles(dst, levels, values []float64) {
	slices.Sort(g.keys)
	total := 0.0
	for _, key := range g.keys {
		total += share(key)
	}
	for k, level := range levels {
		dst[k] = math.NaN()
		least, sum := level*total*(1-rounding), 0.0
		for _, key := range g.keys {
			if sum += share(key); sum >= least {
				dst[k] = values[key>>32]
				break
			}
		}
	}
}

func share(key uint64) float64 { return float64(math.Float32frombits(uint32(key))) }
