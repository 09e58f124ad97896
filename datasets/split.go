package datasets

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/groups"
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
	kfoldStream   uint64 = 1
	holdoutStream uint64 = 2
	targetStream  uint64 = 4
)

// KFold divides the rows of a data set at random into K parts whose sizes differ by
// at most one. Each part holds the test rows of one fold.
//
// The rows of a group (see Dataset.Groups) are in the same part, so models are tested on groups that they don't know,
// as by GroupKFold of scikit-learn. Sizes then differ by at most the largest group or, if stratified, numbers of rows
// of each class are as equal as dealing out one group after another makes them, large ones first.
type KFold struct {
	K          int    // number of folds, at least 2; 0 means 5
	Stratified bool   // numbers of rows of each class differ by at most one, too
	Seed       uint64 // the same seed gives the same folds
}

// Folds returns the K folds, with rows in ascending order. It returns an error if K is
// negative, 1 or more than the number of rows or groups, if the target or the groups are invalid (see
// [Dataset.Check]), or if Stratified is set and there are no labels.
func (k KFold) Folds(d *Dataset) ([]Fold, error) {
	parts, n := cmp.Or(k.K, 5), d.N()
	if err := d.checkGroups(n); err != nil {
		return nil, err
	}
	if units, what := d.units(); parts < 2 || parts > units {
		return nil, fmt.Errorf("datasets: %d folds of %s with %d %s; want at least 2, and no more than %[4]s",
			parts, d.label(), units, what)
	}
	if err := d.checkTarget(n); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(k.Seed, kfoldStream))
	if d.Groups != nil {
		tests, err := d.deal(slices.Repeat([]float64{1}, parts), k.Stratified, rng)
		if err != nil {
			return nil, err
		}
		return partition(n, tests, 0)
	}
	order, err := shuffled(d, k.Stratified, rng)
	if err != nil {
		return nil, err
	}
	tests := make([][]int32, parts)
	for i, row := range order {
		tests[i%parts] = append(tests[i%parts], row)
	}
	return partition(n, tests, 0)
}

// deal divides the rows into parts of given shares, groups whole, and returns the rows of each part. Groups are dealt
// in random order, but those of 2ᵏ rows and more before smaller ones. Each goes to the part where it adds least to the
// sum of n²/s over parts, where n is the number of rows of a part and s its share. If stratified, it is the sum over
// classes, too, of n²/s of the class divided by its rows. The sum is least where all parts have their shares.
func (d *Dataset) deal(shares []float64, stratified bool, rng *rand.Rand) ([][]int32, error) {
	if stratified && d.Labels == nil {
		return nil, d.errStratify()
	}
	class, classes := make([]int32, d.N()), 1
	if stratified {
		class, classes = d.Labels, len(d.Classes)
	}
	of, n := groups.Number(d.Groups, d.N())
	rows, total := make([][]int32, n), make([]float64, classes)
	for i, g := range of {
		rows[g] = append(rows[g], int32(i))
		total[class[i]]++
	}
	rng.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	slices.SortStableFunc(rows, func(a, b []int32) int { return bits.Len(uint(len(b))) - bits.Len(uint(len(a))) })
	parts, has := make([][]int32, len(shares)), make([][]float64, len(shares))
	for p := range has {
		has[p] = make([]float64, classes)
	}
	own := make([]float64, classes)
	for _, group := range rows {
		for _, i := range group {
			own[class[i]]++
		}
		to, least := 0, math.Inf(1)
		for p, share := range shares {
			added := 0.0
			for _, i := range group { // own rows of a class add own·(2n + own), each the same part of it
				c := class[i]
				added += (float64(2*has[p][c]) + own[c]) / (total[c] * share)
			}
			if added < least || added == least && len(parts[p]) < len(parts[to]) {
				to, least = p, added
			}
		}
		for _, i := range group {
			has[to][class[i]]++
			own[class[i]] = 0
		}
		parts[to] = append(parts[to], group...)
	}
	return parts, nil
}

// units returns how many groups or, without these, rows there are to divide.
func (d *Dataset) units() (n int, what string) {
	if d.Groups == nil {
		return d.N(), "rows"
	}
	_, n = groups.Number(d.Groups, d.N())
	return n, "groups"
}

func (d *Dataset) errStratify() error {
	return fmt.Errorf("datasets: %s has no classes to stratify by", d.label())
}

// shuffled returns the rows of d in random order or, if stratified, sorted by
// class and in random order within each class.
func shuffled(d *Dataset, stratified bool, rng *rand.Rand) ([]int32, error) {
	if stratified && d.Labels == nil {
		return nil, d.errStratify()
	}
	order := ascending(d.N())
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if stratified {
		slices.SortStableFunc(order, func(a, b int32) int { return int(d.Labels[a]) - int(d.Labels[b]) })
	}
	return order, nil
}

// Holdout divides the rows of a data set at random into training and test rows. Groups stay whole, as in [KFold], so
// the share of test rows is then about the one that is wanted.
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
	rng := rand.New(rand.NewPCG(h.Seed, holdoutStream))
	parts := make([][]int32, 2)
	switch {
	case !(share > 0 && share < 1):
	case d.Groups != nil:
		parts, err = d.deal([]float64{1 - share, share}, h.Stratified, rng)
	default:
		var order []int32
		order, err = shuffled(d, h.Stratified, rng)
		m := int(math.Round(share * float64(n)))
		for i, row := range order {
			k := (i+1)*m/n - i*m/n // m of n, evenly spaced, as Bresenham draws a line
			parts[k] = append(parts[k], row)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if len(parts[0]) == 0 || len(parts[1]) == 0 {
		units, what := d.units()
		return nil, nil, fmt.Errorf("datasets: a share of %v of %s with %d %s; want one that leaves %[4]s in both parts",
			share, d.label(), units, what)
	}
	slices.Sort(parts[0])
	slices.Sort(parts[1])
	train, test = Fold{parts[0], parts[1]}.Split(d)
	return train, test, nil
}

// Rolling divides rows in order of time, the oldest first, into K + 1 blocks of equal length; rows that are left over
// come before the first block. The test rows of fold k are block k, counted from 0, but for the first block, which is
// for training alone; all rows before them are the training rows. It is TimeSeriesSplit of scikit-learn.
type Rolling struct {
	K   int // number of folds, 1 or more; 0 means 5
	Gap int // rows between training and test rows that are in neither, such as those that a target looks ahead
}

// Folds returns the K folds. Rows whose group is among the test rows of a fold aren't among its training rows. Folds
// returns an error if K or Gap is negative, if there are fewer than K + 1 rows, if a fold has no training rows, or if
// the groups are invalid (see [Dataset.Check]).
func (r Rolling) Folds(d *Dataset) ([]Fold, error) {
	n, k := d.N(), cmp.Or(r.K, 5)
	if err := d.checkGroups(n); err != nil {
		return nil, err
	}
	if k < 0 || r.Gap < 0 || k >= n {
		return nil, fmt.Errorf("datasets: %d rolling folds with a gap of %d rows of %s with %d rows; want a fold or more, "+
			"no negative gap, and more rows than folds", k, r.Gap, d.label(), n)
	}
	block := n / (k + 1)
	of, units := groups.Number(d.Groups, n)
	folds := make([]Fold, k)
	for f := range folds {
		begin, tested := n-(k-f)*block, make([]bool, units)
		for i := begin; i < begin+block; i++ {
			folds[f].Test = append(folds[f].Test, int32(i))
			if of != nil {
				tested[of[i]] = true
			}
		}
		for i := range begin - r.Gap {
			if of == nil || !tested[of[i]] {
				folds[f].Train = append(folds[f].Train, int32(i))
			}
		}
		if len(folds[f].Train) == 0 {
			return nil, fmt.Errorf("datasets: rolling fold %d of %s has no training rows: a gap of %d rows, and groups of the "+
				"test rows, leave none of the first %d", f+1, d.label(), r.Gap, begin)
		}
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
