package forest

// A Size says how large a forest is and what a prediction costs.
type Size struct {
	Trees  int
	Nodes  int // splits and leaves of all trees
	Leaves int

	// Splits is the number of distinct split functions in use, summed over
	// trees: features and stored functions, whatever their thresholds.
	Splits int

	// Parameters is counted as in the comparison of Carreira-Perpiñán and
	// Zharmagambetov (FODS 2020, Section 5.1.3): for a split its nonzero
	// coefficients and its threshold, so 2 for a single feature; for a linear leaf
	// its nonzero weights and a bias for each score; for any other leaf 1. The
	// paper knows no leaf with class proportions: one counts a number for each
	// class where the forest adds them up, and 1 where it only votes.
	Parameters int

	// FLOPs is the paper's cost of predicting one row: the number of parameters
	// on its path from the root to and including the leaf, summed over trees
	// and averaged over training rows. The rows are those that the tree was
	// grown on, with their weights, as [Node.Weight] records them; it is NaN if
	// the leaves of some tree hold no weight.
	FLOPs float64

	Depth     int     // splits on the longest path of any tree
	MeanDepth float64 // splits on the path of a row, averaged over its trees and over training rows as FLOPs is
	Bytes     int     // length of the encoding by [Forest.MarshalBinary]
}

// Size counts nodes, parameters and the cost of a prediction.
func (f *Forest) Size() Size {
	s := Size{Trees: len(f.Trees), Bytes: f.encodedSize()}
	var scratch sizeScratch
	for i := range f.Trees {
		s.Nodes += len(f.Trees[i].Nodes)
		s.Leaves += f.Trees[i].Leaves()
		f.addSize(&s, &f.Trees[i], &scratch)
	}
	s.MeanDepth /= float64(len(f.Trees))
	return s
}

type sizeScratch struct {
	cost []int // parameters of a split function and its threshold; 0 if not used yet
	path []step
}

// A step holds the parameters and splits above a node.
type step struct{ cost, depth int }

// addSize adds what takes a walk of the tree.
func (f *Forest) addSize(s *Size, t *Tree, scratch *sizeScratch) {
	cost := resized(&scratch.cost, f.P()+t.Splits.Len())
	path := resized(&scratch.path, len(t.Nodes))
	var weight, flops, depth float64
	for i, n := range t.Nodes {
		at := path[i]
		if n.IsLeaf() {
			c := f.leafParameters(t, &t.Nodes[i])
			s.Parameters += c
			s.Depth = max(s.Depth, at.depth)
			w := float64(n.Weight)
			weight += w
			flops += float64(w * float64(at.cost+c))
			depth += float64(w * float64(at.depth))
			continue
		}
		c := &cost[slot(n.Split, f.P())]
		if *c == 0 {
			fn := t.Splits.At(n.Split)
			*c = fn.parameters()
			s.Splits++
		}
		s.Parameters += *c
		below := step{at.cost + *c, at.depth + 1}
		path[i+1], path[n.Next] = below, below
	}
	s.FLOPs += flops / weight
	s.MeanDepth += depth / weight
}

// resized returns n zeros in the memory of s.
func resized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}
