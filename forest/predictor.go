package forest

import (
	"fmt"
	"math"
)

// A Predictor is a forest packed for prediction of one row at a time, such as a
// service does. It answers as [Forest.Predict], [Forest.Proba] and
// [Forest.PredictValues] do, bit for bit, allocates nothing for up to 128
// classes, and is safe for concurrent use.
//
// It takes about as much memory again as the forest, which it keeps and which
// must not change. For many rows at once, the methods of the forest are faster.
type Predictor struct {
	forest *Forest
	trees  [][]uint32
}

// leastCombined is how many features a packed combination has at least. Shorter
// ones are filled up with weights of 0: how many there are would be a branch
// that can't be guessed.
const leastCombined = 4

// Predictor packs the forest, in about 20 ns a node.
func (f *Forest) Predictor() *Predictor {
	p := &Predictor{forest: f, trees: make([][]uint32, len(f.Trees))}
	for i := range f.Trees {
		p.trees[i] = pack(&f.Trees[i], int32(f.P()))
	}
	return p
}

// pack returns the nodes of t in preorder, each one of
//
//	0, number of the leaf in Nodes
//	1, threshold, where the right child is, feature
//	m, threshold, where the right child is, m × (feature, weight)
//
// so that a node is one or two cache lines and its left child follows it.
func pack(t *Tree, p int32) []uint32 {
	at := make([]uint32, len(t.Nodes)+1)
	for i, n := range t.Nodes {
		size := uint32(4)
		if n.IsLeaf() {
			size = 2
		} else if n.Split >= p {
			index, _ := t.Splits.At(int(n.Split - p))
			size = 3 + 2*uint32(max(leastCombined, len(index)))
		}
		at[i+1] = at[i] + size
	}
	b := make([]uint32, 0, at[len(t.Nodes)])
	for i, n := range t.Nodes {
		switch {
		case n.IsLeaf():
			b = append(b, 0, uint32(i))
		case n.Split < p:
			b = append(b, 1, math.Float32bits(n.Value), at[n.Next], uint32(n.Split))
		default:
			index, weights := t.Splits.At(int(n.Split - p))
			b = append(b, uint32(max(leastCombined, len(index))), math.Float32bits(n.Value), at[n.Next])
			for j, feature := range index {
				b = append(b, uint32(feature), math.Float32bits(weights[j]))
			}
			for range leastCombined - len(index) {
				b = append(b, 0, 0)
			}
		}
	}
	return b
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
			if m == 0 {
				leaf[t%together] = int32(node[1])
				continue
			}
			after := at[t%together] + 4
			var v float32
			if m == 1 {
				v = x[node[3]]
			} else {
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

// Label returns the predicted class index of a row. It panics if the forest
// predicts values, if x doesn't have one cell for each feature, or if a cell is
// missing or infinite.
func (p *Predictor) Label(x []float32) int32 {
	p.forest.needClasses("Label")
	var room [2 * stackClasses]float32
	return argmax(p.scores(&room, x, p.forest.Rule))
}

// Proba writes the class probabilities of a row to dst, which must have as many
// numbers as there are classes, and returns it. A nil dst is allocated. It
// panics as Label does.
func (p *Predictor) Proba(dst []float64, x []float32) []float64 {
	p.forest.needClasses("Proba")
	k := len(p.forest.Classes)
	if dst == nil {
		dst = make([]float64, k)
	}
	if len(dst) != k {
		panic(fmt.Sprintf("forest: room for the probabilities of %d classes; want %d", len(dst), k))
	}
	var room [2 * stackClasses]float32
	for c, s := range p.scores(&room, x, Average) {
		dst[c] = float64(s) / float64(len(p.trees))
	}
	return dst
}

// Value returns the predicted value of a row. It panics if the forest predicts
// classes and for an x as Label does.
func (p *Predictor) Value(x []float32) float64 {
	if !p.forest.Regression() {
		panic("forest: Value of a classification forest; use Label or Proba")
	}
	p.check(x)
	var leaf [together]int32
	var sum float64
	for lo := 0; lo < len(p.trees); lo += together {
		for i := range p.leaves(x, lo, &leaf) {
			sum += float64(p.forest.Trees[lo+i].Nodes[leaf[i]].Value)
		}
	}
	return sum / float64(len(p.trees))
}

// stackClasses is for how many classes scores fit on the stack.
const stackClasses = 128

// scores returns the votes or summed class proportions for x, in room if they
// fit.
func (p *Predictor) scores(room *[2 * stackClasses]float32, x []float32, rule Rule) []float32 {
	p.check(x)
	k := len(p.forest.Classes)
	both := room[:]
	if 2*k > len(both) {
		both = make([]float32, 2*k)
	}
	scores, share := both[:k:k], both[k:2*k]
	var leaf [together]int32
	var row [1]uint16
	for lo := 0; lo < len(p.trees); lo += together {
		for i := range p.leaves(x, lo, &leaf) {
			t := &p.forest.Trees[lo+i]
			if rule == Plurality {
				scores[t.vote(leaf[i], k)]++
			} else {
				t.addProportions(scores, share, leaf[i], row[:], rule)
			}
		}
	}
	return scores
}

func (p *Predictor) check(x []float32) {
	if len(x) != p.forest.P() {
		panic(fmt.Sprintf("forest: a row of %d cells; the model was trained on %d columns", len(x), p.forest.P()))
	}
	for j, v := range x {
		if !finite(v) {
			panic(fmt.Sprintf("forest: cell %d (%q) is %v; want a finite number", j, p.forest.Features[j], v))
		}
	}
}
