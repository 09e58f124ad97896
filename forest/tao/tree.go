package tao

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
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

// startStream names the random numbers of initial trees, beside those of samples.
const startStream = 3

// start makes the initial tree: a random structure whose splits have normally distributed
// weights of standardised features and divide their rows at the median, and leaves with the
// majority or mean of their rows.
func (o *optimizer) start() {
	tree := o.tree
	if o.SameStart {
		tree = 0
	}
	rng := forest.NewRand(o.Seed, uint64(tree), startStream)
	if o.TreeFeatures > 0 && o.TreeFeatures < o.p {
		o.features = grow.Choose(make([]int32, o.TreeFeatures), o.all, &rng)
	}
	s := o.borrow()
	o.nodes = o.nodes[:0]
	if o.constant() { // the whole tree would be pruned
		o.nodes = append(o.nodes, node{leaf: o.startLeaf(s, &rng, o.sample)})
		o.setClasses(&o.nodes[0])
	} else {
		o.grow(s, &rng, 0, o.sample)
	}
	o.scratch.Put(s)
}

// grow appends the initial subtree of a node at the given depth and returns its number.
func (o *optimizer) grow(s *scratch, rng *forest.Rand, depth int, rows []int32) int32 {
	i := int32(len(o.nodes))
	o.nodes = append(o.nodes, node{})
	if depth == o.Depth || o.ctx.Err() != nil || depth >= max(1, o.FullDepth) && rng.Float64() >= o.SplitProbability {
		o.nodes[i].leaf = o.startLeaf(s, rng, rows)
		o.setClasses(&o.nodes[i])
		return i
	}
	n := node{features: o.features}
	if m := o.NodeFeatures; m > 0 && m < len(n.features) {
		n.features = grow.Choose(make([]int32, m), n.features, rng)
	}
	o.drawSplit(s, rng, &n, rows)
	left, right := o.divide(s, &n, rows)
	n.left = o.grow(s, rng, depth+1, left)
	n.right = o.grow(s, rng, depth+1, right)
	o.setClasses(&n)
	o.nodes[i] = n
	return i
}

// drawSplit draws the weights of a split, or the feature of an axis-aligned one, and puts the threshold at the median
// of its rows, or of the whole sample if it has none. Rows count alike there, whatever their
// weights.
func (o *optimizer) drawSplit(s *scratch, rng *forest.Rand, n *node, rows []int32) {
	n.fn = forest.Function{Kind: forest.Sparse}
	features := n.features
	if o.AxisAligned {
		at := rng.Intn(len(features))
		features = features[at : at+1]
	}
	for _, j := range features {
		w := float32(rng.Normal() / o.scale[j])
		if w-w == 0 { // not infinite, as for a constant feature
			n.fn.Features, n.fn.Weights = append(n.fn.Features, j), append(n.fn.Weights, w)
		}
	}
	if len(rows) == 0 {
		rows = o.sample
	}
	values := resized(&s.values, len(rows))
	o.project(s, &n.fn, values, rows)
	slices.Sort(values)
	n.threshold = values[(len(values)-1)/2]
	if n.threshold-n.threshold != 0 { // cells too large for these weights
		n.fn, n.threshold = forest.Function{Kind: forest.Sparse}, 0
	}
	n.penalised = o.penalisedSplit(n)
}

// startLeaf returns the first prediction of a leaf, that of a random row if it has none.
func (o *optimizer) startLeaf(s *scratch, rng *forest.Rand, rows []int32) forest.Leaf {
	at := rng.Intn(len(o.sample)) // always drawn, so that with SameStart the samples don't change what follows
	if len(rows) == 0 {
		rows = o.sample[at : at+1]
	}
	if o.labels == nil {
		return forest.Leaf{Kind: forest.LeafValue, Value: float32(o.average(rows))}
	}
	return forest.Leaf{Kind: forest.LeafClass, Class: o.majority(s, rows)}
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

// indifferent is the largest difference of two losses that counts as none.
const indifferent = 1e-9

// fitSplit fits a split to send each row to the child through which its loss is lower. This
// is the reduced problem of the paper (Section 3), a binary classification with
// pseudolabels, weighted by the difference of the losses, and solved with the logistic loss
// instead of the 0/1 loss. left and right are the rows that go there now. It sets the loss
// of each row, by the split that is kept.
func (o *optimizer) fitSplit(s *scratch, n *node, left, right []int32) {
	o.keepSides(left, right)
	if o.ctx.Err() != nil || !o.reduce(s, left, right) {
		return
	}
	if o.rescaling {
		o.rescale(s, n)
		return
	}
	var problem uint64
	if o.strict {
		if problem = o.problem(s); n.refused == problem {
			return // it would be refused again
		}
	}
	fitted := *n
	switch {
	case slices.Min(s.sides) == slices.Max(s.sides):
		fitted.oneSide(s.sides[0])
	case o.AxisAligned:
		o.solveAxis(s, &fitted)
	default:
		o.solve(s, &fitted)
	}
	fitted.fitted, fitted.refused = true, 0
	fitted.penalised = o.penalisedSplit(&fitted)
	if sum := fitted.penalised + math.Abs(float64(fitted.threshold)); sum-sum != 0 {
		return // too large for float32s
	}
	values := resized(&s.values, len(s.rows))
	o.project(s, &fitted.fn, values, s.rows)
	if o.strict {
		rise := float64(o.lambda * (fitted.penalised - n.penalised))
		for k, r := range s.rows {
			rise += float64(o.weight[r] * (o.through[sideOf(values[k], fitted.threshold)][r] - o.loss[r]))
		}
		if rise > 0 {
			n.refused = problem
			return
		}
	}
	for k, r := range s.rows {
		o.loss[r] = o.through[sideOf(values[k], fitted.threshold)][r]
	}
	*n = fitted
}

// keepSides sets the loss of each row by its present side.
func (o *optimizer) keepSides(left, right []int32) {
	for _, r := range left {
		o.loss[r] = o.through[0][r]
	}
	for _, r := range right {
		o.loss[r] = o.through[1][r]
	}
}

// reduce sets s.rows, s.sides and s.weights to the rows that count, those whose losses
// through the children differ, with their pseudolabels, −1 for left and 1 for right, and
// weights. It returns false if there are none.
func (o *optimizer) reduce(s *scratch, left, right []int32) bool {
	n := len(left) + len(right)
	rows, sides, weights := resized(&s.rows, n)[:0], resized(&s.sides, n)[:0], resized(&s.weights, n)[:0]
	for _, part := range [2][]int32{left, right} {
		for _, r := range part {
			gain := o.through[0][r] - o.through[1][r] // of going right
			if math.Abs(gain) <= indifferent {
				continue
			}
			side := int8(1)
			if gain < 0 {
				side = -1
			}
			rows, sides, weights = append(rows, r), append(sides, side), append(weights, float64(o.weight[r]*math.Abs(gain)))
		}
	}
	s.rows, s.sides, s.weights = rows, sides, weights
	return len(rows) > 0
}

// problem returns a hash of the reduced problem. A split that hasn't changed since the fit of the same problem was
// refused gets the same fit.
func (o *optimizer) problem(s *scratch) uint64 {
	hash := math.Float64bits(o.lambda)
	for k, r := range s.rows {
		hash = (hash ^ uint64(uint32(r))<<1 ^ uint64(s.sides[k]>>1&1)) * 0x9e3779b97f4a7c15
		hash = (bits.RotateLeft64(hash, 31) ^ math.Float64bits(s.weights[k])) * 0xbf58476d1ce4e5b9
	}
	return hash
}

// sideOf returns 0 for left, 1 for right.
func sideOf(value, threshold float32) int {
	if value <= threshold {
		return 0
	}
	return 1
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

// state describes the tree after a pass.
func (o *optimizer) state() Pass {
	p := Pass{Tree: o.tree, Number: o.pass, Lambda: o.lambda / o.unit, Strict: o.strict}
	for _, r := range o.sample {
		p.Loss += float64(o.weight[r] * o.loss[r])
	}
	for i := range o.nodes {
		n, lambda := &o.nodes[i], o.lambda
		if n.isLeaf() {
			lambda = o.LeafLambda
		}
		p.Penalty += float64(lambda * n.penalised)
	}
	return p
}

// pruned returns the tree as it is, without the parts that have no effect: splits that send
// all rows to one side, splits above rows of one class, and splits whose leaves predict the
// same. Constant leaves are set to the majority or mean of the rows that arrive. The tree isn't whole if ctx is
// cancelled.
func (o *optimizer) pruned() forest.Tree {
	s := o.borrow()
	defer o.scratch.Put(s)
	t := forest.Tree{Classes: len(o.data.Classes)}
	o.prune(s, &t, 0, slices.Clone(o.sample))
	m := forest.NewMutable(&t)
	m.Reweigh(o.data, o.weight)
	return m.Tree()
}

// prune appends what is kept of the subtree at node i to t, given the rows that reach it. Weights are computed later.
func (o *optimizer) prune(s *scratch, t *forest.Tree, i int32, rows []int32) {
	n, at := &o.nodes[i], len(t.Nodes)
	switch {
	case n.isLeaf() && n.leaf.Kind != forest.LeafLinear || o.pure(rows) || o.ctx.Err() != nil:
		t.Nodes = append(t.Nodes, o.constantLeaf(s, t, rows))
		return
	case n.isLeaf():
		t.Nodes = append(t.Nodes, t.LinearLeaf(o.unstandardised(n.leaf.Scores), 0))
		return
	}
	left, right := o.divide(s, n, rows)
	switch {
	case len(right) == 0:
		o.prune(s, t, n.left, rows)
		return
	case len(left) == 0:
		o.prune(s, t, n.right, rows)
		return
	}
	t.Nodes = append(t.Nodes, forest.Node{Split: t.Splits.Add(n.fn), Value: n.threshold})
	o.prune(s, t, n.left, left)
	t.Nodes[at].Next = int32(len(t.Nodes))
	o.prune(s, t, n.right, right)
	if len(t.Nodes) == at+3 && o.sameClass(s, t, left, right) {
		t.Nodes = append(t.Nodes[:at], o.constantLeaf(s, t, rows))
	}
}

// pure reports whether all rows have the same class.
func (o *optimizer) pure(rows []int32) bool {
	return o.labels != nil && !slices.ContainsFunc(rows, func(r int32) bool { return o.labels[r] != o.labels[rows[0]] })
}

// sameClass reports whether the last two nodes of a tree are constant leaves with the same prediction, given their
// rows: the same class if trees vote, otherwise rows of one class alone, since proportions count.
func (o *optimizer) sameClass(s *scratch, t *forest.Tree, left, right []int32) bool {
	for i := len(t.Nodes) - 2; i < len(t.Nodes); i++ {
		if t.Leaf(i).Kind == forest.LeafLinear {
			return false
		}
	}
	return o.labels != nil && o.majority(s, left) == o.majority(s, right) &&
		(o.rule == forest.Plurality || o.pure(left) && o.pure(right))
}

// majority returns the class with the largest weight, the first if several have it, and
// sets s.counts to the weights of the classes.
func (o *optimizer) majority(s *scratch, rows []int32) int32 {
	counts := resized(&s.counts, len(o.data.Classes))
	clear(counts)
	for _, r := range rows {
		counts[o.labels[r]] += o.weight[r]
	}
	return int32(slices.Index(counts, slices.Max(counts)))
}

// constantLeaf returns a leaf of t with the majority or mean of the rows that arrive.
func (o *optimizer) constantLeaf(s *scratch, t *forest.Tree, rows []int32) forest.Node {
	if o.labels == nil {
		return forest.ValueLeaf(float32(float64(o.average(rows)*o.sd)+o.mean), 0)
	}
	class := o.majority(s, rows)
	if o.pure(rows) {
		return forest.ClassLeaf(class, 0)
	}
	dist := make([]float32, len(s.counts))
	for c, count := range s.counts {
		dist[c] = float32(count)
	}
	return t.DistLeaf(dist, 0)
}

// unstandardised returns scores of values in the data's units. Scores of classes have no
// units.
func (o *optimizer) unstandardised(scores []forest.Score) []forest.Score {
	if o.labels != nil {
		return scores
	}
	score := scores[0]
	score.Weights = slices.Clone(score.Weights)
	for k, w := range score.Weights {
		score.Weights[k] = float32(float64(w) * o.sd)
	}
	score.Bias = float32(float64(float64(score.Bias)*o.sd) + o.mean)
	return []forest.Score{score}
}
