// Package oc1 grows the oblique decision trees of OC1 (Murthy, Kasif and Salzberg, "A System
// for Induction of Oblique Decision Trees", Journal of Artificial Intelligence Research 2,
// 1994), as a single tree that is pruned and as a forest. A node's hyperplane is found by
// changing one coefficient at a time, from several starts, with jumps out of local minima.
package oc1

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// none, as the value of a setting whose zero value stands for the paper's default, turns off what it sets.
const none = -1

// A Search says how the hyperplane of a node is found (figures 4 and 6 of the paper). The zero
// value has the paper's defaults.
//
// A split should make the Twoing Rule's impurity small (section 3.3.1): the reciprocal of
// (|L|/n)·(|R|/n)·(Σ|Lᵢ/|L| − Rᵢ/|R||)², where Lᵢ and Rᵢ are the weights of class i on the two sides. With two
// classes it ranks splits as Gini does. The coefficients of the features are changed in turn until none changes, the
// order that the paper uses (section 3.1).
//
// The first start is the best split on a single feature; the others have coefficients
// drawn uniformly between −1 and 1. From each start one coefficient after another gets the
// value with the least impurity, as long as that isn't above the impurity before; moves
// that leave it equal become less probable, and come to an end. Then the hyperplane is moved in
// a random direction by the amount that leaves the least impurity, and if this is less than
// before, coefficients are changed again. The hyperplane of the start that ends with the least
// impurity splits the node if it is better than the best split on a single feature. Nodes that have fewer
// distinct rows than twice their features are split on a single feature.
//
// Features are scaled to [0, 1] at each node, so their units don't matter but for rounding. The paper has
// them above 0 only, and its program shifts negative ones; the scale matters to random
// hyperplanes. Sides are kept right for rows where the changed term is 0 or, in a random
// direction, negative.
//
// In the end the coefficients are rounded to float32, and the threshold of least impurity is
// searched once more for the rounded combination.
type Search struct {
	Restarts int // R, hyperplanes that are improved at a node, the best split on one feature among them; 0 means 20
	Jumps    int // J, random directions tried at a local minimum; 0 means 5, −1 means none
}

// defaults returns the search with the paper's defaults for fields that are 0, or an error
// for values out of range.
func (s Search) defaults() (Search, error) {
	if s.Restarts < 0 || s.Jumps < none {
		return s, fmt.Errorf("oc1: Restarts %d, Jumps %d; want Restarts 0 or more, Jumps −1 or more", s.Restarts, s.Jumps)
	}
	if s.Restarts == 0 {
		s.Restarts = 20
	}
	switch s.Jumps {
	case 0:
		s.Jumps = 5
	case none:
		s.Jumps = 0
	}
	return s, nil
}

// A Learner grows a forest of OC1 trees, each on a bootstrap sample and without pruning. The
// paper has single trees, which [Tree] grows, and suggests the vote of several.
//
// With NodeFeatures the hyperplane of a node has only some of the features, which are drawn
// from those that vary at the node. A leaf is mixed only if its rows have equal features or a limit says so.
//
// Forests are the same bytes on every processor.
type Learner struct {
	Trees        int // 0 means 100
	NodeFeatures int // features drawn at a node; 0 means ⌊√p⌋, at least 2 and at most p
	Search       Search

	MaxDepth int // most splits on a path from root to leaf; 0 means no limit
	MinSplit int // fewest rows of a node that is split, counted as often as drawn; 0 means 2

	Sampling forest.Sampling // of each tree's rows; zero means the bootstrap
	Seed     uint64
}

// Fit grows the forest; see [forest.Learner]. It returns an error for data with values.
// Each core needs 12 bytes for every distinct row of a tree's sample times NodeFeatures, and some 80 bytes
// for every such row.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	p := train.P()
	if l.NodeFeatures < 0 || l.NodeFeatures > p {
		return nil, fmt.Errorf("oc1: NodeFeatures %d; want 0 to %d, the number of features", l.NodeFeatures, p)
	}
	if l.Trees == 0 {
		l.Trees = 100
	}
	if l.NodeFeatures == 0 {
		l.NodeFeatures = min(max(2, int(math.Sqrt(float64(p)))), p)
	}
	return fit(ctx, train, l.Search, l.NodeFeatures, grow.Params{
		Trees:    l.Trees,
		Growth:   forest.Growth{MaxDepth: l.MaxDepth, MinSplit: l.MinSplit},
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Options:  o,
	})
}

// fit grows the trees of a forest, or the one of a Tree. m is the number of features drawn at a node.
func fit(ctx context.Context, train *datasets.Dataset, s Search, m int, params grow.Params) (*forest.Forest, error) {
	if train.Labels == nil && train.Values != nil {
		return nil, errors.New("oc1: the data have values; want labels: this is a method for classification")
	}
	s, err := s.defaults()
	if err != nil {
		return nil, err
	}
	params.Method = "oc1"
	return grow.Forest(ctx, train, params, func() grow.Source { return newSource(s, m, train.P(), len(train.Classes)) })
}

// Grid returns the settings that the SPORF paper tunes over (Tomita et al. 2020, section 3.2): NodeFeatures in
// {p^¼, p^½, p^¾, p}, rounded. See [forest.Tunable].
func (l Learner) Grid(train *datasets.Dataset) []forest.Learner {
	var grid []forest.Learner
	for _, l.NodeFeatures = range grow.Powers(train.P(), 0.25, 0.5, 0.75, 1) {
		grid = append(grid, l)
	}
	return grid
}

// A Tree grows a single OC1 tree, as a forest of one, and prunes it by cost complexity (section 3.3.2 of the paper,
// after Breiman, Friedman, Olshen and Stone 1984). For that a tenth of the rows is held out, and the tree is grown on
// the others. Then one subtree after another becomes a leaf, each time the one for which that adds the fewest errors on
// the growing rows for each leaf saved. The tree with the least error on the rows held out is returned, the smallest of
// several. The zero value has the paper's defaults.
//
// The rows held out are those that are out of bag, but as they have chosen the tree,
// [forest.Forest.OutOfBag] is too optimistic.
type Tree struct {
	Search  Search
	HeldOut float64 // part of the rows held out for pruning, below 1; 0 means 0.1, −1 means no pruning

	MaxDepth int // most splits on a path from root to leaf; 0 means no limit
	MinSplit int // fewest rows of a node that is split; 0 means 2
	Seed     uint64
}

// Fit grows the tree; see [forest.Learner]. It returns an error for data with values. A core
// needs 12 bytes for every cell of the data, and some 80 bytes for every row.
func (l Tree) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Tree) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	sampling := forest.AllRows
	switch {
	case l.HeldOut == 0:
		sampling.Fraction = 0.9
	case l.HeldOut > 0 && l.HeldOut < 1:
		sampling.Fraction = 1 - l.HeldOut
	case l.HeldOut != none:
		return nil, fmt.Errorf("oc1: HeldOut %v; want a number from 0 to 1, but not 1, or −1", l.HeldOut)
	}
	f, err := fit(ctx, train, l.Search, train.P(), grow.Params{
		Trees:    1,
		Growth:   forest.Growth{MaxDepth: l.MaxDepth, MinSplit: l.MinSplit},
		Sampling: sampling,
		Seed:     l.Seed,
		Options:  o,
	})
	if err != nil || sampling == forest.AllRows {
		return f, err
	}
	var out []int32
	for i, drawn := range f.SampleCounts(nil, train, 0) {
		if drawn == 0 {
			out = append(out, int32(i))
		}
	}
	if f.Trees[0], err = prune(ctx, &f.Trees[0], train, out); err != nil {
		return nil, err
	}
	return f, nil
}
