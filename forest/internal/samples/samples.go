// Package samples says which rows of a sample a tree is grown on, and which a member of a boosted forest is boosted on.
package samples

import (
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Folds divides the rows of positive weight into k folds, two or more, stratified for classes, and returns the fold of
// each row, −1 for the others. It returns an error if there are fewer than k such rows.
func Folds(train *datasets.Dataset, k int, seed uint64) ([]int, error) {
	fold := slices.Repeat([]int{-1}, train.N())
	var rows []int32
	for i := range fold {
		if train.Weights == nil || train.Weights[i] > 0 {
			rows = append(rows, int32(i))
		}
	}
	folds, err := datasets.KFold{K: k, Stratified: train.Labels != nil, Seed: seed}.Folds(train.Subset(rows))
	for number, f := range folds {
		for _, r := range f.Test {
			fold[rows[r]] = number
		}
	}
	return fold, err
}

// Honest is the third word of the seed, after the forest's and the tree's number, of the random numbers that halve
// samples.
const Honest = 0x686f6e657374

// Halve divides a sample for honest trees (Wager and Athey 2018): counts keeps the rows that choose the splits, and
// leaves gets those that fill the leaves, ⌊m/2⌋ of the m rows that were drawn, however often, chosen at random. A
// sample of one row does both. The slices must have the same length; intn returns a random number from 0 to n − 1.
func Halve(leaves, counts []uint16, intn func(n int) int) {
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
