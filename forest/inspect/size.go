package inspect

import "github.com/obliqua-ml/obliqua/forest"

// ModelSize returns how many numbers the trees of f, a forest of any method, take
// in all, as Gupta et al. count them (Guided Random Forest, sections 4.4 and 6): 1
// for a leaf, and for a split
//
//	4        	on one feature: which one, the threshold, the two children
//	(m+1) + 2	on a plane of its own: m weights and a threshold, the children
//	3        	on a plane that is stored once for several splits: which one, the
//	         	children; and m+1 for each such plane
//
// With TNL splits and TL leaves, a tree of a random forest takes TNL·4 + TL, one of
// oblique splits TNL·(m+1) + TNL·2 + TL, and one of GRAF, with TW planes over M
// features, TW·(M+1) + TNL·3 + TL.
//
// Two splits of a tree share a plane if they have both function and threshold in
// common. If any do, all planes of the forest count as stored apart, also those that
// one split uses: so GRAF counts them. Only a GRAF forest in which no plane divides
// two regions counts as one of oblique splits, a number less a split than by the
// paper's formula. Weights that are 0 count. A quadratic function's coefficients,
// but not its bias, count as weights.
func ModelSize(f *forest.Forest) int {
	own, named := 0, 0 // the size with a plane in each split, and with planes apart
	shared := false
	for i := range f.Trees {
		t := &f.Trees[i]
		planes := map[plane]bool{}
		for _, n := range t.Nodes {
			if n.IsLeaf() {
				own++
				named++
				continue
			}
			coefficients, axis := function(t, n)
			if axis {
				own += 4
				named += 4
				continue
			}
			own += coefficients + 1 + 2
			named += 3
			if p := (plane{n.Split, n.Value}); planes[p] {
				shared = true
			} else {
				planes[p] = true
				named += coefficients + 1
			}
		}
	}
	if shared {
		return named
	}
	return own
}

// A plane is a split function and the threshold it is compared with.
type plane struct {
	split     int32
	threshold float32
}

// function returns how many coefficients a split's function has, and whether it is
// a single feature.
func function(t *forest.Tree, n forest.Node) (coefficients int, axis bool) {
	fn := t.Splits.At(n.Split)
	return len(fn.Weights) + len(fn.Q), fn.Kind == forest.Axis
}
