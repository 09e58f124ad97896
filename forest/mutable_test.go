package forest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A tree that is made mutable and converted back has the same nodes, whatever its splits and leaves. It stores only
// what its nodes use, also after a node with all below it became a leaf.
func TestMutableRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		tree := &drawForest(rng, 5, rapid.SampledFrom([]int{0, 2, 4}).Draw(t, "classes"), 1).Trees[0]
		copied := NewMutable(tree).Tree()
		last := len(tree.Nodes) - 1
		checkSameNodes(t, tree, &copied, 0, 0, last+1)
		m, at := NewMutable(tree), rng.IntN(last+1)
		m.SetLeaf(int32(at), tree.Leaf(last))
		cut := m.Tree()
		end := len(cut.Nodes) - 1
		checkSameNodes(t, tree, &cut, 0, 0, at)
		checkSameNodes(t, tree, &cut, last-(end-at)+1, at+1, end-at)
		checkSameNodes(t, tree, &cut, last, at, 1)
		for _, got := range []Tree{copied, cut} {
			functions, rows, models := map[int32]bool{}, 0, 0
			for _, n := range got.Nodes {
				switch {
				case n.Split >= firstStored:
					functions[n.Split] = true
				case n.Split == int32(LeafDist) || n.Split == int32(LeafValues):
					rows += got.Classes + got.Outputs
				case n.Split == int32(LeafLinear):
					models++
				}
			}
			if got.Splits.Len() != len(functions) || len(got.Dist) != rows || got.models.len() != models {
				t.Fatalf("%d functions, %d numbers and %d models are stored; %d, %d and %d are used", got.Splits.Len(),
					len(got.Dist), got.models.len(), len(functions), rows, models)
			}
		}
	})
}

// checkSameNodes compares n nodes of two trees, from i and k on. What they store may have other numbers.
func checkSameNodes(t *rapid.T, a, b *Tree, i, k, n int) {
	t.Helper()
	for ; n > 0; i, k, n = i+1, k+1, n-1 {
		x, y := a.Nodes[i], b.Nodes[k]
		same := x.Value == y.Value && x.Weight == y.Weight && x.IsLeaf() == y.IsLeaf()
		if same && x.IsLeaf() {
			same = fmt.Sprintf("%+v", a.Leaf(i)) == fmt.Sprintf("%+v", b.Leaf(k))
		} else if same {
			same = fmt.Sprint(a.Splits.At(x.Split)) == fmt.Sprint(b.Splits.At(y.Split)) &&
				(len(a.Nodes) != len(b.Nodes) || x.Next == y.Next)
		}
		if !same {
			t.Fatalf("node %d, %+v, became %+v", i, x, y)
		}
	}
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
