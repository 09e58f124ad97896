// Package samples says which rows of a sample a tree is grown on, and which a member of a boosted forest is boosted on.
package samples

import (
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/groups"
)

// Folds divides the rows of positive weight into k folds, two or more, stratified for classes and with groups whole,
// and returns the fold of each row, −1 for the others. It returns an error if there are fewer than k such rows or
// groups.
func Folds(train *datasets.Dataset, k int, seed uint64) ([]int, error) {
	fold := slices.Repeat([]int{-1}, train.N())
	rows := weighted(train)
	folds, err := datasets.KFold{K: k, Stratified: train.Labels != nil, Seed: seed}.Folds(train.Subset(rows))
	for number, f := range folds {
		for _, r := range f.Test {
			fold[rows[r]] = number
		}
	}
	return fold, err
}

const (
	fewestTwice = 20   // rows or groups, of which one part in so many is left out by two members
	mostTwice   = 1000 // rows that are, about
)

// Twice returns, for a twentieth of the rows of Folds, or about 1000 of more than 20,000, the second of k members of a
// boosted forest that is boosted without the row: the one after the member of its fold. It is −1 for the other rows. It
// is −1 for all if there are fewer than 20 rows or groups of positive weight, or fewer than three members, since each
// row must have one that sees it.
func Twice(train *datasets.Dataset, fold []int, k int, seed uint64) ([]int, error) {
	second := slices.Repeat([]int{-1}, train.N())
	units := Units(train)
	if k < 3 || units < fewestTwice {
		return second, nil
	}
	parts, err := Folds(train, min(units, max(fewestTwice, train.N()/mostTwice)), ^seed)
	for i, part := range parts {
		if part == 0 {
			second[i] = (fold[i] + 1) % k
		}
	}
	return second, err
}

// Units returns how many rows of positive weight there are or, if rows have groups, groups with such rows.
func Units(train *datasets.Dataset) int {
	rows := weighted(train)
	_, n := groups.Number(train.Subset(rows).Groups, len(rows))
	return n
}

// weighted returns the rows of positive weight.
func weighted(train *datasets.Dataset) (rows []int32) {
	for i := range int32(train.N()) {
		if train.Weights == nil || train.Weights[i] > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// Honest is the third word of the seed, after the forest's and the tree's number, of the random numbers that halve
// samples.
const Honest = 0x686f6e657374

// Halve divides a sample for honest trees (Wager and Athey 2018): counts keeps the rows that choose the splits, and
// leaves gets those that fill the leaves, ⌊m/2⌋ of the m rows that were drawn, however often, chosen at random. A
// sample of one row does both. If of isn't nil it has the group of each row, numbered from 0, and groups take the place
// of rows. The slices must have the same length; intn returns a random number from 0 to n − 1.
func Halve(leaves, counts []uint16, of []int32, intn func(n int) int) {
	if of != nil {
		fill, choose := make([]uint16, len(of)), make([]uint16, len(of)) // by group
		for i, c := range counts {
			if c > 0 {
				choose[of[i]] = 1
			}
		}
		Halve(fill, choose, nil, intn)
		for i, g := range of {
			leaves[i], counts[i] = counts[i]*fill[g], counts[i]*choose[g]
		}
		return
	}
	left := 0 // rows that are still to be divided
	for _, c := range counts {
		if c > 0 {
			left++
		}
	}
	if left == 1 {
		copy(leaves, counts)
		return
	}
	clear(leaves)
	for i, wanted := 0, left/2; wanted > 0; i++ { // selection sampling (Knuth, Algorithm S)
		if counts[i] == 0 {
			continue
		}
		if intn(left) < wanted {
			leaves[i], counts[i] = counts[i], 0
			wanted--
		}
		left--
	}
}

// KeepWeighted makes the counts of rows of weight 0 zero. If that leaves none, each row of positive
// weight gets count 1: a tree that only weightless rows were drawn for is grown on all others. All
// counts stay if weights is nil.
func KeepWeighted[W float32 | float64](counts []uint16, weights []W) {
	left := weights == nil
	for i, w := range weights {
		if w == 0 {
			counts[i] = 0
		}
		left = left || counts[i] > 0
	}
	if left {
		return
	}
	for i, w := range weights {
		if w > 0 {
			counts[i] = 1
		}
	}
}
