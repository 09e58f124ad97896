// Package hrf grows Heterogeneous Random Forests (Kim, Kim and Kim, "Heterogeneous Random
// Forest"): random forests whose trees avoid the features that earlier trees split by near
// their roots.
package hrf

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

const defaultTrees = 100

// A Learner grows a Heterogeneous Random Forest (Algorithm 3). Trees are grown one after
// another on bootstrap samples, until their leaves are pure. At each node m features are
// drawn one by one without replacement, each with a probability in proportion to its
// weight (see [forest.Memory]) among those left, and the node is split on the best of
// them. The zero value is the paper's setting: 100 trees, α = 0.5, β = 1.
//
// The paper doesn't say what happens at a node where all m features drawn are constant.
// In the authors' program it becomes a leaf, which is the default here; other random
// forests draw further features. The difference is large on data with few distinct
// values. To study the effect of the weights alone, compare with a random forest that has
// the same Constant.
type Learner struct {
	Trees        int                 // B; 0 means 100
	NodeFeatures int                 // m, features drawn at a node; 0 means ⌊√p⌋ for classes, ⌊p/3⌋ for values, at least 1
	Memory       forest.Memory       // zero means α = 0.5, β = 1
	Constant     forest.ConstantRule // what to do if all features drawn are constant; zero means forest.MakeLeaf
	forest.Growth
	Sampling forest.Sampling // of each tree's rows; zero means the bootstrap
	Seed     uint64
}

// Fit grows the forest; see [forest.Learner]. It returns an error if Memory is out of range.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	if l.Trees == 0 {
		l.Trees = defaultTrees
	}
	if l.Memory == (forest.Memory{}) {
		l.Memory = forest.Memory{Alpha: 0.5, Beta: 1}
	}
	if l.NodeFeatures < 0 {
		return nil, fmt.Errorf("hrf: NodeFeatures %d; want 0 or more", l.NodeFeatures)
	}
	if l.NodeFeatures == 0 {
		l.NodeFeatures = grow.NodeFeatures(train)
	}
	fallback, err := grow.ConstantFallback(l.Constant, forest.MakeLeaf)
	if err != nil {
		return nil, fmt.Errorf("hrf: %w", err)
	}
	return grow.ForestWithMemory(ctx, train, grow.Params{
		Method:   "hrf",
		Trees:    l.Trees,
		Growth:   l.Growth,
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Fallback: fallback,
	}, l.Memory, func(weights []float64) grow.Source {
		return grow.NewAxesBy(weights, train.P(), l.NodeFeatures, grow.Search)
	})
}

// Grid returns settings to tune over for p features, for instance by the out-of-bag error:
// α in {0, 0.2, 0.5, 0.7, 0.9} and β in {1, 3, 6, 10}, at most p. The other fields are
// those of l. The paper's own, larger grid is α in {0, 0.1, …, 0.9} and β in
// {1, …, min(10, p)}.
func (l Learner) Grid(p int) []Learner {
	var grid []Learner
	for _, alpha := range []float64{0, 0.2, 0.5, 0.7, 0.9} {
		for _, beta := range []int{1, 3, 6, 10} {
			if beta > max(1, p) {
				break
			}
			l.Memory = forest.Memory{Alpha: alpha, Beta: beta}
			grid = append(grid, l)
		}
	}
	return grid
}
