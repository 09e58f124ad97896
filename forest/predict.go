package forest

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// blockRows is how many rows go down the trees together: so many that most
// nodes see some of them, so few that their columns stay in cache. An uint16
// must number them.
const blockRows = 8192

// blockCells is how many cells of a view a worker copies at a time, and how many
// scores it keeps, at most: 8 MiB of each.
const blockCells = 1 << 21

// eachBlock calls visit for blocks of rows, in parallel, with a walker that
// stands at the block. It panics where [Forest.Check] would return an error.
func (f *Forest) eachBlock(d *datasets.Dataset, visit func(w *walker)) {
	if err := f.Check(d); err != nil {
		panic(err.Error())
	}
	n := d.N()
	workers := min(runtime.GOMAXPROCS(0), (n+127)/128)
	if workers == 0 {
		return
	}
	size := min(blockRows, blockCells/max(1, len(f.Classes)))
	if d.Rows != nil {
		size = min(size, blockCells/d.P())
	}
	size = max(1, size)
	blocks := (n + size*workers - 1) / (size * workers) * workers // as many for each
	size = (n + blocks - 1) / blocks
	var next atomic.Int64
	work := func() {
		w := newWalker(d, size)
		for lo := int(next.Add(int64(size))) - size; lo < n; lo = int(next.Add(int64(size))) - size {
			w.enter(lo, min(lo+size, n))
			visit(w)
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// Predict returns the predicted class index of every row, length n. Ties go to
// the smaller index. It panics if the forest predicts values or where
// [Forest.Check] returns an error.
func (f *Forest) Predict(d *datasets.Dataset) []int32 {
	f.needClasses("Predict")
	labels := make([]int32, d.N())
	f.eachBlock(d, func(w *walker) { f.tally(w, f.Rule).label(labels[w.lo:w.hi]) })
	return labels
}

// tally returns what all trees say about the rows of a block.
func (f *Forest) tally(w *walker, rule Rule) *tally {
	s := newTally(f, rule, w.hi-w.lo, cells{block: w})
	for i := range f.Trees {
		t := &f.Trees[i]
		for leaf, rows := range w.leaves(t, w.rows) {
			s.add(i, t, leaf, rows)
		}
	}
	return s
}

// label sets labels to the class of the largest score of each row.
func (s *tally) label(labels []int32) {
	for i := range labels {
		switch {
		case s.values == nil:
			labels[i] = argmax(s.scores[i*s.classes : (i+1)*s.classes])
		case s.outputs > 1:
			labels[i] = argmax(s.values[i*s.outputs : (i+1)*s.outputs])
		case s.values[i] > 0:
			labels[i] = 1
		default:
			labels[i] = 0
		}
	}
}

// proba writes the probabilities of row i, given how many trees there are.
func (s *tally) proba(dst []float64, i, trees int) {
	switch {
	case s.values == nil:
		for c, v := range s.scores[i*s.classes : (i+1)*s.classes] {
			dst[c] = float64(v) / float64(trees)
		}
	case s.outputs > 1:
		softmax(dst, s.values[i*s.outputs:(i+1)*s.outputs])
	default:
		odds := kernel.Exp(-math.Abs(s.values[i])) // of the less likely class
		dst[0], dst[1] = odds/(1+odds), 1/(1+odds)
		if s.values[i] < 0 {
			dst[0], dst[1] = dst[1], dst[0]
		}
	}
}

// softmax writes exp(scores) over their sum to dst.
func softmax(dst, scores []float64) {
	largest, sum := slices.Max(scores), 0.0
	for c, v := range scores {
		dst[c] = kernel.Exp(v - largest)
		sum += dst[c]
	}
	for c := range dst {
		dst[c] /= sum
	}
}

func argmax[T int32 | float32 | float64](s []T) int32 {
	best := 0
	for c, v := range s {
		if v > s[best] {
			best = c
		}
	}
	return int32(best)
}

// Votes returns, for every row and class, the number of trees that vote for
// it: n slices of as many counts as there are classes. It panics as
// [Forest.Predict] does, and if the forest's rule is [Sum], whose trees don't
// vote.
func (f *Forest) Votes(d *datasets.Dataset) [][]int32 {
	f.needClasses("Votes")
	if f.Rule == Sum {
		panic("forest: Votes of a forest that sums values; use Proba")
	}
	k := len(f.Classes)
	votes := make([]int32, d.N()*k)
	f.eachBlock(d, func(w *walker) { f.tally(w, Plurality).votes(votes[w.lo*k : w.hi*k]) })
	return matrix(votes, d.N())
}

// votes writes the counts of a tally by [Plurality], row after row.
func (s *tally) votes(dst []int32) {
	for i, v := range s.scores {
		dst[i] = int32(v)
	}
}

// probaRule returns the rule by which trees give probabilities.
func (f *Forest) probaRule() Rule {
	if f.Rule == Sum {
		return Sum
	}
	return Average
}

// Proba returns the class probabilities of every row: the trees' class
// proportions, averaged, whatever the forest's rule, but for [Sum], where they
// are what [Link] says. It gives n slices of as many numbers as there are classes,
// and panics as [Forest.Predict] does.
func (f *Forest) Proba(d *datasets.Dataset) [][]float64 {
	f.needClasses("Proba")
	proba := matrix(make([]float64, d.N()*len(f.Classes)), d.N())
	f.eachBlock(d, func(w *walker) {
		s := f.tally(w, f.probaRule())
		for i := range w.hi - w.lo {
			s.proba(proba[w.lo+i], i, len(f.Trees))
		}
	})
	return proba
}

// PredictValues returns the predicted value of every row of a regression
// forest: the mean over trees, or by the rule [Sum] their sum and Base. It panics
// if the forest predicts classes or where [Forest.Check] returns an error.
func (f *Forest) PredictValues(d *datasets.Dataset) []float64 {
	if !f.Regression() {
		panic("forest: PredictValues of a classification forest; use Predict or Proba")
	}
	values := make([]float64, d.N())
	f.eachBlock(d, func(w *walker) {
		for i, sum := range f.tally(w, f.Rule).values {
			values[w.lo+i] = f.value(sum, len(f.Trees))
		}
	})
	return values
}

// value returns what a sum over some trees predicts.
func (f *Forest) value(sum float64, trees int) float64 {
	if f.Rule == Sum {
		return sum
	}
	return sum / float64(trees)
}

// Apply returns, for every row, the index in Nodes of the leaf it reaches in
// each tree: n slices of as many numbers as there are trees. It panics where
// [Forest.Check] returns an error.
func (f *Forest) Apply(d *datasets.Dataset) [][]int32 {
	leaves := matrix(make([]int32, d.N()*len(f.Trees)), d.N())
	f.eachBlock(d, func(w *walker) {
		block := leaves[w.lo:w.hi]
		for i := range f.Trees {
			for leaf, rows := range w.leaves(&f.Trees[i], w.rows) {
				for _, r := range rows {
					block[r][i] = leaf
				}
			}
		}
	})
	return leaves
}

func (f *Forest) needClasses(method string) {
	if f.Regression() {
		panic("forest: " + method + " of a regression forest; use PredictValues")
	}
}

// matrix cuts cells into n rows of equal length.
func matrix[T any](cells []T, n int) [][]T {
	rows := make([][]T, n)
	for i := range rows {
		k := len(cells) / n
		rows[i] = cells[i*k : (i+1)*k : (i+1)*k]
	}
	return rows
}
