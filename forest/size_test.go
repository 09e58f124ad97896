package forest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The expected numbers follow from the drawing of each tree by hand.
func TestSize(t *testing.T) {
	// x0 ≤ · : leaf | combination of 2 (one weight of 3 is 0) ≤ · : leaf | x0 ≤ · : leaf | leaf
	oblique := Tree{
		Nodes: []Node{
			{Split: 0, Next: 2},
			{Split: LeafClass, Weight: 5},
			{Split: 3, Next: 4},
			{Split: LeafDist, Weight: 3},
			{Split: 0, Next: 6},
			{Split: LeafClass, Weight: 1},
			{Split: LeafClass, Next: 1, Weight: 1},
		},
		Splits: Pool{Start: []int32{0, 3}, Index: []int32{0, 1, 2}, Weights: []float32{1, 0, -1}},
		Dist:   []float32{1, 2},
	}
	stump := Tree{Nodes: []Node{{Split: LeafClass, Weight: 7}}}
	f := &Forest{
		Features: []string{"a", "b", "c"}, Classes: []string{"n", "j"},
		Trees: []Tree{oblique, stump},
	}
	f.Rule = Plurality
	check := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s %v, want %v", name, got, want)
		}
	}
	s := f.Size()
	check("trees", float64(s.Trees), 2)
	check("nodes", float64(s.Nodes), 8)
	check("leaves", float64(s.Leaves), 5)
	check("splits", float64(s.Splits), 2)
	check("parameters", float64(s.Parameters), (2+1+3+1+2+1+1)+1)
	check("FLOPs", s.FLOPs, (5*(2+1)+3*(2+3+1)+1*(2+3+2+1)+1*(2+3+2+1))/10.0+1)
	check("depth", float64(s.Depth), 3)
	check("mean depth", s.MeanDepth, ((5*1+3*2+1*3+1*3)/10.0+0)/2)

	f.Rule = Average
	s = f.Size()
	check("parameters", float64(s.Parameters), (2+1+3+2+2+1+1)+1)
	check("FLOPs", s.FLOPs, (5*(2+1)+3*(2+3+2)+1*(2+3+2+1)+1*(2+3+2+1))/10.0+1)
}

func TestSizeAgreesWithTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 50 {
		f := drawForest(rng, 1+rng.IntN(4), []int{0, 2, 3}[i%3], 1+rng.IntN(4))
		s := f.Size()
		depth := 0
		for j := range f.Trees {
			depth = max(depth, f.Trees[j].Depth())
		}
		if s.Depth != depth {
			t.Fatalf("depth %d, want %d", s.Depth, depth)
		}
		if s.Bytes != len(encode(t, f)) {
			t.Fatalf("%d bytes, want %d", s.Bytes, len(encode(t, f)))
		}
		if s.MeanDepth > float64(depth) {
			t.Fatalf("mean depth %v of at most %d", s.MeanDepth, depth)
		}
	}
}
