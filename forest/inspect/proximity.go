package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
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
	found, err := members.Find(ctx, bare, x, numbers(x.N()), reached)
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

// numbers returns 0, 1, … n−1.
func numbers(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Outliers returns an outlier score of each training row (Breiman and Cutler, Random Forests, section Outliers; they
// look at rows above 10): 1/Σp², where p are the row's proximities to others of its class, as of [NearestOutOfBag],
// less the median over the class, divided by the median absolute deviation from it. In a forest of values all rows are
// of one class. A score is +Inf if no row of its class is near, and NaN where median and deviation leave it undefined.
//
// Outliers takes 12 bytes or so for each row and tree. It returns an error where NearestOutOfBag does.
func Outliers(ctx context.Context, f *forest.Forest, train *datasets.Dataset) ([]float64, error) {
	score := make([]float64, train.N())
	class := make([]int32, train.N())
	if !f.Regression() {
		class = train.Labels
	}
	err := proximities(ctx, f, train, nil, numbers(train.N()), func(i int, all []Neighbour) {
		var sum float64
		for _, n := range all {
			if class[n.Row] == class[i] {
				sum += float64(float64(n.Proximity) * float64(n.Proximity))
			}
		}
		score[i] = 1 / sum
	})
	if err != nil {
		return nil, err
	}
	for c := range max(1, len(f.Classes)) {
		var raw, deviation []float64
		for i, of := range class {
			if int(of) == c {
				raw = append(raw, score[i])
			}
		}
		median := eval.Median(raw)
		for _, v := range raw {
			deviation = append(deviation, max(v-median, median-v))
		}
		scale := eval.Median(deviation)
		for i, of := range class {
			if int(of) == c {
				score[i] = (score[i] - median) / scale
			}
		}
	}
	return score, nil
}

// Prototypes returns up to count training rows that stand for a class (Breiman and Cutler, Random Forests, section
// Prototypes): the row of the class that has the most rows of it among its k nearest by [NearestOutOfBag], and of equal
// ones the greatest proximity to them; then that of which this holds among rows that are neither a prototype nor such a
// neighbour of one. It returns fewer if none is left.
//
// Prototypes takes as much memory as [Outliers], and 8·k bytes for each row of the class. It returns an error where
// NearestOutOfBag does, and if f predicts values. It panics if there is no such class.
func Prototypes(ctx context.Context, f *forest.Forest, train *datasets.Dataset, class, k, count int) ([]int32, error) {
	switch {
	case f.Regression():
		return nil, errors.New("inspect: prototypes are of classes; this forest predicts values")
	case class < 0 || class >= len(f.Classes):
		panic(fmt.Sprintf("inspect: prototypes of class %d of %d", class, len(f.Classes)))
	}
	rows := []int32{}
	left := make([]bool, train.N())
	for i, c := range train.Labels {
		if int(c) == class {
			rows, left[i] = append(rows, int32(i)), true
		}
	}
	near, err := NearestOutOfBag(ctx, f, train, rows, k)
	if err != nil {
		return nil, err
	}
	var prototypes []int32
	for range count {
		best, most, closest := -1, 0, float32(0)
		for i, row := range rows {
			met, sum := 0, float32(0)
			for _, n := range near[i] {
				if left[n.Row] {
					met++
					sum += n.Proximity
				}
			}
			if left[row] && (met > most || met == most && sum > closest) {
				best, most, closest = i, met, sum
			}
		}
		if best < 0 {
			break
		}
		prototypes = append(prototypes, rows[best])
		left[rows[best]] = false
		for _, n := range near[best] {
			left[n.Row] = false
		}
	}
	return prototypes, nil
}
