package viz

import (
	"context"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// treeRows are the rows of a data set that pass through the nodes of a tree.
type treeRows struct {
	class  []int32 // of each row; all 0 without labels
	labels bool
	rows   [][]int32   // at each node
	counts [][]int     // at each node, rows by class; one number if there are no labels
	values [][]float32 // at each split, the function's value for each of its rows; not finite for missing cells
}

// rowsOf sends the rows of d down a tree of the model. It panics where
// [forest.Forest.Check] has an error, or if the classes differ.
func rowsOf(model *forest.Forest, tree *forest.Tree, d *datasets.Dataset) *treeRows {
	_, x, err := model.Transformed(context.Background(), d)
	if err != nil {
		panic("viz: " + err.Error())
	}
	checkClasses(model, d)
	d = x
	nodes, classes := len(tree.Nodes), 1
	r := &treeRows{class: make([]int32, d.N()), counts: make([][]int, nodes), rows: make([][]int32, nodes),
		values: make([][]float32, nodes)}
	if r.labels = d.Labels != nil && tree.Classes > 0; r.labels {
		r.class, classes = d.Labels, len(d.Classes)
	}
	var columns, filled [][]float32
	for j, whole := 0, model.Filled(d); j < d.P(); j++ {
		columns, filled = append(columns, d.Column(nil, j)), append(filled, whole.Column(nil, j))
	}
	r.rows[0] = allRows(d)
	for i, n := range tree.Nodes {
		rows := r.rows[i]
		r.counts[i] = make([]int, classes)
		for _, row := range rows {
			r.counts[i][r.class[row]]++
		}
		if n.IsLeaf() {
			continue
		}
		fn := tree.Splits.At(n.Split)
		r.values[i] = make([]float32, len(rows))
		cells := columns
		if fn.Kind != forest.Axis {
			cells = filled
		}
		forest.Project(&fn, r.values[i], cells, rows)
		for k, v := range r.values[i] {
			child := i + 1
			if !(v <= n.Value) {
				child = int(n.Next)
			}
			r.rows[child] = append(r.rows[child], rows[k])
		}
	}
	return r
}

// allRows returns the rows of a data set.
func allRows(d *datasets.Dataset) []int32 {
	rows := make([]int32, d.N())
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// checkClasses panics if d has labels and other classes than the model.
func checkClasses(model *forest.Forest, d *datasets.Dataset) {
	if d.Labels != nil && !slices.Equal(d.Classes, model.Classes) {
		misuse("the data have classes %q, the model %q", d.Classes, model.Classes)
	}
}

// total returns the number of rows at a node.
func (r *treeRows) total(node int) int {
	n := 0
	for _, k := range r.counts[node] {
		n += k
	}
	return n
}

// text returns a text with the number of rows at a node, such as "24 of 30 rows" for a
// class of the model. Class −1 means all rows.
func (r *treeRows) text(node, class int) string {
	part, all, unit := r.total(node), r.total(node), " rows"
	if class >= 0 && r.labels {
		part = r.counts[node][class]
	}
	if all == 1 {
		unit = " row"
	}
	return noBreak(share(float64(part), float64(all)) + unit)
}

// In CSS pixels.
const (
	stripHeight = 30.0  // of the histogram in the box of a split
	stripWidth  = 130.0 // at least
	barHeight   = 9.0   // of the bar in the box of a leaf
	widestEdge  = 11.0
)

func (r *treeRows) color(k int) color.NRGBA {
	if !r.labels {
		return grey
	}
	return classColor(k)
}

// drawBar draws a bar of the rows by class, as long as the rectangle is wide.
func (r *treeRows) drawBar(c draw.Canvas, node int, in vg.Rectangle) {
	all, x := r.total(node), in.Min.X
	for k, n := range r.counts[node] {
		w := (in.Max.X - in.Min.X) * vg.Length(n) / vg.Length(max(1, all))
		fillRectangle(c, r.color(k), rect(x, in.Min.Y, x+w, in.Max.Y))
		x += w
	}
	c.SetLineStyle(stroke(grey, 0.6))
	c.Stroke(in.Path())
}

// drawStrip draws a histogram of the split function over the rows of a node, stacked by
// class, with a line at the threshold. Rows whose cell is missing aren't in it.
func (r *treeRows) drawStrip(c draw.Canvas, node int, threshold float64, in vg.Rectangle) {
	if threshold == math.MaxFloat32 { // missing against the rest
		threshold = -threshold
		for _, v := range r.values[node] {
			if v-v == 0 {
				threshold = max(threshold, float64(v))
			}
		}
	}
	lo, hi := r.valueRange(node, threshold)
	h := stripBins(lo, threshold, hi)
	bins := r.bins(node, h)
	tallest := 1
	for _, bin := range bins {
		n := 0
		for _, k := range bin {
			n += k
		}
		tallest = max(tallest, n)
	}
	size := in.Size()
	toX := func(v float64) vg.Length { return in.Min.X + size.X*vg.Length((v-lo)/(hi-lo)) }
	for b, bin := range bins {
		x, w, y := toX(h[b]), toX(h[b+1])-toX(h[b]), in.Min.Y
		for k, n := range bin {
			top := y + (size.Y-2*px)*vg.Length(n)/vg.Length(tallest)
			fillRectangle(c, r.color(k), rect(x, y, x+w-0.5*px, top))
			y = top
		}
	}
	c.StrokeLine2(stroke(grey, 0.6), in.Min.X, in.Min.Y, in.Max.X, in.Min.Y)
	x := toX(threshold)
	c.StrokeLine2(stroke(ink, 1.4), x, in.Min.Y-2*px, x, in.Max.Y)
}

// valueRange returns the range of the split function over the rows of a node and the
// threshold.
func (r *treeRows) valueRange(node int, threshold float64) (lo, hi float64) {
	lo, hi = threshold, threshold
	for _, v := range r.values[node] {
		if v-v == 0 {
			lo, hi = min(lo, float64(v)), max(hi, float64(v))
		}
	}
	if lo == hi {
		pad := max(1, math.Abs(lo))
		return lo - pad, hi + pad
	}
	return lo, hi
}

// stripBins returns the edges of about 24 bins, of which one is the threshold, so that no
// bin has rows of both sides.
func stripBins(lo, threshold, hi float64) []float64 {
	const bins = 24
	left := min(bins-1, max(1, math.Round(bins*(threshold-lo)/(hi-lo))))
	edges := make([]float64, bins+1)
	for b := range edges {
		if at := float64(b); at <= left {
			edges[b] = lo + (threshold-lo)*at/left
		} else {
			edges[b] = threshold + (hi-threshold)*(at-left)/(bins-left)
		}
	}
	return edges
}

// bins counts the rows of a node by bin and class. A bin contains its upper edge.
func (r *treeRows) bins(node int, edges []float64) [][]int {
	bins := make([][]int, len(edges)-1)
	for b := range bins {
		bins[b] = make([]int, len(r.counts[node]))
	}
	for i, v := range r.values[node] {
		if v-v != 0 {
			continue
		}
		b, _ := slices.BinarySearch(edges, float64(v))
		bins[min(len(bins)-1, max(0, b-1))][r.class[r.rows[node][i]]]++
	}
	return bins
}
