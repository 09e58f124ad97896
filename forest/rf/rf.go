// Package rf holds the axis-aligned learners: a single CART tree, bagging, Breiman's random forest, extremely
// randomised trees and heterogeneous random forests.
package rf

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

const defaultTrees = 500

// A Learner grows a random forest (Breiman, Machine Learning 45, 2001): each tree on a bootstrap sample, each node
// split on the best of NodeFeatures features drawn at random.
type Learner struct {
	Trees        int           // 0 means 500
	NodeFeatures int           // features drawn at a node; 0 means ⌊√p⌋ for classes, ⌊p/3⌋ for values, at least 1
	Memory       forest.Memory // of the features that earlier trees split by near their roots; zero means none
	Constant     ConstantRule  // what to do if all features drawn are constant; 0 means DrawOn
	forest.Growth
	Sampling forest.Sampling // of each tree's rows; zero means the bootstrap
	Seed     uint64
}

// A ConstantRule says what happens at a node where all features drawn are constant. 0 means the method's default.
type ConstantRule uint8

const (
	DrawOn   ConstantRule = iota + 1 // further features are drawn, until one splits the node or none is left
	MakeLeaf                         // the node becomes a leaf
)

// Fit grows the forest; see [forest.Learner]. It returns an error if Memory is out of range.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	return l.grow(ctx, train, "rf", grow.Search, o)
}

// grow grows the forest of a method; cut says where thresholds come from.
func (l Learner) grow(ctx context.Context, train *datasets.Dataset, method string, cut grow.Cut,
	o forest.Options) (*forest.Forest, error) {
	if l.NodeFeatures < 0 {
		return nil, fmt.Errorf("%s: NodeFeatures %d; want 0 or more", method, l.NodeFeatures)
	}
	if l.Constant > MakeLeaf {
		return nil, fmt.Errorf("%s: rule %d for constant features; want DrawOn, MakeLeaf or 0", method, l.Constant)
	}
	if l.NodeFeatures == 0 {
		l.NodeFeatures = grow.NodeFeatures(train)
	}
	return grow.ForestWithMemory(ctx, train, l.params(method, o), l.Memory, func(weights []float64) grow.Source {
		return grow.NewAxes(weights, train.P(), l.NodeFeatures, cut)
	})
}

func (l Learner) params(method string, o forest.Options) grow.Params {
	fallback := grow.Redraw
	if l.Constant == MakeLeaf {
		fallback = grow.NoRedraw
	}
	return grow.Params{
		Method:   method,
		Trees:    cmp.Or(l.Trees, defaultTrees),
		Growth:   l.Growth,
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Raw:      true,
		Options:  o,
		Fallback: fallback,
	}
}

// allFeatures is a number of features that draws them all.
const allFeatures = math.MaxInt

// HRF grows a Heterogeneous Random Forest (Kim, Kim and Kim, "Heterogeneous Random Forest", Algorithm 3): a random
// forest with a memory, whose trees avoid the features that earlier trees split by near their roots. Its fields are
// those of [Learner], but the zero value is the paper's setting: 100 trees, a Memory of α = 0.5 and β = 1, and
// MakeLeaf.
//
// The paper doesn't say what happens at a node where all features drawn are constant. In the authors' program it
// becomes a leaf, which is the default here; other random forests draw further features. The difference is large on
// data with few distinct values. To study the effect of the memory alone, compare with a Learner that has the same
// Constant.
type HRF Learner

// Fit grows the forest; see [forest.Learner]. It returns an error if Memory is out of range.
func (l HRF) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower]. Only all trees can be grown.
func (l HRF) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	if l.Trees == 0 {
		l.Trees = 100
	}
	if l.Memory == (forest.Memory{}) {
		l.Memory = forest.Memory{Alpha: 0.5, Beta: 1}
	}
	if l.Constant == 0 {
		l.Constant = MakeLeaf
	}
	return Learner(l).grow(ctx, train, "hrf", grow.Search, o)
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
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l CART) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	one := Learner{Trees: 1, NodeFeatures: allFeatures, Growth: l.Growth, Sampling: forest.AllRows, Seed: l.Seed}
	return one.grow(ctx, train, "cart", grow.Search, o)
}

// Bagging grows CART trees on bootstrap samples (Breiman, Machine Learning 24,
// 1996). With fewer TreeFeatures than all, each tree also draws its features, as in random patches (Louppe and Geurts,
// ECML 2012).
type Bagging struct {
	Trees        int // 0 means 500
	TreeFeatures int // features that a tree may use, drawn once for each; 0 means all
	forest.Growth
	Sampling forest.Sampling // of each tree's rows; zero means the bootstrap
	Seed     uint64
}

// Fit grows the trees; see [forest.Learner].
func (l Bagging) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Bagging) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	const method = "bagging"
	all := Learner{Trees: l.Trees, NodeFeatures: allFeatures, Growth: l.Growth, Sampling: l.Sampling, Seed: l.Seed}
	p := train.P()
	switch {
	case l.TreeFeatures < 0 || l.TreeFeatures > p:
		return nil, fmt.Errorf("%s: TreeFeatures %d; want 0 to %d, the number of features", method, l.TreeFeatures, p)
	case l.TreeFeatures == 0 || l.TreeFeatures == p:
		return all.grow(ctx, train, method, grow.Search, o)
	}
	e, err := grow.New(train, all.params(method, o))
	if err != nil {
		return nil, err
	}
	return e.GrowForest(ctx, func(tree int) *grow.Spec {
		features := grow.TreeFeatures(l.Seed, tree, l.TreeFeatures, p)
		return &grow.Spec{Source: func() grow.Source { return grow.AxesAmong(features) }}
	})
}

// ExtraTrees grows extremely randomised trees (Geurts, Ernst and Wehenkel,
// Machine Learning 63, 2006): each tree on all rows, each node split on the best of
// NodeFeatures random features, each with one random threshold.
type ExtraTrees struct {
	Trees        int           // 0 means 500
	NodeFeatures int           // K; default as in Learner
	Memory       forest.Memory // of the features that earlier trees split by near their roots; zero means none
	forest.Growth
	Seed uint64
}

// Fit grows the trees; see [forest.Learner].
func (l ExtraTrees) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l ExtraTrees) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	random := Learner{Trees: l.Trees, NodeFeatures: l.NodeFeatures, Memory: l.Memory, Growth: l.Growth,
		Sampling: forest.AllRows, Seed: l.Seed}
	return random.grow(ctx, train, "extratrees", grow.Random, o)
}

// Grid returns the settings that the SPORF paper tunes a random forest over (Tomita et al. 2020, section 3.2):
// NodeFeatures in {p^¼, p^½, p^¾, p}, rounded. See [forest.Tunable].
func (l Learner) Grid(train *datasets.Dataset) []forest.Learner {
	var grid []forest.Learner
	for _, l.NodeFeatures = range grow.Powers(train.P(), 0.25, 0.5, 0.75, 1) {
		grid = append(grid, l)
	}
	return grid
}

// Grid returns settings of the memory: α in {0, 0.2, 0.5, 0.7, 0.9} and β in {1, 3, 6, 10}, at most p. The paper's own,
// larger grid is α in {0, 0.1, …, 0.9} and β in {1, …, min(10, p)}. See [forest.Tunable].
func (l HRF) Grid(train *datasets.Dataset) []forest.Learner {
	var grid []forest.Learner
	for _, l.Memory.Alpha = range []float64{0, 0.2, 0.5, 0.7, 0.9} {
		for _, l.Memory.Beta = range []int{1, 3, 6, 10} {
			if l.Memory.Beta <= max(1, train.P()) {
				grid = append(grid, l)
			}
		}
	}
	return grid
}
