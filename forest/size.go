package forest

// A Size holds the size of a forest and the cost of a prediction.
type Size struct {
	Trees  int
	Nodes  int // splits and leaves of all trees
	Leaves int

	// Splits is the number of distinct split functions in use, summed over trees.
	// Nodes with the same function and different thresholds count once.
	Splits int

	// Parameters is counted as in the comparison of Carreira-Perpiñán and
	// Zharmagambetov (FODS 2020, Section 5.1.3): for each split its nonzero
	// coefficients and its threshold, so 2 for a single feature (the Centre of a
	// LowRank doesn't count: with other weights it could be 0); for a linear leaf
	// its nonzero weights and a bias for each score; for any other leaf 1. Leaves
	// with class proportions don't occur in the paper: here they count 1 in a forest
	// whose rule is Plurality, otherwise the number of classes.
	Parameters int

	// FLOPs is the paper's cost of predicting one row: the number of parameters
	// on its path from the root to the leaf, both included, summed over trees and
	// averaged over the rows that each tree was grown on, with their weights, as
	// [Node.Weight] records them. It is NaN if all leaves of some tree have weight 0.
	FLOPs float64

	Depth     int     // splits on the longest path of any tree
	MeanDepth float64 // splits on the path of a row, averaged over trees, and over training rows as FLOPs is
	Bytes     int     // length of the encoding by [Forest.MarshalBinary]
}

// Size returns the size of the forest and the cost of a prediction.
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
	cost []int // parameters of a split function and its threshold, by [slot]; 0 if not used yet
	path []pathCost
}

// A pathCost is the number of parameters and of splits above a node.
type pathCost struct{ parameters, depth int }

// addSize adds what has to be computed from every node of a tree.
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
			flops += float64(w * float64(at.parameters+c))
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
		below := pathCost{at.parameters + *c, at.depth + 1}
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
