package forest

import (
	"testing"
)

// The expected numbers are counted by hand in the drawing of each tree.
func TestSize(t *testing.T) {
	// x0 ≤ · : leaf | combination of 2 (one weight of 3 is 0) ≤ · : leaf | x0 ≤ · : leaf | leaf
	oblique := Tree{
		Nodes: []Node{
			{Split: 0, Next: 2},
			ClassLeaf(0, 5),
			{Split: 1 << 30, Next: 4},
			{Split: int32(LeafDist), Weight: 3},
			{Split: 0, Next: 6},
			ClassLeaf(0, 1),
			ClassLeaf(1, 1),
		},
		Classes: 2,
		Dist:    []float32{1, 2},
	}
	oblique.Splits.Add(Linear([]int32{0, 1, 2}, []float32{1, 0, -1}))
	stump := Tree{Nodes: []Node{ClassLeaf(0, 7)}, Classes: 2}
	f := &Forest{
		Features: []string{"a", "b", "c"}, Classes: []string{"n", "j"},
		Trees: []Tree{oblique, stump},
	}
	f.Rule = Plurality
	want := Size{Trees: 2, Nodes: 8, Leaves: 5, Splits: 2, Parameters: (2 + 1 + 3 + 1 + 2 + 1 + 1) + 1,
		FLOPs: (5*(2+1)+3*(2+3+1)+1*(2+3+2+1)+1*(2+3+2+1))/10.0 + 1,
		Depth: 3, MeanDepth: ((5*1+3*2+1*3+1*3)/10.0 + 0) / 2, Bytes: len(encode(f))}
	if got := f.Size(); got != want {
		t.Errorf("%+v; want %+v", got, want)
	}
	f.Rule = Average
	want.Parameters, want.FLOPs = (2+1+3+2+2+1+1)+1, (5*(2+1)+3*(2+3+2)+1*(2+3+2+1)+1*(2+3+2+1))/10.0+1
	if got := f.Size(); got != want {
		t.Errorf("%+v; want %+v", got, want)
	}
}

// Numbers of dense and quadratic splits and of linear leaves, by hand.
func TestSizeOfOtherKinds(t *testing.T) {
	tree := Tree{Classes: 3}
	dense := tree.Splits.Add(Function{Kind: Dense, Features: []int32{0, 1, 2}, Weights: []float32{1, 0, -1}})
	// 2 weights, 2 of 3 squares and products; the bias is taken in by the threshold.
	quadratic := tree.Splits.Add(Function{Kind: Quadratic, Features: []int32{0, 2}, Weights: []float32{1, 2},
		Q: []float32{1, 0, 4}, Bias: 9})
	tree.Splits.Add(Linear([]int32{0, 1}, []float32{1, 1})) // not in use
	tree.Nodes = []Node{
		{Split: dense, Next: 2},
		tree.LinearLeaf([]Score{ // 2 weights and a bias, and a bias
			{Class: 0, Bias: 1, Features: []int32{0, 1, 2}, Weights: []float32{1, 0, 2}},
			{Class: 2},
		}, 6),
		{Split: quadratic, Next: 4},
		tree.DistLeaf([]float32{1, 1, 1}, 3),
		ClassLeaf(1, 1),
	}
	f := &Forest{Features: make([]string, 3), Classes: make([]string, 3), Rule: Average, Trees: []Tree{tree}}
	const (
		atDense, atQuadratic        = 2 + 1, 2 + 2 + 1
		ofLinear, ofMixed, ofSingle = 2 + 1 + 0 + 1, 3, 1
	)
	want := Size{
		Trees: 1, Nodes: 5, Leaves: 3, Splits: 2,
		Parameters: atDense + ofLinear + atQuadratic + ofMixed + ofSingle,
		FLOPs:      (6*(atDense+ofLinear) + 3*(atDense+atQuadratic+ofMixed) + 1*(atDense+atQuadratic+ofSingle)) / 10.,
		Depth:      2,
		MeanDepth:  (6*1 + 3*2 + 1*2) / 10.,
		// envelope, head, 8 lengths of names, none of which has text,
		Bytes: 24 + (16 + 40) + (16 + 32) +
			// 5 nodes, 3 functions, two lists of two features, 3 + 6 + 2 numbers,
			(16 + 80) + (16 + 40) + (16 + 16) + (16 + 48) +
			// class weights, 2 bounds of models, 2 scores, 3 features and 3 weights, checksum
			(16 + 16) + (16 + 8) + (16 + 24) + (16 + 16) + (16 + 16) + 8,
	}
	if got := f.Size(); got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := len(encode(f)); got != want.Bytes {
		t.Errorf("encoded in %d bytes, want %d", got, want.Bytes)
	}
	values := Tree{}
	values.Nodes = []Node{values.LinearLeaf([]Score{{Features: []int32{1}, Weights: []float32{3}}}, 2)}
	g := &Forest{Features: make([]string, 3), Rule: Average, Trees: []Tree{values, {Nodes: []Node{ValueLeaf(1, 2)}}}}
	if s := g.Size(); s.Parameters != 2+1 || s.FLOPs != 3 {
		t.Errorf("%+v; want 3 parameters and FLOPs", s)
	}
}
