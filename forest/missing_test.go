package forest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
)

// withMissing draws a forest with Fills, whose single features send missing cells to either side.
func withMissing(rng *rand.Rand, p, classes, trees int) *Forest {
	f := drawForest(rng, p, classes, trees)
	for range p {
		f.Fills = append(f.Fills, gridNumber(rng))
	}
	for i := range f.Trees {
		for k := range f.Trees[i].Nodes {
			n := &f.Trees[i].Nodes[k]
			if n.IsLeaf() {
				continue
			}
			if fn := f.Trees[i].Splits.At(n.Split); fn.Kind == Axis {
				fn.MissingLeft = rng.IntN(2) == 0
				n.Split = f.Trees[i].Splits.Add(fn)
			}
		}
	}
	return f
}

// leafOf returns the leaf of a row by what the documentation of Fills says.
func (f *Forest) leafOf(t *Tree, x []float32) int32 {
	filled := slices.Clone(x)
	for j, v := range x {
		if math.IsNaN(float64(v)) {
			filled[j] = f.Fills[j]
		}
	}
	i := int32(0)
	for !t.Nodes[i].IsLeaf() {
		n := &t.Nodes[i]
		fn := t.Splits.At(n.Split)
		left := fn.Value(filled) <= n.Value
		if fn.Kind == Axis && math.IsNaN(float64(x[fn.Features[0]])) {
			left = fn.MissingLeft
		} else if fn.Kind == Set {
			left = sideOf(&fn, x[fn.Features[0]])
		}
		if i++; !left {
			i = n.Next
		}
	}
	return i
}

// Blocks of many rows and of few, views and single rows all reach the same leaves, also for numbers that no category
// has.
func TestMissingCellsReachTheSameLeaves(t *testing.T) {
	skipShort(t)
	rng := rand.New(rand.NewPCG(5, 6))
	leavesMet := 0
	for trial := range 60 {
		p, classes, n := 1+rng.IntN(12), []int{0, 2, 3}[trial%3], []int{3, 40, smallBlock, 3000}[trial%4]
		f := []func(*rand.Rand, int, int, int) *Forest{withMissing, withSets}[trial%2](rng, p, classes, 1+rng.IntN(3))
		d := &datasets.Dataset{Features: make([]datasets.Feature, p)}
		for j := range p {
			column := make([]float32, n)
			for i := range column {
				switch column[i] = gridNumber(rng); {
				case rng.IntN(3) == 0:
					column[i] = float32(math.NaN())
				case f.categories(j) != nil:
					column[i] = float32(rng.IntN(120))
				}
			}
			d.Columns = append(d.Columns, column)
		}
		if trial%3 > 0 {
			rows := make([]int32, n)
			for i := range rows {
				rows[i] = int32(rng.IntN(n))
			}
			d = d.Subset(rows)
		}
		if axis := trial%5 == 0; axis { // rows of small blocks are walked one by one there
			for i := range f.Trees {
				f.Trees[i] = axisTree(rng, p, f.Trees[i].Classes)
			}
		}
		w, predictor := f.newWalker(d, n), f.Predictor()
		for lo := 0; lo < n; lo += (n + 1) / 2 {
			w.enter(lo, min(lo+(n+1)/2, n))
			for k := range f.Trees {
				reached := make([]int32, n)
				for leaf, rows := range w.leaves(&f.Trees[k], w.rows) {
					leavesMet++
					for _, r := range rows {
						reached[lo+int(r)] = leaf
					}
				}
				for i := w.lo; i < w.hi; i++ {
					x := d.Row(nil, i)
					want := f.leafOf(&f.Trees[k], x)
					var single [treesAtOnce]int32
					predictor.leaves(f.seen(nil, x), 0, &single)
					if reached[i] != want || single[k] != want {
						t.Fatalf("row %v reaches leaf %d in a block and %d alone; want %d", x, reached[i], single[k], want)
					}
				}
			}
		}
	}
	if leavesMet < 200 {
		t.Errorf("%d leaves; want more", leavesMet)
	}
}

// axisTree draws a tree of classes or values that is split by single features.
func axisTree(rng *rand.Rand, p, classes int) Tree {
	t := Tree{Classes: classes}
	var grow func(depth int)
	grow = func(depth int) {
		i := len(t.Nodes)
		if depth == 0 {
			leaf := ValueLeaf(1, 1)
			if classes > 0 {
				leaf = ClassLeaf(0, 1)
			}
			t.Nodes = append(t.Nodes, leaf)
			return
		}
		fn := Linear([]int32{int32(rng.IntN(p))}, []float32{1})
		fn.MissingLeft = rng.IntN(2) == 0
		t.Nodes = append(t.Nodes, Node{Split: t.Splits.Add(fn), Value: gridNumber(rng)})
		grow(depth - 1)
		t.Nodes[i].Next = int32(len(t.Nodes))
		grow(depth - 1)
	}
	grow(5)
	return t
}

func TestSplitStringOfMissingCells(t *testing.T) {
	f := &Forest{Features: []string{"height", "width"}}
	var tree Tree
	for _, c := range []struct {
		left      bool
		threshold float32
		want      string
	}{
		{false, 2.5, "width ≤ 2.5"},
		{true, 2.5, "width ≤ 2.5 or missing"},
		{false, math.MaxFloat32, "width not missing"},
	} {
		fn := Linear([]int32{1}, []float32{1})
		fn.MissingLeft = c.left
		tree.Nodes = []Node{{Split: tree.Splits.Add(fn), Value: c.threshold}}
		if got := f.SplitString(&tree, 0); got != c.want {
			t.Errorf("%q; want %q", got, c.want)
		}
	}
}
