package forest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/groups"
)

// A Sampling says how the sample that each tree is grown on is drawn from the n training rows. The zero value is the
// bootstrap: n rows drawn with replacement. A sample depends only on the sampling, n, the forest's seed, the tree's
// number, which rows have weight 0 and which belong together, so out-of-bag rows can be found without storing the
// samples; see [Forest.SampleCounts].
//
// Where rows have groups (see [datasets.Dataset]), groups are drawn instead, each with all of its rows, and n is the
// number of groups. So a row is out of bag only where its whole group is.
//
// As a setting of a learner the zero value stands for what the method's paper draws: the bootstrap, but for three
// methods. TAO draws 90 % of the rows without replacement, GODT's forests draw 0.8·n rows with replacement, and
// canonical correlation forests take all rows, unless nodes draw from all features. For every learner {Fraction: 1} is
// the bootstrap, and [AllRows] all rows. Learners without this setting grow every tree on all rows, except package mix.
type Sampling struct {
	Fraction           float64 // size of a sample divided by n, in (0, 1]; 0 means 1. A sample has at least one row
	WithoutReplacement bool    // no row is drawn twice

	// WithinClasses draws from the rows of each class as many as the sampling draws of so many rows, so that every
	// sample has the classes' shares (to a row). It isn't for values, nor for rows with groups.
	WithinClasses bool
}

// AllRows is the sampling that gives every tree all rows, once each. No row is out of bag.
var AllRows = Sampling{Fraction: 1, WithoutReplacement: true}

// Check returns an error if the fraction is negative, above 1, or not a number. See also [Sampling.CheckData].
func (s Sampling) Check() error {
	if !(s.Fraction >= 0 && s.Fraction <= 1) {
		return fmt.Errorf("a sampling fraction of %v; want one above 0, at most 1, or 0 for 1", s.Fraction)
	}
	return nil
}

// CheckData returns an error if no sample of the data's rows can be drawn: where Check does, or within classes if the
// data have no labels or have groups.
func (s Sampling) CheckData(d *datasets.Dataset) error {
	if s.WithinClasses && (d.Labels == nil || d.Groups != nil) {
		return errors.New("a sampling within classes; want data with labels and without groups")
	}
	return s.Check()
}

// size returns the size of a sample of n rows.
func (s Sampling) size(n int) int {
	if s.Fraction == 0 {
		return n
	}
	return max(1, int(float64(s.Fraction*float64(n))+0.5))
}

// all reports whether every sample holds all of n rows.
func (s Sampling) all(n int) bool { return s.WithoutReplacement && s.size(n) >= n }

// Counts returns how often each of n rows is drawn for the given tree of a forest with the
// given seed, length n. It uses the memory of dst if its capacity suffices. Rows may have weight 0, or groups;
// [Forest.SampleCounts] says which rows a tree is grown on. Counts panics if rows are drawn within classes; see
// [Sampling.CountsOf].
func (s Sampling) Counts(dst []uint16, n int, seed uint64, tree int) []uint16 {
	if s.WithinClasses {
		panic("forest: Counts of a sampling within classes; want CountsOf, which knows the rows' classes")
	}
	dst = sized(dst, n)
	rng := NewRand(seed, uint64(tree))
	s.draw(dst, &rng)
	return dst
}

// CountsOf is Counts of rows with the given labels, which may be nil unless rows are drawn within classes.
func (s Sampling) CountsOf(dst []uint16, labels []int32, n int, seed uint64, tree int) []uint16 {
	if !s.WithinClasses {
		return s.Counts(dst, n, seed, tree)
	}
	dst = sized(dst, n)
	rng := NewRand(seed, uint64(tree))
	rows := make([]int32, n) // class by class
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(labels[a], labels[b]) })
	counts := make([]uint16, n) // of these rows
	for lo, hi := 0, 0; lo < n; lo = hi {
		for hi < n && labels[rows[hi]] == labels[rows[lo]] {
			hi++
		}
		s.draw(counts[lo:hi], &rng)
	}
	for k, i := range rows {
		dst[i] = counts[k]
	}
	return dst
}

func sized(dst []uint16, n int) []uint16 {
	if cap(dst) < n {
		return make([]uint16, n)
	}
	return dst[:n]
}

// draw sets how often each row is drawn.
func (s Sampling) draw(dst []uint16, rng *Rand) {
	n := len(dst)
	if s.all(n) {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	clear(dst)
	m := s.size(n)
	if !s.WithoutReplacement {
		for drawn := 0; drawn < m; {
			if i := rng.Intn(n); dst[i] < maxCount {
				dst[i]++
				drawn++
			}
		}
		return
	}
	// Selection sampling (Knuth, The Art of Computer Programming 3.4.2, Algorithm S).
	for i := range dst {
		if rng.Intn(n-i) < m {
			dst[i] = 1
			m--
		}
	}
}

// SampleCounts returns how often each training row is in the sample that a tree is grown on, length
// n: as [Sampling.Counts] of the rows or, if they have groups, of the groups in the order of their first rows. But rows
// of weight 0 are in no sample, and a tree that no other row was drawn for has all other rows, once each. A row is out
// of bag if its count is 0, and that of each row of its group. train must be the data that the forest was trained on.
// SampleCounts uses the memory of dst if its capacity suffices. It doesn't know the folds of Forest.Members.
func (f *Forest) SampleCounts(dst []uint16, train *datasets.Dataset, tree int) []uint16 {
	of, n := groups.Number(train.Groups, f.Rows)
	counts := groups.Spread(f.Sampling.CountsOf(dst, train.Labels, n, f.Seed, tree), of)
	samples.KeepWeighted(counts, train.Weights)
	return counts
}

// LeafCounts returns how often each training row counts in the leaves of a tree, length n: as [Forest.SampleCounts] or,
// if the forest is honest, 0 for the rows, or groups of rows, that chose the splits. train must be the data that the
// forest was trained on. LeafCounts uses the memory of dst if its capacity suffices.
func (f *Forest) LeafCounts(dst []uint16, train *datasets.Dataset, tree int) []uint16 {
	counts := f.SampleCounts(dst, train, tree)
	if f.Honest {
		leaves := make([]uint16, len(counts))
		rng := NewRand(f.Seed, uint64(tree), samples.Honest)
		of, _ := groups.Number(train.Groups, f.Rows)
		samples.Halve(leaves, counts, of, rng.Intn)
		return leaves
	}
	return counts
}

// maxCount is how often a row can be drawn for a tree at most.
const maxCount = 1<<16 - 1
