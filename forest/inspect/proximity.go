package inspect

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/members"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A Neighbour is a training row that some row shares leaves with.
type Neighbour struct {
	Row       int32
	Proximity float32 // above 0, at most 1
}

var errSums = errors.New("inspect: the trees of this forest are summed, so each says little of a row by itself; " +
	"want trees that vote or are averaged")

var errNoneOut = errors.New("inspect: no row is out of bag for a tree")

// Nearest returns for each row of d the k training rows of greatest proximity, the greatest first and of equal ones the
// first row, or fewer if fewer share leaves with it.
//
// The proximity is that of Rhodes, Cutler and Moon (Geometry- and accuracy-preserving random forest proximities, IEEE
// Transactions on Pattern Analysis and Machine Intelligence 45, 2023): the training row's share in what the row's leaf
// predicts, by [forest.Forest.LeafCounts] and weight, averaged over trees. So the proximities of a row sum to 1 (less
// where leaves hold no training row), and weighted by them, training values have the mean that the forest predicts.
// Breiman's proximity, how often two rows meet, counts trees that were grown on both, too: they tell classes apart.
//
// train must be the data that f was trained on. Nearest returns an error if the trees are summed (rule [forest.Sum]),
// where [forest.Forest.CheckTraining] and [forest.Forest.Check] do, and ctx's error soon after ctx is cancelled. For
// few rows of d, training rows go down the paths to their leaves alone.
func Nearest(ctx context.Context, f *forest.Forest, train, d *datasets.Dataset, k int) ([][]Neighbour, error) {
	return nearest(ctx, f, train, d, nil, make([][]Neighbour, d.N()), k)
}

// NearestOutOfBag does what [Nearest] does for the given training rows: each by the trees that were grown without it,
// and so without all rows of its group. A row that is in every tree's sample has no neighbours. NearestOutOfBag also
// returns an error if no row is out of bag.
func NearestOutOfBag(ctx context.Context, f *forest.Forest, train *datasets.Dataset, rows []int32, k int) (
	[][]Neighbour, error) {
	return nearest(ctx, f, train, nil, rows, make([][]Neighbour, len(rows)), k)
}

// nearest returns near, set to the k nearest neighbours of the rows that [proximities] is asked about.
func nearest(ctx context.Context, f *forest.Forest, train, d *datasets.Dataset, rows []int32, near [][]Neighbour,
	k int) ([][]Neighbour, error) {
	err := proximities(ctx, f, train, d, rows, func(i int, all []Neighbour) {
		slices.SortFunc(all, func(a, b Neighbour) int {
			return cmp.Or(cmp.Compare(b.Proximity, a.Proximity), cmp.Compare(a.Row, b.Row))
		})
		near[i] = slices.Clone(all[:min(k, len(all))])
	})
	if err != nil {
		return nil, err
	}
	return near, nil
}

// proximities calls visit, in parallel, with the neighbours of each row of d or, if d is nil, of the given training
// rows, out of bag. They are in no order.
func proximities(ctx context.Context, f *forest.Forest, train, d *datasets.Dataset, rows []int32,
	visit func(i int, all []Neighbour)) error {
	if f.Rule == forest.Sum {
		return errSums
	}
	bare, x, err := f.TransformedTraining(ctx, train)
	if err != nil {
		return err
	}
	asked := d
	if d == nil {
		asked = x.Subset(rows)
	} else if _, asked, err = f.Transformed(ctx, d); err != nil {
		return err
	}
	reached, err := bare.Apply(ctx, asked)
	if err != nil {
		return err
	}
	if d == nil {
		parallel.For(len(f.Trees), func(t int) {
			counts := f.SampleCounts(nil, x, t)
			for i, leaves := range reached {
				if counts[rows[i]] > 0 {
					leaves[t] = members.None
				}
			}
		})
		isOut := func(leaves []int32) bool { return slices.Max(leaves) != members.None }
		if len(reached) > 0 && !slices.ContainsFunc(reached, isOut) {
			return errNoneOut
		}
	}
	found, err := members.Find(ctx, bare, x, grow.UpTo(x.N()), reached)
	if err != nil {
		return err
	}
	return parallel.Workers(ctx, len(reached), runtime.GOMAXPROCS(0), func(items iter.Seq[int]) {
		sums := make([]float64, x.N())
		var all []Neighbour
		for i := range items {
			trees := 0.0
			all = all[:0]
			for t, leaf := range reached[i] {
				if leaf == members.None {
					continue
				}
				trees++
				for _, m := range found[t].Of(leaf) {
					if sums[m.Row] == 0 {
						all = append(all, Neighbour{Row: m.Row})
					}
					sums[m.Row] += float64(m.Share)
				}
			}
			for k, n := range all {
				all[k].Proximity = float32(sums[n.Row] / trees)
				sums[n.Row] = 0
			}
			visit(i, all)
		}
	})
}
