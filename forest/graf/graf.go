// Package graf grows Guided Random Forests (Gupta, Jindal, Jayadeva, Sengupta and
// Chandra, "Guided Random Forest and its application to data approximation").
//
// A tree isn't grown node by node: at each step a hyperplane is drawn for the most impure
// region and extended to all other impure regions that it cuts, so few planes make many
// leaves. The result is an ordinary [forest.Tree]; nodes that are split by the same plane
// share its function.
package graf

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/groups"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// The sizes M of the feature subspace that the paper tunes over (section 7.2), as values
// of [Learner.TreeFeatures]. n is the number of features; sizes are rounded.
const (
	Log2 = -1 - iota // log2 n
	Sqrt             // √n
	Half             // n/2
	All              // n
)

const (
	defaultTrees = 100
	method       = "graf"
)

// A Learner grows a Guided Random Forest (Algorithm 1), each tree on all rows. The zero
// value is the paper's default (section 7.1): 100 trees, each on a random half of the
// features.
//
// A plane's weight for a feature is drawn between the feature's smallest and largest value
// in the region (eq. 6), so features should be standardised: see [datasets.Standardise]
// and [forest.Pipeline].
//
// The forest's rule is [forest.Consensus] (eq. 22). A leaf holds the posterior of eq. 18:
// its numbers of rows by class, multiplied by the class weights N/N_c (eq. 20).
type Learner struct {
	Trees        int // T; 0 means 100
	TreeFeatures int // M, features drawn for a tree: a number, or Log2, Sqrt, Half or All; 0 means Half
	Candidates   int // K, hyperplanes drawn at a step, of which the best is kept; 0 means M
	MinSplit     int // fewest rows of a region that is divided; 0 means 2
	Seed         uint64

	// Unshared makes a plane divide only the region that it was drawn for, as in an oblique tree that
	// draws its planes at random; the zero value extends it to all regions that it cuts. Devices don't
	// help to grow such trees.
	Unshared bool

	// Memory makes later trees draw features that earlier ones didn't, as in HRF; the zero
	// value draws each tree's features uniformly. All planes of a tree have all of its
	// features, so those have depth 0. With a memory trees grow one after another, each on
	// one core.
	Memory forest.Memory
}

// Fit grows the forest; see [forest.Learner]. It returns an error for data with values or
// with row weights.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	g, err := l.prepare(train)
	if err != nil {
		return nil, fmt.Errorf("graf: %w", err)
	}
	return g.forest(ctx, o)
}

// forest grows the forest.
func (g *grower) forest(ctx context.Context, o forest.Options) (*forest.Forest, error) {
	f := &forest.Forest{
		Method:   method,
		Target:   g.train.Target,
		Features: g.train.FeatureNames(),
		Scales:   datasets.ScalesOf(g.train.Features),
		Classes:  append([]string(nil), g.train.Classes...),
		Rule:     forest.Consensus,
		Trees:    make([]forest.Tree, g.Trees),
		Rows:     g.n,
		Sampling: forest.AllRows,
		Seed:     g.Seed,
	}
	_, f.Groups = groups.Number(g.train.Groups, 0)
	if g.memory != nil {
		if o.First != 0 || o.Last != 0 {
			return nil, fmt.Errorf("graf: a tree depends on those before it, so %w", forest.ErrWhole)
		}
		o.Grown = nil
	}
	first, last, err := o.Begin(f)
	if err != nil {
		return nil, err
	}
	if g.isLarge(g.n) && !g.Unshared {
		g.device = o.Device
	}
	if g.device != nil && g.cells != nil {
		if g.loaded, err = g.load(g.cells); err != nil {
			return nil, err
		}
		defer g.loaded.Close()
	}
	growing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := min(runtime.GOMAXPROCS(0), last-first)
	if g.memory != nil {
		workers = 1
	}
	err = grow.Each(growing, first, last, workers, func(numbers iter.Seq[int]) {
		w := newWorker(g)
		for t := range numbers {
			if err := w.grow(growing, t, &f.Trees[t]); err != nil {
				stop(err)
				break
			}
			if g.memory != nil {
				g.memory.Remember(&f.Trees[t])
			}
		}
	})
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, context.Cause(growing)
	}
	return f, nil
}

// prepare checks parameters and data and fills in the defaults.
func (l Learner) prepare(train *datasets.Dataset) (*grower, error) {
	switch {
	case train.N() == 0:
		return nil, train.Check()
	case train.Labels == nil && train.Values != nil:
		return nil, errors.New("the data have values; want labels: this is a method for classification")
	case train.Weights != nil:
		return nil, errors.New("the data have row weights; the method counts rows")
	}
	if err := grow.Check(train); err != nil {
		return nil, err
	}
	n := train.P()
	l.TreeFeatures = l.features(n)
	if l.Trees == 0 {
		l.Trees = defaultTrees
	}
	if l.Candidates == 0 {
		l.Candidates = l.TreeFeatures
	}
	if l.Trees < 0 || l.TreeFeatures < 0 || l.TreeFeatures > n || l.Candidates < 0 || l.MinSplit < 0 {
		return nil, fmt.Errorf("Trees %d, TreeFeatures %d, Candidates %d, MinSplit %d; want 0 or more, and TreeFeatures "+
			"at most %d, the number of features",
			l.Trees, l.TreeFeatures, l.Candidates, l.MinSplit, n)
	}
	if err := grow.CheckTrees(l.Trees); err != nil {
		return nil, err
	}
	memory, err := grow.NewFeatureMemory(l.Memory, train.P())
	if err != nil {
		return nil, err
	}
	l.MinSplit = max(2, l.MinSplit)
	g := newGrower(l, train)
	g.memory = memory
	return g, nil
}

// features returns M for n features.
func (l Learner) features(n int) int {
	m := float64(n)
	switch l.TreeFeatures {
	case 0, Half:
		m /= 2
	case Log2:
		m = portable.Log2(m)
	case Sqrt:
		m = math.Sqrt(m)
	case All:
	default:
		return l.TreeFeatures
	}
	return max(1, int(math.Round(m)))
}

// Grid returns the settings that the paper tunes over (section 7.2): M in {log2 n, √n, n/2, n} for n features, rounded,
// and MinSplit in {2, 5}, with K = M. The paper tunes the number of trees as well, in {100, 200, 500, 1000, 2000}. See
// [forest.Tunable].
func (l Learner) Grid(train *datasets.Dataset) []forest.Learner {
	var grid []forest.Learner
	l.Candidates = 0
	for _, l.TreeFeatures = range []int{Log2, Sqrt, Half, All} {
		l.TreeFeatures = l.features(train.P())
		for _, l.MinSplit = range []int{2, 5} {
			if !slices.Contains(grid, forest.Learner(l)) {
				grid = append(grid, l)
			}
		}
	}
	return grid
}
