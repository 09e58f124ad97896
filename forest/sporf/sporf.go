// Package sporf grows Sparse Projection Oblique Randomer Forests (Tomita et al.,
// Journal of Machine Learning Research 21, 2020) and their predecessor, Breiman's
// F-RC.
package sporf

import (
	"context"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

const defaultTrees = 500

// A Learner grows a SPORF: at each node it draws a sparse random p×d matrix A with
// ⌈λpd⌉ nonzero entries, −1 or +1, at uniformly drawn positions, and splits on the best
// column of the projected data XA (Algorithms 1 and 2). The zero value is the
// paper's default, d = p and λ = 3/p (section 5.2).
type Learner struct {
	Trees      int           // 0 means 500
	Candidates int           // d, the projections tried at a node; 0 means p
	Density    float64       // λ in (0, 1], the share of entries that are not zero; 0 means 3/p, at most 1
	Memory     forest.Memory // of the features that earlier trees split by near their roots; zero means none
	forest.Growth

	// NoRedraw makes a leaf of a node whose rows none of its candidates divides, as the authors' program does. By
	// default candidates are drawn again, and then all features are tried, as Algorithm 1 grows trees until leaves are
	// pure. On data of few different values the forests differ much.
	NoRedraw bool

	Sampling forest.Sampling // of each tree's rows; zero means the bootstrap
	Seed     uint64
}

// Fit grows the forest; see [forest.Learner].
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	p, d := train.P(), l.Candidates
	if d == 0 {
		d = p
	}
	density := l.Density
	if density == 0 && p > 0 {
		density = min(1, 3/float64(p))
	}
	if d < 0 || !(density >= 0 && density <= 1) {
		return nil, fmt.Errorf("sporf: Candidates %d, Density %v; want Candidates 0 or more, Density in [0, 1]", d, density)
	}
	if entries := float64(p) * float64(d) * density; entries > math.MaxInt32 || d > math.MaxInt32 {
		return nil, fmt.Errorf("sporf: a matrix of %d features × %d candidates with density %v; want at most %d candidates, "+
			"and as many nonzeros",
			p, d, density, math.MaxInt32)
	}
	return fit(ctx, train, l.Memory, grow.Params{
		Method:   "sporf",
		Trees:    l.Trees,
		Growth:   l.Growth,
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Raw:      true,
		Options:  o,
		Fallback: fallback(l.NoRedraw),
	}, func(weights []float64) grow.Source { return newMatrix(p, d, nonzeros(density, p, d), weights) })
}

// nonzeros returns ⌈λpd⌉. The factor 1 − 1e−12 corrects for rounding: with λ = k/p the
// product may come out above kd.
func nonzeros(density float64, p, d int) int {
	return int(math.Ceil(density * float64(p) * float64(d) * (1 - 1e-12)))
}

// FRC grows Breiman's Forest-RC (Machine Learning 45, 2001, section 5): each node is
// split on the best of d random combinations of L features, with weights uniform in
// [−1, 1].
type FRC struct {
	Trees      int           // 0 means 500
	Candidates int           // d, the combinations tried at a node; 0 means p
	Combined   int           // L, the features of a combination; 0 means min(3, p)
	Memory     forest.Memory // of the features that earlier trees split by near their roots; zero means none
	forest.Growth
	NoRedraw bool            // see [Learner]
	Sampling forest.Sampling // of each tree's rows; zero means the bootstrap
	Seed     uint64
}

// Fit grows the forest; see [forest.Learner].
func (l FRC) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l FRC) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	p, d, combined := train.P(), l.Candidates, l.Combined
	if d == 0 {
		d = p
	}
	if combined == 0 {
		combined = min(3, p)
	}
	if d < 0 || combined < 0 || combined > p {
		return nil, fmt.Errorf("frc: Candidates %d, Combined %d; want Candidates 0 or more, Combined from 0 to %d, the "+
			"number of features", d, combined, p)
	}
	return fit(ctx, train, l.Memory, grow.Params{
		Method:   "frc",
		Trees:    l.Trees,
		Growth:   l.Growth,
		Sampling: l.Sampling,
		Seed:     l.Seed,
		Raw:      true,
		Options:  o,
		Fallback: fallback(l.NoRedraw),
	}, func(weights []float64) grow.Source { return newCombinations(p, d, combined, weights) })
}

func fallback(noRedraw bool) grow.Fallback {
	if noRedraw {
		return grow.NoRedraw
	}
	return grow.AllFeatures
}

func fit(ctx context.Context, train *datasets.Dataset, memory forest.Memory, params grow.Params,
	source func(weights []float64) grow.Source) (*forest.Forest, error) {
	if params.Trees == 0 {
		params.Trees = defaultTrees
	}
	return grow.ForestWithMemory(ctx, train, params, memory, source)
}

// Grid returns the settings that the paper tunes over (section 3.2): d in {p^¼, p^½, p^¾, p, p²}, rounded, and λ in
// {1/p, …, 5/p}, at most 1. See [forest.Tunable].
func (l Learner) Grid(train *datasets.Dataset) []forest.Learner {
	return grid(train.P(), 1, func(d, k int) forest.Learner {
		l.Candidates, l.Density = d, float64(k)/float64(train.P())
		return l
	})
}

// Grid returns the settings that the paper's authors tune over: d as in [Learner.Grid], and L in {2, …, 5}, at most p.
// (The paper's text begins at 1, and its programs at 2.) See [forest.Tunable].
func (l FRC) Grid(train *datasets.Dataset) []forest.Learner {
	return grid(train.P(), min(2, train.P()), func(d, k int) forest.Learner {
		l.Candidates, l.Combined = d, k
		return l
	})
}

func grid(p, from int, setting func(d, k int) forest.Learner) (learners []forest.Learner) {
	for _, d := range grow.Powers(p, 0.25, 0.5, 0.75, 1, 2) {
		for k := from; k <= min(5, p); k++ {
			learners = append(learners, setting(d, k))
		}
	}
	return learners
}
