package forest

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A Predictor is a forest packed for prediction of one row at a time, such as a
// service does. It answers as [Forest.Predict], [Forest.Proba] and
// [Forest.PredictValues] do, bit for bit, allocates nothing for up to 128
// classes, and is safe for concurrent use.
//
// A row has a cell for each column of the forest's [Forest.Schema]. If the forest has
// Steps, the cell of a categorical column is the code of a category there, and a missing
// cell is NaN; the steps are then applied to each row, which allocates.
//
// It takes about as much memory again as the forest's nodes and combinations of up
// to eight features, and keeps the forest, which must not change. For many rows at
// once, the methods of the forest are faster.
type Predictor struct {
	forest *Forest
	trees  [][]uint32
}

// leastCombined is how many features a packed combination has at least. Shorter
// ones are filled up with weights of 0: how many there are would be a branch
// that can't be guessed.
const leastCombined = 4

// Predictor packs the forest, in about 20 ns a node. It panics if a tree has so
// many nodes that its packed form would have 2³² numbers or more, some 300 million.
func (f *Forest) Predictor() *Predictor {
	p := &Predictor{forest: f, trees: make([][]uint32, len(f.Trees))}
	for i := range f.Trees {
		p.trees[i] = pack(&f.Trees[i])
	}
	return p
}

// Nodes are packed as numbers, which begin with one of these or with how many
// features are combined.
const (
	packedLeaf     = 0
	packedAxis     = 1
	packedFunction = math.MaxUint32
)

// inlined is how many features a combination has at most that is packed with its
// node. Longer ones stay in the pool: their cells take more time than reaching
// them, and nodes may share them.
const inlined = 8

// pack returns the nodes of t in preorder, each one of
//
//	packedLeaf, number of the leaf in Nodes
//	packedAxis, threshold, where the right child is, feature
//	packedFunction, threshold, where the right child is, number of the node in Nodes
//	m, threshold, where the right child is, m × (feature, weight)
//
// so that most nodes are one or two cache lines and the left child follows.
func pack(t *Tree) []uint32 {
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
			size += 2*max(leastCombined, len(fn.Features)) - 1
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
			b = append(b, packedAxis, threshold, at[n.Next], uint32(fn.Features[0]))
		case !fn.packed():
			b = append(b, packedFunction, threshold, at[n.Next], uint32(i))
		default:
			b = append(b, uint32(max(leastCombined, len(fn.Features))), threshold, at[n.Next])
			for j, feature := range fn.Features {
				b = append(b, uint32(feature), math.Float32bits(fn.Weights[j]))
			}
			for range leastCombined - len(fn.Features) {
				b = append(b, 0, 0)
			}
		}
	}
	return b
}

// packed reports whether a combination is packed with its node.
func (fn *Function) packed() bool {
	return (fn.Kind == Sparse || fn.Kind == Dense) && len(fn.Features) <= inlined
}

// together is how many trees are walked a level at a time, so that one's
// cache misses pass while the others go on.
const together = 32

// leaves sets leaf to the leaves that x reaches in the trees from number lo on,
// and returns how many trees these are.
func (p *Predictor) leaves(x []float32, lo int, leaf *[together]int32) int {
	trees := p.trees[lo:min(lo+together, len(p.trees))]
	var at [together]uint32
	var walking [together]uint8
	for t := range trees {
		walking[t] = uint8(t)
	}
	for n := len(trees); n > 0; {
		left := 0
		for _, t := range walking[:n] {
			node := trees[t][at[t%together]:]
			m := node[0]
			if m == packedLeaf {
				leaf[t%together] = int32(node[1])
				continue
			}
			after := at[t%together] + 4
			var v float32
			switch m {
			case packedAxis:
				v = x[node[3]]
			case packedFunction:
				tree := &p.forest.Trees[lo+int(t)]
				fn := tree.Splits.At(tree.Nodes[node[3]].Split)
				v = fn.Value(x)
			default:
				c := node[:3+2*leastCombined]
				v = float32(weight(c[4])*x[c[3]]) + float32(weight(c[6])*x[c[5]]) +
					float32(weight(c[8])*x[c[7]]) + float32(weight(c[10])*x[c[9]])
				if m > leastCombined {
					for c := node[len(c) : 3+2*m]; len(c) > 1; c = c[2:] {
						v += float32(weight(c[1]) * x[c[0]])
					}
				}
				after += 2*m - 1
			}
			next := node[2]
			if v <= weight(node[1]) {
				next = after
			}
			at[t%together] = next
			walking[left%together] = t
			left++
		}
		n = left
	}
	return len(trees)
}

func weight(bits uint32) float32 { return math.Float32frombits(bits) }

// Label returns the predicted class index of a row. It returns an error if the forest
// predicts values, if x doesn't have one cell for each column, which wraps
// [datasets.ErrSchema], if a cell is missing, which wraps [datasets.ErrMissing], or
// infinite, and where the forest's steps do.
func (p *Predictor) Label(x []float32) (int32, error) {
	if p.forest.Regression() {
		return 0, errNeedsClasses
	}
	x, err := p.prepare(x)
	if err != nil {
		return 0, err
	}
	var r room
	var label [1]int32
	s := p.tally(&r, x, p.forest.Rule)
	s.label(label[:])
	return label[0], nil
}

// Proba writes the class probabilities of a row to dst, which must have as many
// numbers as there are classes, and returns it. A nil dst is allocated. It returns an
// error where Label does, and panics if dst has another length.
func (p *Predictor) Proba(dst []float64, x []float32) ([]float64, error) {
	if p.forest.Regression() {
		return nil, errNeedsClasses
	}
	k := len(p.forest.Classes)
	if dst == nil {
		dst = make([]float64, k)
	}
	if len(dst) != k {
		panic(fmt.Sprintf("forest: room for the probabilities of %d classes; want %d", len(dst), k))
	}
	x, err := p.prepare(x)
	if err != nil {
		return nil, err
	}
	var r room
	s := p.tally(&r, x, p.forest.probaRule())
	s.proba(dst, 0, len(p.trees))
	return dst, nil
}

// Value returns the predicted value of a row. It returns an error if the forest predicts
// classes, and for an x as Label does.
func (p *Predictor) Value(x []float32) (float64, error) {
	if !p.forest.Regression() {
		return 0, errNeedsValues
	}
	x, err := p.prepare(x)
	if err != nil {
		return 0, err
	}
	var r room
	s := p.tally(&r, x, p.forest.Rule)
	return p.forest.value(s.values[0], len(p.trees)), nil
}

// prepare returns what the forest's steps make of a row, if the trees can read it.
func (p *Predictor) prepare(x []float32) ([]float32, error) {
	f := p.forest
	if f.Steps != nil {
		if len(x) != len(f.Columns) {
			return nil, fmt.Errorf("forest: %w: a row of %d cells; the model was trained on %d columns", datasets.ErrSchema, len(x), len(f.Columns))
		}
		d := &datasets.Dataset{Name: "row", Features: f.Columns, Columns: make([][]float32, len(x))}
		for j := range x {
			d.Columns[j] = x[j : j+1 : j+1]
		}
		prepared, err := f.Steps.Apply(d)
		if err != nil {
			return nil, err
		}
		x = prepared.Row(nil, 0)
	}
	if len(x) != f.P() {
		return nil, fmt.Errorf("forest: %w: a row of %d cells; the model was trained on %d columns", datasets.ErrSchema, len(x), f.P())
	}
	for j, v := range x {
		switch {
		case v != v:
			return nil, fmt.Errorf("forest: cell %d (%q): %w", j, f.Features[j], datasets.ErrMissing)
		case !finite(v):
			return nil, fmt.Errorf("forest: cell %d (%q) is %v; want a finite number", j, f.Features[j], v)
		}
	}
	return x, nil
}

// stackClasses is for how many classes scores fit on the stack.
const stackClasses = 128

// A room is memory for the tally of one row.
type room struct {
	scores, share  [stackClasses]float32
	values, linear [stackClasses]float64
}

// tally returns what all trees say about x, in r if there are few enough classes.
func (p *Predictor) tally(r *room, x []float32, rule Rule) tally {
	s := r.tally(p.forest, rule, cells{row: x})
	var leaf [together]int32
	var row [1]uint16
	for lo := 0; lo < len(p.trees); lo += together {
		for i := range p.leaves(x, lo, &leaf) {
			s.add(lo+i, &p.forest.Trees[lo+i], leaf[i], row[:])
		}
	}
	return s
}

// tally returns an empty tally of one row.
func (r *room) tally(f *Forest, rule Rule, x cells) tally {
	k := len(f.Classes)
	if k > stackClasses {
		return *newTally(f, rule, 1, x)
	}
	s := tally{rule: rule, classes: k, outputs: f.outputs(), linear: r.linear[:], cells: x}
	if rule.sums(k) {
		s.values = r.values[:s.outputs]
		copy(s.values, f.Base)
		return s
	}
	s.scores, s.share = r.scores[:k], r.share[:k]
	return s
}
