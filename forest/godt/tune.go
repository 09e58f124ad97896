package godt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/groups"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// Grid returns the settings that the thesis tunes a tree over (section 3.4): Purity from 1 down to ½ in steps of 0.05,
// MinSplit 2, 6, 11 and 21, and Beta 10⁻⁶, 10⁻⁵, 10⁻⁴ and 10⁻³, in this order, so that the first of ties has the
// largest Purity. For values, MaxMSE is 0.1, 0.03, 0.01, 0.003, 0.001 and 0 times their variance; the thesis doesn't
// say which numbers it tries. If l has a RelativeBeta, it is kept and no Beta is tried. The other fields are those of
// l. See [forest.Tunable].
func (l Tree) Grid(train *datasets.Dataset) []forest.Learner {
	variance, purities, errors := 0.0, make([]float64, 11), []float64{0}
	for i := range purities {
		purities[i] = 1 - float64(i)/20
	}
	if train.Values != nil {
		variance = populationVariance(train)
	}
	if variance > 0 {
		purities, errors = []float64{0}, []float64{0.1, 0.03, 0.01, 0.003, 0.001, 0}
	}
	betas := []float64{1e-6, 1e-5, 1e-4, 1e-3}
	if l.RelativeBeta != 0 {
		betas = []float64{l.Beta}
	}
	var grid []forest.Learner
	for _, l.Purity = range purities {
		for _, share := range errors {
			l.MaxMSE = share * variance
			for _, l.MinSplit = range []int{2, 6, 11, 21} {
				for _, l.Beta = range betas {
					grid = append(grid, l)
				}
			}
		}
	}
	return grid
}

// populationVariance returns the weighted mean of the values' squared deviations from their mean, corrected for the
// mean's rounding.
func populationVariance(d *datasets.Dataset) float64 {
	var total, sum, squares, deviations float64
	for i, v := range d.Values {
		w := grow.Weight(d, int32(i))
		total += w
		sum += float64(w * v)
	}
	for i, v := range d.Values {
		w, e := grow.Weight(d, int32(i)), v-sum/total
		squares += float64(w * float64(e*e))
		deviations += float64(w * e)
	}
	return (squares - float64(deviations*deviations)/total) / total
}

// Grid is [Tree.Grid] for forests, each setting with 50, 100, 200 and 500 trees.
func (l Learner) Grid(train *datasets.Dataset) []forest.Learner {
	var grid []forest.Learner
	for _, t := range (Tree{Splitting: l.Splitting, Growth: l.Growth}).Grid(train) {
		l.Splitting, l.Growth = t.(Tree).Splitting, t.(Tree).Growth
		for _, l.Trees = range []int{50, 100, 200, 500} {
			grid = append(grid, l)
		}
	}
	return grid
}

// Tune compares learners of type [Tree] or [Learner] by their error on validation rows or, if valid is nil, by their
// out-of-bag error: the error rate or, for values, the mean squared error. The best learner has the lowest error rate.
// For values it has the lowest mean absolute error, by which the thesis tunes, and not always the lowest of Error;
// Tuning's By says so. The first of ties is best. The errors are those that Fit and prediction would give for each
// learner, but learners that differ only in Purity, MaxMSE, MinSplit and Trees cost as much as one: a node's split
// doesn't depend on the first three, so they only prune, and a smaller forest is the first trees of a larger one.
//
// Tune returns an error where Fit does, if there are no learners or one is of another type, and if valid doesn't
// suit train or, without valid, no row is out of bag. Tuning's StdErr is that of an error rate or mean
// over rows; it has no Model.
func Tune(ctx context.Context, learners []forest.Learner, train, valid *datasets.Dataset) (*eval.Tuning, error) {
	if len(learners) == 0 {
		return nil, errors.New("godt: no learners to choose from")
	}
	for _, d := range []*datasets.Dataset{train, cmp.Or(valid, train)} {
		if err := d.Check(); err != nil {
			return nil, err
		}
	}
	t := &eval.Tuning{By: "error rate", Error: make([]float64, len(learners)), StdErr: make([]float64, len(learners))}
	if train.Labels == nil {
		t.By = "mean absolute error"
	}
	families, err := familiesOf(learners, train.P())
	if err != nil {
		return nil, err
	}
	decide := make([]float64, len(learners)) // the errors by which one is chosen
	for _, of := range families {
		f, err := of.grow(ctx, train, valid)
		if err != nil {
			return nil, err
		}
		if err := of.ask(ctx, f, train, valid); err != nil {
			return nil, err
		}
		for _, m := range of.members {
			misses := m.misses(cmp.Or(valid, train))
			decide[m.at] = eval.Mean(misses)
			for k, v := range misses {
				misses[k] = float64(v * v)
			}
			t.Error[m.at], t.StdErr[m.at] = eval.MeanStdErr(misses)
			if m.answers = (answers{}); len(misses) == 0 {
				return nil, fmt.Errorf("godt: learner %d: no row is out of bag; grow more trees, on samples", m.at+1)
			}
		}
	}
	t.Best = slices.Index(decide, slices.Min(decide))
	return t, nil
}

// A family holds learners whose trees are the same but for pruning and number.
type family struct {
	grown   Learner // grows the largest of the trees, and most of them
	single  bool    // whether the learners are of type Tree
	members []*member
}

// A member is a learner of a family, with defaults for what differs within it.
type member struct {
	Learner
	answers
	at int // its index among the learners
}

// familiesOf groups learners, in the order of each family's first.
func familiesOf(learners []forest.Learner, p int) (families []*family, err error) {
	known := map[Learner]*family{}
	for i, learner := range learners {
		m := &member{at: i}
		_, single := learner.(Tree)
		switch l := learner.(type) {
		case Tree:
			m.Learner = l.forest(p)
		case Learner:
			m.Learner = l
		default:
			return nil, fmt.Errorf("godt: learner %d is a %T; want a godt.Tree or godt.Learner", i+1, learner)
		}
		m.Trees, m.Purity, m.MinSplit = cmp.Or(m.Trees, defaultTrees), cmp.Or(m.Purity, 1), max(2, m.MinSplit)
		alike := m.Learner
		alike.Trees, alike.Purity, alike.MaxMSE, alike.MinSplit = 0, 0, 0, 0
		of := known[alike]
		if of == nil { // always, if alike has a NaN
			of = &family{grown: m.Learner, single: single}
			known[alike] = of
			families = append(families, of)
		}
		g := &of.grown
		g.Trees, g.MinSplit = max(g.Trees, m.Trees), min(g.MinSplit, m.MinSplit)
		g.Purity, g.MaxMSE = max(g.Purity, m.Purity), min(g.MaxMSE, m.MaxMSE)
		of.members = append(of.members, m)
	}
	return families, nil
}

// grow grows the family's trees, and checks that they can predict the rows of valid.
func (of *family) grow(ctx context.Context, train, valid *datasets.Dataset) (*forest.Forest, error) {
	f, err := fit(ctx, train, of.grown, of.single, forest.Options{})
	if err != nil || valid == nil {
		return f, err
	}
	if f.Regression() && valid.Values == nil || !f.Regression() && valid.Labels == nil ||
		!slices.Equal(valid.Classes, f.Classes) {
		return nil, errors.New("godt: the validation rows have other classes or values than the training rows")
	}
	return f, f.Check(valid)
}

// ask notes what each member says of the rows of valid or, if that is nil, of the rows that are out of bag.
func (of *family) ask(ctx context.Context, f *forest.Forest, train, valid *datasets.Dataset) error {
	rows, classes := cmp.Or(valid, train).N(), max(1, len(f.Classes))
	for _, m := range of.members {
		m.answers = answers{classes: classes, votes: make([]int32, rows*classes)}
		if f.Regression() {
			m.values, m.offset = make([]float64, rows), f.Offset()
		}
	}
	const batch = 16 // trees whose endings are in memory
	for first := 0; first < len(f.Trees); first += batch {
		ends := make([][]ending, min(batch, len(f.Trees)-first))
		err := parallel.Workers(ctx, len(ends), len(ends), func(trees iter.Seq[int]) {
			for i := range trees {
				ends[i] = of.endings(f, first+i, train, valid)
			}
		})
		if err != nil {
			return err
		}
		for i, list := range ends {
			for _, e := range list {
				for _, m := range e.members {
					if first+i < m.Trees {
						m.add(e)
					}
				}
			}
		}
	}
	return nil
}

// An ending is a node at which some members' trees end, with the rows to be predicted that
// reach it.
type ending struct {
	members []*member
	rows    []int32
	class   int32
	value   float64
}

// endings sends the training sample of a tree and the rows to be predicted down the tree and
// returns where the members' trees end.
func (of *family) endings(f *forest.Forest, tree int, train, valid *datasets.Dataset) []ending {
	var sample, rows []int32
	w := &pruner{tree: forest.NewMutable(&f.Trees[tree]), train: train, valid: cmp.Or(valid, train),
		counts: f.SampleCounts(nil, train, tree), classes: make([]float64, len(f.Classes)),
		offset: f.Offset()}
	for i, c := range w.counts {
		if c > 0 {
			sample = append(sample, int32(i))
		}
	}
	group, _ := groups.Number(train.Groups, train.N())
	inBag := slices.Clone(w.counts) // rows of weight 0 with their groups
	groups.Level(inBag, group)
	for i := range w.valid.N() {
		if valid != nil || inBag[i] == 0 {
			rows = append(rows, int32(i))
		}
	}
	w.descend(0, sample, rows, of.members)
	return w.endings
}

// A pruner finds where the trees of a family's members end.
type pruner struct {
	tree         *forest.Mutable
	train, valid *datasets.Dataset
	counts       []uint16
	classes      []float64 // weight by class
	offset       float64   // of the forest
	endings      []ending
}

// descend goes on below node i with the members whose trees reach it. sample are the training rows
// there, and rows those to be predicted.
func (w *pruner) descend(i int32, sample, rows []int32, members []*member) {
	if len(rows) == 0 || len(members) == 0 {
		return
	}
	drawn, purity, mse, e := w.summary(sample)
	leaf := w.tree.IsLeaf(i)
	var deeper []*member
	for _, m := range members {
		if leaf || drawn < m.MinSplit || purity >= m.Purity || mse < m.MaxMSE {
			e.members = append(e.members, m)
		} else {
			deeper = append(deeper, m)
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

// summary returns how many rows were drawn, the share of the largest class (NaN for values) or the mean squared error
// (NaN for classes), and the prediction of a leaf of these rows.
func (w *pruner) summary(sample []int32) (drawn int, purity, mse float64, e ending) {
	weight := func(r int32) float64 { return float64(float64(w.counts[r]) * grow.Weight(w.train, r)) }
	var total, sum, squares float64
	clear(w.classes)
	for _, r := range sample {
		drawn += int(w.counts[r])
		total += weight(r)
		if len(w.classes) > 0 {
			w.classes[w.train.Labels[r]] += weight(r)
		} else {
			sum += float64(weight(r) * (w.train.Values[r] - w.offset))
		}
	}
	if len(w.classes) > 0 {
		e.class = int32(slices.Index(w.classes, slices.Max(w.classes)))
		return drawn, w.classes[e.class] / total, math.NaN(), e
	}
	mean := sum / total
	for _, r := range sample {
		d := w.train.Values[r] - w.offset - mean
		squares += float64(weight(r) * float64(d*d))
	}
	e.value = float64(float32(mean)) // as leaves store it
	return drawn, math.NaN(), squares / total, e
}

// answers are the predictions of a member for rows, by the trees so far.
type answers struct {
	classes int       // 1 for values
	votes   []int32   // by row and class
	values  []float64 // by row, sum over trees; nil for classes
	offset  float64   // of the forest
}

func (a *answers) add(e ending) {
	for _, r := range e.rows {
		a.votes[int(r)*a.classes+int(e.class)]++
		if a.values != nil {
			a.values[r] += e.value
		}
	}
}

// misses returns by how much each row that trees have predicted was missed: the absolute difference, or 1 for a
// wrong class.
func (a *answers) misses(d *datasets.Dataset) (misses []float64) {
	for r := range d.N() {
		votes := a.votes[r*a.classes : (r+1)*a.classes]
		most := slices.Max(votes)
		miss := 0.0
		switch {
		case most == 0:
			continue
		case a.values != nil:
			miss = math.Abs(a.values[r]/float64(most) + a.offset - d.Values[r])
		case slices.Index(votes, most) != int(d.Labels[r]):
			miss = 1
		}
		misses = append(misses, miss)
	}
	return misses
}
