package forest

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
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
	f.eachBlock(d, func(w *walker) {
		if f.Rule == Plurality {
			label(labels[w.lo:w.hi], f.votes(w, make([]int32, (w.hi-w.lo)*len(f.Classes))))
		} else {
			label(labels[w.lo:w.hi], f.proportions(w, f.Rule))
		}
	})
	return labels
}

// label sets labels to the column of the largest score in each row of scores.
func label[T int32 | float32](labels []int32, scores []T) {
	k := len(scores) / len(labels)
	for i := range labels {
		labels[i] = argmax(scores[i*k : (i+1)*k])
	}
}

// votes adds the trees' votes for the rows of a block to votes, row after row,
// and returns it.
func (f *Forest) votes(w *walker, votes []int32) []int32 {
	for i := range f.Trees {
		t := &f.Trees[i]
		for leaf, rows := range w.leaves(t, w.rows) {
			t.addVotes(votes, len(f.Classes), leaf, rows)
		}
	}
	return votes
}

// proportions returns the trees' class proportions for the rows of a block,
// summed as the rule says, row after row.
func (f *Forest) proportions(w *walker, rule Rule) []float32 {
	k := len(f.Classes)
	sums, share := make([]float32, (w.hi-w.lo)*k), make([]float32, k)
	for i := range f.Trees {
		t := &f.Trees[i]
		for leaf, rows := range w.leaves(t, w.rows) {
			t.addProportions(sums, share, leaf, rows, rule)
		}
	}
	return sums
}

// addVotes adds a leaf's vote to the given rows of votes.
func (t *Tree) addVotes(votes []int32, classes int, leaf int32, rows []uint16) {
	c := int(t.vote(leaf, classes))
	for _, r := range rows {
		votes[int(r)*classes+c]++
	}
}

// addProportions adds a leaf's class proportions, or for [Consensus] what that
// rule makes of them, to the given rows of sums, with room for them in share.
func (t *Tree) addProportions(sums, share []float32, leaf int32, rows []uint16, rule Rule) {
	k := len(share)
	if n := &t.Nodes[leaf]; n.Split == LeafClass {
		c := int(n.Next)
		for _, r := range rows {
			sums[int(r)*k+c]++ // log2(1 + 1) is 1, too
		}
		return
	}
	t.proportions(share, leaf)
	if rule == Consensus {
		for c, h := range share {
			share[c] = float32(math.Log2(1 + float64(h)))
		}
	}
	for _, r := range rows {
		row := sums[int(r)*k:][:k]
		for c, s := range share {
			row[c] += s
		}
	}
}

// vote returns the largest class of a leaf.
func (t *Tree) vote(leaf int32, classes int) int32 {
	if n := &t.Nodes[leaf]; n.Split == LeafClass {
		return n.Next
	}
	return argmax(t.dist(&t.Nodes[leaf], classes))
}

// proportions writes the class proportions of a mixed leaf to share.
func (t *Tree) proportions(share []float32, leaf int32) {
	dist := t.dist(&t.Nodes[leaf], len(share))
	var sum float32
	for _, w := range dist {
		sum += w
	}
	for c, w := range dist {
		share[c] = w / sum
	}
}

// dist returns the class weights of a mixed leaf.
func (t *Tree) dist(leaf *Node, classes int) []float32 {
	lo := int(leaf.Next) * classes
	return t.Dist[lo : lo+classes]
}

func argmax[T int32 | float32](s []T) int32 {
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
// [Forest.Predict] does.
func (f *Forest) Votes(d *datasets.Dataset) [][]int32 {
	f.needClasses("Votes")
	k := len(f.Classes)
	votes := make([]int32, d.N()*k)
	f.eachBlock(d, func(w *walker) { f.votes(w, votes[w.lo*k:w.hi*k]) })
	return matrix(votes, d.N())
}

// Proba returns the class probabilities of every row: the trees' class
// proportions, averaged, whatever the forest's rule. It gives n slices of as
// many numbers as there are classes, and panics as [Forest.Predict] does.
func (f *Forest) Proba(d *datasets.Dataset) [][]float64 {
	f.needClasses("Proba")
	k := len(f.Classes)
	proba := make([]float64, d.N()*k)
	f.eachBlock(d, func(w *walker) {
		block := proba[w.lo*k : w.hi*k]
		for i, s := range f.proportions(w, Average) {
			block[i] = float64(s) / float64(len(f.Trees))
		}
	})
	return matrix(proba, d.N())
}

// PredictValues returns the predicted value of every row of a regression
// forest: the mean over trees. It panics if the forest predicts classes or
// where [Forest.Check] returns an error.
func (f *Forest) PredictValues(d *datasets.Dataset) []float64 {
	if !f.Regression() {
		panic("forest: PredictValues of a classification forest; use Predict or Proba")
	}
	values := make([]float64, d.N())
	f.eachBlock(d, func(w *walker) {
		block := values[w.lo:w.hi]
		for i := range f.Trees {
			t := &f.Trees[i]
			for leaf, rows := range w.leaves(t, w.rows) {
				for _, r := range rows {
					block[r] += float64(t.Nodes[leaf].Value)
				}
			}
		}
		for i := range block {
			block[i] /= float64(len(f.Trees))
		}
	})
	return values
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
