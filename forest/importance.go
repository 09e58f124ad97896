package forest

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// Importance returns the importance of each of the p features: the decrease
// of impurity at the splits that use it (of Gini impurity, if that is what the
// forest was grown by), weighted by the training weight that reached them, as
// [Node.Weight] records it, over all trees. The decrease at a combination is
// shared among its features in proportion to the absolute values of their
// weights; in a quadratic function a square counts for its feature and a product
// half for each of its two. The importances sum to 1, or are all 0 if nothing was
// gained.
//
// Planes of GRAF may raise the impurity of some regions that they divide. That
// counts below 0; a feature whose splits raise impurity on the whole has
// importance 0.
func (f *Forest) Importance() []float64 {
	importance := make([]float64, f.P())
	var use []usage
	for i := range f.Trees {
		t := &f.Trees[i]
		for k, u := range f.usage(&use, t) {
			if u.nodes > 0 {
				fn := t.Splits.At(splitAt(k, f.P()))
				fn.shares(func(j int32, share float64) { importance[j] += float64(u.gain * share) })
			}
		}
	}
	total := 0.0
	for j, v := range importance {
		importance[j] = max(0, v)
		total += importance[j]
	}
	if total > 0 {
		for j := range importance {
			importance[j] /= total
		}
	}
	return importance
}

// A usage sums up the nodes of a tree that share a split function.
type usage struct {
	gain  float64
	nodes int
}

// usage returns the usage of each split of t by [slot], in the memory of scratch.
func (f *Forest) usage(scratch *[]usage, t *Tree) []usage {
	use := resized(scratch, f.P()+t.Splits.Len())
	for _, n := range t.Nodes {
		if !n.IsLeaf() {
			u := &use[slot(n.Split, f.P())]
			u.gain += float64(n.Weight)
			u.nodes++
		}
	}
	return use
}

// A Projection is a direction that a forest splits along: the linear
// combination Σ Weights[i]·x[Index[i]].
type Projection struct {
	Index   []int32   // features, ascending
	Weights []float32 // none is 0, and the first is positive

	// Importance is the weighted decrease of impurity at the nodes that use the
	// projection over that at all nodes, so that importances sum to 1 where no
	// split is quadratic. It is below 0 if the projection raises impurity on the
	// whole, as planes of GRAF may. If all nodes together decrease nothing, it is
	// the decrease itself.
	Importance float64

	Splits int // number of nodes that use it
}

// Projections returns the projections that the forest splits along, most
// important first; ties go to the one with more splits, then by Index and
// Weights. A single feature is a projection with weight 1. A projection and
// its negative are one, multiples by other numbers are not, and weights that
// are 0 are left out. Quadratic functions are no projections and are passed over.
func (f *Forest) Projections() []Projection {
	var (
		all    []Projection
		total  float64
		number = map[string]int{} // of a projection in all, by its bytes
		key    []byte
		use    []usage
	)
	for i := range f.Trees {
		t := &f.Trees[i]
		for slot, u := range f.usage(&use, t) {
			if u.nodes == 0 {
				continue
			}
			total += u.gain
			fn := t.Splits.At(splitAt(slot, f.P()))
			if fn.Kind == Quadratic {
				continue
			}
			sign := leadingSign(fn.Weights)
			key = appendProjection(key[:0], fn.Features, fn.Weights, sign)
			k, ok := number[string(key)]
			if !ok {
				k = len(all)
				number[string(key)] = k
				all = append(all, newProjection(fn.Features, fn.Weights, sign))
			}
			all[k].Importance += u.gain
			all[k].Splits += u.nodes
		}
	}
	if total > 0 {
		for k := range all {
			all[k].Importance /= total
		}
	}
	slices.SortFunc(all, func(a, b Projection) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(b.Splits, a.Splits),
			slices.Compare(a.Index, b.Index), slices.Compare(a.Weights, b.Weights))
	})
	return all
}

// leadingSign is the sign of the first weight that isn't 0.
func leadingSign(weights []float32) float32 {
	for _, w := range weights {
		if w < 0 {
			return -1
		}
		if w > 0 {
			break
		}
	}
	return 1
}

func appendProjection(key []byte, index []int32, weights []float32, sign float32) []byte {
	for i, w := range weights {
		if w != 0 {
			key = binary.LittleEndian.AppendUint32(key, uint32(index[i]))
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(sign*w))
		}
	}
	return key
}

func newProjection(index []int32, weights []float32, sign float32) Projection {
	p := Projection{Index: []int32{}, Weights: []float32{}}
	for i, w := range weights {
		if w != 0 {
			p.Index = append(p.Index, index[i])
			p.Weights = append(p.Weights, sign*w)
		}
	}
	return p
}

// String writes the projection with features x0, x1, ….
func (p Projection) String() string { return p.Format(nil) }

// Format writes the projection with the given feature names, such as
// "petal length − 0.5·sepal width".
func (p Projection) Format(names []string) string {
	fn := Linear(p.Index, p.Weights)
	return fn.Format(names, 0)
}
