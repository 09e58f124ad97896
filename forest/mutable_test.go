package forest

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A tree that is made mutable and converted back encodes to the same bytes, whatever its
// splits and leaves, and however many nodes share a function.
func TestMutableRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		f := drawForest(rng, 5, rapid.SampledFrom([]int{0, 2, 4}).Draw(t, "classes"), 1)
		g := *f
		g.Trees = []Tree{NewMutable(&f.Trees[0]).Tree()}
		g.Trees[0] = NewMutable(&g.Trees[0]).Tree() // removes what isn't in use
		want := must.Value((&Forest{Method: f.Method, Target: f.Target, Features: f.Features, Classes: f.Classes,
			Rule: f.Rule,
			Rows: f.Rows, Sampling: f.Sampling, Seed: f.Seed, Base: f.Base,
			Trees: []Tree{NewMutable(&f.Trees[0]).Tree()}}).MarshalBinary())
		if got, err := g.MarshalBinary(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("another tree, error %v", err)
		}
		d := normals(rng, 5, 60)
		if !slices.EqualFunc(must.Value(f.Apply(t.Context(), d)), must.Value(g.Apply(t.Context(), d)), slices.Equal) {
			t.Fatal("rows reach other leaves")
		}
	})
}

// A linked is a plain tree of pointers.
type linked struct {
	fn          Function
	threshold   float32
	left, right *linked
	class       int32 // of a leaf
}

func (l *linked) of(x []float32) *linked {
	for l.left != nil {
		var v float32
		for i, j := range l.fn.Features {
			v += float32(l.fn.Weights[i] * x[j])
		}
		if v <= l.threshold {
			l = l.left
		} else {
			l = l.right
		}
	}
	return l
}

// After any edits the tree is valid and predicts as a linked tree with the same edits.
func TestMutableEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		leaf := func() Leaf { return Leaf{Kind: LeafClass, Class: int32(rng.IntN(1000)), Weight: 1} }
		function := func() Function {
			return Linear([]int32{int32(rng.IntN(2)), int32(2 + rng.IntN(2))}, []float32{float32(rng.NormFloat64()), 1})
		}
		first := leaf()
		m := NewMutable(&Tree{Classes: 1000, Nodes: []Node{ClassLeaf(first.Class, 1)}})
		plain := map[int32]*linked{0: {class: first.Class}}
		var forget func(i int32)
		forget = func(i int32) {
			if !m.IsLeaf(i) {
				l, r := m.Children(i)
				forget(l)
				forget(r)
			}
			delete(plain, i)
		}
		for range rapid.IntRange(0, 60).Draw(t, "edits") {
			ids := make([]int32, 0, len(plain))
			for i := range plain {
				ids = append(ids, i)
			}
			slices.Sort(ids)
			i := ids[rng.IntN(len(ids))]
			at := plain[i]
			fn, threshold := function(), float32(rng.NormFloat64())
			switch op := rng.IntN(6); {
			case m.IsLeaf(i) && op < 4:
				a, b := leaf(), leaf()
				l, r := m.Grow(i, fn, threshold, a, b)
				*at = linked{fn: fn, threshold: threshold, left: &linked{class: a.Class}, right: &linked{class: b.Class}}
				plain[l], plain[r] = at.left, at.right
			case m.IsLeaf(i) || op == 0:
				if !m.IsLeaf(i) {
					l, r := m.Children(i)
					forget(l)
					forget(r)
				}
				a := leaf()
				m.SetLeaf(i, a)
				*at = linked{class: a.Class}
			default:
				l, r := m.Children(i)
				stays, goes := l, r
				left := rng.IntN(2) == 0
				if !left {
					stays, goes = r, l
				}
				forget(goes)
				m.Splice(i, left)
				*at = *plain[stays]
				delete(plain, stays)
			}
		}
		for i := range plain {
			if p := m.Parent(i); p >= 0 {
				if l, r := m.Children(p); l != i && r != i {
					t.Fatalf("node %d isn't a child of its parent %d", i, p)
				}
			} else if i != 0 {
				t.Fatalf("node %d has no parent", i)
			}
		}
		tree := m.Tree()
		classes := make([]string, 1000)
		f := &Forest{Features: make([]string, 4), Classes: classes, Trees: []Tree{tree}}
		must.Do(f.validate())
		if len(tree.Nodes) != len(plain) {
			t.Fatalf("%d nodes, want %d", len(tree.Nodes), len(plain))
		}
		d := normals(rng, 4, 40)
		for i, c := range must.Value(f.Predict(t.Context(), d)) {
			if want := plain[0].of(d.Row(nil, i)).class; c != want {
				t.Fatalf("row %d: class %d, want %d", i, c, want)
			}
		}
	})
}

// Weights and decreases by hand: rows 0, 1, 2, 3 of classes a, a, b, b, weighted
// 1, 2, 1, 0, divided after row 0 and then after row 1.
func TestReweigh(t *testing.T) {
	d := &datasets.Dataset{
		Features: make([]datasets.Feature, 1), Columns: [][]float32{{0, 1, 2, 3}},
		Labels: []int32{0, 0, 1, 1}, Classes: []string{"a", "b"},
	}
	tree := Tree{Classes: 2, Nodes: []Node{
		{Split: 0, Next: 2, Value: 0.5}, ClassLeaf(0, 9),
		{Split: 0, Next: 4, Value: 1.5}, ClassLeaf(0, 9), ClassLeaf(1, 9),
	}}
	m := NewMutable(&tree)
	m.Reweigh(d, []float64{1, 2, 1, 0})
	got := m.Tree()
	// 4 − (9+1)/4 = 1.5 at the root; 3 − (4+1)/3 = 4/3 on its right.
	for i, want := range []float64{1.5 - 4./3, 1, 4. / 3, 2, 1} {
		if math.Abs(float64(got.Nodes[i].Weight)-want) > 1e-6 {
			t.Errorf("node %d: weight %v, want %v", i, got.Nodes[i].Weight, want)
		}
	}
	values := &datasets.Dataset{Features: d.Features, Columns: d.Columns, Values: []float64{1, 1, 4, 7}}
	stump := Tree{Nodes: []Node{{Split: 0, Next: 2, Value: 1.5}, ValueLeaf(1, 0), ValueLeaf(5, 0)}}
	m = NewMutable(&stump)
	m.Reweigh(values, nil)
	// squared errors: 24.75 around 3.25, 0 and 4.5
	for i, want := range []float32{20.25, 2, 2} {
		if got := m.Tree().Nodes[i].Weight; got != want {
			t.Errorf("node %d of values: weight %v, want %v", i, got, want)
		}
	}
}
