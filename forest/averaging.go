package forest

import (
	"context"
	"errors"
	"iter"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
)

// AveragingGains returns by how much the squared error or, for classes, the Brier score is lower on new rows than out
// of bag, for each of some training rows: new rows have the mean of all trees, or of all members of a boosted forest,
// training rows that of the trees that were grown without them, or one member (see Forest.Members).
//
// A mean of m predictions that becomes one of K has a squared error that is lower by (1/m − 1/K)·s², with s² the
// variance of one prediction: the ambiguity of Krogh and Vedelsby (Neural network ensembles, cross validation, and
// active learning, 1995). s² is estimated from two means of a and b predictions that have none in common. Their squared
// difference is (1/a + 1/b)·s² on average. In a boosted forest they are of two members that were boosted without the
// row: a twentieth of the rows has two, if there are at least 20, or about 1000 of many. In other forests they are of
// the row's trees of even and of odd number, for at most 10,000 evenly spaced rows. Calibrated probabilities,
// and values with LogLink, are treated as if they were averaged themselves.
//
// train must be the training data, and out what [Forest.OutOfBag] returns of them. AveragingGains returns an error
// where that does.
func (f *Forest) AveragingGains(ctx context.Context, train *datasets.Dataset, out *OutOfBag) ([]float64, error) {
	x, err := f.outOfBagData(ctx, train)
	if err != nil {
		return nil, err
	}
	if out == nil {
		return nil, errors.New("forest: no out-of-bag predictions; want those that OutOfBag returns")
	}
	if f.Members == nil {
		return f.gainsOfTrees(ctx, x, out)
	}
	return f.gainsOfMembers(ctx, x, out)
}

// mostGains is the number of rows whose trees are divided at most.
const mostGains = 10_000

// gainsOfTrees returns the gains of averaging all trees, of rows that are out of bag. Where one half has no tree, s² is
// the mean of the other rows'.
func (f *Forest) gainsOfTrees(ctx context.Context, x *datasets.Dataset, out *OutOfBag) ([]float64, error) {
	rows := out.Rows
	if some := spaced(len(rows), mostGains); some != nil {
		rows = some
		for k, i := range some {
			rows[k] = out.Rows[i]
		}
	}
	halves, err := f.bagHalves(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	variances, known, sum := make([]float64, len(rows)), 0, 0.0
	p := [2][]float64{make([]float64, max(1, len(f.Classes))), make([]float64, max(1, len(f.Classes)))}
	for i := range rows {
		a, b := float64(halves[0].trees[i]), float64(halves[1].trees[i])
		if a == 0 || b == 0 {
			continue
		}
		for h, half := range halves {
			half.means(p[h], i)
			if !f.Regression() {
				f.Calibration.Apply(p[h])
			}
		}
		apart := 0.0
		for c, q := range p[0] {
			apart += float64((q - p[1][c]) * (q - p[1][c]))
		}
		variances[i] = apart / (1/a + 1/b)
		known, sum = known+1, sum+variances[i]
	}
	if known == 0 {
		return nil, nil
	}
	gains := variances
	for i, v := range variances {
		a, b := halves[0].trees[i], halves[1].trees[i]
		if a == 0 || b == 0 {
			v = sum / float64(known)
		}
		gains[i] = v * (1/float64(a+b) - 1/float64(len(f.Trees)))
	}
	return gains, nil
}

// gainsOfMembers returns the gains of averaging all members.
func (f *Forest) gainsOfMembers(ctx context.Context, x *datasets.Dataset, out *OutOfBag) ([]float64, error) {
	fold, err := f.folds(x)
	if err != nil {
		return nil, err
	}
	members := len(f.Members) / len(f.Base)
	second, err := samples.Twice(x, fold, members, f.Seed)
	var rows []int32
	var of []int
	for i, k := range second {
		if k >= 0 {
			rows, of = append(rows, int32(i)), append(of, k)
		}
	}
	if len(rows) == 0 || err != nil {
		return nil, err
	}
	share, gains := (1-1/float64(members))/2, make([]float64, len(rows))
	err = f.eachOutOfBag(ctx, x, rows, second, func(w *walker, leaves iter.Seq[reached]) {
		all := newTallies(f, w, []Rule{Sum})
		clear(all[Sum].values) // ofMember adds the base
		for at := range leaves {
			all.add(at.tree, &f.Trees[at.tree], at.leaf, at.rows)
		}
		f.ofMember(all[Sum].values, of[w.lo:w.hi])
		p := make([]float64, len(f.Classes))
		for i, r := range rows[w.lo:w.hi] {
			gain := &gains[w.lo+i]
			if f.Regression() {
				d := f.value(all[Sum].values[i], 1) - out.Values[r]
				*gain = share * d * d
				continue
			}
			f.proba(p, all[Sum], i, 1)
			for c, q := range out.Proba[r] {
				*gain += float64(share * (p[c] - q) * (p[c] - q))
			}
		}
	})
	return gains, err
}
