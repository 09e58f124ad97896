// Package oblique grows the oblique random forests of Menze, Kelm, Splitthoff,
// Koethe and Hamprecht ("On oblique random forests", ECML PKDD 2011), which split each
// node on a linear model that is fitted to its rows. The GRAF paper calls them OT in its
// comparison.
package oblique

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

const defaultTrees = 100

// A Learner grows an oblique random forest: each tree on a bootstrap sample. At each node
// M features are drawn and a model of them is fitted; the node is split at the best
// threshold on the model's value. The zero value does what the authors' obliqueRF (R,
// version 0.3) does by default, except for the choice of λ.
//
// The model is a ridge regression that separates two groups of classes: it solves (S + λI)w = c, where S is the
// scatter matrix of the drawn features over the node's rows, and c their scatter with a target that is +1 in one group
// and −1 in the other. A row's weight is multiplied by how often the row was drawn. Features are not scaled, as in
// obliqueRF. If their units differ, use [datasets.Standardise], so that λ has the same effect on all.
//
// The paper treats two classes only. With more, the node's classes are first divided at
// random into two nonempty groups, with all divisions equally likely, as in nested
// dichotomies (Frank and Kramer, ICML 2004).
//
// If no candidate splits a node, more are drawn, and then every single feature is tried:
// a leaf is mixed only if its rows have equal features or Growth limits the tree.
type Learner struct {
	Trees        int // 0 means 100
	NodeFeatures int // M, features drawn for each fit; 0 means ⌊√p⌋, at least 2 and at most p
	Candidates   int // K, fits at a node, each with its own features and groups; 0 means 1
	forest.Growth

	// LDA takes Fisher's linear discriminant, the solution without penalty; λ is just large enough to make the matrix
	// invertible. Otherwise λ is 10ᵏ times the mean of S's diagonal, with the k in −5 … 5 that has the least squared
	// leave-one-out error, which is computed from a single fit. The authors' obliqueRF uses the grid without that factor,
	// and chooses by the out-of-bag rows, of which there are few or none near the leaves.
	LDA bool

	Sampling forest.Sampling // of each tree's rows; zero means the bootstrap
	Seed     uint64
}

// Fit grows the forest; see [forest.Learner]. It returns an error for data with values.
// Each core needs 8 bytes for every distinct row of a tree's sample times M features.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	p := train.P()
	if l.NodeFeatures < 0 || l.NodeFeatures > p || l.Candidates < 0 {
		return nil, fmt.Errorf("oblique: Candidates %d, NodeFeatures %d; want Candidates 0 or more, and NodeFeatures from 0 "+
			"to %d, the number of features", l.Candidates, l.NodeFeatures, p)
	}
	if train.Labels == nil && train.Values != nil {
		return nil, errors.New("oblique: the data have values; want labels: this is a method for classification")
	}
	if l.Trees == 0 {
		l.Trees = defaultTrees
	}
	if l.NodeFeatures == 0 {
		l.NodeFeatures = min(max(2, int(math.Sqrt(float64(p)))), p)
	}
	l.Candidates = max(1, l.Candidates)
	return grow.Forest(ctx, train, grow.Params{
		Method:   "oblique",
		Trees:    l.Trees,
		Growth:   l.Growth,
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Options:  o,
	}, func() grow.Source { return newFits(p, len(train.Classes), l) })
}
