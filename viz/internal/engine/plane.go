package engine

import (
	"context"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/viz/internal/steps"
)

// A Plane is a grid over features 0 and 1, on which a model is asked what it predicts.
type Plane struct {
	View  [4]float64 `json:"view"`  // x from View[0] to View[1], y from View[2] to View[3]
	Cells int        `json:"cells"` // along a side
	From  int        `json:"from"`  // first row of cells, counted from the highest y
	To    int        `json:"to"`    // row after the last one
	Slice float64    `json:"slice"` // what the other features are
}

// rows returns the centres of the cells, row by row from the highest y.
func (p Plane) rows(m *Model) *datasets.Dataset {
	n := p.Cells * max(0, p.To-p.From)
	d := &datasets.Dataset{Features: m.train.Features, Columns: make([][]float32, m.train.P())}
	for j := range d.Columns {
		d.Columns[j] = make([]float32, n)
		for i := range n {
			at := p.Slice
			switch j {
			case 0:
				at = p.View[0] + (p.View[1]-p.View[0])*(float64(i%p.Cells)+0.5)/float64(p.Cells)
			case 1:
				at = p.View[3] - (p.View[3]-p.View[2])*(float64(p.From+i/p.Cells)+0.5)/float64(p.Cells)
			}
			d.Columns[j][i] = float32(at)
		}
	}
	return d
}

// Regions returns the predicted class of each cell, and the margin, from 0 to 255: the
// probability of that class minus that of the next most probable one.
func (m *Model) Regions(ctx context.Context, p Plane) (class, margin []byte, err error) {
	d := p.rows(m)
	labels, proba, err := m.Forest.Classify(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	class, margin = make([]byte, len(labels)), make([]byte, len(labels))
	for i, k := range labels {
		class[i] = byte(m.used[k])
		own := proba[i][k]
		proba[i][k] = 0
		margin[i] = byte(math.Round(255 * max(0, own-slices.Max(proba[i]))))
	}
	return class, margin, nil
}

// A Growth shows a tree step by step. A step divides one node or, in a tree of GRAF, all
// that its plane divides.
type Growth struct {
	Parent  []int32   // of each node; −1 for the root
	SplitAt []int32   // the step that splits a node; 0 for leaves
	Class   []byte    // the largest class of the training rows of a node
	Share   []byte    // its share of them, from 0 to 255
	Lines   []float64 // a, b and c of each step: the split is at a·x + b·y = c; NaN if it isn't a line
	Leaves  []int32   // the leaf of each cell
}

// Growth returns a tree step by step. p must have all rows of cells.
func (m *Model) Growth(ctx context.Context, tree int, p Plane) (*Growth, error) {
	one := *m.Forest
	tree = min(max(tree, 0), len(one.Trees)-1)
	one.Trees = one.Trees[tree : tree+1]
	leaves, err := one.Apply(ctx, p.rows(m))
	if err != nil {
		return nil, err
	}
	t := &one.Trees[0]
	n := len(t.Nodes)
	splitAt, last := steps.Number(t)
	g := &Growth{Parent: make([]int32, n), SplitAt: make([]int32, n), Class: make([]byte, n), Share: make([]byte, n),
		Lines: make([]float64, 3*last), Leaves: make([]int32, len(leaves))}
	for i := range leaves {
		g.Leaves[i] = leaves[i][0]
	}
	g.Parent[0] = -1
	for i, weights := range t.ClassWeights() {
		g.SplitAt[i] = int32(splitAt[i])
		g.Class[i], g.Share[i] = m.largest(weights)
		if node := t.Nodes[i]; !node.IsLeaf() {
			g.Parent[i+1], g.Parent[node.Next] = int32(i), int32(i)
			copy(g.Lines[3*(splitAt[i]-1):], line(t.Splits.At(node.Split), node.Value, p.Slice))
		}
	}
	return g, nil
}

// largest returns the class with most weight, and its share from 0 to 255.
func (m *Model) largest(weights []float64) (class, share byte) {
	sum, best := 0.0, 0
	for k, w := range weights {
		sum += w
		if w > weights[best] {
			best = k
		}
	}
	if sum == 0 {
		return byte(m.used[best]), 0
	}
	return byte(m.used[best]), byte(math.Round(255 * weights[best] / sum))
}

// line returns a, b and c of the line a·x + b·y = c at which a split divides the plane, if
// the other features have the value slice.
func line(fn forest.Function, threshold float32, slice float64) []float64 {
	if !fn.Kind.Linear() {
		return []float64{math.NaN(), math.NaN(), math.NaN()}
	}
	abc := []float64{0, 0, float64(threshold)}
	for i, w := range fn.Weights {
		j := int32(i) // of a Dense
		if fn.Features != nil {
			j = fn.Features[i]
		}
		if j < 2 {
			abc[j] += float64(w)
		} else {
			abc[2] -= float64(w) * slice
		}
	}
	return abc
}

// roseBins is the number of directions that a rose tells apart, over half a turn.
const roseBins = 36

// Rose returns how important the directions of splits are: element k is the share of the
// impurity decrease by splits whose line, in a view that is drawn as a square, is at an
// angle of about k·180/36 degrees to the x axis, anticlockwise. Splits that don't depend on
// features 0 and 1 count for no direction; curved is the share of those that aren't linear.
func (m *Model) Rose(view [4]float64) (rose []float64, curved float64) {
	rose = make([]float64, roseBins)
	linear := 0.0
	for _, p := range m.Forest.Projections() {
		linear += max(0, p.Importance)
		var normal [2]float64
		for i, j := range p.Index {
			if j < 2 {
				normal[j] = float64(p.Weights[i]) * (view[2*j+1] - view[2*j])
			}
		}
		if normal == [2]float64{} {
			continue
		}
		turn := math.Atan2(normal[0], -normal[1]) / math.Pi * roseBins // of the line, at a right angle to its normal
		k := int(math.Round(turn+2*roseBins)) % roseBins
		rose[k] += max(0, p.Importance)
	}
	if m.linear() {
		return rose, 0
	}
	return rose, max(0, 1-linear)
}

// linear reports whether all splits are linear.
func (m *Model) linear() bool {
	for t := range m.Forest.Trees {
		for _, fn := range m.Forest.Trees[t].Splits.All() {
			if !fn.Kind.Linear() {
				return false
			}
		}
	}
	return true
}
