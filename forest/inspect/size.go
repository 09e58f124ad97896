package inspect

import "github.com/obliqua-ml/obliqua/forest"

// ModelSize returns how many numbers the trees of f store in all, as Gupta et al. count
// them (Guided Random Forest, sections 4.4 and 6). f may be a forest of any method. A
// leaf counts 1, and a split counts
//
//	4        	on one feature: feature, threshold, two children
//	(m+1) + 2	on a plane of its own: m weights, threshold, two children
//	3        	on a plane stored apart: plane, two children; and each such
//	         	plane counts m+1
//
// With TNL splits and TL leaves, a tree of a random forest has TNL·4 + TL numbers, one
// with oblique splits TNL·(m+1) + TNL·2 + TL, and one of GRAF, with TW planes over M
// features, TW·(M+1) + TNL·3 + TL.
//
// Two splits of a tree share a plane if both their function and their threshold are the
// same. If any splits do, all planes of the forest count as stored apart, also those
// used by one split, as in the paper's formula for GRAF. A GRAF forest in which no
// plane divides two regions counts like one with oblique splits: one number per split
// less than by that formula. Weights of 0 count. The coefficients and the
// centre of a quadratic function count as weights, its bias doesn't.
func ModelSize(f *forest.Forest) int {
	own, apart := 0, 0 // the size with planes in their splits, and with planes stored apart
	shared := false
	for i := range f.Trees {
		t := &f.Trees[i]
		planes := map[plane]bool{}
		for _, n := range t.Nodes {
			if n.IsLeaf() {
				own++
				apart++
				continue
			}
			count, axis := coefficients(t, n)
			if axis {
				own += 4
				apart += 4
				continue
			}
			own += count + 1 + 2
			apart += 3
			if p := (plane{n.Split, n.Value}); planes[p] {
				shared = true
			} else {
				planes[p] = true
				apart += count + 1
			}
		}
	}
	if shared {
		return apart
	}
	return own
}

// A plane is a split function and its threshold.
type plane struct {
	split     int32
	threshold float32
}

// coefficients returns how many coefficients a split's function has, and whether it is
// a single feature.
func coefficients(t *forest.Tree, n forest.Node) (count int, axis bool) {
	fn := t.Splits.At(n.Split)
	return len(fn.Weights) + len(fn.Q) + len(fn.Centre) + len(fn.Factors), fn.Kind == forest.Axis
}
