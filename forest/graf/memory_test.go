package graf

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// features returns the features of each tree, which all of its planes have.
func features(t *testing.T, f *forest.Forest) [][]int32 {
	t.Helper()
	var all [][]int32
	for i := range f.Trees {
		all = append(all, slices.Clone(f.Trees[i].Splits.At(f.Trees[i].Nodes[0].Split).Features))
	}
	return all
}

// With α = 0 the features of the tree before have weight 0, and all others the same weight. So
// two trees with half of the features each never share one.
func TestMemoryOfTheLastTreeAlonePartsTheFeatures(t *testing.T) {
	d := sim.Trunk{Features: 8}.Sample(300, 1)
	f := must.Value(Learner{Trees: 40, TreeFeatures: 4, Memory: forest.Memory{Beta: 1}}.Fit(context.Background(), d))
	trees := features(t, f)
	for i := 1; i < len(trees); i++ {
		both := slices.Sorted(slices.Values(slices.Concat(trees[i-1], trees[i])))
		if !slices.Equal(both, []int32{0, 1, 2, 3, 4, 5, 6, 7}) {
			t.Fatalf("trees %d and %d have features %v and %v; want each feature once", i-1, i, trees[i-1], trees[i])
		}
	}
}

// The chance of each feature follows from eq. 1 and Algorithm 2 by hand. With two features, one
// a tree, all trees have the same depth L if both features are alike, so d is 0 for the feature
// used and L + β for the other. With α = 1, D after trees a, b, … counts how often each was
// not used, and the next tree draws j with probability (times not used) / (trees).
func TestMemoryDrawsInProportionToTheTimesAFeatureWasNotUsed(t *testing.T) {
	d := sim.Trunk{Features: 2}.Sample(2, 1)
	d.Columns[0], d.Columns[1] = []float32{0, 1}, []float32{0, 1}
	d.Rows = nil
	d.Labels = []int32{0, 1}
	drawn, expected, variance := 0.0, 0.0, 0.0
	for seed := range uint64(300) {
		f := must.Value(Learner{Trees: 6, TreeFeatures: 1, Memory: forest.Memory{Alpha: 1, Beta: 1},
			Seed: seed}.Fit(context.Background(), d))
		used := 0.0 // times that the trees so far used feature 0
		for i, features := range features(t, f) {
			if i > 0 {
				p := (float64(i) - used) / float64(i)
				expected += p
				variance += p * (1 - p)
				if features[0] == 0 {
					drawn++
				}
			}
			if features[0] == 0 {
				used++
			}
		}
	}
	if z := (drawn - expected) / math.Sqrt(variance); math.Abs(z) > 4 {
		t.Errorf("feature 0 was drawn %v times; want %.1f ± %.1f", drawn, expected, math.Sqrt(variance))
	}
}

func TestMemoryOfAWrongAlpha(t *testing.T) {
	d := sim.Trunk{Features: 2}.Sample(20, 2)
	if _, err := (Learner{Memory: forest.Memory{Alpha: 2, Beta: 1}}).Fit(t.Context(), d); err == nil {
		t.Error("no error for Alpha 2")
	}
}
