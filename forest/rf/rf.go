// Package rf holds the axis-aligned learners: a single CART tree, bagging,
// Breiman's random forest and extremely randomised trees.
package rf

import (
	"context"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

const defaultTrees = 500

// A Learner grows a random forest (Breiman, Machine Learning 45, 2001): every
// tree from a bootstrap sample, every node split on the best of a few features
// drawn at random.
type Learner struct {
	Trees        int                 // 0 means 500
	NodeFeatures int                 // features drawn at a node; 0 means ⌊√p⌋ for classes, ⌊p/3⌋ for values, at least 1
	Constant     forest.ConstantRule // if all of them are constant; 0 means forest.DrawOn
	forest.Growth
	Sampling forest.Sampling // of each tree's rows; zero is the bootstrap
	Seed     uint64
}

// Fit grows the forest; see [forest.Learner].
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	fallback, err := grow.ConstantFallback(l.Constant, forest.DrawOn)
	if err != nil {
		return nil, fmt.Errorf("rf: %w", err)
	}
	return fit(ctx, train, l.NodeFeatures, grow.Search, forest.Memory{}, grow.Params{
		Method:   "rf",
		Trees:    l.Trees,
		Growth:   l.Growth,
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Fallback: fallback,
	})
}

// CART grows a single classification or regression tree on all rows, searching
// all features at every node (Breiman, Friedman, Olshen and Stone 1984). It does
// not prune.
type CART struct {
	forest.Growth
	Seed uint64 // decides between features that split a node equally well
}

// Fit grows the tree; see [forest.Learner].
func (l CART) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return fit(ctx, train, math.MaxInt, grow.Search, forest.Memory{}, grow.Params{
		Method:   "cart",
		Trees:    1,
		Growth:   l.Growth,
		Sampling: forest.AllRows,
		Seed:     l.Seed,
		Fallback: grow.Redraw,
	})
}

// Bagging grows CART trees from bootstrap samples (Breiman, Machine Learning 24,
// 1996).
type Bagging struct {
	Trees int // 0 means 500
	forest.Growth
	Sampling forest.Sampling // of each tree's rows; zero is the bootstrap
	Seed     uint64
}

// Fit grows the trees; see [forest.Learner].
func (l Bagging) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return fit(ctx, train, math.MaxInt, grow.Search, forest.Memory{}, grow.Params{
		Method:   "bagging",
		Trees:    l.Trees,
		Growth:   l.Growth,
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Fallback: grow.Redraw,
	})
}

// ExtraTrees grows extremely randomised trees (Geurts, Ernst and Wehenkel,
// Machine Learning 63, 2006): every tree from all rows, every node split on the
// best of a few features, each cut at a random threshold.
type ExtraTrees struct {
	Trees        int           // 0 means 500
	NodeFeatures int           // as in Learner, the paper's K
	Memory       forest.Memory // zero is none; with one, trees avoid features that those before use near their roots
	forest.Growth
	Seed uint64
}

// Fit grows the trees; see [forest.Learner].
func (l ExtraTrees) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return fit(ctx, train, l.NodeFeatures, grow.Random, l.Memory, grow.Params{
		Method:   "extratrees",
		Trees:    l.Trees,
		Growth:   l.Growth,
		Sampling: forest.AllRows,
		Seed:     l.Seed,
		Fallback: grow.Redraw,
	})
}

func fit(ctx context.Context, train *datasets.Dataset, nodeFeatures int, cut grow.Cut, memory forest.Memory, params grow.Params) (*forest.Forest, error) {
	if nodeFeatures < 0 {
		return nil, fmt.Errorf("%s: NodeFeatures %d; want 0 or more", params.Method, nodeFeatures)
	}
	if params.Trees == 0 {
		params.Trees = defaultTrees
	}
	if nodeFeatures == 0 {
		nodeFeatures = grow.NodeFeatures(train)
	}
	return grow.ForestWithMemory(ctx, train, params, memory, func(weights []float64) grow.Source {
		return grow.NewAxesBy(weights, train.P(), nodeFeatures, cut)
	})
}

// Grid returns the settings that the SPORF paper tunes a random forest over
// (Tomita et al. 2020, section 3.2) for p features: d in {p^¼, p^½, p^¾, p},
// rounded. Those that coincide stand once.
func (l Learner) Grid(p int) []Learner {
	var grid []Learner
	for _, e := range []float64{0.25, 0.5, 0.75, 1} {
		d := max(1, int(math.Round(math.Pow(float64(p), e))))
		if len(grid) > 0 && grid[len(grid)-1].NodeFeatures == d {
			continue
		}
		l.NodeFeatures = d
		grid = append(grid, l)
	}
	return grid
}
