package tao

import (
	"context"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/l1"
)

// A node of a tree that is being optimised. The tree keeps its structure, also where no
// rows arrive; it is pruned at the end.
type node struct {
	left, right int32   // children; 0 in a leaf
	features    []int32 // that the split may use, ascending; nil means all

	// Of a split: rows whose value of fn is at most threshold go left.
	fn        forest.Function
	threshold float32
	fitted    bool   // whether fn is a fit, from which the next one starts
	refused   uint64 // the reduced problem whose fit a strict pass refused; see problem

	leaf forest.Leaf // of a leaf; values are standardised

	classes uint64 // those that the leaves below can predict; see bitOf

	penalised float64 // Σ|w|, with |b| where it is penalised, or Σ|W|, of standardised features
}

func (n *node) isLeaf() bool { return n.left == 0 }

// An optimizer trains one tree.
type optimizer struct {
	*trainer
	ctx       context.Context
	tree      int
	features  []int32    // that the tree may use, ascending
	sample    []int32    // the rows of its sample, in the order of the last routing
	weight    []float64  // by row: its weight times how often it was drawn
	shift     []float32  // by feature: its mean, or 0 where the bias of features as they are is penalised
	scale     []float64  // by feature: its standard deviation, or 1
	sparse    *l1.Sparse // the trainer's, from the first pass on in the order of the sample
	nodes     []node
	strict    bool
	rescaling bool // a pass that only scales the splits of another method; see rescale
	lambda    float64
	pass      int

	// The loss of each row: in the subtree that is being optimised, and through the left
	// and the right child of its root.
	loss    []float64
	through [2][]float64
}

func (t *trainer) newOptimizer(ctx context.Context, tree int) *optimizer {
	o := &optimizer{
		trainer:  t,
		ctx:      ctx,
		tree:     tree,
		features: t.all,
		sparse:   t.sparse,
		weight:   make([]float64, t.n),
		shift:    make([]float32, t.p),
		scale:    make([]float64, t.p),
		lambda:   t.Lambda,
		loss:     make([]float64, t.n),
		through:  [2][]float64{make([]float64, t.n), make([]float64, t.n)},
	}
	drawn := forest.Forest{Rows: t.n, Sampling: t.Sampling, Seed: t.Seed}
	for i, c := range drawn.SampleCounts(nil, t.data, tree) {
		if c > 0 {
			o.weight[i] = t.weights[i] * float64(c)
			o.sample = append(o.sample, int32(i))
		}
	}
	o.moments()
	return o
}

// moments computes the mean and the standard deviation of each feature over the sample.
func (o *optimizer) moments() {
	var total float64
	for _, r := range o.sample {
		total += o.weight[r]
	}
	for j, column := range o.columns {
		if o.ctx.Err() != nil {
			return
		}
		first := float64(column[o.sample[0]]) // sums of differences from it are 0 in a constant column
		var sum, squares float64
		for _, r := range o.sample {
			sum += float64(o.weight[r] * (float64(column[r]) - first))
		}
		mean := first + sum/total
		for _, r := range o.sample {
			d := float64(column[r]) - mean
			squares += float64(o.weight[r] * float64(d*d))
		}
		if !o.PenalisedBias {
			o.shift[j] = float32(mean)
		}
		o.scale[j] = 1
		if !o.Unscaled {
			o.scale[j] = math.Sqrt(squares / total)
		}
	}
}

// constant reports whether the features that the tree may use are constant in its sample, so that no split
// divides its rows.
func (o *optimizer) constant() bool {
	return !slices.ContainsFunc(o.features, func(j int32) bool {
		column := o.columns[j]
		return slices.ContainsFunc(o.sample, func(r int32) bool { return column[r] != column[o.sample[0]] })
	})
}

// passAll makes the learner's passes.
func (o *optimizer) passAll(acceptance Acceptance) error {
	for pass := range o.Passes {
		o.strict = acceptance == Strict || acceptance == FreeThenStrict &&
			pass >= o.Passes-(o.Passes+strictShare-1)/strictShare
		o.arrange()
		s := o.borrow()
		o.step(s, 0, o.sample)
		o.scratch.Put(s)
		if err := o.ctx.Err(); err != nil {
			return err
		}
		o.pass++
		o.reportPass(o.state(), o.pruned)
	}
	return nil
}

// arrange copies the nonzero cells in the order of the sample, which is that of the leaves in the last pass: rows that
// are read together then lie together.
func (o *optimizer) arrange() {
	if o.sparse == nil {
		return
	}
	if o.sparse == o.trainer.sparse {
		o.sparse = new(l1.Sparse)
	}
	o.sparse.Arrange(o.trainer.sparse, o.sample)
}

// step optimises the subtree at node i on the rows that reach it and sets their loss. It
// reorders the rows.
func (o *optimizer) step(s *scratch, i int32, rows []int32) {
	n := &o.nodes[i]
	switch {
	case len(rows) == 0 || o.ctx.Err() != nil:
	case n.isLeaf():
		o.fitLeaf(s, n, rows)
	case o.TopDown:
		left, right := o.divide(s, n, rows)
		o.both(len(rows), s,
			func(s *scratch) { o.walk(s, n.left, rows, o.through[0]) },
			func(s *scratch) { o.walk(s, n.right, rows, o.through[1]) })
		o.fitSplit(s, n, left, right)
		o.stepChildren(s, n, rows)
	default:
		left, right := o.stepChildren(s, n, rows)
		for _, r := range left {
			o.through[0][r] = o.loss[r]
		}
		for _, r := range right {
			o.through[1][r] = o.loss[r]
		}
		o.both(len(rows), s,
			func(s *scratch) { o.walk(s, n.right, left, o.through[1]) },
			func(s *scratch) { o.walk(s, n.left, right, o.through[0]) })
		o.fitSplit(s, n, left, right)
	}
	o.setClasses(n)
}

// setClasses sets the classes of a node, given those of its children.
func (o *optimizer) setClasses(n *node) {
	switch l := &n.leaf; {
	case !n.isLeaf():
		n.classes = o.nodes[n.left].classes | o.nodes[n.right].classes
	case l.Kind == forest.LeafClass:
		n.classes = bitOf(l.Class)
	default:
		n.classes = 0
		for _, score := range l.Scores {
			n.classes |= bitOf(score.Class)
		}
	}
}

// bitOf returns the bit of a class in a set of classes. Classes may share bits.
func bitOf(class int32) uint64 { return 1 << (class & 63) }

// stepChildren optimises both subtrees of a split, whose rows are independent of each
// other, and returns the rows of each.
func (o *optimizer) stepChildren(s *scratch, n *node, rows []int32) (left, right []int32) {
	left, right = o.divide(s, n, rows)
	o.both(len(rows), s,
		func(s *scratch) { o.step(s, n.left, left) },
		func(s *scratch) { o.step(s, n.right, right) })
	return left, right
}

// divide moves the rows that go left to the front, keeps the order on both sides, and
// returns both parts.
func (o *optimizer) divide(s *scratch, n *node, rows []int32) (left, right []int32) {
	values, spare := resized(&s.values, len(rows)), resized(&s.spare, len(rows))
	o.project(s, &n.fn, values, rows)
	l, r := 0, 0
	for k, v := range values {
		row := rows[k]
		rows[l], spare[r] = row, row // the wrong copy is overwritten
		if v <= n.threshold {
			l++
		} else {
			r++
		}
	}
	copy(rows[l:], spare[:r])
	return rows[:l], rows[l:]
}

// project writes the function's value for each of the rows to values, rounded as in
// prediction. Where the function has many weights it reads the nonzero cells of each row,
// which lie together, rather than the function's columns.
func (o *optimizer) project(s *scratch, fn *forest.Function, values []float32, rows []int32) {
	if o.sparse == nil || fn.Kind != forest.Sparse || 3*len(fn.Weights) <= o.sparse.PerRow() {
		forest.Project(fn, values, o.columns, rows)
		return
	}
	w := resized(&s.dense, o.p)
	clear(w)
	for k, j := range fn.Features {
		w[j] = fn.Weights[k]
	}
	o.sparse.Project(values, w, rows)
}

// walk sends rows down from node i and writes the loss of each to loss. It doesn't reorder
// rows.
func (o *optimizer) walk(s *scratch, i int32, rows []int32, loss []float64) {
	routed := resized(&s.routed, len(rows))
	copy(routed, rows)
	o.route(s, i, routed, loss)
}

// route is walk, but may reorder the rows.
func (o *optimizer) route(s *scratch, i int32, rows []int32, loss []float64) {
	n := &o.nodes[i]
	switch {
	case len(rows) == 0 || len(rows) >= leastShared && o.ctx.Err() != nil:
	case n.isLeaf():
		o.lose(s, &n.leaf, rows, loss)
	default:
		left, right := o.divide(s, n, o.dropLost(n, rows, loss))
		o.route(s, n.left, left, loss)
		o.route(s, n.right, right, loss)
	}
}

// dropLost writes the loss of rows whose class no leaf below the node can predict, and returns the others.
func (o *optimizer) dropLost(n *node, rows []int32, loss []float64) []int32 {
	if o.labels == nil {
		return rows
	}
	wrong, kept := o.wrong(), rows[:0]
	for _, r := range rows {
		if n.classes&bitOf(o.labels[r]) == 0 {
			loss[r] = wrong
		} else {
			kept = append(kept, r)
		}
	}
	return kept
}
