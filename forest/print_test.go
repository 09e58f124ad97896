package forest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
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
				forest.ClassLeaf(0, 50),
				{Split: 1 << 30, Next: 6, Value: -0.15, Weight: 30},
				{Split: 1<<30 + 1, Next: 5, Value: 1e-5, Weight: 10},
				forest.ClassLeaf(1, 40.5),
				{Split: int32(forest.LeafDist), Next: 0, Weight: 14},
				forest.ClassLeaf(2, 45.5),
			},
			Splits: pool(
				forest.Linear([]int32{0, 1, 2}, []float32{-1, 0.5, 1}),
				forest.Linear([]int32{1}, []float32{-0.1}),
			),
			Classes: 3,
			Dist:    []float32{0, 9, 5},
		}},
	}
}

func pool(functions ...forest.Function) (s forest.Pool) {
	for _, fn := range functions {
		s.Add(fn)
	}
	return s
}

// TestThresholdsBetweenWholeNumbers: 123458 isn't at most 123457.5, so the text must not say so.
func TestThresholdsBetweenWholeNumbers(t *testing.T) {
	for v, want := range map[float32]string{123457.5: "x0 ≤ 123457.5", -1234567.5: "x0 ≤ −1234567.5", 0.5: "x0 ≤ 0.5",
		123457.25: "x0 ≤ 123457", 0.1234567: "x0 ≤ 0.123457"} {
		f := &forest.Forest{Features: []string{""}, Classes: []string{"a", "b"}}
		tree := forest.Tree{Classes: 2, Nodes: []forest.Node{{Split: 0, Next: 2, Value: v}, forest.ClassLeaf(0, 1),
			forest.ClassLeaf(1, 1)}}
		if got := f.SplitString(&tree, 0); got != want {
			t.Errorf("%q; want %q", got, want)
		}
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
	//   ├ petal width ≥ −0.0001
	//   │ ├ versicolor 40.5
	//   │ └ versicolor 9, virginica 5
	//   └ virginica 45.5
	//
	// petal length ≤ 2.45
	// ├ setosa 50
	// └ … 3 leaves
}

// The mean depth is (50·1 + 40.5·3 + 14·3 + 45.5·2)/150 = 2.03. The bytes are an
// envelope of 24, a checksum of 8, and sections of 16 and what they hold: the head
// 40, 8 lengths 32, 72 bytes of names, nodes 112, functions 24, features 16, numbers
// 16, class weights 16.
func ExampleForest_String() {
	fmt.Println(flowers())
	// Output:
	// sporf: 1 tree for species (3 classes) from 3 features
	// 7 nodes, mean depth 2.0, at most 3, 488 bytes
}

func TestStrings(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{forest.Projection{}.Format(nil), "0"},
		{forest.Projection{Index: []int32{2, 11}, Weights: []float32{1, -1}}.Format(nil), "x2 − x11"},
		{forest.Projection{Index: []int32{0, 1}, Weights: []float32{1.0 / 3, -2}}.Format([]string{"a"}), "0.333333·a − 2·x1"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	f := &forest.Forest{
		Features: []string{""},
		Trees: []forest.Tree{
			{Nodes: []forest.Node{forest.ValueLeaf(-1234567, 12)}},
			{Nodes: []forest.Node{
				{Split: 0, Next: 2, Value: 100000},
				forest.ValueLeaf(2.5, 1),
				forest.ValueLeaf(0.1, 3),
			}},
		},
	}
	if got, want := f.TreeString(&f.Trees[0], 1), "−1234567 (12)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := f.TreeString(&f.Trees[1], 0), "x0 ≤ 100000\n├ 2.5 (1)\n└ 0.1 (3)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// 24 + 16 + 40 + 16 + 3 lengths filled up to 16, trees of 16 + 16 and 16 + 48, checksum 8.
	if got, want := f.String(), "2 trees for the target from 1 feature\n4 nodes, mean depth 0.5, at most 1, 216 "+
		"bytes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Splits and leaves of all kinds.
func ExampleForest_TreeString_quadratic() {
	tree := forest.Tree{Classes: 3, Splits: pool(
		forest.Function{Kind: forest.Quadratic, Features: []int32{0, 2}, Weights: []float32{-0.5, 0},
			Q: []float32{1, -1, 0.25}, Bias: 3},
		forest.Function{Kind: forest.Dense, Features: []int32{0, 1, 2}, Weights: []float32{1, 0, -2}},
	)}
	tree.Nodes = []forest.Node{
		{Split: 1 << 30, Next: 2, Value: 12.5},
		tree.LinearLeaf([]forest.Score{
			{Class: 1, Bias: -3, Features: []int32{0}, Weights: []float32{1}},
			{Class: 2, Features: []int32{0, 1}, Weights: []float32{0, 2}},
		}, 54),
		{Split: 1<<30 + 1, Next: 4, Value: -1},
		tree.LinearLeaf([]forest.Score{{Class: 0}}, 2),
		forest.ClassLeaf(0, 7),
	}
	f := flowers()
	fmt.Println(f.TreeString(&tree, 0))
	values := forest.Tree{}
	values.Nodes = []forest.Node{values.LinearLeaf([]forest.Score{{Bias: 0.5, Features: []int32{1, 2},
		Weights: []float32{-1, 10}}}, 8)}
	f.Rule = forest.Sum // of values, for the first class
	fmt.Println(f.TreeString(&values, 0))
	// Output:
	// −0.5·petal length + petal length² − petal length·sepal length + 0.25·sepal length² + 3 ≤ 12.5
	// ├ versicolor: petal length − 3, virginica: 2·petal width (54)
	// └ petal length − 2·sepal length ≤ −1
	//   ├ setosa: 0 (2)
	//   └ setosa 7
	//
	// −petal width + 10·sepal length + 0.5 (8)
}

// Names from a file can't send commands to the terminal, nor break lines.
func TestNamesArePrintedWithoutControlCharacters(t *testing.T) {
	f := flowers()
	f.Method, f.Target = "a\x1b[2Jb", "\x1b]0;owned\a"
	f.Features[0], f.Classes[0], f.Classes[1] = "petal\r\nlength", "set\x9bosa", "versi\tcolor"
	text := f.String() + f.TreeString(&f.Trees[0], 0)
	for _, want := range []string{`a\x1b[2Jb: 1 tree for \x1b]0;owned\a (3 classes)`, `petal\r\nlength ≤ 2.45`,
		`set\x9bosa 50`, `versi\tcolor 9, virginica 5`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%q", want, text)
		}
	}
}

func TestStringOfValuesOfAllClasses(t *testing.T) {
	f := flowers()
	f.Rule, f.Base = forest.Sum, []float64{0, 0, 0}
	tree := forest.Tree{Outputs: 3}
	tree.Nodes = []forest.Node{tree.ValuesLeaf([]float32{-0.25, 0, 1.5}, 54)}
	f.Trees = []forest.Tree{tree}
	if got, want := f.LeafString(&tree, 0), "setosa: −0.25, versicolor: 0, virginica: 1.5 (54)"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

// Each line of a chain is longer than the one before, so all of it would take the square of its length.
func TestTreeStringOfAChainIsBounded(t *testing.T) {
	const splits = 8000
	for side, chain := range map[string]func(i int) []forest.Node{
		"right": func(i int) []forest.Node {
			return []forest.Node{{Next: int32(2*i + 2), Weight: 2}, forest.ClassLeaf(0, 1)}
		},
		"left": func(i int) []forest.Node { return []forest.Node{{Next: int32(2*splits - i), Weight: 2}} },
	} {
		tree := forest.Tree{Splits: pool(forest.Linear([]int32{0}, []float32{1})), Classes: 3}
		for i := range splits {
			tree.Nodes = append(tree.Nodes, chain(i)...)
		}
		for len(tree.Nodes) < 2*splits+1 {
			tree.Nodes = append(tree.Nodes, forest.ClassLeaf(1, 1))
		}
		f := flowers()
		f.Trees = []forest.Tree{tree}
		must.Value(f.MarshalBinary())
		text := f.TreeString(&tree, 0)
		const bound = 2<<24 + 1e6
		if len(text) > bound {
			t.Errorf("%s: %d bytes; want at most %.0f", side, len(text), bound)
		}
		leaves := 0
		for line := range strings.Lines(text) {
			_, rest, cut := strings.Cut(line, "… ")
			if n := 0; cut {
				if _, err := fmt.Sscanf(rest, "%d lea", &n); err != nil {
					t.Fatalf("%s: %q: %v", side, rest, err)
				}
				leaves += n
			} else if !strings.Contains(line, "≤") {
				leaves++
			}
		}
		if !strings.HasPrefix(text, "petal length ≤ 0\n├ ") || leaves != splits+1 {
			t.Errorf("%s: %d leaves of %d; the text begins with %.60q", side, leaves, splits+1, text)
		}
	}
}
