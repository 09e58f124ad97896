package forest

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
)

// blockRows is how many rows are copied row by row and sent through every tree
// together, so that both the rows and the tree stay in cache.
const blockRows = 256

// eachBlock calls visit for blocks of rows, in parallel: x holds rows [lo, hi)
// of d, row after row. It panics where [Forest.Check] would return an error.
func (f *Forest) eachBlock(d *datasets.Dataset, visit func(lo, hi int, x []float32)) {
	if err := f.Check(d); err != nil {
		panic(err.Error())
	}
	n, p := d.N(), d.P()
	size := min(blockRows, max(1, 1<<20/p)) // at most 4 MiB of cells
	workers := min(runtime.GOMAXPROCS(0), (n+size-1)/size)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			x := make([]float32, size*p)
			for {
				lo := int(next.Add(int64(size))) - size
				if lo >= n {
					return
				}
				hi := min(lo+size, n)
				for j, col := range d.Columns {
					if d.Rows == nil {
						for i, v := range col[lo:hi] {
							x[i*p+j] = v
						}
					} else {
						for i, r := range d.Rows[lo:hi] {
							x[i*p+j] = col[r]
						}
					}
				}
				visit(lo, hi, x[:(hi-lo)*p])
			}
		})
	}
	wg.Wait()
}

// Predict returns the predicted class index of every row, length n. Ties go to
// the smaller index. It panics if the forest predicts values or where
// [Forest.Check] returns an error.
func (f *Forest) Predict(d *datasets.Dataset) []int32 {
	f.needClasses("Predict")
	labels := make([]int32, d.N())
	k := len(f.Classes)
	f.eachBlock(d, func(lo, hi int, x []float32) {
		score := make([]float32, (hi-lo)*k)
		f.score(x, score)
		for i := lo; i < hi; i++ {
			labels[i] = argmax(score[(i-lo)*k : (i-lo+1)*k])
		}
	})
	return labels
}

// score adds, for every row of x, each tree's vote or class proportions
// according to the rule.
func (f *Forest) score(x, score []float32) {
	p, k := f.P(), len(f.Classes)
	for t := range f.Trees {
		tree := &f.Trees[t]
		for i := 0; i*p < len(x); i++ {
			n := &tree.Nodes[tree.leaf(x[i*p:(i+1)*p])]
			row := score[i*k : (i+1)*k]
			if f.Rule == Plurality {
				row[tree.vote(n, k)]++
			} else {
				tree.addProportions(row, n)
			}
		}
	}
}

// vote returns the largest class of a leaf.
func (t *Tree) vote(leaf *Node, classes int) int32 {
	if leaf.Split == LeafClass {
		return leaf.Next
	}
	return argmax(t.dist(leaf, classes))
}

// addProportions adds the class proportions of a leaf to row.
func (t *Tree) addProportions(row []float32, leaf *Node) {
	if leaf.Split == LeafClass {
		row[leaf.Next]++
		return
	}
	dist := t.dist(leaf, len(row))
	var sum float32
	for _, w := range dist {
		sum += w
	}
	for c, w := range dist {
		row[c] += w / sum
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
	k, p := len(f.Classes), f.P()
	votes := matrix[int32](d.N(), k)
	f.eachBlock(d, func(lo, hi int, x []float32) {
		for t := range f.Trees {
			tree := &f.Trees[t]
			for i := lo; i < hi; i++ {
				n := &tree.Nodes[tree.leaf(x[(i-lo)*p:(i-lo+1)*p])]
				votes[i][tree.vote(n, k)]++
			}
		}
	})
	return votes
}

// Proba returns the class probabilities of every row: the trees' class
// proportions, averaged, whatever the forest's rule. It gives n slices of as
// many numbers as there are classes, and panics as [Forest.Predict] does.
func (f *Forest) Proba(d *datasets.Dataset) [][]float64 {
	f.needClasses("Proba")
	k, p := len(f.Classes), f.P()
	proba := matrix[float64](d.N(), k)
	f.eachBlock(d, func(lo, hi int, x []float32) {
		sum := make([]float32, k)
		for i := lo; i < hi; i++ {
			clear(sum)
			for t := range f.Trees {
				tree := &f.Trees[t]
				tree.addProportions(sum, &tree.Nodes[tree.leaf(x[(i-lo)*p:(i-lo+1)*p])])
			}
			for c, s := range sum {
				proba[i][c] = float64(s) / float64(len(f.Trees))
			}
		}
	})
	return proba
}

// PredictValues returns the predicted value of every row of a regression
// forest: the mean over trees. It panics if the forest predicts classes or
// where [Forest.Check] returns an error.
func (f *Forest) PredictValues(d *datasets.Dataset) []float64 {
	if !f.Regression() {
		panic("forest: PredictValues of a classification forest; use Predict or Proba")
	}
	p := f.P()
	values := make([]float64, d.N())
	f.eachBlock(d, func(lo, hi int, x []float32) {
		for t := range f.Trees {
			tree := &f.Trees[t]
			for i := lo; i < hi; i++ {
				values[i] += float64(tree.Nodes[tree.leaf(x[(i-lo)*p:(i-lo+1)*p])].Value)
			}
		}
		for i := lo; i < hi; i++ {
			values[i] /= float64(len(f.Trees))
		}
	})
	return values
}

// Apply returns, for every row, the index in Nodes of the leaf it reaches in
// each tree: n slices of as many numbers as there are trees. It panics where
// [Forest.Check] returns an error.
func (f *Forest) Apply(d *datasets.Dataset) [][]int32 {
	p := f.P()
	leaves := matrix[int32](d.N(), len(f.Trees))
	f.eachBlock(d, func(lo, hi int, x []float32) {
		for t := range f.Trees {
			for i := lo; i < hi; i++ {
				leaves[i][t] = int32(f.Trees[t].leaf(x[(i-lo)*p : (i-lo+1)*p]))
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

// matrix returns n rows of k zeros in one piece of memory.
func matrix[T any](n, k int) [][]T {
	cells := make([]T, n*k)
	rows := make([][]T, n)
	for i := range rows {
		rows[i] = cells[i*k : (i+1)*k : (i+1)*k]
	}
	return rows
}
