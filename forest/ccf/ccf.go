// Package ccf grows canonical correlation forests (Rainforth and Wood, "Canonical
// Correlation Forests", arXiv 1507.05444, 2015), whose nodes are split on the linear
// combinations of a few features that correlate best with the classes.
package ccf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

const defaultTrees = 500

// maxNodeFeatures is the most features of an analysis, which takes 16 bytes for every pair of them.
const maxNodeFeatures = 1 << 14

// A Learner grows a canonical correlation forest (Algorithms 1 and 2 of the paper). At each
// node λ features are drawn that vary there. A canonical correlation analysis of these and
// the classes, coded 1-of-K, yields at most min(λ, K − 1) linear combinations, and the node is
// split where this decreases the entropy of the classes most.
//
// Bootstrap samples are drawn at nodes instead of trees, which the paper calls the projection
// bootstrap: the combinations are computed from a sample of the node's rows, and the best
// of them and its threshold are searched with all of the node's rows. If λ is the number of
// features, the trees are bagged instead, to avoid overfitting, and every combination is computed from
// all rows of its node.
//
// The zero value is the paper's default. If no combination splits a node, features and rows are drawn up to three more
// times, and then every single feature is tried: a leaf is mixed only if its rows have equal features or a limit says
// so. The paper makes a leaf where no split decreases the entropy.
//
// Features may have any units. Categories are to be encoded first ([datasets.OneHot]). The
// paper draws all columns of a category at once; here each column is a feature of its own. The
// paper's replacement of missing cells by means is [datasets.Impute].
//
// Forests are the same bytes on every processor.
type Learner struct {
	Trees        int // 0 means 500
	NodeFeatures int // λ, features drawn at a node; 0 means ⌈log2(p) + 1⌉, at most p, but 2 if p is 3; at most 16,384

	MaxDepth int // most splits on a path from root to leaf; 0 means no limit
	MinSplit int // fewest rows of a node that is split, counted as often as drawn; 0 means 2
	MinLeaf  int // fewest rows on either side of a split, counted as often as drawn; 0 means 1

	Sampling forest.Sampling // of each tree's rows; zero means all rows, or the bootstrap if λ is the number of features
	Seed     uint64
}

// Fit grows the forest; see [forest.Learner]. It returns an error for data with values.
// Each core needs 4 bytes for every row of a tree times λ features.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	p := train.P()
	if l.NodeFeatures < 0 || l.NodeFeatures > p {
		return nil, fmt.Errorf("ccf: NodeFeatures %d; want 0 to %d, the number of features", l.NodeFeatures, p)
	}
	if l.NodeFeatures > maxNodeFeatures {
		return nil, fmt.Errorf("ccf: NodeFeatures %d; want at most %d, since a node needs matrices of its square",
			l.NodeFeatures, maxNodeFeatures)
	}
	if train.Labels == nil && train.Values != nil {
		return nil, errors.New("ccf: the data have values; want labels: this is a method for classification")
	}
	if l.Trees == 0 {
		l.Trees = defaultTrees
	}
	if l.NodeFeatures == 0 {
		l.NodeFeatures = defaultFeatures(p)
	}
	if l.Sampling == (forest.Sampling{}) && l.NodeFeatures < p {
		l.Sampling = forest.AllRows
	}
	e, err := grow.New(train, grow.Params{
		Method:   "ccf",
		Trees:    l.Trees,
		Growth:   forest.Growth{Criterion: forest.Entropy, MaxDepth: l.MaxDepth, MinSplit: l.MinSplit, MinLeaf: l.MinLeaf},
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Options:  o,
	})
	if err != nil {
		return nil, err
	}
	units := deviations(train)
	spec := &grow.Spec{Source: func() grow.Source { return newSource(l.NodeFeatures, len(train.Classes), units) }}
	return e.GrowForest(ctx, func(int) *grow.Spec { return spec })
}

// defaultFeatures returns the paper's λ for p features (section 3).
func defaultFeatures(p int) int {
	if p == 3 {
		return 2 // so that features are drawn at all
	}
	return min(p, int(math.Ceil(portable.Log2(float64(max(1, p)))+1)))
}

// deviations returns the weighted standard deviation of each feature, and 1 for a feature without any.
// Algorithm 1 scales features by them, which decides what is negligible in the analysis.
func deviations(d *datasets.Dataset) []float64 {
	units := make([]float64, d.P())
	parallel.For(len(units), func(j int) {
		column := d.Column(nil, j)
		var total, sum, squares float64
		for i, v := range column {
			w := grow.Weight(d, int32(i))
			total += w
			sum += float64(w * float64(v))
		}
		mean := sum / total
		for i, v := range column {
			e := float64(v) - mean
			squares += float64(grow.Weight(d, int32(i)) * float64(e*e))
		}
		units[j] = math.Sqrt(squares / total)
		if units[j] == 0 {
			units[j] = 1
		}
	})
	return units
}

// Grid returns the settings that the SPORF paper tunes over (Tomita et al. 2020, section 3.2): λ in {p^¼, p^½, p^¾, p},
// rounded, at most 16,384. Since most of them have no out-of-bag rows, eval.Tune needs folds; that paper takes five.
// See [forest.Tunable].
func (l Learner) Grid(train *datasets.Dataset) []forest.Learner {
	var grid []forest.Learner
	for _, m := range grow.Powers(train.P(), 0.25, 0.5, 0.75, 1) {
		l.NodeFeatures = min(m, maxNodeFeatures)
		grid = append(grid, l)
	}
	return slices.Compact(grid)
}
