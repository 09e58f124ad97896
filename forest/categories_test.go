package forest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// withSets draws a forest whose features have categories, and some nodes of which are split by sets of them.
func withSets(rng *rand.Rand, p, classes, trees int) *Forest {
	return addSets(rng, withMissing(rng, p, classes, trees))
}

func addSets(rng *rand.Rand, f *Forest) *Forest {
	for j := range f.P() {
		var categories []string
		if j == 0 || rng.IntN(2) == 0 {
			categories = []string{}
			for c := range []int{0, 3, 32, 70}[rng.IntN(4)] {
				categories = append(categories, strings.Repeat("c", 1+c))
			}
			f.Fills[j] = -1
		}
		f.Categories = append(f.Categories, categories)
	}
	for i := range f.Trees {
		t := &f.Trees[i]
		for k := range t.Nodes {
			if j := int32(rng.IntN(f.P())); !t.Nodes[k].IsLeaf() && f.Categories[j] != nil && rng.IntN(3) > 0 {
				t.Nodes[k].Split, t.Nodes[k].Value = t.Splits.Add(drawSet(rng, j)), 0
			}
		}
	}
	return f
}

func drawSet(rng *rand.Rand, j int32) Function {
	fn := Function{Kind: Set, Features: []int32{j}, Weights: []float32{1}, Categories: []uint32{},
		MissingLeft: rng.IntN(2) == 0}
	for range rng.IntN(4) {
		fn.Categories = append(fn.Categories, rng.Uint32())
	}
	return fn
}

// sideOf is what the documentation of Function.Categories says of a cell: whether its row goes left.
func sideOf(fn *Function, v float32) bool {
	for c := range 32 * len(fn.Categories) {
		if float64(v) == float64(c) {
			return fn.Categories[c/32]&(1<<(c%32)) != 0
		}
	}
	return fn.MissingLeft
}

// Columns whose categories are numbered otherwise are predicted as those of training, and new categories as missing.
func TestCategoriesAreComparedByName(t *testing.T) {
	set := Function{Kind: Set, Features: []int32{1}, Categories: []uint32{0b101}}
	tree := Tree{Nodes: []Node{{Next: 2}, ValueLeaf(1, 1), ValueLeaf(2, 1)}}
	tree.Nodes[0].Split = tree.Splits.Add(set)
	f := &Forest{Features: []string{"height", "colour"}, Trees: []Tree{tree}, Fills: []float32{0, -1}, Rule: Average,
		Categories: [][]string{nil, {"red", "green", "blue"}}}
	d := &datasets.Dataset{Features: f.Schema().Features, Columns: [][]float32{make([]float32, 4), {0, 1, 2, 0}}}
	d.Features[1].Categories = []string{"blue", "violet", "green"}
	d.Rows = []int32{2, 1, 0, 0}
	check := func(want ...float64) {
		t.Helper()
		got, err := f.PredictValues(t.Context(), d)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	check(2, 2, 1, 1) // green, violet, blue, blue
	set.MissingLeft = true
	f.Trees[0].Nodes[0].Split = f.Trees[0].Splits.Add(set)
	check(2, 1, 1, 1)
	if got, want := f.SplitString(&f.Trees[0], 0), "colour in {red, blue} or missing"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
	if !slices.Equal(d.Columns[1], []float32{0, 1, 2, 0}) || d.Features[1].Categories[0] != "blue" {
		t.Error("the data have changed")
	}
	d.Features[1].Categories = nil
	readtest.WantError(t, f.Check(d), `"colour" has 0 categories; the model was trained on 3`)
	d.Features[1].Categories, d.Features[0].Categories = []string{"a", "b", "c"}, []string{"1"}
	readtest.WantError(t, f.Check(d), `"height" has 1 categories`)
}

// Of many categories the first are listed.
func TestManyCategoriesAreCut(t *testing.T) {
	f := &Forest{Features: []string{"city"}, Categories: [][]string{{"a", "b", "c", "d", "e", "f", "g", "h", "i"}}}
	for bits, want := range map[uint32]string{
		0b1:         "city is a",
		0b111111:    "city in {a, b, c, d, e, f}",
		0b111111110: "city in {b, c, d, e, f, … (8 categories)}",
		0:           "city in {}",
	} {
		var tree Tree
		tree.Nodes = []Node{{Split: tree.Splits.Add(Function{Kind: Set, Features: []int32{0}, Categories: []uint32{bits}})}}
		if got := f.SplitString(&tree, 0); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}

// A set has the parameters of a single feature, and its importance is the feature's.
func TestSizeAndImportanceOfSets(t *testing.T) {
	tree := Tree{Nodes: []Node{{Next: 2, Weight: 3}, ValueLeaf(1, 1), ValueLeaf(2, 1)}}
	tree.Nodes[0].Split = tree.Splits.Add(drawSet(rand.New(rand.NewPCG(1, 1)), 1))
	f := &Forest{Features: make([]string, 2), Trees: []Tree{tree}, Fills: []float32{0, -1},
		Categories: [][]string{nil, {}}}
	if s := f.Size(); s.Parameters != 2+1+1 || s.Splits != 1 || s.Bytes != len(encode(f)) {
		t.Errorf("%+v", s)
	}
	if got := f.Importance(); !slices.Equal(got, []float64{0, 1}) {
		t.Errorf("importance %v", got)
	}
}
