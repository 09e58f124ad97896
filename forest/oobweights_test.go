package forest_test

import (
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// fewWeights returns n rows of which all but two, of different class, have weight 0.
func fewWeights(n int) *datasets.Dataset {
	d := &datasets.Dataset{Columns: make([][]float32, 2), Features: make([]datasets.Feature, 2)}
	d.Classes = []string{"a", "b"}
	rng := forest.NewRand(4)
	for i := range n {
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32(rng.Normal()))
		}
		d.Labels = append(d.Labels, int32(i%2))
	}
	d.Weights = make([]float32, n)
	d.Weights[6], d.Weights[13] = 1, 1
	return d
}

// A row is in a tree's sample if the tree changes with the row's class. So no rule of samples is needed to find
// the rows that are out of bag.
func TestOutOfBagRowsDontChangeTheirTrees(t *testing.T) {
	if testing.Short() {
		t.Skip("it grows thousands of trees to know which rows each has seen")
	}
	d := fewWeights(20)
	for name, learner := range map[string]forest.Learner{
		"rf":        rf.Learner{Trees: 60, Seed: 1},
		"subsample": rf.Learner{Trees: 60, Seed: 1, Sampling: forest.Sampling{Fraction: 0.2, WithoutReplacement: true}},
		"godt":      godt.Learner{Trees: 60, TreeFeatures: 2, Seed: 1},
		"tao":       tao.Learner{Trees: 60, Depth: 2, Passes: 1, Seed: 1, Sampling: forest.Sampling{Fraction: 0.3}},
	} {
		f := must.Value(learner.Fit(t.Context(), d))
		votes := make([][]int32, d.N())
		only := 0 // trees for which no row of positive weight was drawn
		for i := range d.N() {
			votes[i] = make([]int32, 2)
			changed := *d
			changed.Labels, changed.Classes = slices.Clone(d.Labels), []string{"a", "b", "c"}
			changed.Labels[i] = 2
			g := must.Value(learner.Fit(t.Context(), &changed))
			said := must.Value(g.Apply(t.Context(), d))
			for k := range f.Trees {
				in := slices.ContainsFunc(said, func(leaves []int32) bool { // some row is told c
					leaf := g.Trees[k].Leaf(int(leaves[k]))
					return leaf.Kind == forest.LeafClass && leaf.Class == 2 ||
						leaf.Kind == forest.LeafDist && leaf.Dist[2] > 0
				})
				if in {
					continue
				}
				tree := *f
				tree.Trees = f.Trees[k : k+1]
				votes[i][must.Value(tree.Predict(t.Context(), d))[i]]++
			}
		}
		for k := range f.Trees {
			if counts := f.Sampling.Counts(nil, d.N(), f.Seed, k); counts[6]+counts[13] == 0 {
				only++
			}
		}
		if only == 0 {
			t.Fatalf("%s: every tree drew a row of positive weight: the test proves nothing", name)
		}
		oob := must.Value(f.OutOfBag(t.Context(), d))
		for i := range votes {
			if !slices.Equal(oob.Votes[i], votes[i]) {
				t.Errorf("%s: row %d of weight %v has votes %v; want %v", name, i, d.Weights[i], oob.Votes[i], votes[i])
			}
		}
	}
}
