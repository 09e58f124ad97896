package forest

import (
	"context"
	"iter"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
)

// AveragingGains returns by how much the squared error or, for classes, the Brier score is lower on new rows than out
// of bag, for each of some training rows: new rows have the mean of all members of a boosted forest, training rows have
// one member (see Forest.Members). It returns none for forests without Members.
//
// Of 20 rows or more a twentieth, or about 1000, is left out by two members. Half of the mean squared difference of
// their predictions is the variance s² of a member, and the mean of K members has a squared error that is lower by
// (1 − 1/K)·s²: the ambiguity of Krogh and Vedelsby (Neural network ensembles, cross validation, and active learning,
// 1995). So a row's gain is (1 − 1/K)/2 times the squared difference. Probabilities and values with LogLink are treated
// as if they were averaged themselves.
//
// train must be the training data, and out what [Forest.OutOfBag] returns of them. AveragingGains returns an error
// where that does.
func (f *Forest) AveragingGains(ctx context.Context, train *datasets.Dataset, out *OutOfBag) ([]float64, error) {
	if f.Members == nil {
		return nil, nil
	}
	x, err := f.outOfBagData(ctx, train)
	if err != nil {
		return nil, err
	}
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
