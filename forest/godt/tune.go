package godt

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// Grid returns the settings that the thesis tunes a tree over (section 3.4): Purity from 1 down
// to ½ in steps of 0.05, MinSplit 2, 6, 11 and 21, and Beta 10⁻⁶, 10⁻⁵, 10⁻⁴ and 10⁻³, in
// this order, so that the first of ties has the largest Purity. For values, MaxMSE is 0.1,
// 0.03, 0.01, 0.003, 0.001 and 0 times the given variance of the target; the thesis doesn't say
// which numbers it tries. variance is 0 for classes. If l has a RelativeBeta, it is kept and no Beta is tried.
// The other fields are those of l.
func (l Tree) Grid(variance float64) []Tree {
	var grid []Tree
	for i := range 11 {
		l.Purity, l.MaxMSE = 1-float64(i)/20, 0
		if variance > 0 {
			if i >= len(errorShares) {
				break
			}
			l.Purity, l.MaxMSE = 0, errorShares[i]*variance
		}
		for _, leaf := range []int{1, 5, 10, 20} {
			l.MinSplit = leaf + 1
			if l.RelativeBeta != 0 {
				grid = append(grid, l)
				continue
			}
			for _, l.Beta = range []float64{1e-6, 1e-5, 1e-4, 1e-3} {
				grid = append(grid, l)
			}
		}
	}
	return grid
}

// errorShares are the mean squared errors at which Grid's trees stop, as shares of the variance.
var errorShares = []float64{0.1, 0.03, 0.01, 0.003, 0.001, 0}

// Grid is [Tree.Grid] for forests, each setting with 50, 100, 200 and 500 trees.
func (l Learner) Grid(variance float64) []Learner {
	var grid []Learner
	for _, t := range (Tree{Splitting: l.Splitting, Growth: l.Growth}).Grid(variance) {
		for _, l.Trees = range []int{50, 100, 200, 500} {
			l.Splitting, l.Growth = t.Splitting, t.Growth
			grid = append(grid, l)
		}
	}
	return grid
}

// Tune compares learners by their error on validation rows or, if valid is nil, by their
// out-of-bag error: the error rate or, for values, the mean squared error. The best learner has the
// lowest error rate, but for values the lowest mean absolute error, by which the thesis tunes, and
// not always the lowest of Error; the first of ties. The errors are those that [Tree.Fit] or [Learner.Fit] and
// prediction would give for each learner, but learners that differ only in Purity, MaxMSE, MinSplit and
// Trees cost as much as one: a node's split doesn't depend on the first three, so they only prune,
// and a smaller forest is the first trees of a larger one.
//
// Tune returns an error where Fit does, if there are no learners, and if valid doesn't
// suit train or, without valid, no row is out of bag. Tuning's StdErr is that of an error rate or mean
// over rows; it has no Model.
func Tune[L Tree | Learner](ctx context.Context, learners []L, train, valid *datasets.Dataset) (*eval.Tuning, error) {
	if len(learners) == 0 {
		return nil, errors.New("godt: no learners to choose from")
	}
	if err := train.Check(); err != nil {
		return nil, err
	}
	if valid != nil {
		if err := valid.Check(); err != nil {
			return nil, err
		}
	}
	t := &eval.Tuning{Error: make([]float64, len(learners)), StdErr: make([]float64, len(learners))}
	ranked := make([]float64, len(learners)) // the errors that decide
	for _, of := range families(learners, train.P()) {
		if err := of.tune(ctx, train, valid, t, ranked); err != nil {
			return nil, err
		}
	}
	for i, e := range ranked {
		if e < ranked[t.Best] {
			t.Best = i
		}
	}
	return t, nil
}

// A family holds learners whose trees are the same but for pruning and number.
type family struct {
	grown   Learner // grows the largest of the trees, and most of them
	single  bool    // whether the learners are of type Tree
	members []member
}

// A member is a learner of a family: where its trees stop, and how many there are.
type member struct {
	at       int // its index among the learners
	trees    int
	purity   float64
	maxMSE   float64
	minSplit int
}

// families groups learners, in the order of each family's first.
func families[L Tree | Learner](learners []L, p int) []*family {
	var list []*family
	known := map[Learner]*family{}
	for i, learner := range learners {
		var l Learner
		single := false
		switch learner := any(learner).(type) {
		case Tree:
			l, single = learner.forest(p), true
		case Learner:
			l = learner
		}
		m := member{at: i, trees: l.Trees, purity: l.Purity, maxMSE: l.MaxMSE, minSplit: max(2, l.MinSplit)}
		if m.trees == 0 {
			m.trees = defaultTrees
		}
		if m.purity == 0 {
			m.purity = 1
		}
		l.Trees, l.Purity, l.MaxMSE, l.MinSplit = 0, 0, 0, 0
		of := known[l]
		if of == nil { // always, if l has a NaN
			of = &family{grown: l, single: single}
			known[l] = of
			list = append(list, of)
		}
		of.members = append(of.members, m)
	}
	for _, of := range list {
		of.grown.MinSplit, of.grown.MaxMSE = math.MaxInt, math.Inf(1)
		for _, m := range of.members {
			g := &of.grown
			g.Trees, g.MinSplit = max(g.Trees, m.trees), min(g.MinSplit, m.minSplit)
			g.Purity, g.MaxMSE = max(g.Purity, m.purity), min(g.MaxMSE, m.maxMSE)
		}
	}
	return list
}

// tune grows the family's trees once and sets the errors of its members, and those by which they are ranked.
func (of *family) tune(ctx context.Context, train, valid *datasets.Dataset, result *eval.Tuning,
	ranked []float64) error {
	f, err := fit(ctx, train, of.grown, of.single, forest.Options{})
	if err != nil {
		return err
	}
	outOfBag := valid == nil
	switch {
	case outOfBag:
		valid = train
	case f.Regression() && valid.Values == nil, !f.Regression() && (valid.Labels == nil || !slices.Equal(valid.Classes, train.Classes)):
		return fmt.Errorf("godt: the validation rows have other classes or values than the training rows")
	default:
		if err := f.Check(valid); err != nil {
			return err
		}
	}
	said, err := of.ask(ctx, f, train, valid, outOfBag)
	if err != nil {
		return err
	}
	for i, m := range of.members {
		misses := said[i].misses(valid)
		ranked[m.at] = eval.Mean(misses)
		for k, v := range misses {
			misses[k] = float64(v * v)
		}
		result.Error[m.at], result.StdErr[m.at] = eval.MeanStdErr(misses)
		if math.IsNaN(result.Error[m.at]) {
			return fmt.Errorf("godt: learner %d: no row is out of bag; grow more trees, on samples", m.at+1)
		}
	}
	return nil
}

// ask returns what each member says of the rows of valid.
func (of *family) ask(ctx context.Context, f *forest.Forest, train, valid *datasets.Dataset,
	outOfBag bool) ([]answers, error) {
	said := make([]answers, len(of.members))
	for i := range said {
		said[i] = newAnswers(valid.N(), len(f.Classes))
	}
	const batch = 16 // trees whose endings are in memory
	for first := 0; first < len(f.Trees); first += batch {
		n := min(batch, len(f.Trees)-first)
		ends := make([][]ending, n)
		err := parallel.Workers(ctx, n, n, func(trees iter.Seq[int]) {
			for i := range trees {
				ends[i] = of.endings(f, first+i, train, valid, outOfBag)
			}
		})
		if err != nil {
			return nil, err
		}
		for i, list := range ends {
			for _, e := range list {
				for _, m := range e.members {
					if first+i < of.members[m].trees {
						said[m].add(e)
					}
				}
			}
		}
	}
	return said, nil
}

// An ending is a node at which some members' trees end, with the rows to be predicted that
// reach it.
type ending struct {
	members []int
	rows    []int32
	class   int32
	value   float64
}

// endings sends the training sample of a tree and the rows to be predicted down the tree and
// returns where the members' trees end.
func (of *family) endings(f *forest.Forest, tree int, train, valid *datasets.Dataset, outOfBag bool) []ending {
	var sample, rows []int32
	counts := f.SampleCounts(nil, train, tree)
	for i, c := range counts {
		if c > 0 {
			sample = append(sample, int32(i))
		} else if outOfBag {
			rows = append(rows, int32(i))
		}
	}
	if !outOfBag {
		for i := range valid.N() {
			rows = append(rows, int32(i))
		}
	}
	all := make([]int, len(of.members))
	for i := range all {
		all[i] = i
	}
	w := &pruner{family: of, tree: forest.NewMutable(&f.Trees[tree]), train: train, valid: valid, counts: counts, classes: make([]float64, len(f.Classes))}
	w.descend(0, sample, rows, all)
	return w.endings
}

// A pruner finds where the trees of a family's members end.
type pruner struct {
	*family
	tree         *forest.Mutable
	train, valid *datasets.Dataset
	counts       []uint16
	classes      []float64 // weight by class
	endings      []ending
}

// descend goes on below node i with the members whose trees reach it. sample are the training rows
// there, and rows those to be predicted.
func (w *pruner) descend(i int32, sample, rows []int32, members []int) {
	if len(rows) == 0 || len(members) == 0 {
		return
	}
	drawn, purity, mse, e := w.summary(sample)
	e.rows = rows
	leaf := w.tree.IsLeaf(i)
	var deeper []int
	for _, k := range members {
		m := &w.members[k]
		pruned := drawn < m.minSplit || len(w.classes) > 0 && purity >= m.purity || len(w.classes) == 0 && mse < m.maxMSE
		if leaf || pruned {
			e.members = append(e.members, k)
		} else {
			deeper = append(deeper, k)
		}
	}
	if len(e.members) > 0 {
		e.rows = slices.Clone(rows) // Divide reorders them
		w.endings = append(w.endings, e)
	}
	if len(deeper) == 0 {
		return
	}
	left, right := w.tree.Children(i)
	sampleLeft, sampleRight := w.tree.Divide(w.train, i, sample)
	rowsLeft, rowsRight := w.tree.Divide(w.valid, i, rows)
	w.descend(left, sampleLeft, rowsLeft, deeper)
	w.descend(right, sampleRight, rowsRight, deeper)
}

// summary returns how many rows were drawn, the share of the largest class or the mean squared
// error, and what a leaf of these rows predicts.
func (w *pruner) summary(sample []int32) (drawn int, purity, mse float64, e ending) {
	weight := func(r int32) float64 {
		if w.train.Weights == nil {
			return float64(w.counts[r])
		}
		return float64(float64(w.counts[r]) * float64(w.train.Weights[r]))
	}
	var total float64
	for _, r := range sample {
		drawn += int(w.counts[r])
		total += weight(r)
	}
	if len(w.classes) > 0 {
		clear(w.classes)
		for _, r := range sample {
			w.classes[w.train.Labels[r]] += weight(r)
		}
		for c, v := range w.classes {
			if v > w.classes[e.class] {
				e.class = int32(c)
			}
		}
		return drawn, w.classes[e.class] / total, 0, e
	}
	var sum, squares float64
	for _, r := range sample {
		sum += float64(weight(r) * w.train.Values[r])
	}
	mean := sum / total
	for _, r := range sample {
		d := w.train.Values[r] - mean
		squares += float64(weight(r) * float64(d*d))
	}
	e.value = float64(float32(mean)) // as leaves store it
	return drawn, 0, squares / total, e
}

// answers are the predictions of a member for rows, by the trees so far.
type answers struct {
	classes int
	votes   []int32   // rows × classes
	values  []float64 // sum over trees
	trees   []int32   // that predicted a row
}

func newAnswers(rows, classes int) answers {
	a := answers{classes: classes, trees: make([]int32, rows)}
	if classes > 0 {
		a.votes = make([]int32, rows*classes)
	} else {
		a.values = make([]float64, rows)
	}
	return a
}

func (a *answers) add(e ending) {
	for _, r := range e.rows {
		a.trees[r]++
		if a.classes > 0 {
			a.votes[int(r)*a.classes+int(e.class)]++
		} else {
			a.values[r] += e.value
		}
	}
}

// misses returns by how much each row that trees have predicted was missed: the absolute difference, or 1 for a
// wrong class.
func (a *answers) misses(d *datasets.Dataset) (misses []float64) {
	for r, trees := range a.trees {
		if trees == 0 {
			continue
		}
		if a.classes == 0 {
			misses = append(misses, math.Abs(a.values[r]/float64(trees)-d.Values[r]))
			continue
		}
		votes := a.votes[r*a.classes : (r+1)*a.classes]
		said := 0
		for c, v := range votes {
			if v > votes[said] {
				said = c
			}
		}
		wrong := 0.0
		if int32(said) != d.Labels[r] {
			wrong = 1
		}
		misses = append(misses, wrong)
	}
	return misses
}
