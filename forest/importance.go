package forest

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// Importance returns the importance of each of the p features (mean decrease in impurity): the sum over all trees of
// the weighted impurity decreases of the splits that use the feature, as [Node.Weight] records them. The impurity is
// the criterion that the forest was grown by. The decrease of an oblique split is shared among its features in
// proportion to the absolute values of their weights; in a quadratic function the coefficient of a square counts for
// its feature, that of a product half for each of its two; the squares of a LowRank are multiplied out one by one. The
// importances sum to 1, or are all 0 if no impurity was decreased.
//
// Decreases are kept as float32. Of values they are sums of squares, so importances are wrong, towards equal ones, if
// values are beyond about 10¹⁸, and 0 if they are below 10⁻²³. Then scale the values.
//
// A plane of GRAF may raise the impurity of some regions that it divides. Such splits
// count as negative; a feature whose splits raise the impurity in total has importance 0.
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

// A usage is the total impurity decrease and the number of the nodes of a tree that
// share a split function.
type usage struct {
	gain  float64
	nodes int
}

// usage returns the usage of each split function of t, indexed by [slot], in the memory
// of scratch.
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

	// Importance is the weighted impurity decrease at the nodes that use the
	// projection, divided by that at all nodes, so importances sum to 1 if no split
	// is quadratic. It is negative if the projection raises the impurity in total, as
	// planes of GRAF may. If the total over all nodes isn't positive, it is the
	// decrease itself.
	Importance float64

	Splits int // number of nodes that use it
}

// Projections returns the projections that the forest splits along, in descending order
// of importance; ties are ordered by number of splits, descending, then by Index and
// Weights. A single feature is a projection with weight 1. A projection and its negative
// count as one; other multiples are separate projections. Zero weights are left out, and
// so are quadratic functions.
func (f *Forest) Projections() []Projection {
	var (
		all    []Projection
		total  float64
		number = map[string]int{} // of a projection in all, by its bytes
		use    []usage

		// of a function, without zeros; they are reused
		index, weights, key = []int32{}, []float32{}, []byte{}
	)
	le := binary.LittleEndian
	for i := range f.Trees {
		t := &f.Trees[i]
		for slot, u := range f.usage(&use, t) {
			if u.nodes == 0 {
				continue
			}
			total += u.gain
			fn := t.Splits.At(splitAt(slot, f.P()))
			if !fn.Kind.Linear() {
				continue
			}
			sign := leadingSign(fn.Weights)
			index, weights, key = index[:0], weights[:0], key[:0]
			for i, w := range fn.Weights {
				if w != 0 {
					index, weights = append(index, fn.Features[i]), append(weights, sign*w)
					key = le.AppendUint32(le.AppendUint32(key, uint32(fn.Features[i])), math.Float32bits(sign*w))
				}
			}
			k, ok := number[string(key)]
			if !ok {
				k = len(all)
				number[string(key)] = k
				all = append(all, Projection{Index: slices.Clone(index), Weights: slices.Clone(weights)})
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

// leadingSign returns the sign of the first weight that isn't 0, 1 if all are.
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

// Format writes the projection with the given feature names, such as
// "petal length − 0.5·sepal width".
func (p Projection) Format(names []string) string {
	fn := Linear(p.Index, p.Weights)
	return fn.Format(names, 0)
}
