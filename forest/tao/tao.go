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
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
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
// over its rows, splits w·x + b > 0 and linear leaves (eq. 1). Where rows have weights, both λ are in units of their
// mean, so that only ratios of weights matter. The loss of a row is 0 or 1
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

// maxScores is the most rows × classes of linear leaves: a gigabyte of scores.
const maxScores = 1 << 27

// trainer checks parameters and data and fills in the defaults.
func (l Learner) trainer(train *datasets.Dataset) (*trainer, error) {
	if err := grow.Check(train); err != nil {
		return nil, err
	}
	if err := l.check(train); err != nil {
		return nil, err
	}
	if train.Values != nil {
		values := *train
		values.Classes = nil // perhaps left over
		train = &values
	}
	n := train.N()
	if k := len(train.Classes); l.LinearLeaves && k > 0 && n > maxScores/k {
		return nil, fmt.Errorf("%d rows of %d classes; linear leaves compute a score for each row and class, 2²⁷ at most: "+
			"put rare classes together, or take constant leaves", n, k)
	}
	if l.Trees == 0 {
		l.Trees = defaultTrees
	}
	if l.Passes == 0 {
		l.Passes = defaultPasses
	}
	if l.Depth == 0 {
		l.Depth = defaultDepth
		if l.LinearLeaves {
			l.Depth = defaultDepthL
		}
		l.Depth = max(1, min(l.Depth, bits.Len(uint(n/4))-1))
	}
	l.Depth = max(1, min(l.Depth, bits.Len(uint(n-1))))
	if l.SplitProbability == 0 {
		l.SplitProbability = 1
	}
	if l.Sampling == (forest.Sampling{}) {
		l.Sampling = forest.Sampling{Fraction: 0.9, WithoutReplacement: true}
	}
	l.Lambda = penalty(l.Lambda, defaultLambda)
	if l.AxisAligned {
		l.Lambda = 0
	}
	l.LeafLambda = penalty(l.LeafLambda, defaultLeafLambda)
	t := newTrainer(l, train)
	return t, t.checkSums()
}

func penalty(lambda, byDefault float64) float64 {
	switch lambda {
	case 0:
		return byDefault
	case none:
		return 0
	}
	return lambda
}

func (l Learner) check(train *datasets.Dataset) error {
	p := train.P()
	switch {
	case l.Trees < 0 || l.Depth < 0 || l.Passes < 0 || l.FullDepth < 0:
		return fmt.Errorf("Trees %d, Depth %d, FullDepth %d, Passes %d; want 0 or more", l.Trees, l.Depth, l.FullDepth,
			l.Passes)
	case l.NodeFeatures < 0 || l.NodeFeatures > p || l.TreeFeatures < 0 || l.TreeFeatures > p:
		return fmt.Errorf("NodeFeatures %d, TreeFeatures %d; want 0 to %d, the number of features", l.NodeFeatures,
			l.TreeFeatures, p)
	case l.Acceptance > Free:
		return fmt.Errorf("Acceptance %d; want at most %d", l.Acceptance, Free)
	case !(l.SplitProbability >= 0 && l.SplitProbability <= 1):
		return fmt.Errorf("SplitProbability %v; want 0 to 1", l.SplitProbability)
	}
	for _, lambda := range []float64{l.Lambda, l.LeafLambda} {
		if !(lambda >= 0 || lambda == none) || math.IsInf(lambda, 1) {
			return fmt.Errorf("Lambda %v, LeafLambda %v; want finite numbers, 0 or more, or −1", l.Lambda, l.LeafLambda)
		}
	}
	if err := grow.CheckTrees(max(1, l.Trees)); err != nil {
		return err
	}
	return l.Sampling.CheckData(train)
}

// largestSum is the largest sum of weights, and of squared deviations of values: nodes
// store such sums as float32s, and a row can be drawn up to 65,535 times.
const largestSum = math.MaxFloat32 / math.MaxUint16

// checkSums returns an error if the weights or the values are too large for a tree.
func (t *trainer) checkSums() error {
	var weight, squares float64
	for i, w := range t.weights {
		weight += w
		if t.values != nil {
			e := float64(t.values[i] * t.sd)
			squares += float64(w * float64(e*e))
		}
	}
	switch {
	case weight > largestSum:
		return fmt.Errorf("the weights add up to %.3g; want at most %.3g: scale them", weight, float64(largestSum))
	case !(squares <= largestSum):
		return fmt.Errorf("the squared deviations of the values from their mean add up to more than %.3g: scale the values",
			float64(largestSum))
	}
	return nil
}

// checkRefine returns an error if f isn't a forest whose trees can be refined on train.
func (l Learner) checkRefine(f *forest.Forest, train *datasets.Dataset) error {
	switch {
	case f.Rule == forest.Sum:
		return errors.New("the forest adds the values of its trees to a base score, so each tree depends on the others; " +
			"want trees that predict by themselves")
	case f.Steps != nil:
		return errors.New("the forest has steps of a pipeline; apply them to the data and refine a forest without")
	}
	for i := range f.Trees {
		if !l.LinearLeaves && f.Trees[i].HasLinearLeaves() {
			return errors.New("the forest has linear leaves, which constant ones can't improve; want LinearLeaves")
		}
	}
	if err := f.CheckTraining(train); err != nil {
		return err
	}
	return f.Check(train)
}
