package tao

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/l1"
)

// refine optimises a tree of another method and writes the result to refined.
func (o *optimizer) refine(tree, refined *forest.Tree) error {
	o.copyTree(tree)
	o.rescaleAll()
	before := slices.Clone(o.nodes)
	began := o.evaluate().Objective()
	if err := o.passAll(o.Acceptance); err != nil {
		return err
	}
	if o.state().Objective() > began {
		o.nodes = before
		o.evaluate()
		o.pass = 0
		o.history.forget(o.tree)
		if err := o.passAll(Strict); err != nil {
			return err
		}
	}
	*refined = o.pruned()
	return o.ctx.Err()
}

// copyTree makes the nodes those of a finished tree.
func (o *optimizer) copyTree(t *forest.Tree) {
	o.nodes = make([]node, len(t.Nodes))
	for i := range t.Nodes {
		n := &o.nodes[i]
		if t.Nodes[i].IsLeaf() {
			n.leaf = o.startFrom(t.Leaf(i))
			n.penalised = o.penalisedLeaf(&n.leaf)
			continue
		}
		n.left, n.right, n.features = int32(i)+1, t.Nodes[i].Next, o.features
		n.fn, n.threshold = t.Splits.At(t.Nodes[i].Split), t.Nodes[i].Value
		n.penalised = o.penalisedSplit(n)
	}
	for i := range o.nodes {
		o.setClasses(&o.nodes[len(o.nodes)-1-i]) // children come after their parents
	}
}

// startFrom returns a leaf of a finished tree as one to be optimised.
func (o *optimizer) startFrom(l forest.Leaf) forest.Leaf {
	mean := o.mean - o.raised // in units of the finished tree
	switch {
	case l.Kind == forest.LeafValue:
		return forest.Leaf{Kind: forest.LeafValue, Value: float32((float64(l.Value) - mean) / o.sd)}
	case l.Kind == forest.LeafDist:
		return forest.Leaf{Kind: forest.LeafClass, Class: int32(slices.Index(l.Dist, slices.Max(l.Dist)))}
	case l.Kind == forest.LeafLinear && o.labels == nil:
		score := l.Scores[0]
		score.Weights = slices.Clone(score.Weights)
		for k, w := range score.Weights {
			score.Weights[k] = float32(float64(w) / o.sd)
		}
		score.Bias = float32((float64(score.Bias) - mean) / o.sd)
		return forest.Leaf{Kind: forest.LeafLinear, Scores: []forest.Score{score}}
	}
	return l
}

// evaluate sends the sample down the tree, sets the loss of each row, and returns the state.
func (o *optimizer) evaluate() Pass {
	s := o.borrow()
	defer o.scratch.Put(s)
	o.walk(s, 0, o.sample, o.loss)
	return o.state()
}

// rescaleAll scales the splits of a tree of another method. Multiplying a split's weights and
// threshold doesn't change where rows go, so such splits have no scale of their own, but
// the penalty depends on it. Each gets the scale that the fit of its reduced problem would
// give it, if only the scale were free.
func (o *optimizer) rescaleAll() {
	s := o.borrow()
	defer o.scratch.Put(s)
	o.rescaling = true
	o.step(s, 0, o.sample)
	o.rescaling = false
}

// rescale scales a split, given its reduced problem, by a power of two, which keeps all
// rounding as it is.
func (o *optimizer) rescale(s *scratch, n *node) {
	values := resized(&s.values, len(s.rows))
	o.project(s, &n.fn, values, s.rows)
	s.matrix.SetColumn(values)
	var scale [1]float64
	var bias float64
	s.solver.Logistic(&s.matrix, s.sides, s.weights, []float64{o.lambda * n.penalised},
		l1.Limits{Tolerance: 1e-3, Steps: 50}, scale[:], &bias)
	if !(scale[0] > 0) {
		scale[0] = 0x1p-20 // the split sends rows the wrong way: any small weights will do
	}
	exponent := math.Ilogb(scale[0])
	if n.fn.Kind == forest.LowRank {
		exponent &^= 1 // its factors, which are squared, are multiplied by the root
	}
	fn, threshold := scaled(n.fn, exponent), float32(math.Ldexp(float64(n.threshold), exponent))
	back := scaled(fn, -exponent)
	if !slices.Equal(back.Weights, n.fn.Weights) || !slices.Equal(back.Q, n.fn.Q) ||
		!slices.Equal(back.Factors, n.fn.Factors) || back.Bias != n.fn.Bias ||
		math.Ldexp(float64(threshold), -exponent) != float64(n.threshold) {
		return // too large or too small for float32s
	}
	n.fn, n.threshold = fn, threshold
	n.penalised = o.penalisedSplit(n)
	n.fitted = n.fn.Kind.Linear()
}

// scaled returns a function multiplied by 2ᵏ; k is even for a LowRank.
func scaled(fn forest.Function, k int) forest.Function {
	times := func(weights []float32, k int) []float32 {
		out := make([]float32, len(weights))
		for i, w := range weights {
			out[i] = float32(math.Ldexp(float64(w), k))
		}
		return out
	}
	fn.Weights, fn.Q, fn.Factors = times(fn.Weights, k), times(fn.Q, k), times(fn.Factors, k/2)
	fn.Bias = float32(math.Ldexp(float64(fn.Bias), k))
	if fn.Kind == forest.Axis {
		fn.Kind = forest.Sparse
	}
	return fn
}
