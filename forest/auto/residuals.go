package auto

import (
	"context"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/groups"
)

const (
	scoreRows = 10000   // the most rows that residuals are kept of
	scoreSums = 1 << 26 // the most sums, one for each such row and class: half a gigabyte
	leftOver  = 0.005   // of the Brier score or mean squared error: what further trees may take away
)

// residuals sums up the residuals of a growing forest on rows of its training data: the predictions of a row's
// out-of-bag trees minus the truth.
//
// Trees are drawn independently, so the expected Brier score or squared error of T of them is P + V/T (Probst and
// Boulesteix, JMLR 18, 2018): V is the variance of what a tree says about a row, and P the score of infinitely many.
// Both follow without bias: P is the mean product of the residuals of two different trees, V the variance. So forests
// can be compared by P even if one leaves fewer trees out of bag than the other, as BootstrapFits does, whose
// out-of-bag error is then that of a smaller forest.
type residuals struct {
	rows    []int32 // evenly spaced
	sample  *datasets.Dataset
	trees   int       // that were added
	n       []float64 // by row: the number of its out-of-bag trees
	sums    []float64 // by row and class
	squares []float64 // by row, over classes
}

// newResiduals returns the residuals of a forest without trees. Values have 0 classes.
func newResiduals(train *datasets.Dataset, classes int) *residuals {
	n := max(1, min(train.N(), scoreRows, scoreSums/max(1, classes)))
	r := &residuals{n: make([]float64, n), sums: make([]float64, n*max(1, classes)), squares: make([]float64, n)}
	for k := range n {
		r.rows = append(r.rows, int32(k*train.N()/n))
	}
	r.sample = train.Subset(r.rows)
	return r
}

// add adds the trees of the model that weren't added yet.
func (r *residuals) add(ctx context.Context, model *forest.Forest, train *datasets.Dataset) error {
	first := r.trees
	grown := *model
	grown.Trees = model.Trees[first:]
	leaves, err := grown.Apply(ctx, r.sample)
	if err != nil {
		return err
	}
	k := len(r.sums) / len(r.rows)
	residual := make([]float64, k)
	var drawn []uint16
	of, _ := groups.Number(train.Groups, train.N())
	for t := range grown.Trees {
		drawn = model.SampleCounts(drawn, train, first+t)
		groups.Level(drawn, of)
		for i, row := range r.rows {
			if drawn[row] > 0 {
				continue
			}
			residualOf(residual, model, grown.Trees[t].Leaf(int(leaves[i][t])), r.sample, i)
			r.n[i]++
			for c, v := range residual {
				r.sums[i*k+c] += v
				r.squares[i] += float64(v * v)
			}
		}
	}
	r.trees = len(model.Trees)
	return nil
}

// of returns P and V of row i of the sample. They are NaN if it has fewer than two out-of-bag trees.
func (r *residuals) of(i int) (p, v float64) {
	n, k := r.n[i], len(r.sums)/len(r.rows)
	if n < 2 {
		return math.NaN(), math.NaN()
	}
	square := 0.0 // of the sum
	for _, s := range r.sums[i*k : (i+1)*k] {
		square += float64(s * s)
	}
	return (square - r.squares[i]) / (n * (n - 1)), (r.squares[i] - square/n) / (n - 1)
}

// scores returns P of each of n rows, NaN where it isn't known.
func (r *residuals) scores(n int) []float64 {
	scores := slices.Repeat([]float64{math.NaN()}, n)
	for i, row := range r.rows {
		scores[row], _ = r.of(i)
	}
	return scores
}

// treesNeeded returns the number of trees at which all trees that could still be grown would lower the mean Brier
// score or squared error by leftOver of it, at least fewest and at most most. settled says whether most are enough.
func (r *residuals) treesNeeded() (trees int, settled bool) {
	var p, v float64
	for i := range r.rows {
		if rowP, rowV := r.of(i); rowP == rowP {
			p += rowP
			v += rowV
		}
	}
	switch need := math.Ceil(v / (leftOver * p)); {
	case !(p > 0) && v > 0, need > most:
		return most, false
	case !(need > fewest):
		return fewest, true
	default:
		return int(need), true
	}
}

// residualOf sets residual to a leaf's prediction minus the truth of row i: the class proportions minus 1 for the row's
// class, or the leaf's value minus the row's.
func residualOf(residual []float64, model *forest.Forest, leaf forest.Leaf, d *datasets.Dataset, i int) {
	if leaf.Kind == forest.LeafValue {
		residual[0] = float64(leaf.Value) - (d.Values[i] - model.Offset())
		return
	}
	leaf.Proportions(residual)
	residual[d.Labels[i]]--
}
