// Package rotation grows forests whose trees each see the features in a rotation of their
// own: rotation forests (Rodríguez, Kuncheva and Alonso, IEEE Transactions on Pattern
// Analysis and Machine Intelligence 28, 2006) and random rotation forests (Blaser and
// Fryzlewicz, Journal of Machine Learning Research 17, 2016).
//
// A feature is divided by its range before the rotation, and so are the cells of later
// rows: a split's weights are the rotation's entries divided by the ranges, and its
// threshold takes up the shift to 0. So the trees are trees of the features as they are,
// and a tree keeps each rotated feature once. Sums are rounded to float32: a feature whose
// cells are far from 0, compared with their range, costs the others digits; subtract its
// mean first. Features that are constant in the training rows are left out of rotations.
//
// A node is split until it is pure or its rows are equal in all rotated features (or a
// limit of Growth says so).
package rotation

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// A Learner grows a rotation forest. For each tree the features are divided at random into subsets of M. For each
// subset some classes are drawn, then 75 % as many rows as these classes have, with replacement. All principal
// components of the subset's features in the drawn rows replace the features. The tree is grown on all rows, and each
// node split on the best of all components. Trees average the class proportions of their leaves.
//
// Where the paper leaves a choice or this differs:
//   - If M doesn't divide the number of features, the last subset is smaller.
//   - Every nonempty set of classes has the same probability.
//   - Components are those of the covariance of features divided by their range. Those
//     without variance are kept, so that no information is lost.
//   - Trees are CART trees, not pruned; the paper's are J48 (pruned C4.5).
//   - The paper's ensembles have 10 trees.
//
// The paper is about classes. With values, the rows are drawn from all rows and trees
// predict means. A row's weight counts in components and trees.
type Learner struct {
	Trees          int // 0 means 100
	SubsetFeatures int // M, features in a subset, at most 8,192; 0 means 3
	forest.Growth
	Seed uint64
}

const (
	learnerTrees   = 100
	subsetFeatures = 3
)

// Fit grows the forest; see [forest.Learner].
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	if l.SubsetFeatures < 0 || l.SubsetFeatures > maxRotated {
		return nil, fmt.Errorf("rotation: SubsetFeatures %d; want 0 to %d", l.SubsetFeatures, maxRotated)
	}
	if l.SubsetFeatures == 0 {
		l.SubsetFeatures = subsetFeatures
	}
	if l.Trees == 0 {
		l.Trees = learnerTrees
	}
	return fit(ctx, train, grow.Params{
		Method:   "rotation",
		Trees:    l.Trees,
		Growth:   l.Growth,
		Sampling: forest.AllRows,
		Seed:     l.Seed,
		Options:  o,
		Averaged: true,
	}, train.P(), func(s *scaled) (rotation, error) { return newBlocks(s, l.SubsetFeatures).draw, nil })
}

// Random grows a random rotation forest (RR-RF): a random forest each of whose trees sees
// all features in a rotation that is drawn uniformly (of the Haar distribution, with
// determinant +1). Nodes are split on the best of some rotated features.
//
// Features are divided by their range, which has the effect of scaling them to [0, 1]. The
// paper also scales by ranks, which no split function of the features can: if there are
// outliers, transform the features first. All features that are given are rotated, thus
// also the columns of [datasets.OneHot]; the paper rotates numeric features.
//
// A tree's rotation of p features takes time in proportion to p³ to draw, and p² numbers to
// keep: at most 8,192 features, for which that is nearly a gigabyte, may vary. A core keeps a rotated copy of the
// distinct rows of the tree that it grows.
type Random struct {
	Trees        int  // 0 means 500
	NodeFeatures int  // rotated features drawn at a node; 0 means ⌊√p⌋ for classes, ⌊p/3⌋ for values, at least 1
	Unscaled     bool // features are rotated as they are; for features of one unit, or scaled before
	forest.Growth
	Sampling forest.Sampling // of each tree's rows; zero means the bootstrap
	Seed     uint64
}

const randomTrees = 500

// maxRotated is the most features that are rotated together.
const maxRotated = 1 << 13

// Fit grows the forest; see [forest.Learner]. It returns an error if too many features vary.
func (l Random) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Random) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	if l.NodeFeatures < 0 {
		return nil, fmt.Errorf("rrrf: NodeFeatures %d; want 0 or more", l.NodeFeatures)
	}
	if l.NodeFeatures == 0 {
		l.NodeFeatures = grow.NodeFeatures(train)
	}
	if l.Trees == 0 {
		l.Trees = randomTrees
	}
	return fit(ctx, train, grow.Params{
		Method:   "rrrf",
		Trees:    l.Trees,
		Growth:   l.Growth,
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Options:  o,
	}, l.NodeFeatures, func(s *scaled) (rotation, error) {
		if q := len(s.features); q > maxRotated {
			return nil, fmt.Errorf("rrrf: %d features that vary; want at most %d: leave some out, or use rotation.Learner",
				q, maxRotated)
		}
		if l.Unscaled {
			for k := range s.factors {
				s.factors[k] = 1
			}
		}
		return s.uniform, nil
	})
}

// Grid returns the settings that the SPORF paper tunes RR-RF over (Tomita et al. 2020, section 3.2): NodeFeatures in
// {p^¼, p^½, p^¾, p}, rounded. See [forest.Tunable].
func (l Random) Grid(train *datasets.Dataset) []forest.Learner {
	var grid []forest.Learner
	for _, l.NodeFeatures = range grow.Powers(train.P(), 0.25, 0.5, 0.75, 1) {
		grid = append(grid, l)
	}
	return grid
}
