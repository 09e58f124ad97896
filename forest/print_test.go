package forest_test

import (
	"fmt"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

func flowers() *forest.Forest {
	return &forest.Forest{
		Method:   "sporf",
		Target:   "species",
		Features: []string{"petal length", "petal width", "sepal length"},
		Classes:  []string{"setosa", "versicolor", "virginica"},
		Trees: []forest.Tree{{
			Nodes: []forest.Node{
				{Split: 0, Next: 2, Value: 2.45, Weight: 50},
				{Split: forest.LeafClass, Next: 0, Weight: 50},
				{Split: 3, Next: 6, Value: -0.15, Weight: 30},
				{Split: 4, Next: 5, Value: 1e-5, Weight: 10},
				{Split: forest.LeafClass, Next: 1, Weight: 40.5},
				{Split: forest.LeafDist, Next: 0, Weight: 14},
				{Split: forest.LeafClass, Next: 2, Weight: 45.5},
			},
			Splits: forest.Pool{
				Start:   []int32{0, 3, 4},
				Index:   []int32{0, 1, 2, 1},
				Weights: []float32{-1, 0.5, 1, -0.1},
			},
			Dist: []float32{0, 9, 5},
		}},
	}
}

func ExampleForest_TreeString() {
	f := flowers()
	fmt.Println(f.TreeString(&f.Trees[0], 0))
	fmt.Println(f.TreeString(&f.Trees[0], 1))
	// Output:
	// petal length ≤ 2.45
	// ├ setosa 50
	// └ −petal length + 0.5·petal width + sepal length ≤ −0.15
	//   ├ −0.1·petal width ≤ 1e-05
	//   │ ├ versicolor 40.5
	//   │ └ versicolor 9, virginica 5
	//   └ virginica 45.5
	//
	// petal length ≤ 2.45
	// ├ setosa 50
	// └ … 3 leaves
}

// The mean depth is (50·1 + 40.5·3 + 14·3 + 45.5·2)/150 = 2.03. The bytes are a
// header of 56, 8 lengths of 4, 72 bytes of names, counts of 16, nodes of
// 112, starts, indices, weights and class weights of 16 each, checksum of 8.
func ExampleForest_String() {
	fmt.Println(flowers())
	// Output:
	// sporf: 1 tree for species (3 classes) from 3 features
	// 7 nodes, mean depth 2.0, at most 3, 360 bytes
}

func TestStrings(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{forest.Projection{}.String(), "0"},
		{forest.Projection{Index: []int32{2, 11}, Weights: []float32{1, -1}}.String(), "x2 − x11"},
		{forest.Projection{Index: []int32{0, 1}, Weights: []float32{1.0 / 3, -2}}.Format([]string{"a"}), "0.333333·a − 2·x1"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	f := &forest.Forest{
		Features: []string{""},
		Trees: []forest.Tree{
			{Nodes: []forest.Node{{Split: forest.LeafValue, Value: -1234567, Weight: 12}}},
			{Nodes: []forest.Node{
				{Split: 0, Next: 2, Value: 100000},
				{Split: forest.LeafValue, Value: 2.5, Weight: 1},
				{Split: forest.LeafValue, Value: 0.1, Weight: 3},
			}},
		},
	}
	if got, want := f.TreeString(&f.Trees[0], 1), "−1.23457e+06 (12)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := f.TreeString(&f.Trees[1], 0), "x0 ≤ 100000\n├ 2.5 (1)\n└ 0.1 (3)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// 56 + 3 lengths filled up to 16, trees of 16 + 16 and 16 + 48, checksum 8.
	if got, want := f.String(), "2 trees for the target from 1 feature\n4 nodes, mean depth 0.5, at most 1, 176 bytes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
