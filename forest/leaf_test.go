package forest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// Spoilt models of values; those of classes are in hostile_test.go.
func TestModelsOfValues(t *testing.T) {
	for _, c := range []struct {
		scores []Score
		spoil  func(m *models)
		want   string
	}{
		{[]Score{{}}, func(m *models) {}, "<nil>"},
		{[]Score{{}, {}}, func(m *models) {}, "linear model 1 has 2 scores; want one for values"},
		{[]Score{{Class: 1}}, func(m *models) {}, "linear model 1 has class 1 after -1; want ascending below 1"},
		{[]Score{{Features: []int32{2}, Weights: []float32{1}}}, func(m *models) {}, "<nil>"},
		{[]Score{{Features: []int32{3}, Weights: []float32{1}}}, func(m *models) {},
			"score 1 has feature 3 after -1; want ascending below 3"},
		{[]Score{{Bias: float32(math.NaN())}}, func(m *models) {}, "score 1 ends at weight 1 and has bias NaN"},
		{[]Score{{}}, func(m *models) { m.features = append(m.features, 1) },
			"2 features and 1 weights of 2 scores; want as many of both"},
		{[]Score{{}}, func(m *models) { m.begins = m.begins[:1] }, "linear models end at score 0; there are 2"},
		{[]Score{{}}, func(m *models) { m.begins = nil }, "linear models end at score 0; there are 2"},
		{[]Score{{}}, func(m *models) { m.begins[0] = 1 }, "linear models begin at score 1; want 0"},
		{[]Score{{}}, func(m *models) { m.begins[1] = math.MinInt32 },
			"linear model 0 ends at score -2147483648; want more than 0, at most 2"},
		{[]Score{{}}, func(m *models) { m.outputs[1].End = math.MaxInt32 }, "score 1 ends at weight 2147483647"},
		{[]Score{{}}, func(m *models) { m.outputs[0].End = 0 }, "score 1 has feature"},
	} {
		var tree Tree
		tree.LinearLeaf([]Score{{Features: []int32{1}, Weights: []float32{2}}}, 1)
		tree.LinearLeaf(c.scores, 1)
		if c.spoil(&tree.models); c.want == "score 1 has feature" {
			tree.models.features[0] = -1
		}
		if err := tree.models.validate(3, 0); !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("error %v; want one with %q", err, c.want)
		}
	}
}

// Reading a leaf that isn't linear allocates nothing.
func TestLeafAllocatesNothing(t *testing.T) {
	tree := everyLeaf()
	if n := testing.AllocsPerRun(10, func() { tree.Leaf(1); tree.Leaf(3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestProportions(t *testing.T) {
	got := []float64{9, 9, 9}
	Leaf{Kind: LeafDist, Dist: []float32{1, 0, 3}}.Proportions(got)
	if want := []float64{0.25, 0, 0.75}; !slices.Equal(got, want) {
		t.Errorf("proportions %v; want %v", got, want)
	}
	Leaf{Kind: LeafClass, Class: 1}.Proportions(got)
	if want := []float64{0, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("proportions %v; want %v", got, want)
	}
}
