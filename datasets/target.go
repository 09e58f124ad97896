package datasets

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
// and a learner sees each training row encoded from the other folds. See
// [TrainingTransform].
type TargetEncoding struct {
	MinRows   float64 // n at which λ is ½; 0 means 20
	Smoothing float64 // how slowly λ rises with n; 0 means 10
	Folds     int     // 0 means 5; 1 encodes training rows like all others, as the encoders of category_encoders do
	Seed      uint64  // the same seed gives the same folds
}

// A TrainingTransform is a fitted step that changes its training data in a different way
// from other data.
type TrainingTransform interface {
	Transform

	// ApplyTraining returns the training data as a learner should see them. They must be
	// those that the step was fitted on, with the same rows in the same order.
	ApplyTraining(ctx context.Context, train *Dataset) (*Dataset, error)
}

// ApplyTraining applies t to the data that it was fitted on: by t.ApplyTraining if t is a
// [TrainingTransform], and otherwise by t.Apply. A nil t is an error.
func ApplyTraining(ctx context.Context, t Transform, train *Dataset) (*Dataset, error) {
	if t == nil {
		return nil, errors.New("datasets: a transform is nil")
	}
	if t, ok := t.(TrainingTransform); ok {
		return t.ApplyTraining(ctx, train)
	}
	return t.Apply(ctx, train)
}

// ApplyTraining applies the transforms in order, each by [ApplyTraining].
func (t Transforms) ApplyTraining(ctx context.Context, train *Dataset) (*Dataset, error) {
	for _, step := range t {
		var err error
		if train, err = ApplyTraining(ctx, step, train); err != nil {
			return nil, err
		}
	}
	return train, nil
}

// Fit computes the codes. It returns an error if train is invalid (see [Dataset.Check]), has
// no target or only one class, if a parameter is negative or not finite, or if there are
// more folds than rows, or if no row outside of a fold has weight.
func (e TargetEncoding) Fit(ctx context.Context, train *Dataset) (Transform, error) {
	if err := train.Check(); err != nil {
		return nil, err
	}
	if e.MinRows == 0 {
		e.MinRows = 20
	}
	if e.Smoothing == 0 {
		e.Smoothing = 10
	}
	if e.Folds == 0 {
		e.Folds = 5
	}
	n := train.N()
	switch {
	case !(e.MinRows > 0 && e.Smoothing > 0) || e.Folds < 1 || math.IsInf(e.MinRows+e.Smoothing, 0):
		return nil, fmt.Errorf("datasets: TargetEncoding with MinRows %v, Smoothing %v and %d folds; want finite numbers above 0", e.MinRows, e.Smoothing, e.Folds)
	case e.Folds > n:
		return nil, fmt.Errorf("datasets: TargetEncoding of %s: %d folds of %d rows", train.label(), e.Folds, n)
	case train.Labels == nil && train.Values == nil:
		return nil, fmt.Errorf("datasets: TargetEncoding of %s: no target to learn from", train.label())
	}
	t := targetEncoded{before: train.Features, outputs: []string{"mean"}, rows: n, folds: e.Folds, seed: e.Seed}
	if train.Labels != nil {
		t.outputs = slices.Clone(train.Classes[min(1, len(train.Classes)):])
	}
	if len(t.outputs) == 0 {
		return nil, fmt.Errorf("datasets: TargetEncoding of %s: one class; want at least two", train.label())
	}
	t = t.named()
	fold := t.foldOf()
	t.tables = make([]targetTable, t.foldTables()+1)
	err := parallel.Errors(len(t.tables), func(k int) error {
		var err error
		t.tables[k], err = e.table(ctx, train, &t, func(i int) bool { return k == 0 || int(fold[i]) != k-1 })
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// A targetEncoded is a fitted TargetEncoding.
type targetEncoded struct {
	before, after []Feature
	outputs       []string // what column names have after |
	first         []int    // index of each column's first category among those of all columns
	categories    int      // number of categories of all columns
	rows, folds   int
	seed          uint64
	tables        []targetTable // from all rows, and, if there are several folds, from all rows but those of each
}

// A targetTable holds codes computed from a set of rows.
type targetTable struct {
	prior []float64 // mean target, by output
	codes []float64 // by category (of all columns) and output
}

// foldTables returns the number of tables that leave out a fold.
func (t targetEncoded) foldTables() int {
	if t.folds == 1 {
		return 0
	}
	return t.folds
}

// foldOf returns the fold of each training row.
func (t targetEncoded) foldOf() []int32 {
	fold := make([]int32, t.rows)
	for i := range fold {
		fold[i] = int32(i % t.folds)
	}
	rng := rand.New(rand.NewPCG(t.seed, targetStream))
	rng.Shuffle(len(fold), func(i, j int) { fold[i], fold[j] = fold[j], fold[i] })
	return fold
}

// named returns t with first, categories and after, which follow from before and outputs.
func (t targetEncoded) named() targetEncoded {
	for _, f := range t.before {
		t.first = append(t.first, t.categories)
		t.categories += len(f.Categories)
		if f.Categories == nil {
			t.after = append(t.after, f)
			continue
		}
		for _, output := range t.outputs {
			t.after = append(t.after, Feature{Name: f.Name + "|" + output})
		}
	}
	return t
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

// table computes the codes from the rows for which among is true.
func (e TargetEncoding) table(ctx context.Context, d *Dataset, of *targetEncoded,
	among func(i int) bool) (targetTable, error) {
	outputs := len(of.outputs)
	t := targetTable{prior: make([]float64, outputs), codes: make([]float64, of.categories*outputs)}
	total := 0.0
	for i := range d.N() {
		if among(i) {
			total += d.weight(i)
			for o := range t.prior {
				t.prior[o] += float64(d.weight(i) * d.target(i, o))
			}
		}
	}
	if total == 0 {
		return t, fmt.Errorf("datasets: TargetEncoding of %s: a fold leaves no rows of weight to learn from; take fewer", d.label())
	}
	for o := range t.prior {
		if t.prior[o] /= total; t.prior[o]-t.prior[o] != 0 {
			return t, fmt.Errorf("datasets: TargetEncoding of %s: the mean target is %v; want a finite number", d.label(), t.prior[o])
		}
	}
	count := make([]float64, of.categories)
	for j, f := range d.Features {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		for i := range d.N() {
			if v := d.At(i, j); f.Categories != nil && v == v && among(i) {
				c := of.first[j] + int(v)
				count[c] += d.weight(i)
				for o := range outputs {
					t.codes[c*outputs+o] += float64(d.weight(i) * d.target(i, o))
				}
			}
		}
	}
	for c, n := range count {
		lambda := 1 / (1 + portable.Exp(-(n-e.MinRows)/e.Smoothing))
		for o, prior := range t.prior {
			code := &t.codes[c*outputs+o]
			if *code /= n; n == 0 {
				*code = prior
			}
			*code = float64(lambda**code) + float64((1-lambda)*prior)
		}
	}
	return t, nil
}

// Apply encodes the categorical columns from all training rows.
func (t targetEncoded) Apply(ctx context.Context, d *Dataset) (*Dataset, error) {
	return t.apply(ctx, d, func(int) *targetTable { return &t.tables[0] })
}

// ApplyTraining encodes each row from the folds that it isn't in.
func (t targetEncoded) ApplyTraining(ctx context.Context, train *Dataset) (*Dataset, error) {
	if t.folds == 1 {
		return t.Apply(ctx, train)
	}
	if train.N() != t.rows {
		return nil, fmt.Errorf("datasets: TargetEncoding of %s: want the training data, of %d rows; these have %d", train.label(), t.rows, train.N())
	}
	fold := t.foldOf()
	return t.apply(ctx, train, func(i int) *targetTable { return &t.tables[1+fold[i]] })
}

// apply encodes each row with its table. The result has the rows of d as columns of its own.
func (t targetEncoded) apply(ctx context.Context, d *Dataset, table func(i int) *targetTable) (*Dataset, error) {
	if err := checkFitted("TargetEncoding", t.before, d); err != nil {
		return nil, err
	}
	n := d.N()
	columns := make([][]float32, 0, len(t.after))
	for j, f := range t.before {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.Categories == nil {
			columns = append(columns, d.Column(nil, j))
			continue
		}
		place := indicesIn(d.Features[j].Categories, f.Categories)
		made := newColumns(n, len(t.outputs))
		for i := range n {
			codes := table(i).prior
			if v := d.At(i, j); v == v && place[int32(v)] >= 0 {
				c := t.first[j] + int(place[int32(v)])
				codes = table(i).codes[c*len(made):][:len(made)]
			}
			for o := range made {
				made[o][i] = float32(codes[o])
			}
		}
		columns = append(columns, made...)
	}
	s := d.withColumns(t.after, columns)
	s.Rows = nil
	return s, nil
}
