// Package mix grows forests whose nodes draw their candidates from several sources: single
// features, sums and differences of a few features, and directions fitted to the node's rows. How
// much of a node's time each source gets is learned from the forest's first trees.
package mix

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

const (
	method       = "mix"
	defaultTrees = 500
)

// A Source is where candidates come from.
type Source uint8

const (
	Single  Source = iota // one feature, as in a random forest
	Signs                 // a sum or difference of two features or more, three on average, as in SPORF
	Few                   // a direction fitted to the node's rows, of at most four features
	Many                  // the same, of at most 32 features
	Sources               // the number of sources
)

// String returns the source's name in words.
func (s Source) String() string {
	if s >= Sources {
		return fmt.Sprintf("source %d", uint8(s))
	}
	return [...]string{"single features", "sums and differences", "fitted sums of few features",
		"fitted sums of many features"}[s]
}

// A Learner grows a forest of classes or values on bootstrap samples. Each node has the time in
// which SPORF searches its p candidates, and the sources share it.
//
// The first [Pilots] trees take turns: in each, one source has most of the time. In all other trees a source has a
// larger share of the time, the better its own trees predict their out-of-bag rows. [Shares] returns these shares.
//
// For a part of the forest that has later trees (see [forest.FitPart]) the first ones are grown, too.
//
// Features of very different scale should be standardised (see [datasets.Standardise]), since
// sums of them are otherwise those of the largest. Fits don't depend on the scale of features.
type Learner struct {
	Trees   int  // 0 means 500
	MinLeaf int  // fewest rows on either side of a split, counted as often as drawn; 0 means 1
	Honest  bool // half of a tree's sample chooses the splits, the other half fills the leaves (Wager and Athey 2018)
	Seed    uint64

	// BootstrapFits draws nine tenths of the rows for each tree, without replacement, and a bootstrap sample of each
	// node's rows for its fits, which may have a feature for every two rows. Nodes have half
	// the time. So trees have less bias and still differ, which suits classes that hardly
	// overlap. Canonical correlation forests draw samples at nodes, too (see package ccf).
	// Otherwise a bootstrap sample of the rows is drawn for each tree.
	BootstrapFits bool
}

// Fit grows the forest; see [forest.Learner].
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Learner) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	if l.Trees == 0 {
		l.Trees = defaultTrees
	}
	var sampling forest.Sampling
	if l.BootstrapFits {
		sampling = forest.Sampling{Fraction: 0.9, WithoutReplacement: true}
	}
	e, err := grow.New(train, grow.Params{
		Method:   method,
		Trees:    l.Trees,
		Sampling: sampling,
		Growth:   forest.Growth{MinLeaf: l.MinLeaf},
		Honest:   l.Honest,
		Seed:     l.Seed,
		Averaged: true,
		Raw:      true,
		Options:  o,
	})
	if err != nil {
		return nil, err
	}
	f := e.Forest()
	first, last, err := o.Begin(f)
	if err != nil || first == last {
		return f, err
	}
	trees := f.Trees[:last]
	spec := func(shares [Sources]float64) *grow.Spec {
		return &grow.Spec{Source: func() grow.Source { return newBlend(train.P(), len(f.Classes), shares, l.BootstrapFits) }}
	}
	if err := growPilots(ctx, e, trees, f.P(), first, spec); err != nil {
		return nil, err
	}
	if last > Pilots {
		shares, err := learnedShares(ctx, f, train)
		if err != nil {
			return nil, err
		}
		rest := spec(shares)
		if err := e.Grow(ctx, trees, max(first, Pilots), func(int) *grow.Spec { return rest }); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// growPilots grows those pilot trees that aren't grown yet. The first trees are grown or in another part of the
// forest. p is the number of features.
func growPilots(ctx context.Context, e *grow.Engine, trees []forest.Tree, p, first int,
	spec func([Sources]float64) *grow.Spec) error {
	pilots := trees[:min(Pilots, len(trees))]
	grown := min(first, len(pilots))
	if len(trees[0].Nodes) == 0 { // a part
		grown = 0
	}
	var leads []*grow.Spec
	open := open(p)
	for _, s := range open {
		leads = append(leads, spec(leadShares(s, open)))
	}
	report := forest.Progress(ctx)
	ctx = forest.WithProgress(ctx, func(done, _ int) {
		if done > first {
			report(done, len(trees))
		}
	})
	return e.Grow(ctx, pilots, grown, func(t int) *grow.Spec { return leads[t%len(leads)] })
}
