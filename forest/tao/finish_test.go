package tao

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/forest"
)

// A part is a node of a tree pruned by the rules of the specification, without regard to
// how it is stored.
type part struct {
	node        *node // the split or linear leaf that is kept; nil for a constant leaf
	left, right *part
	rows        []int32
}

// prunedBelow applies the rules one after another: a split with an empty side is replaced by its
// other child, a subtree whose rows have one class by a leaf, and a split of two constant leaves
// with the same majority by a leaf. With linear leaves elsewhere, the forest averages proportions, and
// both leaves must have one class alone.
func (c *oracle) prunedBelow(i int32, rows []int32) *part {
	n := &c.nodes[i]
	var sides [2][]int32
	if !n.isLeaf() {
		for _, r := range rows {
			if c.child(i, r) == n.left {
				sides[0] = append(sides[0], r)
			} else {
				sides[1] = append(sides[1], r)
			}
		}
		if len(sides[0]) == 0 {
			return c.prunedBelow(n.right, rows)
		}
		if len(sides[1]) == 0 {
			return c.prunedBelow(n.left, rows)
		}
	}
	if c.data.Labels != nil && len(c.classWeights(rows)) == 1 || n.isLeaf() && n.leaf.Kind != forest.LeafLinear {
		return &part{rows: rows}
	}
	if n.isLeaf() {
		return &part{node: n, rows: rows}
	}
	p := &part{node: n, left: c.prunedBelow(n.left, sides[0]), right: c.prunedBelow(n.right, sides[1]), rows: rows}
	if c.data.Labels != nil && p.left.node == nil && p.right.node == nil &&
		c.majorityOf(p.left.rows) == c.majorityOf(p.right.rows) &&
		(!c.LinearLeaves || len(c.classWeights(rows)) == 1) {
		return &part{rows: rows}
	}
	return p
}

func (c *oracle) classWeights(rows []int32) map[int32]float64 {
	weights := map[int32]float64{}
	for _, r := range rows {
		weights[c.data.Labels[r]] += c.weight[r]
	}
	return weights
}

func (c *oracle) majorityOf(rows []int32) int32 {
	best, weights := int32(0), c.classWeights(rows)
	for k := range int32(len(c.data.Classes)) {
		if weights[k] > weights[best] {
			best = k
		}
	}
	return best
}

// checkPruned compares node i of a finished tree, and all below it, with p.
func (c *oracle) checkPruned(t *rapid.T, tree *forest.Tree, i int32, p *part) {
	n := tree.Nodes[i]
	if n.IsLeaf() != (p.left == nil) {
		t.Fatalf("node %d of the finished tree: leaf %v; want %v", i, n.IsLeaf(), p.left == nil)
	}
	if !n.IsLeaf() {
		fn := tree.Splits.At(n.Split)
		if n.Value != p.node.threshold || !slices.Equal(fn.Features, p.node.fn.Features) ||
			!slices.Equal(fn.Weights, p.node.fn.Weights) {
			t.Fatalf("split %d is %v ≤ %v; want %v ≤ %v", i, fn, n.Value, p.node.fn, p.node.threshold)
		}
		var penalty float64
		for k, w := range fn.Weights {
			penalty += math.Abs(float64(w)) * c.sd[fn.Features[k]]
		}
		if c.PenalisedBias && penalty > 0 {
			penalty += math.Abs(float64(n.Value))
		}
		if !(math.Abs(penalty-p.node.penalised) <= 1e-9*penalty) {
			t.Fatalf("split %d has Σ|w| %v; want %v", i, p.node.penalised, penalty)
		}
		c.checkPruned(t, tree, i+1, p.left)
		c.checkPruned(t, tree, n.Next, p.right)
		return
	}
	var weight float64
	for _, r := range p.rows {
		weight += c.weight[r]
	}
	leaf := tree.Leaf(int(i))
	if !(math.Abs(float64(leaf.Weight)-weight) <= 1e-6*weight) {
		t.Fatalf("leaf %d has weight %v; rows of weight %v arrive", i, leaf.Weight, weight)
	}
	if leaf.Kind == forest.LeafLinear != (p.node != nil) {
		t.Fatalf("leaf %d is of kind %d; linear: want %v", i, leaf.Kind, p.node != nil)
	}
	c.checkConstant(t, i, leaf, p)
}

// checkConstant compares a constant leaf with the rows that arrive.
func (c *oracle) checkConstant(t *rapid.T, i int32, leaf forest.Leaf, p *part) {
	switch leaf.Kind {
	case forest.LeafValue:
		mean, sd := meanAndSD(c.only(p.rows), func(i int) float64 { return c.data.Values[i] })
		if !(math.Abs(float64(leaf.Value)-mean) <= 1e-6*(math.Abs(mean)+sd)) {
			t.Fatalf("leaf %d has value %v; want the mean %v", i, leaf.Value, mean)
		}
	case forest.LeafClass:
		if weights := c.classWeights(p.rows); len(weights) != 1 || weights[leaf.Class] == 0 {
			t.Fatalf("leaf %d has class %d; rows with weights %v arrive", i, leaf.Class, weights)
		}
	case forest.LeafDist:
		weights := c.classWeights(p.rows)
		for k, w := range leaf.Dist {
			if !(math.Abs(float64(w)-weights[int32(k)]) <= 1e-6*weights[int32(k)]) || len(weights) < 2 {
				t.Fatalf("leaf %d has class weights %v; want %v, of two classes or more", i, leaf.Dist, weights)
			}
		}
	}
}

// only returns the weights of all rows, 0 for those that aren't among the given ones.
func (c *oracle) only(rows []int32) []float64 {
	w := make([]float64, len(c.weight))
	for _, r := range rows {
		w[r] = c.weight[r]
	}
	return w
}

func TestFinishedTreeIsThePrunedOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		l.Sampling = rapid.SampledFrom([]forest.Sampling{{}, {Fraction: 1}, forest.AllRows}).Draw(t, "sampling")
		o, c := started(t, l, d)
		for range rapid.IntRange(0, 4).Draw(t, "passes so far") {
			o.step(new(scratch), 0, o.sample)
		}
		rows := c.reach(0)
		f := o.forest()
		f.Trees[0] = o.pruned()
		fittest.Sound(t, f, d)
		c.checkPruned(t, &f.Trees[0], 0, c.prunedBelow(0, rows))

		// With constant leaves, pruning can only lower the training loss.
		if !o.LinearLeaves {
			var before, after float64
			for _, r := range rows {
				before += c.weight[r] * c.lossOf(0, r)
				after += c.weight[r] * c.lossIn(f, r)
			}
			if !(after <= before+1e-6*(before+1e-6)) {
				t.Fatalf("the loss is %v after pruning; want at most that before, %v", after, before)
			}
		}
	})
}

// lossIn returns the loss of a row in a forest with constant leaves.
func (c *oracle) lossIn(f *forest.Forest, row int32) float64 {
	d := c.data.Subset([]int32{row})
	if d.Labels == nil {
		e := (must.Value(f.PredictValues(context.Background(), d))[0] - d.Values[0]) / c.of
		return e * e
	}
	if must.Value(f.Predict(context.Background(), d))[0] == d.Labels[0] {
		return 0
	}
	return 1
}

// The linear leaves of a finished tree must predict what the leaves in training do.
func TestLinearLeavesPredictWhatTheyWereFittedTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		l.LinearLeaves = true
		o, c := started(t, l, d)
		for range 2 {
			o.step(new(scratch), 0, o.sample)
		}
		f := o.forest()
		f.Trees[0] = o.pruned()
		leaves := must.Value(f.Apply(t.Context(), d))
		for _, r := range c.reach(0) {
			if f.Trees[0].Leaf(int(leaves[r][0])).Kind != forest.LeafLinear {
				continue
			}
			loss := 0.0
			if d.Labels != nil {
				loss = min(5, -math.Log(must.Value(f.Proba(t.Context(), d))[r][d.Labels[r]]))
			} else {
				e := (must.Value(f.PredictValues(t.Context(), d))[r] - d.Values[r]) / c.of
				loss = e * e
			}
			if want := c.lossOf(0, r); !(math.Abs(loss-want) <= 1e-4*(1+want)) {
				t.Fatalf("row %d: the forest's prediction has loss %v; want %v as in training", r, loss, want)
			}
		}
	})
}

// describe formats a tree over one feature, such as "(≤2 a3 b2c1)": a split, and leaves with
// the weight of each class.
func describe(t *forest.Tree, i int32) string {
	if n := t.Nodes[i]; !n.IsLeaf() {
		return fmt.Sprintf("(≤%v %s %s)", n.Value, describe(t, i+1), describe(t, n.Next))
	}
	switch l := t.Leaf(int(i)); l.Kind {
	case forest.LeafClass:
		return fmt.Sprintf("%c%v", 'a'+l.Class, l.Weight)
	case forest.LeafValue:
		return fmt.Sprint("=", l.Value)
	default:
		s := ""
		for k, w := range l.Dist {
			if w > 0 {
				s += fmt.Sprintf("%c%v", 'a'+k, w)
			}
		}
		return s
	}
}

// A linear leaf that only rows of one class reach is a leaf of that class.
func TestPruningALinearLeafOfOneClass(t *testing.T) {
	d := labelled(table(column(6, func(i int) float32 { return float32(i) })), 2, func(i int) int { return i / 3 })
	scores := forest.Leaf{Kind: forest.LeafLinear, Scores: []forest.Score{{Class: 0}, {Class: 1}}}
	o, _ := started(t, Learner{LinearLeaves: true, Sampling: forest.AllRows}, d)
	o.nodes = []node{{left: 1, right: 2, threshold: 2, fn: forest.Linear([]int32{0}, []float32{1})}, {leaf: scores},
		{leaf: scores}}
	if tree := o.pruned(); describe(&tree, 0) != "(≤2 a3 b3)" {
		t.Error(describe(&tree, 0))
	}
}

// Where the forest averages proportions, leaves of one majority and other proportions
// don't predict the same.
func TestPruningKeepsProportions(t *testing.T) {
	d := labelled(table(column(6, func(i int) float32 { return float32(i) })), 2,
		func(i int) int { return []int{0, 0, 1, 0, 0, 1}[i] })
	split := node{left: 1, right: 2, threshold: 3, fn: forest.Linear([]int32{0}, []float32{1})}
	leaf := node{leaf: forest.Leaf{Kind: forest.LeafClass}}
	for rule, want := range map[forest.Rule]string{forest.Plurality: "a4b2", forest.Average: "(≤3 a3b1 a1b1)",
		forest.Consensus: "(≤3 a3b1 a1b1)"} {
		trainer := must.Value(Learner{Sampling: forest.AllRows}.trainer(d))
		trainer.rule = rule
		o := trainer.newOptimizer(context.Background(), 0)
		o.nodes = []node{split, leaf, leaf}
		if tree := o.pruned(); describe(&tree, 0) != want {
			t.Errorf("rule %v: %s; want %s", rule, describe(&tree, 0), want)
		}
	}
}
