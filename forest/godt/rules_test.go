package godt_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

var allDividers = []godt.Divider{
	godt.SharedDiagonal, godt.SharedFull, godt.SeparateFull, godt.SeparateDiagonal, godt.KMeans, godt.FirstAxis,
	godt.RandomAxis,
}

// linearDividers are those that can be used for values.
var linearDividers = []godt.Divider{godt.SharedDiagonal, godt.SharedFull, godt.KMeans, godt.FirstAxis, godt.RandomAxis}

func trained(t rapid.TB, l forest.Learner, d *datasets.Dataset) *forest.Forest {
	t.Helper()
	f, err := l.Fit(context.Background(), d)
	if err != nil {
		t.Fatalf("%+v: %v", l, err)
	}
	return f
}

// table returns n rows of p normal features, in as many clouds as classes, whose labels are the
// clouds but for a fifth of the rows.
func table(n, p, classes int, seed uint64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := &datasets.Dataset{Columns: make([][]float32, p), Features: make([]datasets.Feature, p),
		Classes: make([]string, classes)}
	centre := func(c, j int) float64 { return 3 * math.Sin(float64(7*c+3*j+1)) }
	for range n {
		c, common := rng.IntN(classes), rng.NormFloat64()
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32((rng.NormFloat64()+common+centre(c, j))*float64(1+j%3)))
		}
		if rng.IntN(5) == 0 {
			c = rng.IntN(classes)
		}
		d.Labels = append(d.Labels, int32(c))
	}
	return d
}

// valued returns d with values that depend on its first and last column.
func valued(d *datasets.Dataset) *datasets.Dataset {
	c := *d
	c.Labels, c.Classes, c.Values = nil, nil, make([]float64, d.N())
	for i := range c.Values {
		c.Values[i] = float64(d.Columns[0][i]) + math.Sin(float64(d.Columns[len(d.Columns)-1][i]))
	}
	return &c
}

// weighted returns d with weights, some of them 0.
func weighted(d *datasets.Dataset) *datasets.Dataset {
	c := *d
	for i := range d.N() {
		c.Weights = append(c.Weights, float32(i%5)/2)
	}
	return &c
}

// A reached node is what training rows show about a node of a tree.
type reached struct {
	drawn   int       // rows, as often as drawn
	weight  float64   // of them
	classes []float64 // their weight by class
	sum     float64   // weight times value
	squares float64
	rows    []int
}

// purity is the share of the largest class.
func (r *reached) purity() float64 { return slices.Max(r.classes) / r.weight }

func (r *reached) mse() float64 { return r.squares/r.weight - (r.sum/r.weight)*(r.sum/r.weight) }

// route sends the rows of tree k's sample down the tree.
func route(f *forest.Forest, k int, d *datasets.Dataset) []reached {
	tree := &f.Trees[k]
	nodes := make([]reached, len(tree.Nodes))
	for i := range nodes {
		nodes[i].classes = make([]float64, max(1, len(d.Classes)))
	}
	counts := f.Sampling.Counts(nil, d.N(), f.Seed, k)
	x := make([]float32, d.P())
	for i, count := range counts {
		w := float64(count)
		if d.Weights != nil {
			w *= float64(d.Weights[i])
		}
		if w == 0 {
			continue
		}
		x = d.Row(x, i)
		for at := 0; ; {
			n := &nodes[at]
			n.drawn += int(count)
			n.weight += w
			n.rows = append(n.rows, i)
			if d.Labels != nil {
				n.classes[d.Labels[i]] += w
			} else {
				n.sum += w * d.Values[i]
				n.squares += w * d.Values[i] * d.Values[i]
			}
			node := tree.Nodes[at]
			if node.IsLeaf() {
				break
			}
			at++
			if fn := tree.Splits.At(node.Split); fn.Value(x) > node.Value {
				at = int(node.Next)
			}
		}
	}
	return nodes
}

// drawLearner draws parameters of a forest of three trees.
func drawLearner(t *rapid.T, dividers []godt.Divider, p int) godt.Learner {
	l := godt.Learner{Trees: 3, Seed: rapid.Uint64().Draw(t, "seed")}
	l.Divider = rapid.SampledFrom(dividers).Draw(t, "divider")
	l.Start = rapid.SampledFrom([]godt.Start{0, godt.PrincipalAxis, godt.RandomRows, godt.PlusPlus}).Draw(t, "start")
	l.TreeFeatures, l.NodeFeatures = rapid.IntRange(0, p).Draw(t, "tree features"),
		rapid.IntRange(0, p).Draw(t, "node features")
	l.MinSplit = rapid.SampledFrom([]int{0, 2, 6, 11}).Draw(t, "min split")
	l.Sampling = rapid.SampledFrom([]forest.Sampling{{}, {Fraction: 1}, forest.AllRows}).Draw(t, "sampling")
	l.Supervised = rapid.Bool().Draw(t, "supervised")
	l.RelativeBeta = rapid.SampledFrom([]float64{0, 0.01}).Draw(t, "beta")
	return l
}

// Each row of a sample arrives in the leaf that counted it; nodes are split if and only if the rules
// of section 3.3 say so.
func TestLeavesAreThoseThatTheRulesMake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := table(rapid.IntRange(20, 120).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "p"), 3, rapid.Uint64().Draw(t, "data"))
		if rapid.Bool().Draw(t, "weighted") {
			d = weighted(d)
		}
		l := drawLearner(t, allDividers, d.P())
		l.Purity = rapid.SampledFrom([]float64{0, 0.5, 0.8, 1}).Draw(t, "purity")
		f := trained(t, l, d)
		delta := l.Purity
		if delta == 0 {
			delta = 1
		}
		for k, tree := range f.Trees {
			for i, n := range route(f, k, d) {
				node := tree.Nodes[i]
				if math.Abs(n.weight-float64(node.Weight)) > 1e-4*n.weight && node.IsLeaf() || n.weight == 0 {
					t.Fatalf("tree %d: node %d has weight %v; rows of weight %v arrive", k, i, node.Weight, n.weight)
				}
				if !node.IsLeaf() {
					if n.purity() >= delta || n.drawn < l.MinSplit {
						t.Fatalf("tree %d: node %d of %d rows with purity %v is split", k, i, n.drawn, n.purity())
					}
					continue
				}
				leaf := tree.Leaf(i)
				for c, w := range n.classes {
					if leaf.Kind == forest.LeafClass && (w > 0) != (int(leaf.Class) == c) ||
						leaf.Kind == forest.LeafDist && math.Abs(w-float64(leaf.Dist[c])) > 1e-4*n.weight {
						t.Fatalf("tree %d: leaf %+v; rows of weights %v arrive", k, leaf, n.classes)
					}
				}
				// Mixtures may leave nodes whole: where β exceeds the variance of the rows, all may be more
				// likely of the component with the larger share.
				if l.Divider >= godt.KMeans && n.purity() < delta && n.drawn >= max(2, l.MinSplit) && distinct(d, n.rows) {
					t.Fatalf("tree %d: node %d of rows %v isn't split", k, i, n.rows)
				}
			}
		}
	})
}

// distinct reports whether rows differ in any feature.
func distinct(d *datasets.Dataset, rows []int) bool {
	for _, column := range d.Columns {
		for _, i := range rows {
			if column[i] != column[rows[0]] {
				return true
			}
		}
	}
	return false
}

// Leaves of values have the mean of their rows, and nodes whose mean squared error is below MaxMSE
// aren't split (eq. 3.16).
func TestValueLeavesAreMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := valued(table(rapid.IntRange(20, 120).Draw(t, "n"), rapid.IntRange(2, 5).Draw(t, "p"), 3,
			rapid.Uint64().Draw(t, "data")))
		if rapid.Bool().Draw(t, "weighted") {
			d = weighted(d)
		}
		l := drawLearner(t, linearDividers, d.P())
		l.MaxMSE = rapid.SampledFrom([]float64{0, 0.1, 2}).Draw(t, "mse")
		f := trained(t, l, d)
		for k, tree := range f.Trees {
			for i, n := range route(f, k, d) {
				if node := tree.Nodes[i]; !node.IsLeaf() {
					if n.mse() < l.MaxMSE-1e-9 || n.mse() < 1e-12 || n.drawn < l.MinSplit {
						t.Fatalf("tree %d: node %d of %d rows with mean squared error %v is split", k, i, n.drawn, n.mse())
					}
				} else if mean := n.sum / n.weight; math.Abs(mean-float64(node.Value)) > 1e-5*(1+math.Abs(mean)) {
					t.Fatalf("tree %d: leaf %d has value %v; the mean is %v", k, i, node.Value, mean)
				}
			}
		}
	})
}

// A tree uses at most TreeFeatures features, a split at most NodeFeatures of them.
func TestFeaturesAreDrawnOnceATree(t *testing.T) {
	d := table(150, 12, 4, 1)
	used := map[int32]bool{}
	for _, divider := range allDividers {
		for _, nodeFeatures := range []int{0, 2} {
			f := trained(t, godt.Learner{Trees: 20, TreeFeatures: 5, NodeFeatures: nodeFeatures,
				Splitting: godt.Splitting{Divider: divider}}, d)
			for k, tree := range f.Trees {
				of := map[int32]bool{}
				for _, fn := range tree.Splits.All() {
					if nodeFeatures > 0 && len(fn.Features) > nodeFeatures {
						t.Errorf("divider %d, tree %d: a split by features %v; want at most %d", divider, k, fn.Features, nodeFeatures)
					}
					for _, j := range fn.Features {
						of[j], used[j] = true, true
					}
				}
				if len(of) > 5 {
					t.Errorf("divider %d, tree %d: %d features; want at most 5", divider, k, len(of))
				}
			}
		}
	}
	if len(used) != 12 {
		t.Errorf("all trees use %d features; want all 12", len(used))
	}
}

// The zero value is the thesis' forest, spelled out.
func TestZeroValues(t *testing.T) {
	for p, want := range map[int][2]int{1: {1, 1}, 4: {2, 1}, 7: {3, 2}, 12: {3, 4}} { // √p and p/3, rounded
		d := table(30, p, 2, 5)
		for i, data := range []*datasets.Dataset{d, valued(d)} {
			f := trained(t, godt.Learner{Seed: 2}, data)
			g := trained(t, godt.Learner{Trees: 200, TreeFeatures: want[i], Sampling: forest.Sampling{Fraction: 0.8}, Seed: 2,
				Splitting: godt.Splitting{Divider: godt.SharedDiagonal, Start: godt.PrincipalAxis, Beta: 1e-4,
					Purity: 1 - float64(i)}}, data)
			if !bytes.Equal(encoded(f), encoded(g)) || len(f.Trees) != 200 || f.Method != "gorf" {
				t.Errorf("%d features, values %v: another forest", p, i == 1)
			}
		}
	}
	d := table(30, 5, 2, 5)
	quadratic := godt.Splitting{Divider: godt.SeparateFull}
	spelled := godt.Splitting{Divider: godt.SeparateFull, RelativeBeta: 0.01, Start: godt.PrincipalAxis}
	if !bytes.Equal(encoded(trained(t, godt.Tree{Splitting: quadratic}, d)),
		encoded(trained(t, godt.Tree{Splitting: spelled}, d))) {
		t.Error("the default of GQDT isn't RelativeBeta 0.01 and PrincipalAxis")
	}
	spelled.Start = godt.RandomRows // of a forest whose trees have most features
	many, few := godt.Learner{Trees: 3, TreeFeatures: 3, Splitting: quadratic},
		godt.Learner{Trees: 3, TreeFeatures: 2, Splitting: quadratic}
	for l, random := range map[godt.Learner]bool{many: true, few: false} {
		other := l
		other.Splitting = spelled
		if same := bytes.Equal(encoded(trained(t, l, d)), encoded(trained(t, other, d))); same != random {
			t.Errorf("%d of 5 features: starts from random rows: %v, want %v", l.TreeFeatures, same, random)
		}
	}
}

func encoded(f *forest.Forest) []byte {
	return must.Value(f.MarshalBinary())
}

// Supervised takes the threshold with the largest decrease of Gini impurity.
func TestSupervisedThresholds(t *testing.T) {
	for _, divider := range allDividers {
		for seed := range uint64(5) {
			d := table(60, 4, 3, seed)
			f := trained(t, godt.Tree{Splitting: godt.Splitting{Divider: divider, Supervised: true},
				Growth: forest.Growth{MaxDepth: 1}}, d)
			root := f.Trees[0].Nodes[0]
			fn := f.Trees[0].Splits.At(root.Split)
			values := make([]float32, d.N())
			for i := range values {
				values[i] = fn.Value(d.Row(make([]float32, 4), i))
			}
			// impurity is n times the weighted Gini impurity of both sides
			impurity := func(threshold float32) float64 {
				var sides [2][3]float64
				for i, v := range values {
					side := 0
					if v > threshold {
						side = 1
					}
					sides[side][d.Labels[i]]++
				}
				sum := 0.0
				for _, s := range sides {
					if n := s[0] + s[1] + s[2]; n > 0 {
						sum += n - (s[0]*s[0]+s[1]*s[1]+s[2]*s[2])/n
					}
				}
				return sum
			}
			best := math.Inf(1)
			for _, v := range values {
				best = min(best, impurity(v))
			}
			if got := impurity(root.Value); math.Abs(got-best) > 1e-9 {
				t.Errorf("divider %d: impurity %v, the best is %v", divider, got, best)
			}
		}
	}
}

func TestSameBytesOnAnyNumberOfCores(t *testing.T) {
	d := table(500, 6, 4, 3)
	learners := []forest.Learner{godt.Learner{Trees: 4, TreeFeatures: 4, NodeFeatures: 2},
		godt.Tree{Splitting: godt.Splitting{Divider: godt.KMeans, Supervised: true}}}
	for _, divider := range allDividers {
		s := godt.Splitting{Divider: divider, Start: godt.RandomRows}
		learners = append(learners, godt.Tree{Splitting: s}, godt.Learner{Trees: 3, TreeFeatures: 5, Splitting: s})
	}
	for _, l := range learners {
		for _, data := range []*datasets.Dataset{d, weighted(d)} {
			fittest.SameBytes(t, fmt.Sprintf("%+v", l), l, data)
		}
	}
}
