package grow

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

// A rule is a source with one candidate for each draw.
type rule struct {
	draw func(n *Node, attempt int) bool
	next func(n *Node) *Candidate

	node *Node
	done bool
}

func (r *rule) Draw(n *Node, attempt int) bool {
	r.node, r.done = n, false
	return r.draw(n, attempt)
}

func (r *rule) Next() *Candidate {
	if r.done {
		return nil
	}
	r.done = true
	return r.next(r.node)
}

// ruled returns the Spec of a rule.
func ruled(draw func(n *Node, attempt int) bool, next func(n *Node) *Candidate) *Spec {
	return &Spec{Source: func() Source { return &rule{draw: draw, next: next} }}
}

// once draws candidates once.
func once(_ *Node, attempt int) bool { return attempt == 0 }

func newEngine(t rapid.TB, d *datasets.Dataset, params Params) *Engine {
	t.Helper()
	e := must.Value(New(d, params))
	return e
}

func grown(t rapid.TB, e *Engine, spec func(t int) *Spec) []forest.Tree {
	t.Helper()
	trees := e.Forest().Trees
	must.Do(e.Grow(context.Background(), trees, 0, spec))
	return trees
}

// A single given candidate is taken even if it doesn't decrease the impurity, and rows are
// divided by its threshold.
func TestGivenThresholdsMakeTheTree(t *testing.T) {
	d := &datasets.Dataset{
		Features: make([]datasets.Feature, 1),
		Columns:  [][]float32{{1, 2, 3, 4, 5, 6}},
		Labels:   []int32{0, 1, 0, 1, 0, 1}, Classes: []string{"a", "b"},
	}
	e := newEngine(t, d, Params{Trees: 1, Sampling: forest.AllRows, Growth: forest.Growth{MinLeaf: 2}, Fallback: NoRedraw})
	tree := grown(t, e, func(int) *Spec {
		return ruled(once, func(n *Node) *Candidate {
			values := make([]float32, n.Len())
			n.Column(values, 0)
			c := axis(0, Given)
			c.Threshold = slices.Min(values) + 1.25
			return c
		})
	})[0]
	var thresholds []float32
	for _, n := range tree.Nodes {
		if !n.IsLeaf() {
			thresholds = append(thresholds, n.Value)
			if n.Weight != 0 {
				t.Errorf("threshold %v decreases impurity by %v", n.Value, n.Weight)
			}
		}
	}
	if want := []float32{2.25, 4.25}; !slices.Equal(thresholds, want) { // 6.25 would leave one side empty
		t.Errorf("thresholds %v, want %v", thresholds, want)
	}
}

// A source may refuse to split a node.
func TestDeclinedNodesAreLeaves(t *testing.T) {
	d := noise(2000, 4, 3)
	e := newEngine(t, d, Params{Trees: 1, Sampling: forest.AllRows})
	tree := grown(t, e, func(int) *Spec {
		return ruled(func(n *Node, attempt int) bool { return attempt == 0 && n.Depth() < 3 && n.Len() > 5 },
			func(n *Node) *Candidate { return axis(n.Depth(), Search) })
	})[0]
	if depth := tree.Depth(); depth != 3 {
		t.Errorf("depth %d, want 3", depth)
	}
}

// If no candidate of the first draw splits a node, Fallback decides what happens.
func TestFallback(t *testing.T) {
	d := noise(300, 5, 2)
	for i := range d.N() {
		d.Columns[0][i] = 7 // splits nothing
	}
	for _, c := range []struct {
		fallback Fallback
		draws    int
		depth    bool
	}{
		{NoRedraw, 1, false},
		{Redraw, 4, false},
		{AllFeatures, 4, true},
	} {
		draws, most := 0, 0
		e := newEngine(t, d, Params{Trees: 1, Sampling: forest.AllRows, Fallback: c.fallback})
		spec := ruled(func(n *Node, attempt int) bool {
			if attempt == 0 {
				most, draws = max(most, draws), 0
			}
			if attempt != draws {
				t.Fatalf("attempt %d after %d draws", attempt, draws)
			}
			if attempt == 4 {
				return false
			}
			draws++
			return true
		}, func(*Node) *Candidate { return axis(0, Search) })
		var tree forest.Tree
		newWorker(e, newTeam()).grow(0, spec, &tree)
		if most = max(most, draws); most != c.draws || tree.Depth() > 0 != c.depth {
			t.Errorf("%+v: %d draws, depth %d", c, most, tree.Depth())
		}
		if c.depth && tree.Leaves() < 50 {
			t.Errorf("%d leaves of noise", tree.Leaves())
		}
	}
}

// Every worker that grows a part of a tree must use that tree's Spec.
func TestHelpersUseTheTreesSpec(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7))
	const p = 3
	d := noise(60000, p, 2)
	var sources atomic.Int32
	var specs []*Spec
	for j := range p {
		specs = append(specs, &Spec{Source: func() Source {
			sources.Add(1)
			return &rule{draw: once, next: func(*Node) *Candidate { return axis(j, Search) }}
		}})
	}
	e := newEngine(t, d, Params{Trees: p, Growth: forest.Growth{MinLeaf: 50}, Seed: 1, Fallback: NoRedraw})
	for round := 0; int(sources.Load()) == round*p; round++ { // until somebody has helped
		trees := grown(t, e, func(i int) *Spec { return specs[i] })
		for i, tree := range trees {
			if len(tree.Nodes) < 500 {
				t.Errorf("tree %d has %d nodes", i, len(tree.Nodes))
			}
			for k, n := range tree.Nodes {
				if !n.IsLeaf() && feature(&tree, k) != int32(i) {
					t.Fatalf("tree %d splits on feature %d", i, feature(&tree, k))
				}
			}
		}
	}
}

// feature returns the feature of an axis-aligned split.
func feature(t *forest.Tree, node int) int32 {
	fn := t.Splits.At(t.Nodes[node].Split)
	return fn.Features[0]
}

func TestSamplingOfATree(t *testing.T) {
	d := noise(400, 4, 2)
	half := forest.Sampling{Fraction: 0.5, WithoutReplacement: true}
	e := newEngine(t, d, Params{Method: "test", Trees: 2, Sampling: forest.AllRows,
		Growth: forest.Growth{Criterion: forest.Entropy}})
	got := grown(t, e, func(int) *Spec { return &Spec{Source: drawSums(4), Sampling: &half} })
	like := newEngine(t, d, Params{Trees: 2, Growth: forest.Growth{Criterion: forest.Entropy}, Sampling: half})
	want := grown(t, like, func(int) *Spec { return &Spec{Source: drawSums(4)} })
	for i := range got {
		equalTrees(t, got[i], want[i])
	}
	more := forest.Sampling{Fraction: 1.5}
	err := e.Grow(context.Background(), e.Forest().Trees, 0,
		func(int) *Spec { return &Spec{Source: drawSums(4), Sampling: &more} })
	readtest.WantError(t, err, "test: a sampling fraction of 1.5")
}

// A circle takes one quadratic split, as a triangle or as the sum of two squares.
func TestQuadraticSplit(t *testing.T) {
	d := noise(2000, 2, 2)
	for i := range d.N() {
		x, y := d.Columns[0][i], d.Columns[1][i]
		d.Labels[i] = 0
		if x*x+y*y > 1.4 {
			d.Labels[i] = 1
		}
	}
	for _, circle := range []forest.Function{
		{Kind: forest.Quadratic, Features: []int32{0, 1}, Weights: []float32{0, 0}, Q: []float32{1, 0, 1}, Bias: -1.4},
		{ // (x − 1)² + 2(x − 1) + y² − 0.4
			Kind: forest.LowRank, Features: []int32{0, 1}, Weights: []float32{2, 0}, Bias: -0.4,
			Centre: []float32{1, 0}, Factors: []float32{1, 0, 0, 1}, Positive: 2,
		},
	} {
		e := newEngine(t, d, Params{Trees: 1, Sampling: forest.AllRows})
		tree := grown(t, e, func(int) *Spec {
			return ruled(once, func(*Node) *Candidate { return &Candidate{Function: circle} })
		})[0]
		if len(tree.Nodes) != 3 || math.Abs(float64(tree.Nodes[0].Value)) > 0.01 {
			t.Errorf("nodes %+v", tree.Nodes)
		}
		if got := tree.Splits.At(tree.Nodes[0].Split); !reflect.DeepEqual(got, circle) {
			t.Errorf("function %+v, want %+v", got, circle)
		}
	}
}
