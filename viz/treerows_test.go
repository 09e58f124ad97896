package viz

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// TestRowsOf: the rows at a leaf are those that the forest itself sends there, the rows
// at a split those of its children, and its histogram has all of them, on the right side
// of the threshold. The data are a view, and the model has steps.
func TestRowsOf(t *testing.T) {
	d := sim.Circles{Rings: 3, Classes: 3}.Sample(300, 1)
	model := must.Value(forest.Pipeline(sporf.Learner{Trees: 1, Seed: 1},
		datasets.Standardise{}).Fit(context.Background(), d))
	view := d.Subset([]int32{7, 299, 3, 3, 100, 101, 102, 103, 250, 251, 17, 4})
	tree := &model.Trees[0]
	r := rowsOf(model, tree, view)
	want := make([][]int, len(tree.Nodes))
	for node := range want {
		want[node] = make([]int, 3)
	}
	for i, leaf := range must.Value(model.Apply(t.Context(), view)) {
		want[leaf[0]][view.Labels[i]]++
	}
	var check func(node int)
	check = func(node int) {
		n := tree.Nodes[node]
		if !n.IsLeaf() {
			check(node + 1)
			check(int(n.Next))
			for k := range want[node] {
				want[node][k] = want[node+1][k] + want[n.Next][k]
			}
			checkBins(t, r, tree, node)
		}
		if !slices.Equal(r.counts[node], want[node]) {
			t.Errorf("node %d has rows %v; want %v", node, r.counts[node], want[node])
		}
	}
	check(0)
	if r.total(0) != 12 {
		t.Errorf("%d rows at the root; want 12", r.total(0))
	}
}

func checkBins(t *testing.T, r *treeRows, tree *forest.Tree, node int) {
	t.Helper()
	n := tree.Nodes[node]
	lo, hi := r.valueRange(node, float64(n.Value))
	edges := stripBins(lo, float64(n.Value), hi)
	if !slices.IsSorted(edges) || edges[0] != lo || edges[len(edges)-1] != hi {
		t.Errorf("node %d: bins %v from %v to %v", node, edges, lo, hi)
	}
	left := make([]int, len(r.counts[node]))
	all := make([]int, len(r.counts[node]))
	for b, bin := range r.bins(node, edges) {
		for k, count := range bin {
			all[k] += count
			if edges[b+1] <= float64(n.Value) {
				left[k] += count
			}
		}
	}
	if !slices.Equal(all, r.counts[node]) || !slices.Equal(left, r.counts[node+1]) {
		t.Errorf("node %d: the bins have %v, left of the threshold %v; want %v and %v", node, all, left, r.counts[node],
			r.counts[node+1])
	}
}

// TestTreeDiagramRows: the numbers of rows of the square's corners at each node of a tree
// that cuts one corner off.
func TestTreeDiagramRows(t *testing.T) {
	f := TreeDiagram{Title: "Tree", Model: oblique(), Data: corners()}.figure()
	// The line to the upper branch is three times as wide.
	d := &treeDrawing{rowsAt: rowsOf(oblique(), &oblique().Trees[0], corners())}
	if up, down := d.edgeWidth(1), d.edgeWidth(2); up < 2.99*down || up > 3.01*down {
		t.Errorf("widths %v and %v", up, down)
	}
	img := picture(f)
	for k := range 2 {
		if n := count(img, classColor(k)); n < 200 {
			t.Errorf("%d pixels have the colour of class %d", n, k)
		}
	}
	regression := corners()
	regression.Labels, regression.Classes = nil, nil
	contains(t, TreeDiagram{Model: value(), Data: regression}.figure().Alt, "If so: 2.5: 4 rows; otherwise: −3: 0 rows.")
	sums := *value()
	sums.Rule, sums.Classes, sums.Base = forest.Sum, []string{"a", "b"}, []float64{0}
	if keys := (TreeDiagram{Model: &sums}).figure().keys; keys != nil {
		t.Errorf("a tree of log-odds has a key of %d classes", len(keys))
	}
}

// TestRowsOfMissingCells: rows with missing cells are at the leaves that the forest sends them to, and can be drawn.
func TestRowsOfMissingCells(t *testing.T) {
	d := sim.Circles{Rings: 3, Classes: 3}.Sample(300, 1)
	for i := range d.N() {
		if i%3 == 0 {
			d.Columns[i%2][i] = float32(math.NaN())
		}
	}
	for _, l := range []forest.Learner{sporf.Learner{Trees: 1, Seed: 1}, rf.CART{}} {
		model := must.Value(l.Fit(t.Context(), d))
		r := rowsOf(model, &model.Trees[0], d)
		want := make([]int, len(model.Trees[0].Nodes))
		for _, leaf := range must.Value(model.Apply(t.Context(), d)) {
			want[leaf[0]]++
		}
		for node, n := range want {
			if n > 0 && r.total(node) != n {
				t.Errorf("%s: %d rows at leaf %d; want %d", model.Method, r.total(node), node, n)
			}
		}
		if !strings.Contains(TreeDiagram{Model: model, Data: d}.figure().alt(), "missing") && model.Method == "cart" {
			t.Error("the diagram doesn't say where missing cells go")
		}
		picture(TreeDiagram{Model: model, Data: d, Depth: 4}.figure())
	}
}
