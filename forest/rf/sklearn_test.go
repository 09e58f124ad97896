package rf

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// fixture is what testdata/sklearn_tree.py writes.
type fixture struct {
	Columns [][]float32
	Values  []float64
	Labels  map[string][]int32
	Weights []float32
	Cases   []fixtureCase
}

type fixtureCase struct {
	Name            string
	Classes         int
	Criterion       string
	Weighted        bool
	ClassWeights    []float32 `json:"class_weights"`
	MaxDepth        int       `json:"max_depth"`
	MinSamplesLeaf  int       `json:"min_samples_leaf"`
	MinSamplesSplit int       `json:"min_samples_split"`
	Nodes           []struct {
		Feature                     int32
		Threshold, Decrease, Weight float64
		Right                       int32
		Value                       []float64
	}
}

func (f *fixture) dataset(c *fixtureCase) *datasets.Dataset {
	d := &datasets.Dataset{Columns: f.Columns, Features: make([]datasets.Feature, len(f.Columns))}
	if c.Classes == 0 {
		d.Values = f.Values
	} else {
		d.Labels, d.Classes = f.Labels[strconv.Itoa(c.Classes)], make([]string, c.Classes)
	}
	if c.Weighted {
		d.Weights = f.Weights
	}
	return d
}

// Trees of scikit-learn 1.9.1, node by node, on data where no two cuts of a
// node are equally good.
func TestCARTGrowsTheTreesOfScikitLearn(t *testing.T) {
	file := must.Value(os.ReadFile("../../testdata/sklearn_trees.json"))
	var fix fixture
	must.Do(json.Unmarshal(file, &fix))
	criteria := map[string]forest.Criterion{"gini": forest.Gini, "entropy": forest.Entropy,
		"squared_error": forest.SquaredError}
	for _, c := range fix.Cases {
		t.Run(c.Name, func(t *testing.T) {
			growth := forest.Growth{
				Criterion: criteria[c.Criterion], MaxDepth: c.MaxDepth, MinLeaf: c.MinSamplesLeaf,
				MinSplit: c.MinSamplesSplit,
			}
			d := fix.dataset(&c)
			if c.ClassWeights != nil {
				d = d.WeightClasses(c.ClassWeights...)
			}
			f := must.Value(CART{Growth: growth}.Fit(context.Background(), d))
			checkAgainst(t, &f.Trees[0], &c)
		})
	}
}

func checkAgainst(t *testing.T, tree *forest.Tree, c *fixtureCase) {
	if len(tree.Nodes) != len(c.Nodes) || len(c.Nodes) < 9 {
		t.Fatalf("%d nodes, want %d", len(tree.Nodes), len(c.Nodes))
	}
	near := func(got float32, want float64) bool { return math.Abs(float64(got)-want) <= 1e-6*math.Abs(want) }
	for i, got := range tree.Nodes {
		want := c.Nodes[i]
		if got.IsLeaf() != (want.Right == 0) {
			t.Fatalf("node %d: %+v, want %+v", i, got, want)
		}
		if !got.IsLeaf() {
			if feature(tree, got) != want.Feature || got.Value != float32(want.Threshold) || got.Next != want.Right ||
				!near(got.Weight, want.Decrease) {
				t.Errorf("node %d: %+v, want %+v", i, got, want)
			}
			continue
		}
		if !near(got.Weight, want.Weight) {
			t.Errorf("leaf %d: weight %v, want %v", i, got.Weight, want.Weight)
		}
		if c.Classes == 0 {
			if !near(got.Value, want.Value[0]) {
				t.Errorf("leaf %d: value %v, want %v", i, got.Value, want.Value[0])
			}
			continue
		}
		for k, w := range want.Value {
			weight, leaf := float32(0), tree.Leaf(i)
			if leaf.Kind == forest.LeafDist {
				weight = leaf.Dist[k]
			} else if int(leaf.Class) == k {
				weight = leaf.Weight
			}
			if !near(weight, w) {
				t.Errorf("leaf %d: weight %v of class %d, want %v", i, weight, k, w)
			}
		}
	}
}
