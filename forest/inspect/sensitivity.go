package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/members"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// RowScores hold how much each training row influences the shape of a forest's
// regions. Scores are high where many splits were needed, near class boundaries.
type RowScores struct {
	Scores []float64 // ŝ by row (eq. 32), above 0 unless no tree has a split
	P      []float64 // the scores as probabilities (eq. 33); they sum to 1

	train *datasets.Dataset
}

// Sensitivity returns the sensitivity of the training rows of f, a forest of any
// method that predicts classes (Gupta et al., Guided Random Forest, section 8).
//
// In each tree a row's importance θ is ν/i (eq. 30): ν is the number of splits on the
// path to its leaf, which is the number of hyperplanes that made the region (none
// occurs twice on a path, since it would divide nothing), and i is the row's rank among the
// rows of the leaf. The paper leaves the ranks open; here rows rank by one random order, drawn
// from the forest's seed and kept over all trees: a row that comes early in it is the one
// that stands for its region in most trees. With Θ the sum of θ over the row's class, s =
// ln(1 + θ/Θ) (eq. 31), and ŝ is the mean of s over trees. All rows count alike,
// whatever their weights, also those that are out of bag for a tree.
//
// train must be the data that f was trained on. Sensitivity returns an error if train
// has another number of rows, no labels or other classes, if f predicts values, and
// where [forest.Forest.Check] does. It returns ctx's error soon after ctx is
// cancelled.
func Sensitivity(ctx context.Context, f *forest.Forest, train *datasets.Dataset) (*RowScores, error) {
	return SensitivityBy(ctx, f, train, nil)
}

// SensitivityBy does what [Sensitivity] does, but apply finds the leaves of rows, such as a gpu.Device's method Apply.
// It returns what [forest.Forest.Apply] does for a forest that has some of f's trees, and no rule. SensitivityBy
// returns an error where apply does.
func SensitivityBy(ctx context.Context, f *forest.Forest, train *datasets.Dataset,
	apply func(f *forest.Forest, d *datasets.Dataset) ([][]int32, error)) (*RowScores, error) {
	if f.Regression() {
		return nil, errors.New("inspect: sensitivity is defined for classes; this forest predicts values")
	}
	bare, x, err := f.TransformedTraining(ctx, train)
	if err != nil {
		return nil, err
	}
	sums, err := sensitivities(ctx, bare, x, apply)
	if err != nil {
		return nil, err
	}
	n := train.N()
	s := &RowScores{Scores: make([]float64, n), P: make([]float64, n), train: train}
	for _, part := range sums {
		for i, v := range part {
			s.Scores[i] += v / float64(len(f.Trees))
		}
	}
	var sum float64
	for _, v := range s.Scores {
		sum += v
	}
	for i, v := range s.Scores {
		s.P[i] = v / sum
		if sum == 0 { // no tree has a split
			s.P[i] = 1 / float64(n)
		}
	}
	return s, nil
}

// partialSums is the number of partial sums over trees, which are computed in parallel.
// It is fixed, so that the result doesn't depend on the number of cores.
const partialSums = 16

// The leaves of all rows, 4 bytes each, are kept for some trees at a time: for as many
// as fit in the cache; or for one of each partial sum, as far as 64 MiB hold them; or for
// one of each worker, whichever is the most. A device, which may take long to begin, is
// asked for all rows, and for as many trees as 64 MiB hold.
const (
	leavesInCache  = 1 << 16
	leavesInMemory = 1 << 24
	rowsAtOnce     = 1 << 16 // rows sent down these trees together
)

// sensitivities returns partial sums of eq. 31 over trees, each by row. Tree t belongs
// to sum t modulo partialSums.
func sensitivities(ctx context.Context, f *forest.Forest, train *datasets.Dataset,
	apply func(f *forest.Forest, d *datasets.Dataset) ([][]int32, error)) ([][]float64, error) {
	n := train.N()
	sums := make([][]float64, partialSums)
	for k := range sums {
		sums[k] = make([]float64, n)
	}
	workers := min(runtime.GOMAXPROCS(0), partialSums, len(f.Trees))
	step := max(leavesInCache/n, min(partialSums, leavesInMemory/n), workers)
	rows := rowsAtOnce
	if apply != nil {
		step, rows = max(leavesInMemory/n, workers), n
	} else {
		apply = func(f *forest.Forest, d *datasets.Dataset) ([][]int32, error) { return f.Apply(ctx, d) }
	}
	order := rankOrder(f.Seed, n)
	var leaves [][]int32
	for lo := 0; lo < len(f.Trees); lo += step {
		hi := min(lo+step, len(f.Trees))
		var err error
		if leaves, err = members.ByTree(leaves, hi-lo, train, rows, func(d *datasets.Dataset) ([][]int32, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return apply(&forest.Forest{Features: f.Features, Classes: f.Classes, Trees: f.Trees[lo:hi]}, d)
		}); err != nil {
			return nil, err
		}
		err = parallel.Workers(ctx, partialSums, workers, func(numbers iter.Seq[int]) {
			r := newRanker(f, train, order)
			for k := range numbers {
				for t := lo + (k+partialSums-lo%partialSums)%partialSums; t < hi; t += partialSums {
					r.add(t, leaves[t-lo], sums[k])
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// A ranker computes the sensitivities of one tree after another.
type ranker struct {
	forest *forest.Forest
	labels []int32
	order  []int32 // the rows, by which they rank
	nodes  []nodeRanks
	theta  []float64 // by row
	sums   []float64 // Θ by class
}

// nodeRanks is what a ranker needs of a node.
type nodeRanks struct {
	splits int32 // on the path to it
	ranked int32 // rows of the node that have a rank so far
}

func newRanker(f *forest.Forest, train *datasets.Dataset, order []int32) *ranker {
	return &ranker{
		forest: f,
		labels: train.Labels,
		order:  order,
		theta:  make([]float64, train.N()),
		sums:   make([]float64, len(f.Classes)),
	}
}

// add adds s_i (eq. 31) of tree t to sums, by row; leaves has the leaf of each row.
func (r *ranker) add(t int, leaves []int32, sums []float64) {
	nodes := r.forest.Trees[t].Nodes
	r.nodes = append(r.nodes[:0], make([]nodeRanks, len(nodes))...)
	for i, n := range nodes {
		if !n.IsLeaf() {
			r.nodes[i+1].splits, r.nodes[n.Next].splits = r.nodes[i].splits+1, r.nodes[i].splits+1
		}
	}
	clear(r.sums)
	for _, i := range r.order {
		leaf := &r.nodes[leaves[i]]
		leaf.ranked++
		r.theta[i] = float64(leaf.splits) / float64(leaf.ranked)
		r.sums[r.labels[i]] += r.theta[i]
	}
	for i, theta := range r.theta {
		if theta > 0 {
			sums[i] += math.Log1p(theta / r.sums[r.labels[i]])
		}
	}
}

// rankOrder returns n rows in a random order, which depends on the seed.
func rankOrder(seed uint64, n int) []int32 {
	rng := forest.NewRand(seed, 0, 2)
	return samples.Shuffled(n, rng.Intn)
}

// A Selection is a rule by which [RowScores.Approximate] selects rows.
type Selection uint8

const (
	ByRank        Selection = iota // S: the most sensitive rows
	ByProbability                  // P: drawn without replacement, each draw with the probabilities P (eq. 33)
	Uniformly                      // U: drawn uniformly without replacement, for comparison
)

// Approximate returns a subset of the training rows that represents all of them: the
// given fraction, at least one row, as a view with the rows in their order. Of equally
// sensitive rows ByRank takes the first; it ignores seed. Approximate returns an error
// unless 0 < fraction ≤ 1.
func (s *RowScores) Approximate(fraction float64, by Selection, seed uint64) (*datasets.Dataset, error) {
	if !(fraction > 0 && fraction <= 1) {
		return nil, fmt.Errorf("inspect: a fraction of %v of the rows; want more than 0, at most 1", fraction)
	}
	if s.train == nil {
		panic("inspect: Approximate of scores that Sensitivity didn't return")
	}
	n := len(s.Scores)
	keys := s.Scores
	if by != ByRank {
		// The rows with the m largest ln(u)/p are m draws without replacement
		// (Efraimidis and Spirakis, Information Processing Letters 97, 2006).
		rng := forest.NewRand(seed)
		keys = make([]float64, n)
		for i := range keys {
			keys[i] = math.Log(1 - rng.Float64())
			if by == ByProbability {
				keys[i] /= s.P[i]
			}
		}
	}
	order := samples.UpTo(n)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(keys[b], keys[a]) })
	rows := order[:max(1, int(math.Round(fraction*float64(n))))]
	slices.Sort(rows)
	return s.train.Subset(rows), nil
}
