package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// TargetEncoding replaces every categorical column by the mean target of its categories
// (Micci-Barreca, SIGKDD Explorations 3, 2001). For regression this is one column, called
// column|mean. For K classes it is K−1 columns, the share of each class but the first,
// called column|class. Means and shares are weighted. Numeric columns are not changed.
//
// The means of small categories are shrunk towards the mean m of all rows: if a category
// has n rows (a sum of weights) of mean y, its code is λy + (1 − λ)m, where λ = 1/(1 +
// exp(−(n − MinRows)/Smoothing)). The code of a missing cell, and of a category that the
// training data don't have, is m.
//
// The mean of a category includes the targets of its own training rows, so their codes
// would leak their targets. Therefore the training rows are divided at random into Folds,
// with all rows of a group in the same, and a learner sees each training row encoded from
// the other folds. See [ApplyTraining]. With many folds something still leaks: rows of a small category have equal
// codes if their targets are equal, and others if not. New rows have no such codes. Two or three folds avoid that.
type TargetEncoding struct {
	MinRows   float64 // n at which λ is ½; 0 means 20
	Smoothing float64 // how slowly λ rises with n; 0 means 10
	Folds     int     // 0 means 5; 1 encodes training rows like all others, as the encoders of category_encoders do
	Seed      uint64  // the same seed gives the same folds
}

// Fit computes the codes. It returns an error if train is invalid (see [Dataset.Check]), has
// no target or only one class, if a parameter is negative or not finite, or if there are
// more folds than rows, or if no row outside of a fold has weight.
func (e TargetEncoding) Fit(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	if err := train.Check(); err != nil {
		return nil, nil, err
	}
	e.MinRows, e.Smoothing, e.Folds = cmp.Or(e.MinRows, 20), cmp.Or(e.Smoothing, 10), cmp.Or(e.Folds, 5)
	n := train.N()
	switch {
	case !(e.MinRows > 0 && e.Smoothing > 0) || e.Folds < 1 || math.IsInf(e.MinRows+e.Smoothing, 0):
		return nil, nil, fmt.Errorf("datasets: TargetEncoding with MinRows %v, Smoothing %v and %d folds; want finite "+
			"numbers above 0",
			e.MinRows, e.Smoothing, e.Folds)
	case e.Folds > n:
		return nil, nil, fmt.Errorf("datasets: TargetEncoding of %s: %d folds of %d rows", train.label(), e.Folds, n)
	case train.Labels == nil && train.Values == nil:
		return nil, nil, fmt.Errorf("datasets: TargetEncoding of %s: no target to learn from", train.label())
	}
	t := targets{TargetEncoding: e, train: train, outputs: []string{"mean"}, split: splitting{n, e.Folds, e.Seed}}
	if train.Labels != nil {
		t.outputs = train.Classes[min(1, len(train.Classes)):]
	}
	if len(t.outputs) == 0 {
		return nil, nil, fmt.Errorf("datasets: TargetEncoding of %s: one class; want at least two", train.label())
	}
	if t.tables = 1; e.Folds > 1 {
		t.tables, t.fold = 1+e.Folds, t.split.foldOf(train)
	}
	return train.fit(ctx, "TargetEncoding", t.encoded)
}

// A targets is a TargetEncoding that is being fitted. Its tables are computed from all rows and, if there are several
// folds, from all rows but those of each.
type targets struct {
	TargetEncoding
	train   *Dataset
	outputs []string // what column names have after |
	split   splitting
	fold    []int32 // of each row; nil for one fold
	tables  int
}

// target returns output o of row i: its value, or 1 if it has class o + 1.
func (d *Dataset) target(i, o int) float64 {
	switch {
	case d.Labels == nil:
		return d.Values[i]
	case int(d.Labels[i]) == o+1:
		return 1
	}
	return 0
}

// encoded returns what becomes of column j.
func (t *targets) encoded(j int) ([]Column, error) {
	f := t.train.Features[j]
	if f.Categories == nil {
		return column(f.Name, j), nil
	}
	tables := make([][][]float64, t.tables)
	err := parallel.Errors(len(tables), func(k int) (err error) {
		tables[k], err = t.codes(j, k)
		return err
	})
	if err != nil {
		return nil, err
	}
	return encodedColumns(f.Name, j, t.outputs, t.split, tables), nil
}

// codes returns the codes of column j from the rows of table k: by output those of the categories, and the mean target.
func (t *targets) codes(j, k int) ([][]float64, error) {
	d, all := t.train, len(t.train.Features[j].Categories)
	count, codes := make([]float64, all+1), make([][]float64, len(t.outputs))
	for o := range codes {
		codes[o] = make([]float64, all+1)
	}
	for i := range d.N() {
		if k > 0 && int(t.fold[i]) == k-1 {
			continue
		}
		w, v := d.weight(i), d.At(i, j)
		count[all] += w
		if v == v {
			count[int(v)] += w
		}
		for o, sums := range codes {
			y := float64(w * d.target(i, o))
			sums[all] += y
			if v == v {
				sums[int(v)] += y
			}
		}
	}
	if count[all] == 0 {
		return nil, errors.New("a fold leaves no rows of weight to learn from; take fewer")
	}
	for o, sums := range codes {
		prior := sums[all] / count[all]
		if prior-prior != 0 {
			return nil, fmt.Errorf("the mean target is %v; want a finite number", prior)
		}
		for c, n := range count[:all] {
			lambda := 1 / (1 + portable.Exp(-(n-t.MinRows)/t.Smoothing))
			mean := prior
			if n != 0 {
				mean = sums[c] / n
			}
			codes[o][c] = float64(float32(float64(lambda*mean) + float64((1-lambda)*prior))) // as cells are
		}
		sums[all] = float64(float32(prior))
	}
	return codes, nil
}

// encodedColumns returns the columns made of column j by tables of codes by output. The first is for all rows but the
// training rows, whose folds have the others, if there are any.
func encodedColumns(name string, j int, outputs []string, split splitting, tables [][][]float64) []Column {
	var columns []Column
	for o, output := range outputs {
		codes := op(opCodes, tables[0][o]...)
		if len(tables) > 1 {
			codes.folds = &foldNumbers{splitting: split}
		}
		for _, table := range tables[1:] {
			codes.folds.numbers = append(codes.folds.numbers, table[o])
		}
		columns = append(columns, column(name+"|"+output, j, codes)...)
	}
	return columns
}
