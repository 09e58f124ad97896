package inspect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
)

// A TreeStrength says how good the trees of a forest are and how alike their mistakes (Breiman,
// Random Forests, 2001, section 2.2). The error of a large forest is at most
// Correlation·(1 − Strength²)/Strength².
//
// The margin of a row is the share of trees that vote for its class, minus the share that vote for
// the other class with most votes, ĵ. The raw margin of one tree is 1 if it votes for the row's
// class, −1 if for ĵ, and 0 otherwise. Its mean over trees is the margin.
type TreeStrength struct {
	Strength    float64 // mean margin over rows
	Correlation float64 // mean correlation of the raw margins of two trees; see [StrengthCorrelation] for which mean
}

// StrengthCorrelation returns the strength and the correlation of a forest's trees on rows that the
// forest wasn't trained on, as in figure 11 of the SPORF paper. The paper refers to Breiman's
// definitions. Like its authors' package rerf, StrengthCorrelation takes the mean over all pairs of
// different trees: with c the covariance of the raw margins of two trees and s their standard
// deviations, Correlation is Σ c(t, u) / Σ s(t)·s(u) over t ≠ u. This is Breiman's ratio (eq. 8),
// without pairs of a tree and itself.
//
// A tree votes as in [forest.Forest.Votes]. Of classes with as many votes, ĵ is the first; rerf
// draws one. Row weights are ignored. Correlation is NaN if fewer than two trees vary in their raw
// margin, and both numbers are if there are no rows.
//
// StrengthCorrelation returns an error where [datasets.Dataset.Check] or
// [forest.Forest.Votes] does, if test has no labels or other classes than the forest, and
// ctx's error soon after ctx is cancelled.
func StrengthCorrelation(ctx context.Context, f *forest.Forest, test *datasets.Dataset) (TreeStrength, error) {
	if f.Regression() {
		return TreeStrength{}, errors.New("inspect: strength needs a forest of classes; this one predicts values")
	}
	if err := test.Check(); err != nil {
		return TreeStrength{}, err
	}
	if test.Labels == nil || !slices.Equal(test.Classes, f.Classes) {
		return TreeStrength{}, fmt.Errorf("inspect: strength needs labels of the forest's classes %q; "+
			"the data have classes %q", f.Classes, test.Classes)
	}
	bare, x, err := f.Transformed(ctx, test)
	if err != nil {
		return TreeStrength{}, err
	}
	votes, err := bare.Votes(ctx, x)
	if err != nil {
		return TreeStrength{}, err
	}
	m := newMargins(votes, test.Labels)
	var sum, squares, products float64 // of the trees' standard deviations; products are of pairs
	err = m.eachTree(ctx, bare, x, func(variance float64) {
		deviation := math.Sqrt(variance)
		products += float64(sum * deviation)
		sum += deviation
		squares += variance
	})
	if err != nil {
		return TreeStrength{}, err
	}
	strength, variance := m.moments()
	if products == 0 {
		return TreeStrength{strength, math.NaN()}, nil
	}
	trees := float64(len(f.Trees))
	return TreeStrength{strength, (float64(trees*trees*variance) - squares) / 2 / products}, nil
}

// margins are the margins of rows, and the classes that they are between.
type margins struct {
	class, other []int32   // of each row: its class, and the other class with most votes
	margin       []float64 // of the rows
}

// newMargins returns the margins for the votes for each row and class. Of classes with as many
// votes, other is the first; with one class it is −1.
func newMargins(votes [][]int32, labels []int32) *margins {
	m := &margins{class: labels, other: make([]int32, len(votes))}
	for i, v := range votes {
		y, other, all := labels[i], int32(-1), int32(0)
		for k, n := range v {
			if int32(k) != y && (other < 0 || n > v[other]) {
				other = int32(k)
			}
			all += n
		}
		m.other[i] = other
		against := int32(0)
		if other >= 0 {
			against = v[other]
		}
		if all > 0 {
			m.margin = append(m.margin, float64(v[y]-against)/float64(all))
		}
	}
	return m
}

// moments returns the mean and the variance of the margins.
func (m *margins) moments() (mean, variance float64) {
	mean = eval.Mean(m.margin)
	for _, v := range m.margin {
		variance += (v - mean) * (v - mean) / float64(len(m.margin))
	}
	return mean, variance
}

// eachTree calls visit with the variance of each tree's raw margin.
func (m *margins) eachTree(ctx context.Context, f *forest.Forest, x *datasets.Dataset,
	visit func(variance float64)) error {
	const together = 32 // trees for which the table is checked once
	var leaves [][]int32
	for t := range f.Trees {
		if t%together == 0 {
			some := &forest.Forest{Features: f.Features, Classes: f.Classes}
			some.Trees = f.Trees[t:min(t+together, len(f.Trees))]
			var err error
			if leaves, err = some.Apply(ctx, x); err != nil {
				return err
			}
		}
		votes, err := treeVotes(ctx, f, t, x, leaves, t%together)
		if err != nil {
			return err
		}
		rows := float64(len(votes))
		var right, wrong float64 // wrong are the votes for the other class
		for i, vote := range votes {
			switch vote {
			case m.class[i]:
				right++
			case m.other[i]:
				wrong++
			}
		}
		mean := (right - wrong) / rows
		visit((right+wrong)/rows - float64(mean*mean))
	}
	return nil
}

// treeVotes returns the class that tree t votes for in each row. leaves[row][k] is the leaf that the row reaches.
func treeVotes(ctx context.Context, f *forest.Forest, t int, x *datasets.Dataset, leaves [][]int32,
	k int) ([]int32, error) {
	tree := &f.Trees[t]
	classes := make([]int32, len(tree.Nodes)) // of the leaves
	for i, n := range tree.Nodes {
		if !n.IsLeaf() {
			continue
		}
		switch leaf := tree.Leaf(i); leaf.Kind {
		case forest.LeafClass:
			classes[i] = leaf.Class
		case forest.LeafDist:
			classes[i] = int32(slices.Index(leaf.Dist, slices.Max(leaf.Dist)))
		default: // the row's cells count, too
			single := &forest.Forest{Features: f.Features, Classes: f.Classes, Trees: f.Trees[t : t+1]}
			return single.Predict(ctx, x)
		}
	}
	votes := make([]int32, len(leaves))
	for i, row := range leaves {
		votes[i] = classes[row[k]]
	}
	return votes, nil
}
