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

// A Learner grows a random forest (Breiman, Machine Learning 45, 2001): each tree on a
// bootstrap sample, each node split on the best of NodeFeatures features drawn at random.
type Learner struct {
	Trees        int                 // 0 means 500
	NodeFeatures int                 // features drawn at a node; 0 means ⌊√p⌋ for classes, ⌊p/3⌋ for values, at least 1
	Constant     forest.ConstantRule // what to do if all features drawn are constant; 0 means forest.DrawOn
	forest.Growth
	Sampling forest.Sampling // of each tree's rows; zero means the bootstrap
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

// CART grows a single classification or regression tree on all rows; every node is split
// on the best of all features (Breiman, Friedman, Olshen and Stone 1984). The tree isn't
// pruned.
type CART struct {
	forest.Growth
	Seed uint64 // breaks ties between features
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

// Bagging grows CART trees on bootstrap samples (Breiman, Machine Learning 24,
// 1996).
type Bagging struct {
	Trees int // 0 means 500
	forest.Growth
	Sampling forest.Sampling // of each tree's rows; zero means the bootstrap
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
// Machine Learning 63, 2006): each tree on all rows, each node split on the best of
// NodeFeatures random features, each with one random threshold.
type ExtraTrees struct {
	Trees        int           // 0 means 500
	NodeFeatures int           // K; default as in Learner
	Memory       forest.Memory // zero means none; otherwise trees avoid features that earlier trees split by near their roots
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
// (Tomita et al. 2020, section 3.2) for p features: NodeFeatures in {p^¼, p^½, p^¾, p},
// rounded, without duplicates. The other fields are those of l.
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
