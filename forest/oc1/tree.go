package oc1

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// A Tree grows a single OC1 tree, as a forest of one, and prunes it by cost complexity (section 3.3.2 of the paper,
// after Breiman, Friedman, Olshen and Stone 1984). For that a tenth of the rows is held out, and the tree is grown on
// the others. Then one subtree after another becomes a leaf, each time the one for which that adds the fewest errors on
// the growing rows for each leaf saved. Of these trees, the one with the least error on the rows held out is returned,
// and of several the smallest. The zero value has the paper's defaults.
//
// The rows held out are those that are out of bag, but as they have chosen the tree,
// [forest.Forest.OutOfBag] is too optimistic.
type Tree struct {
	Search  Search
	HeldOut float64 // part of the rows held out for pruning, below 1; 0 means 0.1, −1 means no pruning

	MaxDepth int // most splits on a path from root to leaf; 0 means no limit
	MinSplit int // fewest rows of a node that is split; 0 means 2
	Seed     uint64
}

// Fit grows the tree; see [forest.Learner]. It returns an error for data with values. A core
// needs 12 bytes for every cell of the data, and some 80 bytes for every row.
func (l Tree) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

// Grow grows the forest with options; see [forest.Grower].
func (l Tree) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	sampling := forest.AllRows
	switch {
	case l.HeldOut == 0:
		sampling.Fraction = 0.9
	case l.HeldOut > 0 && l.HeldOut < 1:
		sampling.Fraction = 1 - l.HeldOut
	case l.HeldOut != none:
		return nil, fmt.Errorf("oc1: HeldOut %v; want a number from 0 to 1, but not 1, or −1", l.HeldOut)
	}
	f, err := fit(ctx, train, l.Search, train.P(), grow.Params{
		Trees:    1,
		Growth:   forest.Growth{MaxDepth: l.MaxDepth, MinSplit: l.MinSplit},
		Sampling: sampling,
		Seed:     l.Seed,
		Options:  o,
	})
	if err != nil || sampling == forest.AllRows {
		return f, err
	}
	var out []int32
	for i, drawn := range f.SampleCounts(nil, train, 0) {
		if drawn == 0 {
			out = append(out, int32(i))
		}
	}
	if f.Trees[0], err = prune(ctx, &f.Trees[0], train, out); err != nil {
		return nil, err
	}
	return f, nil
}
