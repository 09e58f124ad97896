// Package oblique grows the oblique random forests of Menze, Kelm, Splitthoff,
// Koethe and Hamprecht ("On oblique random forests", ECML PKDD 2011), whose
// nodes fit a linear model to their rows. The GRAF paper compares itself with
// them under the name OT.
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

// A NodeModel is the linear model that a node fits to two groups of classes. Both
// solve (S + λI)w = c, where S is the scatter matrix of the drawn features over
// the node's rows and c their covariance with a target of ±1, the two groups. A
// row counts as often as it was drawn, times its weight.
type NodeModel uint8

const (
	// Ridge is ridge regression. λ is 10ᵏ times the mean of S's diagonal for
	// the k = −5 … 5 with the least squared error of predicting each row from
	// the others (leave-one-out, which costs no fit but one). The authors'
	// obliqueRF has the same grid without that mean and asks the rows that the
	// tree's sample left out, but near the leaves there are few or none of them.
	//
	// Features are not scaled, as there. Where their units differ,
	// [datasets.Standardise] makes λ mean the same for all.
	Ridge NodeModel = iota

	// LDA is Fisher's linear discriminant, the solution without penalty; λ is
	// just large enough for it to exist.
	LDA
)

// A Learner grows an oblique random forest: every tree from a bootstrap sample;
// at a node, M features are drawn, a model of them is fitted, and the threshold
// on its value is the best by the criterion. The zero value is what the
// authors' obliqueRF (R, version 0.3) does by default, but for how λ is chosen.
//
// With several classes, which the paper leaves out, the node's classes are first
// divided at random into two groups, all divisions being equally likely, as in
// nested dichotomies (Frank and Kramer, ICML 2004).
//
// If no candidate splits a node, more are drawn, and in the end every feature is
// tried by itself: a node is left mixed only if its rows can't be told apart, or
// Growth says so.
type Learner struct {
	Trees        int // 0 means 100
	NodeFeatures int // M, features drawn for a fit at a node; 0 means ⌊√p⌋ but at least 2, if there are two
	Candidates   int // K, fits at a node, each of other features and groups, of which the best is kept; 0 means 1 (GRAF's comparison sets M)
	Node         NodeModel
	forest.Growth
	Sampling forest.Sampling // of each tree's rows; zero is the bootstrap
	Seed     uint64
}

// Fit grows the forest; see [forest.Learner]. It returns an error for data with
// values. A core needs 8 bytes for each feature drawn and row of its tree.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	p := train.P()
	if l.NodeFeatures < 0 || l.NodeFeatures > p || l.Candidates < 0 || l.Node > LDA {
		return nil, fmt.Errorf("oblique: %d candidates from %d of the %d features, model %d; want no more features than there are, nothing negative, and Ridge or LDA",
			l.Candidates, l.NodeFeatures, p, l.Node)
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
	}, func() grow.Source { return newFits(p, len(train.Classes), l) })
}
