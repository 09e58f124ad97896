// Package godt grows trees whose nodes are split at the boundary between two Gaussians: the
// Gaussian oblique decision tree (GODT), its forest (GORF), the quadratic tree (GQDT) and its
// forest (GQRF) of Sivanand's thesis (University of Southampton, 2026).
//
// Labels and values never enter a split. A mixture of two Gaussians is fitted to the
// features of a node's rows, and each row goes to the side of the component that more likely
// made it. Labels only decide when to stop, and what a leaf predicts.
package godt

import (
	"context"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A Divider is a way to divide the rows of a node in two.
type Divider uint8

const (
	SharedDiagonal   Divider = iota // a mixture with one diagonal covariance: GODT and GORF
	SharedFull                      // a mixture with one full covariance
	SeparateFull                    // a mixture whose components have full covariances of their own: GQDT and GQRF
	SeparateDiagonal                // a mixture whose components have diagonal covariances of their own
	KMeans                          // the plane half-way between the two centroids of K-means
	FirstAxis                       // the median of the first principal axis
	RandomAxis                      // the median of a direction with normally distributed weights
	dividers
)

// A Start says where the means of a mixture start. Its zero value is PrincipalAxis, except in forests with
// SeparateFull whose trees have more than half of the features: there it is RandomRows, since the thesis starts at
// random if max_features is near p.
type Start uint8

const (
	defaultStart Start = iota

	// PrincipalAxis is Algorithm 6: the rows are divided at the median of their first principal
	// axis, and K-means starts from the means of the two parts.
	PrincipalAxis

	RandomRows // two rows drawn at random, without K-means

	// PlusPlus is K-means++ without K-means, the default of MATLAB's fitgmdist: a row drawn at random, and one drawn
	// with probabilities in proportion to the squared distance from it.
	PlusPlus

	starts
)

// none as Beta or RelativeBeta stands for 0.
const none = -1

// A Splitting says how nodes are split and when not; [Tree] and [Learner] embed it.
type Splitting struct {
	Divider Divider
	Start   Start

	// Beta, β, is added to the variance of every feature in each step of EM. RelativeBeta is β in
	// units of the variance that a feature has in all training rows, so that it doesn't depend
	// on the units of features. At most one of them may be set. If none is, Beta is 10⁻⁴ for
	// shared covariances, within the thesis' grid, and RelativeBeta is 0.01 for separate ones,
	// since the good values for quadratic trees lie outside of that grid. −1 stands for 0.
	Beta         float64
	RelativeBeta float64

	// Supervised searches the threshold on the mixture's function by impurity, where the thesis takes
	// that of equal posterior probabilities. On most data sets tried, trees were less accurate with it.
	Supervised bool

	Purity float64 // δ: a node isn't split if the share of its largest class is at least this; 0 means 1
	MaxMSE float64 // δ for values: a node with a lower mean squared error isn't split; 0 only stops at equal values
}

// A Tree grows a single tree on all rows and features: GODT (Algorithm 5) or, with SeparateFull, GQDT (Algorithm 10).
// The thesis' least leaf size m_min makes leaves of nodes with m ≤ m_min rows: MinSplit = m_min + 1.
type Tree struct {
	Splitting
	forest.Growth
	Seed uint64 // of random starts and directions
}

// Fit grows the tree; see [forest.Learner]. For values the Divider must be linear.
func (l Tree) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Tree) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	return fit(ctx, train, l.forest(train.P()), true, o)
}

// forest returns the forest of one tree that l grows on p features.
func (l Tree) forest(p int) Learner {
	return Learner{Trees: 1, TreeFeatures: p, Splitting: l.Splitting, Growth: l.Growth, Sampling: forest.AllRows,
		Seed: l.Seed}
}

// A Learner grows a forest of such trees: GORF (Algorithm 8) or, with SeparateFull, GQRF
// (Algorithm 11). Each tree has a sample of the rows and of the features. Classes are decided
// by plurality, values averaged.
type Learner struct {
	Trees        int // 0 means 200
	TreeFeatures int // max_features, drawn for each tree; 0 means √p for classes, p/3 for values, rounded, at least 1
	NodeFeatures int // features drawn at a node from those of its tree; 0 means all of them
	Splitting
	forest.Growth
	Sampling forest.Sampling // zero means 0.8·n rows, drawn with replacement; {Fraction: 1} is the bootstrap
	Seed     uint64
}

// maxFull is the most features, or rows if these are fewer, of a full covariance, which takes 16 bytes for every pair
// of them.
const maxFull = 1 << 14

const (
	defaultTrees        = 200
	defaultBeta         = 1e-4
	defaultRelativeBeta = 0.01
)

// Fit grows the forest; see [forest.Learner]. For values the Divider must be linear. Each
// core needs 8 bytes for every cell of a tree's sample, and for full covariances as many for
// some matrices of TreeFeatures².
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	return fit(ctx, train, l, false, o)
}

// method returns the thesis' name of the method.
func (s Splitting) method(tree bool) string {
	switch {
	case s.quadratic() && tree:
		return "gqdt"
	case s.quadratic():
		return "gqrf"
	case tree:
		return "godt"
	}
	return "gorf"
}

func (s Splitting) quadratic() bool {
	return s.Divider == SeparateFull || s.Divider == SeparateDiagonal
}

func fit(ctx context.Context, train *datasets.Dataset, l Learner, tree bool, o forest.Options) (*forest.Forest, error) {
	method := l.method(tree)
	if err := l.check(train); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	l = l.withDefaults(train)
	e, err := grow.New(train, grow.Params{
		Method:   method,
		Trees:    l.Trees,
		Growth:   l.Growth,
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Fallback: l.fallback(),
		Options:  o,
	})
	if err != nil {
		return nil, err
	}
	scale, classes := l.scales(train), len(e.Forest().Classes)
	return e.GrowForest(ctx, func(t int) *grow.Spec {
		features := grow.TreeFeatures(l.Seed, t, l.TreeFeatures, train.P())
		return &grow.Spec{Source: func() grow.Source { return newSource(l, features, classes, scale) }}
	})
}

func (l Learner) check(train *datasets.Dataset) error {
	p := train.P()
	switch {
	case l.TreeFeatures < 0 || l.TreeFeatures > p || l.NodeFeatures < 0 || l.NodeFeatures > p:
		return fmt.Errorf("TreeFeatures %d, NodeFeatures %d; want 0 or more, and at most %d features", l.TreeFeatures,
			l.NodeFeatures, p)
	case l.Divider >= dividers || l.Start >= starts:
		return fmt.Errorf("Divider %d, Start %d; want at most %d and %d", l.Divider, l.Start, dividers-1, starts-1)
	case !(l.Purity >= 0 && l.Purity <= 1):
		return fmt.Errorf("Purity %v; want one from 0 to 1", l.Purity)
	case !(l.MaxMSE >= 0):
		return fmt.Errorf("MaxMSE %v; want 0 or more", l.MaxMSE)
	case l.quadratic() && train.Labels == nil && train.Values != nil:
		return fmt.Errorf("the data have values; want labels: quadratic trees are for classes, as in the thesis")
	case p > forest.MaxLowRank && l.quadratic():
		return fmt.Errorf("%d features; want at most %d for quadratic functions", p, forest.MaxLowRank)
	}
	if m := min(l.withDefaults(train).NodeFeatures, train.N()); l.Divider == SharedFull && m > maxFull {
		return fmt.Errorf("a full covariance of %d features; want at most %d features or rows: "+
			"set NodeFeatures, or use SharedDiagonal", m, maxFull)
	}
	if l.Beta != 0 && l.RelativeBeta != 0 {
		return fmt.Errorf("Beta %v and RelativeBeta %v; want at most one of them", l.Beta, l.RelativeBeta)
	}
	for _, beta := range []float64{l.Beta, l.RelativeBeta} {
		if !(beta >= 0 || beta == none) || math.IsInf(beta, 1) {
			return fmt.Errorf("Beta %v, RelativeBeta %v; want finite numbers, 0 or more, or −1", l.Beta, l.RelativeBeta)
		}
	}
	return nil
}

func (l Learner) withDefaults(train *datasets.Dataset) Learner {
	p := train.P()
	if l.Trees == 0 {
		l.Trees = defaultTrees
	}
	if l.TreeFeatures == 0 {
		m := math.Sqrt(float64(p))
		if train.Labels == nil {
			m = float64(p) / 3
		}
		l.TreeFeatures = max(1, int(math.Round(m)))
	}
	l.TreeFeatures = min(l.TreeFeatures, p)
	if l.NodeFeatures == 0 {
		l.NodeFeatures = l.TreeFeatures
	}
	l.NodeFeatures = min(l.NodeFeatures, l.TreeFeatures)
	if l.Sampling == (forest.Sampling{}) {
		l.Sampling.Fraction = 0.8
	}
	if l.Beta == 0 && l.RelativeBeta == 0 {
		if l.quadratic() {
			l.RelativeBeta = defaultRelativeBeta
		} else {
			l.Beta = defaultBeta
		}
	}
	l.Beta, l.RelativeBeta = max(0, l.Beta), max(0, l.RelativeBeta)
	if l.Purity == 0 {
		l.Purity = 1
	}
	if l.Start == defaultStart {
		l.Start = PrincipalAxis
		if l.Divider == SeparateFull && l.Trees > 1 && 2*l.TreeFeatures > p {
			l.Start = RandomRows
		}
	}
	return l
}

// fallback says that features are drawn again if that can change the split.
func (l Learner) fallback() grow.Fallback {
	if l.NodeFeatures < l.TreeFeatures || l.Start != PrincipalAxis || l.Divider == RandomAxis {
		return grow.Redraw
	}
	return grow.NoRedraw
}

// scales returns the standard deviation of each feature in all training rows if β is
// relative to it, otherwise nil.
func (l Learner) scales(train *datasets.Dataset) []float64 {
	if l.RelativeBeta == 0 {
		return nil
	}
	scale := make([]float64, train.P())
	parallel.For(len(scale), func(j int) {
		var total, sum, squares float64
		column := train.Column(nil, j)
		first := 0.0 // a cell that counts
		for i, v := range column {
			if grow.Weight(train, int32(i)) > 0 {
				first = float64(v)
				break
			}
		}
		for i, v := range column {
			w := grow.Weight(train, int32(i))
			total += w
			sum += float64(w * (float64(v) - first))
		}
		mean := first + sum/total
		for i, v := range column {
			e := float64(v) - mean
			squares += float64(grow.Weight(train, int32(i)) * float64(e*e))
		}
		scale[j] = math.Sqrt(squares / total)
	})
	return scale
}
