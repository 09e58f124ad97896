package graf

import "github.com/obliqua-ml/obliqua/forest"

// ModelSize returns how many numbers the trees of a forest of any method take in
// all, as the paper counts them (sections 4.4 and 6). With TNL splits and TL
// leaves, a tree has
//
//	TW·(M+1) + TNL·3 + TL	for GRAF, with TW planes of M weights and a threshold;
//	                     	a split names its plane and its two children
//	TNL·(m+1) + TNL·2 + TL	for splits on m features that no two nodes share
//	TNL·4 + TL           	for splits on one feature: which, its threshold, the children
func ModelSize(f *forest.Forest) int {
	size := 0
	for i := range f.Trees {
		t := &f.Trees[i]
		if f.Method == method {
			size += len(t.Splits.Weights) + t.Splits.Len()
		}
		for _, n := range t.Nodes {
			switch {
			case n.IsLeaf():
				size++
			case f.Method == method:
				size += 3
			case int(n.Split) < f.P():
				size += 4
			default:
				_, weights := t.Splits.At(int(n.Split) - f.P())
				size += len(weights) + 3
			}
		}
	}
	return size
}
