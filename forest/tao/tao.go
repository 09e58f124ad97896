// Package tao trains oblique trees by tree alternating optimisation, and bagged forests of
// them (Carreira-Perpiñán and Zharmagambetov, "Ensembles of Bagged TAO Trees Consistently
// Improve over Random Forests, AdaBoost and Gradient Boosting", FODS 2020).
//
// A tree isn't grown from the root down. It begins as a complete tree with random
// hyperplanes, and is then improved in passes. A pass visits every node once, children
// before their parent, and fits the node anew while the rest of the tree stays as it is: a
// leaf to the rows that reach it, a split to send each of its rows to the child whose
// subtree predicts it better. The result is an ordinary [forest.Tree].
//
// A US patent application (2022/0318641, University of California) claims tree
// alternating optimisation in general form. Look up its status before commercial use.
package tao

import (
	"context"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// Acceptance says whether a fitted node replaces the old one where it raises the tree's
// objective. The fit minimises another loss (logistic instead of 0/1), so this occurs.
type Acceptance uint8

const (
	// FreeThenStrict takes every fit until the last quarter of the passes, which are
	// strict.
	FreeThenStrict Acceptance = iota
	// Strict never takes a fit that raises the objective. From random hyperplanes this
	// gives much worse trees, since the upper nodes hardly move: what is below them has
	// just been fitted to where they are.
	Strict
	// Free takes every fit.
	Free
)

// none as Lambda or LeafLambda leaves the penalty out.
const none = -1

const (
	method            = "tao"
	defaultTrees      = 30
	defaultPasses     = 40
	defaultDepth      = 8
	defaultDepthL     = 5 // with linear leaves
	defaultLambda     = 0.01
	defaultLeafLambda = 0.5
	strictShare       = 4 // one pass in strictShare, rounded up, is strict
)

// A Learner trains a bagged TAO forest for classes or values. The objective of each tree is
//
//	E = Σ weight·loss + Lambda·Σ ‖w‖₁ + LeafLambda·Σ ‖W‖₁
//
// over its rows, splits w·x + b > 0 and linear leaves (eq. 1). Where rows have weights, both λ are in units of their mean,
// so that only ratios of weights matter. The loss of a row is 0 or 1
// with constant leaves, the cross-entropy, at most 5, with linear ones, and for values the
// squared error in units of their variance. The weights w and W in the penalty are those
// of standardised features; thresholds and biases are free, but see PenalisedBias. The zero value is the paper's
// recommendation: 30 trees, each on 90 % of the rows, λ = 0.01, 40 passes.
//
// The forest's rule is [forest.Plurality] with constant leaves and [forest.Average] with
// linear ones, as in the paper, and for values.
type Learner struct {
	Trees int // T; 0 means 30

	// Depth is Δ, the splits on a path of the initial tree, at most ⌈log2 n⌉. 0 means 8, or 5 with linear leaves, but
	// at most ⌊log2(n/4)⌋.
	Depth int

	// LinearLeaves makes leaves linear models with an ℓ1 penalty (TAO-l): softmax regression for classes, at most 2²⁷
	// rows × classes, or least squares for values. Otherwise leaves hold a class (TAO-c) or a value.
	LinearLeaves bool

	// The initial tree. The root and all nodes less deep than FullDepth are split; deeper
	// nodes above Depth are split with probability SplitProbability, drawn for each tree,
	// and are leaves otherwise (eq. 3). A SplitProbability of 0 means 1: complete trees.
	FullDepth        int
	SplitProbability float64
	SameStart        bool // all trees begin with the same random splits

	Passes     int        // I; 0 means 40
	Acceptance Acceptance // whether fits may raise the objective
	TopDown    bool       // a pass visits parents before their children, not children before their parent

	// AxisAligned makes splits of single features (Section 3): a fit is the feature and threshold with the least loss of
	// the reduced problem, which is found exactly, so no fit raises the objective. Lambda isn't for them.
	AxisAligned bool

	Lambda     float64 // λ, of the weights of splits; 0 means 0.01, −1 none
	LeafLambda float64 // of the weights of linear leaves; 0 means 0.5, −1 none
	Unscaled   bool    // penalise the weights of features as they are, not of standardised ones

	// PenalisedBias penalises the bias b of a split like a weight, Lambda·|b|, as LIBLINEAR does, with which the paper
	// fits splits. Features are scaled or not, but not centred, so their origin matters. Biases of leaves stay free.
	PenalisedBias bool

	NodeFeatures int // features that a split may use, drawn once for each; 0 means all
	TreeFeatures int // features that a tree may use, drawn once for each; 0 means all

	Sampling forest.Sampling // of each tree's rows; zero means 90 % without replacement. The bootstrap is {Fraction: 1}
	Seed     uint64
}

// Fit trains the forest; see [forest.Learner]. Progress is reported after each pass over a tree. [History.Fit] also
// keeps the trees after each pass.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow trains the forest with options; see [forest.Grower].
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	return noHistory.grow(ctx, l, train, o)
}

// Path trains a forest for each λ of lambdas, one after another, and returns them in this
// order. Lambda is ignored. Each tree begins where it ended for the λ before, so a whole path
// costs less than separate forests, and its trees are related: this is the regularisation
// path of the paper (Section 6.5), which begins with the smallest λ. Choose among the
// forests by [forest.Forest.OutOfBag] or by validation rows.
func (l Learner) Path(ctx context.Context, train *datasets.Dataset, lambdas ...float64) ([]*forest.Forest, error) {
	return noHistory.Path(ctx, l, train, lambdas...)
}

// Refine improves the trees of f, a forest of any method trained on train, and returns
// them as a new forest. It keeps the structure of each tree, but for what it prunes, and its
// sample of rows, so out-of-bag errors stay valid. The objective of no tree is higher than
// in the beginning: where free passes end above it, the tree is refined by strict passes
// alone.
//
// Of the learner's parameters, Trees, Depth, FullDepth, SplitProbability, SameStart,
// NodeFeatures, TreeFeatures, Sampling and Seed are ignored. The new forest has f's rule.
// Limit its time by a deadline of ctx and [History.Refine], which keeps the trees as they were. f
// must be without Steps, its trees must not be boosted ([forest.Sum]), and if it has linear
// leaves, so must the learner.
func (l Learner) Refine(ctx context.Context, f *forest.Forest, train *datasets.Dataset) (*forest.Forest, error) {
	return noHistory.Refine(ctx, l, f, train)
}
