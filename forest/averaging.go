package forest

import (
	"context"
	"iter"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
)

// AveragingGain returns by how much the error of a boosted forest on new rows is lower than its out-of-bag error,
// because new rows have the mean of all members and training rows have one member (see Forest.Members), with its
// standard error. The error is the mean squared error or the error rate. It is 0 for forests without Members and where
// no row is left out by two of them.
//
// Of 20 rows or more a twentieth, or about 1000, is left out by two members. Half of the mean squared difference of their predictions is the
// variance s² of a member, and the mean of K members has a squared error that is lower by (1 − 1/K)·s² (Krogh and
// Vedelsby, Neural network ensembles, cross validation, and active learning, 1995, equation 6). For classes it is
// assumed that the mean of the two gives the true probabilities. Then a row's loss is by so much lower for the class that
// is likeliest in the mean than for those that are likeliest in each of the two, and that, too, grows with 1 − 1/K.
//
// train must be the training data. AveragingGain returns an error where [Forest.OutOfBagLosses] does.
func (f *Forest) AveragingGain(ctx context.Context, train *datasets.Dataset) (gain, stdErr float64, err error) {
	if f.Members == nil {
		return 0, 0, nil
	}
	x, err := f.outOfBagData(ctx, train)
	if err != nil {
		return 0, 0, err
	}
	members := len(f.Members) / len(f.Base)
	fold, err := f.folds(x)
	if err != nil {
		return 0, 0, err
	}
	second, err := samples.Twice(x, fold, members, f.Seed)
	var rows []int32
	for i, k := range second {
		if k >= 0 {
			rows = append(rows, int32(i))
		}
	}
	if len(rows) == 0 || err != nil {
		return 0, 0, err
	}
	first, err := f.memberSums(ctx, x, rows, fold)
	if err != nil {
		return 0, 0, err
	}
	other, err := f.memberSums(ctx, x, rows, second)
	if err != nil {
		return 0, 0, err
	}
	gains, n := f.gainsOfTwo(first, other), float64(len(rows))
	for _, g := range gains {
		gain += g / n
	}
	squares := 0.0
	for _, g := range gains {
		squares += float64((g - gain) * (g - gain))
	}
	ofAll := 2 * (1 - 1/float64(members))
	return ofAll * gain, ofAll * math.Sqrt(squares/n/max(1, n-1)), nil
}

// memberSums returns the sums of each of some rows by the member that is named for the row, rows × outputs.
func (f *Forest) memberSums(ctx context.Context, x *datasets.Dataset, rows []int32, member []int) ([]float64, error) {
	outputs := len(f.Base)
	sums, of := make([]float64, len(rows)*outputs), make([]int, len(rows))
	for i, r := range rows {
		of[i] = member[r]
	}
	err := f.eachOutOfBag(ctx, x, rows, member, func(w *walker, leaves iter.Seq[reached]) {
		all := newTallies(f, w, []Rule{Sum})
		clear(all[Sum].values) // ofMember adds the base
		for at := range leaves {
			all.add(at.tree, &f.Trees[at.tree], at.leaf, at.rows)
		}
		f.ofMember(all[Sum].values, of[w.lo:w.hi])
		copy(sums[w.lo*outputs:], all[Sum].values)
	})
	return sums, err
}

// gainsOfTwo returns for each row by how much its loss is lower for the mean of two members than for each of them, on
// average.
func (f *Forest) gainsOfTwo(first, other []float64) []float64 {
	outputs := len(f.Base)
	gains, mean := make([]float64, len(first)/outputs), make([]float64, len(first))
	for i, v := range first {
		mean[i] = (v + other[i]) / 2
	}
	p, q := make([]float64, len(f.Classes)), make([]float64, len(f.Classes))
	sums := func(values []float64) *tally { return &tally{values: values, outputs: outputs} }
	for i := range gains {
		if f.Regression() {
			d := f.value(first[i], 1) - f.value(other[i], 1)
			gains[i] = d * d / 4
			continue
		}
		f.proba(p, sums(mean), i, 1)
		gains[i] = p[argmax(p)]
		for _, one := range [][]float64{first, other} {
			f.proba(q, sums(one), i, 1)
			gains[i] -= p[argmax(q)] / 2
		}
	}
	return gains
}
