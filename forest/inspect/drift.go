package inspect

import (
	"context"
	"errors"
	"iter"
	"math"
	"runtime"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

var errSums = errors.New("inspect: the trees of this forest are summed, so each says little of a row by itself; " +
	"want trees that vote or are averaged")

const (
	permutations = 999
	mostUnits    = 5000
)

// Drift asks whether the rows of d come from where the training rows of f came from. It returns the probability, if
// they do, of at least the difference that is found: the share of permutations of old and new rows that have it, of 999
// and the one that was found. Targets are ignored. Drift shows in features that the forest splits on.
//
// The difference is a sum over the splits that three rows or more come to: χ² of whether old and new rows take the two
// sides alike, times the square root of the number of rows. An old row counts in trees that were grown without it. Each
// new row has an old one as partner and counts in the same trees, so the two can be exchanged. This is not exact: other
// trees, and the forest's steps, have learned from old rows. In simulations without drift, 4 to 6 % of the
// probabilities are at most 0.05.
//
// Of more than 5000 old or new rows, and of more new rows than old ones, some are taken, evenly spaced. Rows of weight
// 0 are left out. Rows of a group are exchanged together, so both tables must have groups, or neither. Otherwise Drift
// returns an error. It also does so if the trees are summed (rule [forest.Sum]), if d has no rows, if no old row is out
// of bag, where [forest.Forest.CheckTraining] does or, for d, [forest.Forest.Check] or, but for targets,
// [datasets.Dataset.Check], and soon after ctx is cancelled.
func Drift(ctx context.Context, f *forest.Forest, train, d *datasets.Dataset) (p float64, err error) {
	switch {
	case f.Rule == forest.Sum:
		return 0, errSums
	case (train.Groups == nil) != (d.Groups == nil):
		return 0, errors.New("inspect: drift needs groups in both tables or in neither (Dataset.Groups)")
	}
	bare, x, err := f.TransformedTraining(ctx, train)
	if err != nil {
		return 0, err
	}
	_, y, err := f.Transformed(ctx, d)
	if err != nil {
		return 0, err
	}
	untargeted := *y
	if untargeted.Labels, untargeted.Values = nil, nil; y.N() > 0 {
		err = untargeted.Check()
	}
	if err != nil {
		return 0, err
	}
	y = &untargeted
	old := units(x, mostUnits)
	fresh := units(y, min(mostUnits, len(old)))
	if len(fresh) == 0 {
		return 0, errors.New("inspect: drift of no rows")
	}
	reached, err := bare.Apply(ctx, x.Subset(slices.Concat(old...)))
	if err != nil {
		return 0, err
	}
	to, err := bare.Apply(ctx, y.Subset(slices.Concat(fresh...)))
	if err != nil {
		return 0, err
	}
	reached = append(reached, to...)
	all := slices.Concat(old, fresh)
	trees := make([]passage, len(f.Trees))
	parallel.For(len(trees), func(t int) {
		counts := f.SampleCounts(nil, x, t)
		var leaves, unit []int32
		row := 0
		for u, rows := range all {
			for range rows {
				if counts[old[u%len(old)][0]] == 0 {
					leaves, unit = append(leaves, reached[row][t]), append(unit, int32(u))
				}
				row++
			}
		}
		trees[t] = newPassage(f.Trees[t].Nodes, leaves, unit)
	})
	if !slices.ContainsFunc(trees, func(p passage) bool { return len(p.unit) > 0 }) {
		return 0, errors.New("inspect: no row is out of bag for a tree")
	}
	differences := make([]float64, 1+permutations) // first what is found
	err = parallel.Workers(ctx, len(differences), runtime.GOMAXPROCS(0), func(items iter.Seq[int]) {
		isNew, chosen, sums := make([]int32, len(all)), make([]int32, len(fresh)), make([]int32, len(reached)+1)
		for i := range items {
			rng := forest.NewRand(f.Seed, uint64(i), 3)
			rng.Choose(chosen, len(all))
			if i == 0 {
				for k := range chosen {
					chosen[k] = int32(len(old) + k)
				}
			}
			clear(isNew)
			for _, u := range chosen {
				isNew[u] = 1
			}
			for _, t := range trees {
				differences[i] += t.difference(isNew, sums)
			}
		}
	})
	if err != nil {
		return 0, err
	}
	reach := 0.0
	for _, v := range differences {
		if v >= differences[0] {
			reach++
		}
	}
	return reach / (1 + permutations), nil
}

// units returns at most so many rows of d, or groups of them, evenly spaced.
func units(d *datasets.Dataset, most int) [][]int32 {
	var all [][]int32
	place := map[int32]int{}
	rows := samples.UpTo(d.N())
	for i := range rows {
		if d.Weights != nil && d.Weights[i] == 0 {
			continue
		}
		if d.Groups != nil {
			if at, met := place[d.Groups[i]]; met {
				all[at] = append(all[at], rows[i])
				continue
			}
			place[d.Groups[i]] = len(all)
		}
		all = append(all, rows[i:i+1:i+1])
	}
	n := len(all)
	for k := range min(n, most) {
		all[k] = all[k*max(n, most)/most]
	}
	return all[:min(n, most)]
}

// A passage is how rows went through a tree.
type passage struct {
	unit   []int32 // of each row, in the order of the rows' leaves
	splits []divided
}

// divided says which rows a split divides: in the order of a passage, the first ones go left.
type divided struct {
	lo, mid, hi   int32
	share, weight float64 // that go left; of the squared difference
}

// newPassage returns the passage of rows to their leaves. unit has the rows' units.
func newPassage(nodes []forest.Node, leaves, unit []int32) passage {
	size, begin := make([]int32, len(nodes)), make([]int32, len(nodes))
	for _, leaf := range leaves {
		size[leaf]++
	}
	for i, n := range slices.Backward(nodes) {
		if !n.IsLeaf() {
			size[i] = size[i+1] + size[n.Next]
		}
	}
	p := passage{unit: make([]int32, len(unit))}
	for i, n := range nodes {
		if n.IsLeaf() {
			continue
		}
		lo, mid, hi := begin[i], begin[i]+size[i+1], begin[i]+size[i]
		begin[i+1], begin[n.Next] = lo, mid
		if lo < mid && mid < hi && hi-lo > 2 {
			rows, share := float64(hi-lo), float64(mid-lo)/float64(hi-lo)
			p.splits = append(p.splits, divided{lo, mid, hi, share, math.Sqrt(rows) * rows / (share * (1 - share))})
		}
	}
	for row, leaf := range leaves {
		p.unit[begin[leaf]] = unit[row]
		begin[leaf]++
	}
	return p
}

// difference returns the sum over splits of χ² times the square root of the number of rows. isNew is 1 for new units,
// and 0 for others. The memory of sums is used.
func (p *passage) difference(isNew, sums []int32) (total float64) {
	for i, u := range p.unit {
		sums[i+1] = sums[i] + isNew[u]
	}
	for i := range p.splits {
		s := &p.splits[i]
		fresh := float64(sums[s.hi] - sums[s.lo])
		if old := float64(s.hi-s.lo) - fresh; fresh > 0 && old > 0 {
			d := float64(sums[s.mid]-sums[s.lo]) - float64(fresh*s.share)
			total += float64(s.weight * d * d / (fresh * old))
		}
	}
	return total
}
