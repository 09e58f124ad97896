package datasets

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A Fold lists the training rows and the test rows of a data set, counted from 0.
type Fold struct {
	Train, Test []int32
}

// Split returns the training and the test rows of d, which share the columns of d. It
// panics where [Dataset.Subset] does.
func (f Fold) Split(d *Dataset) (train, test *Dataset) {
	return d.Subset(f.Train), d.Subset(f.Test)
}

// Streams of random numbers, so that different uses of a seed draw different numbers.
const (
	kfoldStream uint64 = 1 + iota
	holdoutStream
	bootstrapStream
	targetStream
)

// KFold divides the rows of a data set at random into K parts whose sizes differ by
// at most one. Each part holds the test rows of one fold.
type KFold struct {
	K          int    // number of folds, at least 2; 0 means 5
	Stratified bool   // numbers of rows of each class differ by at most one, too
	Seed       uint64 // the same seed gives the same folds
}

// Folds returns the K folds, with rows in ascending order. It returns an error if K is
// negative, 1 or more than the number of rows, if the target is invalid (see
// [Dataset.Check]), or if Stratified is set and there are no labels.
func (k KFold) Folds(d *Dataset) ([]Fold, error) {
	parts, n := cmp.Or(k.K, 5), d.N()
	if parts < 2 || parts > n {
		return nil, fmt.Errorf(
			"datasets: %d folds of %s with %d rows; want at least 2, and no more than rows",
			parts,
			d.label(),
			n,
		)
	}
	if err := d.checkTarget(n); err != nil {
		return nil, err
	}
	order, err := shuffled(d, k.Stratified, rand.New(rand.NewPCG(k.Seed, kfoldStream)))
	if err != nil {
		return nil, err
	}
	tests := make([][]int32, parts)
	for i, row := range order {
		tests[i%parts] = append(tests[i%parts], row)
	}
	return foldsOf(n, tests)
}

// shuffled returns the rows of d in random order or, if stratified, sorted by
// class and in random order within each class.
func shuffled(d *Dataset, stratified bool, rng *rand.Rand) ([]int32, error) {
	if stratified && d.Labels == nil {
		return nil, fmt.Errorf("datasets: %s has no classes to stratify by", d.label())
	}
	order := ascending(d.N())
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if stratified {
		slices.SortStableFunc(order, func(a, b int32) int { return int(d.Labels[a]) - int(d.Labels[b]) })
	}
	return order, nil
}

// Holdout divides the rows of a data set at random into training and test rows.
type Holdout struct {
	Test       float64 // share of test rows, between 0 and 1; 0 means 0.25
	Stratified bool    // the same share of each class, to within one row
	Seed       uint64  // the same seed gives the same parts
}

// Split returns the training and the test rows of d, in ascending order and sharing the
// columns of d. The number of test rows is rounded to the nearest integer. Split returns
// an error if Test is not between 0 and 1, if either part would be empty, if d is invalid
// (see [Dataset.Check]), or if Stratified is set and there are no labels.
func (h Holdout) Split(d *Dataset) (train, test *Dataset, err error) {
	if err := d.Check(); err != nil {
		return nil, nil, err
	}
	share, n := cmp.Or(h.Test, 0.25), d.N()
	m := int(math.Round(share * float64(n)))
	if !(share > 0 && share < 1) || m == 0 || m == n {
		return nil, nil, fmt.Errorf(
			"datasets: a share of %v of %s with %d rows; want one that leaves rows in both parts",
			share,
			d.label(),
			n,
		)
	}
	order, err := shuffled(d, h.Stratified, rand.New(rand.NewPCG(h.Seed, holdoutStream)))
	if err != nil {
		return nil, nil, err
	}
	var f Fold
	for i, row := range order {
		if (i+1)*m/n > i*m/n { // m of n, evenly spaced, as Bresenham draws a line
			f.Test = append(f.Test, row)
		} else {
			f.Train = append(f.Train, row)
		}
	}
	slices.Sort(f.Train)
	slices.Sort(f.Test)
	train, test = f.Split(d)
	return train, test, nil
}

// Bootstrap draws a bootstrap sample of n rows: Train holds n rows drawn with
// replacement, and Test the out-of-bag rows, of which there may be none. Both are in
// ascending order. Bootstrap panics if n is negative or above 2³¹−1.
func Bootstrap(n int, seed uint64) Fold {
	if n < 0 || n > math.MaxInt32 {
		panic(fmt.Sprintf("datasets: Bootstrap of %d rows; want 0 to %d", n, math.MaxInt32))
	}
	rng := rand.New(rand.NewPCG(seed, bootstrapStream))
	times := make([]int32, n)
	for range n {
		times[rng.IntN(n)]++
	}
	f := Fold{Train: make([]int32, 0, n)}
	for row, k := range times {
		if k == 0 {
			f.Test = append(f.Test, int32(row))
		}
		for range k {
			f.Train = append(f.Train, int32(row))
		}
	}
	return f
}

// foldsOf returns a fold for each list of test rows, counted from 0. All other
// rows are its training rows. It returns an error unless each of the n rows is in exactly
// one list, and every fold has both training and test rows.
func foldsOf(n int, tests [][]int32) ([]Fold, error) {
	folds, err := partition(n, tests, 0)
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	return folds, nil
}

// partition returns a fold for each list of test rows. In errors rows count
// from base.
func partition(n int, tests [][]int32, base int) ([]Fold, error) {
	fold, err := assignRows(n, tests, base)
	if err != nil {
		return nil, err
	}
	folds := make([]Fold, len(tests))
	for k, test := range tests {
		if len(test) == 0 || len(test) == n {
			return nil, fmt.Errorf("fold %d tests on %d of %d rows; want rows in both parts", k+1, len(test), n)
		}
		folds[k] = Fold{Train: make([]int32, 0, n-len(test)), Test: slices.Sorted(slices.Values(test))}
		for row, of := range fold {
			if int(of) != k {
				folds[k].Train = append(folds[k].Train, int32(row))
			}
		}
	}
	return folds, nil
}

// assignRows returns the number of the list that holds each of n rows. In errors
// rows count from base.
func assignRows(n int, lists [][]int32, base int) ([]int32, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, fmt.Errorf("folds of %d rows; want from 1 to %d", n, math.MaxInt32)
	}
	in := make([]int32, n)
	for row := range in {
		in[row] = -1
	}
	for k, list := range lists {
		for _, row := range list {
			if row < 0 || int(row) >= n {
				return nil, fmt.Errorf("list %d: row %d; want one from %d to %d", k+1, int(row)+base, base, n-1+base)
			}
			if in[row] >= 0 {
				return nil, fmt.Errorf("list %d: row %d is already in list %d", k+1, int(row)+base, in[row]+1)
			}
			in[row] = int32(k)
		}
	}
	if row := slices.Index(in, -1); row >= 0 {
		return nil, fmt.Errorf("row %d is in none of the %d lists", row+base, len(lists))
	}
	return in, nil
}
