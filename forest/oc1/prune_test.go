package oc1

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A subtree is a node of the plain implementation that prune is compared with.
type subtree struct {
	left, right *subtree
	classes     []float64 // weights of the growing rows
	asLeaf      float64   // their errors if the node is a leaf
	held        float64   // the same of the rows held out
	leaf        bool
}

func (s *subtree) totals() (errors, held float64, leaves int) {
	if s.leaf {
		return s.asLeaf, s.held, 1
	}
	e1, h1, l1 := s.left.totals()
	e2, h2, l2 := s.right.totals()
	return e1 + e2, h1 + h2, l1 + l2
}

// weakest returns the split with the least increase of errors for each leaf saved, of equal ones the last in
// preorder, which comes before those above it.
func (s *subtree) weakest() (at *subtree, cost float64) {
	if s.leaf {
		return nil, math.Inf(1)
	}
	errors, _, leaves := s.totals()
	at, cost = s, (s.asLeaf-errors)/float64(leaves-1)
	for _, child := range []*subtree{s.left, s.right} {
		if below, c := child.weakest(); below != nil && c <= cost {
			at, cost = below, c
		}
	}
	return at, cost
}

// build returns the node at position i of a tree and the rows' errors below it.
func build(tree *forest.Tree, i int32, d *datasets.Dataset, growing, held []int32) *subtree {
	weight := func(row int32) float64 {
		if d.Weights == nil {
			return 1
		}
		return float64(d.Weights[row])
	}
	s := &subtree{classes: make([]float64, len(d.Classes)), leaf: tree.Nodes[i].IsLeaf()}
	class := int32(0)
	for _, row := range growing {
		s.classes[d.Labels[row]] += weight(row)
	}
	for c, w := range s.classes {
		if w > s.classes[class] {
			class = int32(c)
		}
	}
	for _, row := range growing {
		if d.Labels[row] != class {
			s.asLeaf += weight(row)
		}
	}
	for _, row := range held {
		if d.Labels[row] != class {
			s.held += weight(row)
		}
	}
	if s.leaf {
		return s
	}
	fn := tree.Splits.At(tree.Nodes[i].Split)
	x := make([]float32, d.P())
	divide := func(rows []int32) (left, right []int32) {
		for _, row := range rows {
			if d.Row(x, int(row)); fn.Value(x) <= tree.Nodes[i].Value {
				left = append(left, row)
			} else {
				right = append(right, row)
			}
		}
		return left, right
	}
	gl, gr := divide(growing)
	hl, hr := divide(held)
	s.left, s.right = build(tree, i+1, d, gl, hl), build(tree, tree.Nodes[i].Next, d, gr, hr)
	return s
}

// The pruned tree is the one of the sequence of weakest links that errs least on the rows held out, and of several the
// smallest. The sequence is made plainly, with all errors counted anew at each step.
func TestPruneAgainstPlainSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := table(rapid.IntRange(4, 150).Draw(t, "n"), 3, rapid.IntRange(2, 4).Draw(t, "k"), true,
			rapid.Uint64().Draw(t, "data"))
		for i := 0; i < d.N(); i += 5 { // noise to prune
			d.Labels[i] = int32(i/5) % int32(len(d.Classes))
		}
		if rapid.Bool().Draw(t, "weighted") {
			for i := range d.N() {
				d.Weights = append(d.Weights, float32(1+i%3))
			}
		}
		var growing, held []int32
		for i := range d.N() {
			if i%4 == 3 {
				held = append(held, int32(i))
			} else {
				growing = append(growing, int32(i))
			}
		}
		f := must.Value(Tree{HeldOut: none, Search: Search{Restarts: 1}}.Fit(t.Context(), d.Subset(growing)))
		got := must.Value(prune(t.Context(), &f.Trees[0], d, held))

		root := build(&f.Trees[0], 0, d, growing, held)
		_, best, leaves := root.totals()
		for !root.leaf {
			link, _ := root.weakest()
			link.leaf = true
			if _, h, l := root.totals(); h <= best {
				best, leaves = h, l
			}
		}
		pruned := build(&got, 0, d, growing, held)
		if _, h, l := pruned.totals(); h != best || l != leaves {
			t.Fatalf("pruned to %d leaves with errors %v held out, want %d with %v", l, h, leaves, best)
		}
		for i, weights := range got.ClassWeights() {
			if i == 0 && !slices.Equal(weights, pruned.classes) {
				t.Fatalf("class weights %v, want %v", weights, pruned.classes)
			}
		}
		again := must.Value(prune(t.Context(), &got, d, held))
		if !slices.Equal(again.Nodes, got.Nodes) {
			t.Fatal("a pruned tree is pruned further")
		}
	})
}

// The rows held out are a tenth, and are out of bag.
func TestHeldOut(t *testing.T) {
	d := table(200, 3, 2, false, 1)
	f := must.Value(Tree{Seed: 3}.Fit(t.Context(), d))
	if n := sum(f.Trees[0].ClassWeights()[0]); n != 180 {
		t.Errorf("the tree is grown on %v of 200 rows, want 180", n)
	}
	full := must.Value(Tree{Seed: 3, HeldOut: none}.Fit(t.Context(), d))
	if n := sum(full.Trees[0].ClassWeights()[0]); n != 200 {
		t.Errorf("without pruning the tree is grown on %v of 200 rows", n)
	}
	one, err := Tree{}.Fit(t.Context(), d.Subset([]int32{0, 1}))
	if err != nil || len(one.Trees[0].Nodes) == 0 {
		t.Errorf("two rows, none of them held out: %v", err)
	}
}
