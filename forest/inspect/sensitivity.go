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
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// RowScores say how much each training row matters for the shape of the regions
// that a forest found. They are high where many splits were needed, near the
// boundaries of classes.
type RowScores struct {
	Scores []float64 // ŝ by row (eq. 32), above 0 unless no tree has a split
	P      []float64 // the scores as probabilities (eq. 33); they sum to 1

	train *datasets.Dataset
}

// Sensitivity returns the sensitivity of the training rows of f, a forest of any
// method that predicts classes (Gupta et al., Guided Random Forest, section 8).
//
// In each tree a row's importance θ is ν/i (eq. 30): ν is the number of splits on
// the path to its leaf, the hyperplanes it took to make that region (no split
// stands twice on a path, as it would divide nothing), and i the row's rank among
// the rows of the leaf. The ranks are arbitrary; here they are drawn at random for
// each tree, from the forest's seed. The importances are divided by their sum over
// the row's class and become s = ln(1 + θ/Θ) (eq. 31), and ŝ is the mean of s over
// trees. All rows count, also those that a tree didn't see.
//
// train must be the data that f was trained on. Sensitivity returns an error if
// they have another number of rows, no labels or other classes, if f predicts
// values, and where [forest.Forest.Check] does, and ctx's error soon after ctx is
// cancelled.
func Sensitivity(ctx context.Context, f *forest.Forest, train *datasets.Dataset) (*RowScores, error) {
	if f.Regression() {
		return nil, errors.New("inspect: sensitivity is defined for classes; this forest predicts values")
	}
	if err := f.CheckTraining(train); err != nil {
		return nil, err
	}
	x := train
	if f.Steps != nil {
		var err error
		if x, err = datasets.ApplyTraining(f.Steps, train); err != nil {
			return nil, err
		}
	}
	sums, err := sensitivities(ctx, f, x)
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

// parts is how many sums over trees are made side by side: a fixed number, so
// that they don't depend on how many cores there are.
const parts = 16

// The leaves of all rows, 4 bytes each, are held for some trees at a time: for as
// many as fit in the cache, but for one of each part unless that takes more than 64
// MiB, and in any case for one of each worker.
const (
	leavesInCache  = 1 << 16
	leavesInMemory = 1 << 24
	rowsAtOnce     = 1 << 16 // that go down these trees together
)

// sensitivities returns, for each of a fixed division of the trees into parts, the
// sum of eq. 31 over its trees by row.
func sensitivities(ctx context.Context, f *forest.Forest, train *datasets.Dataset) ([][]float64, error) {
	n := train.N()
	sums := make([][]float64, parts)
	for k := range sums {
		sums[k] = make([]float64, n)
	}
	workers := min(runtime.GOMAXPROCS(0), parts, len(f.Trees))
	step := max(leavesInCache/n, min(parts, leavesInMemory/n), workers)
	var leaves [][]int32
	for lo := 0; lo < len(f.Trees); lo += step {
		hi := min(lo+step, len(f.Trees))
		var err error
		if leaves, err = leavesByTree(ctx, leaves, f, lo, hi, train); err != nil {
			return nil, err
		}
		err = parallel.Workers(ctx, parts, workers, func(numbers iter.Seq[int]) {
			r := newRanker(f, train)
			for k := range numbers {
				for t := lo + (k+parts-lo%parts)%parts; t < hi; t += parts {
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

// leavesByTree returns the leaf of every row in each of the trees [lo, hi), in the
// memory of leaves.
func leavesByTree(ctx context.Context, leaves [][]int32, f *forest.Forest, lo, hi int, d *datasets.Dataset) ([][]int32, error) {
	for len(leaves) < hi-lo {
		leaves = append(leaves, make([]int32, d.N()))
	}
	const tile = 64 // rows
	some := &forest.Forest{Features: f.Features, Classes: f.Classes, Trees: f.Trees[lo:hi]}
	for from := 0; from < d.N(); from += rowsAtOnce {
		byRow, err := some.ApplyContext(ctx, slice(d, from, min(from+rowsAtOnce, d.N())))
		if err != nil {
			return nil, err
		}
		parallel.For((len(byRow)+tile-1)/tile, func(k int) {
			rows := byRow[k*tile : min((k+1)*tile, len(byRow))]
			for t := range hi - lo {
				to := leaves[t][from+k*tile:][:len(rows)]
				for i, row := range rows {
					to[i] = row[t]
				}
			}
		})
	}
	return leaves, nil
}

// slice returns the cells of rows [lo, hi), shared with d.
func slice(d *datasets.Dataset, lo, hi int) *datasets.Dataset {
	if d.Rows != nil {
		return &datasets.Dataset{Features: d.Features, Columns: d.Columns, Rows: d.Rows[lo:hi]}
	}
	s := &datasets.Dataset{Features: d.Features, Columns: make([][]float32, d.P())}
	for j, col := range d.Columns {
		s.Columns[j] = col[lo:hi]
	}
	return s
}

// A ranker computes the sensitivities of one tree after another.
type ranker struct {
	forest *forest.Forest
	labels []int32
	order  []int32 // the rows, shuffled
	nodes  []place
	theta  []float64 // by row
	sums   []float64 // Θ by class
}

// A place is a node of a tree.
type place struct {
	splits int32 // on the path to it
	ranked int32 // its rows that have a rank
}

func newRanker(f *forest.Forest, train *datasets.Dataset) *ranker {
	return &ranker{
		forest: f,
		labels: train.Labels,
		order:  make([]int32, train.N()),
		theta:  make([]float64, train.N()),
		sums:   make([]float64, len(f.Classes)),
	}
}

// add adds s_i (eq. 31) of tree t, whose leaves are given by row, to sums.
func (r *ranker) add(t int, leaves []int32, sums []float64) {
	nodes := r.forest.Trees[t].Nodes
	r.nodes = append(r.nodes[:0], make([]place, len(nodes))...)
	for i, n := range nodes {
		if !n.IsLeaf() {
			r.nodes[i+1].splits, r.nodes[n.Next].splits = r.nodes[i].splits+1, r.nodes[i].splits+1
		}
	}
	clear(r.sums)
	for _, i := range r.shuffle(t) {
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

// shuffle returns the rows in a random order that is the tree's own.
func (r *ranker) shuffle(t int) []int32 {
	rng := forest.NewRand(r.forest.Seed, uint64(t), 2)
	for i := range r.order {
		k := rng.Intn(i + 1)
		r.order[i] = r.order[k]
		r.order[k] = int32(i)
	}
	return r.order
}

// A Selection says which rows [RowScores.Approximate] takes.
type Selection uint8

const (
	ByRank        Selection = iota // S: those of the highest sensitivity
	ByProbability                  // P: at random without replacement, each draw in proportion to the probability (eq. 33)
	Uniformly                      // U: at random without replacement, for comparison
)

// Approximate returns a part of the training rows that stands for all of them:
// the given fraction, at least one row, as a view whose rows keep their order.
// ByRank takes the earlier of equally sensitive rows and needs no seed. It
// returns an error for a fraction that isn't above 0 and at most 1.
func (s *RowScores) Approximate(fraction float64, by Selection, seed uint64) (*datasets.Dataset, error) {
	if !(fraction > 0 && fraction <= 1) {
		return nil, fmt.Errorf("inspect: a fraction of %v of the rows; want more than 0, at most 1", fraction)
	}
	n := len(s.Scores)
	keys := s.Scores
	if by != ByRank {
		// The rows of the m largest ln(u)/p are m draws without replacement
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
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(keys[b], keys[a]) })
	rows := order[:max(1, int(math.Round(fraction*float64(n))))]
	slices.Sort(rows)
	return s.train.Subset(rows), nil
}
