package grow

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// honestData are labels of two and three classes, and values, with and without weights.
func honestData(n int) map[string]*datasets.Dataset {
	all := map[string]*datasets.Dataset{}
	for _, classes := range []int{0, 2, 3} {
		for _, weighted := range []bool{false, true} {
			d := noise(n, 4, max(classes, 2))
			rng := forest.NewRand(uint64(classes))
			if classes == 0 {
				d.Labels, d.Classes = nil, nil
				for range n {
					d.Values = append(d.Values, float64(rng.Intn(20)))
				}
			}
			if weighted {
				for range n {
					d.Weights = append(d.Weights, float32(rng.Intn(4))/2)
				}
			}
			all[fmt.Sprintf("%d classes, weighted %v", classes, weighted)] = d
		}
	}
	return all
}

// left reports whether row i of d goes left at a node.
func left(t *forest.Tree, node int, d *datasets.Dataset, i int32) bool {
	fn := t.Splits.At(t.Nodes[node].Split)
	return fn.Value(d.Row(nil, int(i))) <= t.Nodes[node].Value
}

// A refiller writes a tree with other rows in its leaves, from the text of Params.Honest.
type refiller struct {
	from, to *forest.Tree
	d        *datasets.Dataset
	counts   []uint16
}

func (r *refiller) weight(i int32) float64 {
	w := float64(r.counts[i])
	if r.d.Weights != nil {
		w *= float64(r.d.Weights[i])
	}
	return w
}

func (r *refiller) fill(node int, rows []int32) {
	n := r.from.Nodes[node]
	if n.IsLeaf() {
		r.to.Nodes = append(r.to.Nodes, r.leaf(rows))
		return
	}
	var sides [2][]int32
	for _, i := range rows {
		if left(r.from, node, r.d, i) {
			sides[0] = append(sides[0], i)
		} else {
			sides[1] = append(sides[1], i)
		}
	}
	switch {
	case len(sides[0]) == 0:
		r.fill(int(n.Next), rows)
	case len(sides[1]) == 0:
		r.fill(node+1, rows)
	default:
		at := len(r.to.Nodes)
		n.Split = r.to.Splits.Add(r.from.Splits.At(n.Split))
		r.to.Nodes = append(r.to.Nodes, n)
		r.fill(node+1, sides[0])
		r.to.Nodes[at].Next = int32(len(r.to.Nodes))
		r.fill(int(n.Next), sides[1])
	}
}

func (r *refiller) leaf(rows []int32) forest.Node {
	var total, sum float64
	classes := make([]float32, len(r.d.Classes))
	for _, i := range rows {
		total += r.weight(i)
		if r.d.Values != nil {
			sum += r.weight(i) * r.d.Values[i]
		} else {
			classes[r.d.Labels[i]] += float32(r.weight(i))
		}
	}
	if r.d.Values != nil {
		return forest.ValueLeaf(float32(sum/total), float32(total))
	}
	for c, w := range classes {
		if w == float32(total) {
			return forest.ClassLeaf(int32(c), float32(total))
		}
	}
	return r.to.DistLeaf(classes, float32(total))
}

// All numbers of these data are exact in sums of any order.
func TestHonestTreesAgainstTreesOfHalfTheRowsFilledByHand(t *testing.T) {
	for name, d := range honestData(300) {
		params := Params{Trees: 1, Sampling: forest.AllRows, Seed: 3, Honest: true}
		f := must.Value(Forest(t.Context(), d, params, drawSums(4)))
		counts := f.LeafCounts(nil, d, 0)
		var splitting, filling []int32
		for i, c := range counts {
			switch {
			case d.Weights != nil && d.Weights[i] == 0:
			case c == 0:
				splitting = append(splitting, int32(i))
			default:
				filling = append(filling, int32(i))
			}
		}
		if diff := len(splitting) - len(filling); diff != 0 && diff != 1 {
			t.Errorf("%s: %d rows choose splits, %d fill leaves", name, len(splitting), len(filling))
		}
		params.Honest = false
		half := must.Value(Forest(t.Context(), d.Subset(splitting), params, drawSums(4)))
		want := forest.Tree{Classes: len(d.Classes)}
		r := refiller{from: &half.Trees[0], to: &want, d: d, counts: counts}
		r.fill(0, filling)
		f.Trees[0].Splits, want.Splits = compared(&f.Trees[0]), compared(&want)
		if got := f.Trees[0]; !reflect.DeepEqual(got.Nodes, want.Nodes) || !reflect.DeepEqual(got.Dist, want.Dist) {
			t.Errorf("%s:\n%v\nwant\n%v", name, got.Nodes, want.Nodes)
		}
		if len(want.Nodes) == len(half.Trees[0].Nodes) {
			t.Errorf("%s: no split was left out, so the rule isn't tested", name)
		}
	}
}

// compared renumbers the splits of a tree in the order of its nodes.
func compared(t *forest.Tree) forest.Pool {
	var pool forest.Pool
	for i, n := range t.Nodes {
		if !n.IsLeaf() {
			t.Nodes[i].Split = pool.Add(t.Splits.At(n.Split))
		}
	}
	return pool
}

// The leaves of bootstrap samples hold what the rows counted by LeafCounts say, and none is empty.
func TestLeavesOfHonestForests(t *testing.T) {
	for name, d := range honestData(200) {
		f := must.Value(Forest(t.Context(), d, Params{Trees: 5, Seed: 9, Honest: true}, drawSums(4)))
		if !f.Honest {
			t.Fatal("the forest doesn't say that it is honest")
		}
		for k := range f.Trees {
			tree := &f.Trees[k]
			counts, all := f.LeafCounts(nil, d, k), f.Sampling.Counts(nil, d.N(), f.Seed, k)
			var rows []int32
			for i, c := range counts {
				if c > all[i] {
					t.Fatalf("%s: row %d counts %d in the leaves and was drawn %d times", name, i, c, all[i])
				}
				if c > 0 {
					rows = append(rows, int32(i))
				}
			}
			again := forest.Tree{Classes: len(d.Classes)}
			r := refiller{from: tree, to: &again, d: d, counts: counts}
			r.fill(0, rows)
			tree.Splits, again.Splits = compared(tree), compared(&again)
			if !reflect.DeepEqual(tree.Nodes, again.Nodes) || !reflect.DeepEqual(tree.Dist, again.Dist) {
				t.Errorf("%s, tree %d:\n%v\nwant\n%v", name, k, tree.Nodes, again.Nodes)
			}
		}
	}
}

// Trees on the values of functions, and samples of one row.
func TestHonestTreesOfFunctionsAndOfOneRow(t *testing.T) {
	d := noise(200, 4, 2)
	e := newEngine(t, d, Params{Trees: 3, Seed: 2, Honest: true})
	functions := []forest.Function{forest.Linear([]int32{0, 1}, []float32{1, 1}),
		forest.Linear([]int32{2, 3}, []float32{1, -1})}
	f := e.Forest()
	copy(f.Trees, grown(t, e, func(int) *Spec {
		return &Spec{Source: func() Source { return NewAxes(nil, 2, 2, Search) }, Functions: functions}
	}))
	for k := range f.Trees {
		if tree := &f.Trees[k]; tree.Splits.Len() != 2 || len(tree.Nodes) < 9 {
			t.Errorf("tree %d has %d functions and %d nodes; want both functions once, and splits", k, tree.Splits.Len(),
				len(tree.Nodes))
		}
	}
	if _, err := f.OutOfBag(t.Context(), d); err != nil {
		t.Error(err)
	}
	one := Params{Trees: 2, Seed: 2, Honest: true, Sampling: forest.Sampling{Fraction: 1e-9}}
	g := must.Value(Forest(t.Context(), d, one, drawSums(4)))
	for k, tree := range g.Trees {
		if len(tree.Nodes) != 1 || tree.Nodes[0].Weight != 1 {
			t.Errorf("tree %d of one row has nodes %v", k, tree.Nodes)
		}
	}
}
