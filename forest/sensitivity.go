package forest

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A Sensitivity says how much each training row matters for the shape of the
// regions that a forest found (Gupta et al., Guided Random Forest, section 8). It
// is high where many splits were needed, near the boundaries of classes.
type Sensitivity struct {
	Scores []float64 // ŝ by row (eq. 32), above 0 unless no tree has a split
	P      []float64 // the scores as probabilities (eq. 33); they sum to 1

	train *datasets.Dataset
}

// Sensitivity returns the sensitivity of the training rows, for the forest of
// any method.
//
// In each tree a row's importance θ is ν/i (eq. 30): ν is the number of splits on
// the path to its leaf, the hyperplanes it took to make that region (no split
// stands twice on a path, as it would divide nothing), and i the row's rank among
// the rows of the leaf. The ranks are arbitrary; here they are drawn at random for
// each tree. The importances are divided by their sum over the row's class and
// become s = ln(1 + θ/Θ) (eq. 31), and ŝ is the mean of s over trees. All rows
// count, also those that a tree didn't see.
//
// train must be the data that the forest was trained on. Sensitivity returns an
// error if they have another number of rows, no labels or other classes, and
// where [Forest.Check] does.
func (f *Forest) Sensitivity(train *datasets.Dataset) (*Sensitivity, error) {
	if f.Regression() {
		return nil, errors.New("forest: sensitivity is defined for classes; this forest predicts values")
	}
	if err := f.checkTraining(train, "sensitivities"); err != nil {
		return nil, err
	}
	n := train.N()
	s := &Sensitivity{Scores: make([]float64, n), P: make([]float64, n), train: train}
	for part := range f.sensitivities(train) {
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

// sensitivities gives, for each of a fixed division of the trees into parts, the
// sum of eq. 31 over its trees by row.
func (f *Forest) sensitivities(train *datasets.Dataset) iter.Seq[[]float64] {
	n := train.N()
	sums := matrix(make([]float64, parts*n), parts)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), parts, len(f.Trees)) {
		wg.Go(func() {
			r := newRanker(f, train)
			for k := int(next.Add(1)) - 1; k < parts; k = int(next.Add(1)) - 1 {
				for t := k; t < len(f.Trees); t += parts {
					r.add(t, sums[k])
				}
			}
		})
	}
	wg.Wait()
	return slices.Values(sums)
}

// A ranker computes the sensitivities of one tree after another.
type ranker struct {
	forest *Forest
	train  *datasets.Dataset
	walker *walker
	size   int     // of a block of rows
	leaf   []int32 // by row
	order  []int32 // the rows, shuffled
	splits []int32 // on the path to a node
	ranked []int32 // rows of a leaf that have a rank
	theta  []float64
	sums   []float64 // Θ by class
}

func newRanker(f *Forest, train *datasets.Dataset) *ranker {
	n := train.N()
	r := &ranker{
		forest: f, train: train,
		size:  min(n, blockRows),
		leaf:  make([]int32, n),
		order: make([]int32, n),
		theta: make([]float64, n),
		sums:  make([]float64, len(f.Classes)),
	}
	if train.Rows != nil {
		r.size = max(1, min(r.size, blockCells/train.P()))
	}
	r.walker = newWalker(train, r.size)
	r.walker.enter(0, r.size)
	return r
}

// add adds tree t's s_i (eq. 31) to sums.
func (r *ranker) add(t int, sums []float64) {
	tree := &r.forest.Trees[t]
	n := len(r.leaf)
	for lo := 0; lo < n; lo += r.size {
		if n > r.size {
			r.walker.enter(lo, min(lo+r.size, n))
		}
		for leaf, rows := range r.walker.leaves(tree, r.walker.rows) {
			for _, i := range rows {
				r.leaf[lo+int(i)] = leaf
			}
		}
	}
	splits := resized(&r.splits, len(tree.Nodes))
	for i, node := range tree.Nodes {
		if !node.IsLeaf() {
			splits[i+1], splits[node.Next] = splits[i]+1, splits[i]+1
		}
	}
	ranked := resized(&r.ranked, len(tree.Nodes))
	clear(r.sums)
	for _, i := range r.shuffle(t) {
		leaf := r.leaf[i]
		ranked[leaf]++
		r.theta[i] = float64(splits[leaf]) / float64(ranked[leaf])
		r.sums[r.train.Labels[i]] += r.theta[i]
	}
	for i, theta := range r.theta {
		if theta > 0 {
			sums[i] += math.Log1p(theta / r.sums[r.train.Labels[i]])
		}
	}
}

// shuffle returns the rows in a random order that is the tree's own.
func (r *ranker) shuffle(t int) []int32 {
	rng := NewRand(r.forest.Sampling.Seed, uint64(t), 2)
	for i := range r.order {
		k := rng.Intn(i + 1)
		r.order[i] = r.order[k]
		r.order[k] = int32(i)
	}
	return r.order
}

// A Selection says which rows [Sensitivity.Approximate] takes.
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
func (s *Sensitivity) Approximate(fraction float64, by Selection, seed uint64) (*datasets.Dataset, error) {
	if !(fraction > 0 && fraction <= 1) {
		return nil, fmt.Errorf("forest: a fraction of %v of the rows; want more than 0, at most 1", fraction)
	}
	n := len(s.Scores)
	keys := s.Scores
	if by != ByRank {
		// The rows of the m largest ln(u)/p are m draws without replacement
		// (Efraimidis and Spirakis, Information Processing Letters 97, 2006).
		rng := NewRand(seed)
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
