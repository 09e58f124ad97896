package forest

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/naming"
)

// A Predictor is a copy of a forest's trees packed for predicting one row at a time, as a
// service does. Its predictions are those of [Forest.Predict], [Forest.Proba] and
// [Forest.PredictValues], bit for bit. It is safe for concurrent use. With up to 128
// classes a prediction allocates no memory, unless the forest has Steps of another package
// without a method ApplyRow; see [datasets.Transform].
//
// A row has a cell for each column of [Forest.Schema]; a missing cell is NaN. The cell of a categorical column is the
// index of a category in the schema. If the forest has Steps, they are applied to each row.
//
// A Predictor takes about as much memory as the forest's nodes and its combinations of up
// to eight features. It refers to the forest, which must not change. For many rows at
// once, the methods of the forest are faster.
type Predictor struct {
	forest *Forest
	trees  [][]uint32
	rows   sync.Pool // of *[]float32, for the features that the steps make of a row
	seen   sync.Pool // of *[]float32, for what [Forest.seen] makes of them
	lowest uint32    // as a walker's
	fill   uint32
}

// minPacked is the smallest number of features of a packed combination. Shorter ones are
// padded with weights of 0, because a branch on their length would be mispredicted often.
const minPacked = 4

// Predictor returns a [Predictor] of the forest. Packing takes about 20 ns for each node.
// It panics if a tree hasn't been grown (see [Options]), and if the packed form of a tree would have 2³² numbers or
// more, which takes some 300 million nodes.
func (f *Forest) Predictor() *Predictor {
	f.mustExist()
	if err := f.checkGrown(); err != nil {
		panic(err.Error())
	}
	p := &Predictor{forest: f, trees: make([][]uint32, len(f.Trees))}
	p.rows.New = func() any { return new(make([]float32, f.P())) }
	if f.Fills != nil {
		p.seen.New = func() any { return new(make([]float32, 0, 3*f.P())) }
		p.lowest, p.fill = uint32(f.P()), uint32(2*f.P())
	}
	for i := range f.Trees {
		p.trees[i] = p.pack(&f.Trees[i])
	}
	return p
}

// A packed node begins with one of these numbers or, for a combination, with its number
// of features.
const (
	packedLeaf     = 0
	packedAxis     = 1
	packedFunction = math.MaxUint32
)

// maxPacked is the largest number of features of a combination that is packed with its
// node. Longer ones are read from the pool: for them reading the cells takes most of the
// time, and several nodes may share one.
const maxPacked = 8

// pack returns the nodes of t in preorder, each one of
//
//	packedLeaf, index of the leaf in Nodes
//	packedAxis, threshold, index of the right child, feature
//	packedFunction, threshold, index of the right child, index of the node in Nodes
//	m, threshold, index of the right child, m × (feature, weight)
//
// so most nodes take one or two cache lines, and the left child comes next. Features are numbered as a walker's
// columns.
func (p *Predictor) pack(t *Tree) []uint32 {
	at := make([]uint32, len(t.Nodes)+1)
	size := 0
	for i, n := range t.Nodes {
		at[i] = uint32(size)
		if n.IsLeaf() {
			size += 2
			continue
		}
		fn := t.Splits.At(n.Split)
		size += 4
		if fn.packed() {
			size += 2*max(minPacked, len(fn.Features)) - 1
		}
	}
	if size > math.MaxUint32 {
		panic(fmt.Sprintf("forest: a tree of %d nodes is too large to be packed", len(t.Nodes)))
	}
	b := make([]uint32, 0, size)
	for i, n := range t.Nodes {
		if n.IsLeaf() {
			b = append(b, packedLeaf, uint32(i))
			continue
		}
		fn := t.Splits.At(n.Split)
		threshold := math.Float32bits(n.Value)
		switch {
		case fn.Kind == Axis:
			j := uint32(fn.Features[0])
			if fn.MissingLeft {
				j += p.lowest
			}
			b = append(b, packedAxis, threshold, at[n.Next], j)
		case !fn.packed():
			b = append(b, packedFunction, threshold, at[n.Next], uint32(i))
		default:
			b = append(b, uint32(max(minPacked, len(fn.Features))), threshold, at[n.Next])
			for j, feature := range fn.Features {
				b = append(b, uint32(feature)+p.fill, math.Float32bits(fn.Weights[j]))
			}
			for range minPacked - len(fn.Features) {
				b = append(b, p.fill, 0)
			}
		}
	}
	return b
}

// packed reports whether a combination is packed with its node.
func (fn *Function) packed() bool {
	return (fn.Kind == Sparse || fn.Kind == Dense) && len(fn.Features) <= maxPacked
}

// treesAtOnce is how many trees are walked in turn, one level each, so that the cache
// misses of different trees overlap.
const treesAtOnce = 32

// leaves sets leaf to the leaves that x reaches in up to treesAtOnce trees from number lo
// on, and returns the number of these trees.
func (p *Predictor) leaves(x []float32, lo int, leaf *[treesAtOnce]int32) int {
	trees := p.trees[lo:min(lo+treesAtOnce, len(p.trees))]
	var at [treesAtOnce]uint32
	var walking [treesAtOnce]uint8
	for t := range trees {
		walking[t] = uint8(t)
	}
	for n := len(trees); n > 0; {
		left := 0
		for _, t := range walking[:n] {
			node := trees[t][at[t%treesAtOnce]:]
			m := node[0]
			if m == packedLeaf {
				leaf[t%treesAtOnce] = int32(node[1])
				continue
			}
			after := at[t%treesAtOnce] + 4
			var v float32
			switch m {
			case packedAxis:
				v = x[node[3]]
			case packedFunction:
				tree := &p.forest.Trees[lo+int(t)]
				fn := tree.Splits.At(tree.Nodes[node[3]].Split)
				v = fn.Value(x[p.fill:])
			default:
				c := node[:3+2*minPacked]
				v = float32(unpack(c[4])*x[c[3]]) + float32(unpack(c[6])*x[c[5]]) +
					float32(unpack(c[8])*x[c[7]]) + float32(unpack(c[10])*x[c[9]])
				if m > minPacked {
					for c := node[len(c) : 3+2*m]; len(c) > 1; c = c[2:] {
						v += float32(unpack(c[1]) * x[c[0]])
					}
				}
				after += 2*m - 1
			}
			next := node[2]
			if v <= unpack(node[1]) {
				next = after
			}
			at[t%treesAtOnce] = next
			walking[left%treesAtOnce] = t
			left++
		}
		n = left
	}
	return len(trees)
}

// unpack returns a packed weight or threshold.
func unpack(bits uint32) float32 { return math.Float32frombits(bits) }

// Label returns the predicted class index of a row. It returns an error if the forest
// predicts values; if x doesn't have one cell for each column (the error then wraps
// [datasets.ErrSchema]); if, after the forest's steps, a cell is infinite, no code of a category of its column or,
// unless the forest has Fills, missing (the error then wraps [datasets.ErrMissing]); and if the steps return one.
func (p *Predictor) Label(x []float32) (int32, error) {
	if p.forest.Classes == nil {
		return 0, errNeedsClasses
	}
	var r tallyBuffers
	s, err := p.predict(&r, x, p.forest.Rule)
	if err != nil {
		return 0, err
	}
	var label [1]int32
	s.label(label[:])
	return label[0], nil
}

// Proba writes the class probabilities of a row to dst, which has an element for each
// class, and returns dst. If dst is nil it is allocated. It returns an error where Label
// does, and panics if dst has another length.
func (p *Predictor) Proba(dst []float64, x []float32) ([]float64, error) {
	if p.forest.Classes == nil {
		return nil, errNeedsClasses
	}
	k := len(p.forest.Classes)
	if dst == nil {
		dst = make([]float64, k)
	}
	if len(dst) != k {
		panic(fmt.Sprintf("forest: dst has %d elements for the probabilities of %d classes", len(dst), k))
	}
	var r tallyBuffers
	s, err := p.predict(&r, x, p.forest.probaRule())
	if err != nil {
		return nil, err
	}
	p.forest.proba(dst, &s, 0, len(p.trees))
	return dst, nil
}

// Value returns the predicted value of a row. It returns an error if the forest predicts
// classes, and the errors for x that Label returns.
func (p *Predictor) Value(x []float32) (float64, error) {
	if p.forest.Classes != nil {
		return 0, errNeedsValues
	}
	var r tallyBuffers
	s, err := p.predict(&r, x, p.forest.Rule)
	if err != nil {
		return 0, err
	}
	return p.forest.value(s.values[0], len(p.trees)), nil
}

// predict applies the forest's steps to a row, checks the features and returns a tally of all trees. It uses r if there
// are at most stackClasses classes.
func (p *Predictor) predict(r *tallyBuffers, x []float32, rule Rule) (tally, error) {
	f := p.forest
	if f.Steps != nil {
		made := p.rows.Get().(*[]float32)
		defer p.rows.Put(made)
		var err error
		if x, err = f.applySteps(*made, x); err != nil {
			return tally{}, err
		}
	}
	if err := f.checkRow(x); err != nil {
		return tally{}, err
	}
	if f.Fills != nil {
		seen := p.seen.Get().(*[]float32)
		defer p.seen.Put(seen)
		x = f.seen(*seen, x)
	}
	return p.tally(r, x, rule), nil
}

// applySteps returns the features that the steps make of a row, in dst if they can.
func (f *Forest) applySteps(dst, x []float32) ([]float32, error) {
	if fast, ok := f.Steps.(interface {
		ApplyRow(dst, row []float32) error
	}); ok {
		return dst, fast.ApplyRow(dst, x)
	}
	if len(x) != len(f.Columns) {
		return nil, fmt.Errorf("forest: %w: a row of %d cells; the model was trained on %d columns",
			datasets.ErrSchema, len(x), len(f.Columns))
	}
	d := &datasets.Dataset{Name: "row", Features: f.Columns, Columns: make([][]float32, len(x))}
	for j := range x {
		d.Columns[j] = x[j : j+1]
	}
	d, err := f.Steps.Apply(context.Background(), d)
	if err != nil {
		return nil, err
	}
	return d.Row(nil, 0), nil
}

// checkRow returns an error if the trees can't predict a row of features.
func (f *Forest) checkRow(x []float32) error {
	if len(x) != f.P() {
		return fmt.Errorf("forest: %w: a row of %d cells; the model was trained on %d columns",
			datasets.ErrSchema, len(x), f.P())
	}
	for j, v := range x {
		switch {
		case missing(v) && f.Fills != nil:
		case missing(v):
			return fmt.Errorf("forest: cell %d (%q): %w", j, f.Features[j], datasets.ErrMissing)
		case !finite(v):
			return fmt.Errorf("forest: cell %d (%q) is %v; want a finite number", j, f.Features[j], v)
		}
	}
	for j, names := range f.Categories {
		if v := x[j]; names != nil && !missing(v) && !naming.IsCode(float64(v), len(names)) {
			return fmt.Errorf("forest: cell %d (%q) is %v; want a code of one of its %d categories, or NaN", j, f.Features[j],
				v, len(names))
		}
	}
	return nil
}

// stackClasses is the largest number of classes whose scores are kept on the stack.
const stackClasses = 128

// tallyBuffers is memory for the tally of one row.
type tallyBuffers struct {
	scores, share  [stackClasses]float32
	values, linear [stackClasses]float64
}

// tally returns a tally of all trees for x.
func (p *Predictor) tally(r *tallyBuffers, x []float32, rule Rule) tally {
	s := r.tally(p.forest, rule, cells{row: x[p.fill:]})
	var leaf [treesAtOnce]int32
	var row [1]uint16
	for lo := 0; lo < len(p.trees); lo += treesAtOnce {
		for i := range p.leaves(x, lo, &leaf) {
			s.add(lo+i, &p.forest.Trees[lo+i], leaf[i], row[:])
		}
	}
	return s
}

// tally returns an empty tally of one row.
func (r *tallyBuffers) tally(f *Forest, rule Rule, x cells) tally {
	k := len(f.Classes)
	if k > stackClasses {
		return *newTally(f, rule, 1, x)
	}
	s := tally{rule: rule, classes: k, outputs: f.outputs(), linear: r.linear[:], cells: x}
	if rule.sums(k) {
		s.values = r.values[:s.outputs]
		copy(s.values, f.sumBase())
		return s
	}
	s.scores, s.share = r.scores[:k], r.share[:k]
	return s
}
