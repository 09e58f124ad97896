package tao

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// An oracle computes losses and penalties from their definitions, row by row.
type oracle struct {
	*optimizer
	x        [][]float32 // the cells, row by row
	weight   []float64   // of each row, times how often it is drawn
	sd       []float64   // of each feature over the sample
	mean, of float64     // mean and standard deviation of the values
}

func newOracle(o *optimizer, d *datasets.Dataset) *oracle {
	c := &oracle{optimizer: o, of: 1}
	weights := make([]float64, d.N())
	for i, k := range o.Sampling.Counts(nil, d.N(), o.Seed, o.tree) {
		c.x = append(c.x, d.Row(nil, i))
		weights[i] = 1
		if d.Weights != nil {
			weights[i] = float64(d.Weights[i])
		}
		c.weight = append(c.weight, weights[i]*float64(k))
	}
	for j := range d.Columns {
		_, sd := meanAndSD(c.weight, func(i int) float64 { return float64(c.x[i][j]) })
		if o.Unscaled {
			sd = 1
		}
		c.sd = append(c.sd, sd)
	}
	if d.Values != nil {
		mean, sd := meanAndSD(weights, func(i int) float64 { return d.Values[i] })
		if c.mean = mean; sd > 0 {
			c.of = sd
		}
	}
	return c
}

func meanAndSD(weight []float64, x func(i int) float64) (mean, sd float64) {
	var total, sum, squares float64
	for i, w := range weight {
		total += w
		sum += w * x(i)
	}
	for i, w := range weight {
		squares += w * (x(i) - sum/total) * (x(i) - sum/total)
	}
	return sum / total, math.Sqrt(squares / total)
}

// child returns the child of split i that a row goes to.
func (c *oracle) child(i int32, row int32) int32 {
	n := &c.nodes[i]
	var v float32
	for k, j := range n.fn.Features {
		v += float32(n.fn.Weights[k] * c.x[row][j])
	}
	if v > n.threshold {
		return n.right
	}
	return n.left
}

// reach returns the rows of the sample that reach node i.
func (c *oracle) reach(i int32) (rows []int32) {
	for row, w := range c.weight {
		at := int32(0)
		for at != i && !c.nodes[at].isLeaf() {
			at = c.child(at, int32(row))
		}
		if at == i && w > 0 {
			rows = append(rows, int32(row))
		}
	}
	return rows
}

// lossOf returns the loss of a row that is sent down from node i.
func (c *oracle) lossOf(i, row int32) float64 {
	for !c.nodes[i].isLeaf() {
		i = c.child(i, row)
	}
	l := c.nodes[i].leaf
	score := func(s forest.Score) float64 {
		v := float64(s.Bias)
		for k, j := range s.Features {
			v += float64(s.Weights[k]) * float64(c.x[row][j])
		}
		return v
	}
	if c.data.Labels == nil {
		predicted := float64(l.Value)
		if l.Kind == forest.LeafLinear {
			predicted = score(l.Scores[0])
		}
		e := (c.data.Values[row]-c.mean)/c.of - predicted
		return e * e
	}
	label := c.data.Labels[row]
	if l.Kind == forest.LeafLinear {
		q := math.Inf(1) // 1 / the probability of the label
		for _, s := range l.Scores {
			if s.Class == label {
				q = 0
				for _, other := range l.Scores {
					q += math.Exp(score(other) - score(s))
				}
			}
		}
		return min(5, math.Log(q))
	}
	switch {
	case l.Class == label:
		return 0
	case c.LinearLeaves:
		return 5
	}
	return 1
}

// penaltyOf returns λ Σ |w| of node i, with weights of standardised features.
func (c *oracle) penaltyOf(i int32) (sum float64) {
	n := &c.nodes[i]
	if !n.isLeaf() {
		for k, w := range n.fn.Weights {
			sum += c.lambda * math.Abs(float64(w)) * c.sd[n.fn.Features[k]]
		}
		if c.PenalisedBias && sum > 0 {
			sum += c.lambda * math.Abs(float64(n.threshold))
		}
		return sum
	}
	for _, s := range n.leaf.Scores {
		for k, w := range s.Weights {
			sum += c.LeafLambda * math.Abs(float64(w)) * c.sd[s.Features[k]]
		}
	}
	return sum
}

// part returns what rows contribute to the objective in the subtree at node i, together with the
// penalty of node i alone.
func (c *oracle) part(i int32, rows []int32) float64 {
	sum := c.penaltyOf(i)
	for _, row := range rows {
		sum += c.weight[row] * c.lossOf(i, row)
	}
	return sum
}

// started returns an optimizer with an initial tree, and its oracle.
func started(t rapid.TB, l Learner, d *datasets.Dataset) (*optimizer, *oracle) {
	trainer := must.Value(l.trainer(d))
	trainer.report = forest.Progress(context.Background())
	o := trainer.newOptimizer(context.Background(), 0)
	o.start()
	return o, newOracle(o, d)
}

// rounding is the error allowed in sums of losses of some rows, of which those that a split
// doesn't count may each be off by 1e-9.
func (c *oracle) rounding(rows []int32, sum float64) float64 {
	total := math.Abs(sum)
	for _, row := range rows {
		total += c.weight[row]
	}
	return 1e-9 * total
}

// The reduced problem of a split (pseudolabels, weights, losses) must be the one that sending
// each row through both subtrees gives, where these are as the step left them.
func TestReducedProblemIsThatOfAWalkThroughBothSubtrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		o, c := started(t, l, d)
		o.strict = rapid.Bool().Draw(t, "strict")
		whole := rapid.Bool().Draw(t, "whole subtree")
		for i := int32(len(o.nodes)) - 1; i >= 0; i-- {
			n, rows := o.nodes[i], c.reach(i)
			if n.isLeaf() || len(rows) == 0 {
				continue
			}
			s := new(scratch)
			if whole {
				o.step(s, i, slices.Clone(rows))
			} else {
				o.stepAlone(s, i, slices.Clone(rows))
			}
			for _, r := range rows {
				c.checkReduced(t, s, r, [2]float64{c.lossOf(n.left, r), c.lossOf(n.right, r)})
				if got, want := o.loss[r], c.lossOf(i, r); !(math.Abs(got-want) <= 1e-8*(1+want)) {
					t.Fatalf("row %d has loss %v after the step of node %d; it arrives at a leaf with %v", r, got, i, want)
				}
			}
		}
	})
}

// checkReduced compares a row of a reduced problem with its losses through both children.
func (c *oracle) checkReduced(t *rapid.T, s *scratch, row int32, through [2]float64) {
	for side := range through {
		if got := c.through[side][row]; !(math.Abs(got-through[side]) <= 1e-9*(1+got)) {
			t.Fatalf("row %d has loss %v through child %d; want %v", row, got, side, through[side])
		}
	}
	gain := through[0] - through[1]
	at := slices.Index(s.rows, row)
	switch {
	case math.Abs(math.Abs(gain)-indifferent) < indifferent/2: // either may be right
	case math.Abs(gain) < indifferent:
		if at >= 0 {
			t.Fatalf("row %d counts, but both children have the loss %v", row, through[0])
		}
	case at < 0:
		t.Fatalf("row %d, with losses %v, doesn't count", row, through)
	case (s.sides[at] == 1) != (gain > 0):
		t.Fatalf("row %d, with losses %v, has pseudolabel %d", row, through, s.sides[at])
	default:
		want, room := c.weight[row]*math.Abs(gain), 1e-9*c.weight[row]*(1+through[0]+through[1])
		if !(math.Abs(s.weights[at]-want) <= room) {
			t.Fatalf("row %d, with losses %v, has weight %v in the problem; want %v", row, through, s.weights[at], want)
		}
	}
}

func TestStateIsTheObjectiveOfAPlainWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		l.Sampling = rapid.SampledFrom([]forest.Sampling{{}, {Fraction: 1}, forest.AllRows}).Draw(t, "sampling")
		o, c := started(t, l, d)
		rows := c.reach(0)
		check := func(p Pass) {
			var loss, penalty float64
			for _, r := range rows {
				loss += c.weight[r] * c.lossOf(0, r)
			}
			for i := range o.nodes {
				penalty += c.penaltyOf(int32(i))
			}
			if !(math.Abs(p.Loss-loss) <= c.rounding(rows, loss)) || !(math.Abs(p.Penalty-penalty) <= 1e-9*penalty) {
				t.Fatalf("loss %v and penalty %v after pass %d; want %v and %v", p.Loss, p.Penalty, p.Number, loss, penalty)
			}
		}
		check(o.evaluate())
		for range o.Passes {
			o.strict = rapid.Bool().Draw(t, "strict")
			o.step(new(scratch), 0, o.sample)
			o.pass++
			check(o.state())
		}
	})
}

// A node step changes one node, so in strict passes its own part of the objective must not
// rise: the loss of its rows and its penalty.
func TestStrictStepsNeverRaiseTheObjective(t *testing.T) {
	steps := 0
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		l.Depth = rapid.IntRange(3, 5).Draw(t, "depth")
		l.Sampling.Fraction = 0.9
		trainer := must.Value(l.trainer(d))
		for tree := range 20 {
			o := trainer.newOptimizer(context.Background(), tree)
			o.start()
			c, s := newOracle(o, d), new(scratch)
			for pass := range 12 {
				o.strict = pass%3 != 1 // a free pass between strict ones leads to another tree
				o.lambda *= 1 + float64(pass%2)
				for i := int32(len(o.nodes)) - 1; i >= 0; i-- { // children before their parents
					if rows := c.reach(i); len(rows) > 0 {
						before := c.part(i, rows)
						o.stepAlone(s, i, rows)
						if after := c.part(i, rows); o.strict && !(after <= before+c.rounding(rows, before)) {
							t.Fatalf("the step of node %d raises its part of the objective from %v to %v", i, before, after)
						}
						if o.strict {
							steps++
						}
					}
				}
			}
		}
	})
	want := 100_000
	if testing.Short() { // rapid makes a fifth of the draws
		want /= 5
	}
	if steps < want {
		t.Errorf("%d strict steps; want at least %d", steps, want)
	}
}

// stepAlone makes the step of node i and of no node below it.
func (o *optimizer) stepAlone(s *scratch, i int32, rows []int32) {
	n := &o.nodes[i]
	defer o.setClasses(n)
	if n.isLeaf() {
		o.fitLeaf(s, n, rows)
		return
	}
	left, right := o.divide(s, n, rows)
	o.walk(s, n.left, rows, o.through[0])
	o.walk(s, n.right, rows, o.through[1])
	o.fitSplit(s, n, left, right)
}

// Rows that end early, because no leaf below has their class, have the loss of a walk to the leaves, also where classes
// share bits.
func TestRowsEndEarlyWithTheLossOfTheirLeaf(t *testing.T) {
	d := clusters(600, 4, 70)
	for _, l := range []Learner{{Depth: 5}, {Depth: 3, LinearLeaves: true}} {
		o, _ := started(t, l, d)
		s := o.borrow()
		for range 3 {
			o.step(s, 0, o.sample)
			whole := *o
			whole.nodes = slices.Clone(o.nodes)
			for i := range whole.nodes {
				whole.nodes[i].classes = math.MaxUint64
			}
			for i := range o.nodes {
				got, want := make([]float64, d.N()), make([]float64, d.N())
				o.walk(s, int32(i), o.sample, got)
				whole.walk(s, int32(i), o.sample, want)
				if !slices.Equal(got, want) {
					t.Fatalf("%+v: node %d has other losses", l, i)
				}
			}
		}
	}
}

// Strict passes that remember refused fits make the tree of passes that make every fit.
func TestRefusedFitsNeedNotBeMadeAgain(t *testing.T) {
	d := clusters(800, 4, 6)
	for _, l := range []Learner{{Depth: 4}, {Depth: 5, Unscaled: true}} {
		o, _ := started(t, l, d)
		all, _ := started(t, l, d)
		skipped := 0
		for pass := range 16 {
			for _, o := range []*optimizer{o, all} {
				o.strict = pass >= 4
				o.lambda = 0.01 * float64(1+pass/12)
			}
			refused := make([]uint64, len(o.nodes))
			for i := range all.nodes {
				refused[i] = o.nodes[i].refused
				all.nodes[i].refused = 0
			}
			o.step(o.borrow(), 0, o.sample)
			all.step(all.borrow(), 0, all.sample)
			for i := range o.nodes {
				if a, b := &o.nodes[i], &all.nodes[i]; !slices.Equal(a.fn.Weights, b.fn.Weights) || a.threshold != b.threshold {
					t.Fatalf("%+v, pass %d: node %d is %v, %v; want %v, %v", l, pass, i, a.fn, a.threshold, b.fn, b.threshold)
				}
				if refused[i] != 0 && refused[i] == all.nodes[i].refused {
					skipped++
				}
			}
			if !slices.Equal(o.loss, all.loss) {
				t.Fatalf("%+v, pass %d: other losses", l, pass)
			}
		}
		if skipped < 10 {
			t.Errorf("%+v: %d fits were the same as before; want some", l, skipped)
		}
	}
}
