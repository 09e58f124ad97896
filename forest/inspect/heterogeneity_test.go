package inspect

import (
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

// Table 2 of the HRF paper has the dominances of four trees, and their χ² statistics and
// dissimilarities. It gives 4 degrees of freedom for h3 and h4, but four columns of their
// table aren't 0 in both, and the dissimilarity printed is that of 3.
func TestDissimilarityOfTable2(t *testing.T) {
	trees := [][]float64{{3, 1, 2, 0, 0}, {3, 0, 2, 1, 0}, {2, 1, 0, 4, 3}, {1, 2, 0, 3, 2}}
	for _, c := range []struct {
		a, b  int
		x     float64
		df    int
		score float64
	}{
		{0, 1, 2.000, 3, -0.192}, {0, 2, 8.747, 4, 1.500}, {0, 3, 8.215, 4, 1.386},
		{1, 2, 7.467, 4, 1.217}, {1, 3, 7.875, 4, 1.310}, {2, 3, 0.797, 3, -1.040},
	} {
		x, df := ChiSquare(trees[c.a], trees[c.b])
		if math.Abs(x-c.x) > 0.0005 || df != c.df {
			t.Errorf("trees %d and %d: χ² %.4f (%d), want %.3f (%d)", c.a+1, c.b+1, x, df, c.x, c.df)
		}
		if got := Dissimilarity(trees[c.a], trees[c.b]); math.Abs(got-c.score) > 0.0005 {
			t.Errorf("trees %d and %d: dissimilarity %.4f, want %.3f", c.a+1, c.b+1, got, c.score)
		}
	}
}

// chain returns a tree that splits on the given features, one below the other.
func chain(features ...int32) forest.Tree {
	t := forest.Tree{Classes: 2}
	for i, j := range features {
		t.Nodes = append(t.Nodes, forest.Node{Split: t.Splits.Add(forest.Linear([]int32{j}, []float32{1})),
			Next: int32(2*len(features) - i)})
	}
	for i := range len(features) + 1 {
		t.Nodes = append(t.Nodes, forest.ClassLeaf(int32(i%2), 1))
	}
	return t
}

func TestDominanceByHand(t *testing.T) {
	tree := chain(3, 1, 3, 3) // feature 3 at 0, feature 1 at 1, deepest split at 3
	for _, c := range []struct {
		deepestSplit bool
		want         [5]float64
	}{
		{false, [5]float64{0, 1, 0, 2, 0}},
		{true, [5]float64{0, 3, 0, 4, 0}},
	} {
		if got := dominance(&tree, 5, c.deepestSplit); [5]float64(got) != c.want {
			t.Errorf("deepest split %v: %v, want %v", c.deepestSplit, got, c.want)
		}
	}
	leaf := chain()
	if got := dominance(&leaf, 2, false); [2]float64(got) != [2]float64{} {
		t.Errorf("a leaf: %v", got)
	}
}

func TestDiversityByHand(t *testing.T) {
	f := &forest.Forest{Features: make([]string, 4), Classes: []string{"n", "y"}, Trees: []forest.Tree{
		chain(0, 1), // dominances 2, 1
		chain(1, 0), // 1, 2
		chain(2),    // 0, 0, 1
		chain(),     // none
		chain(2),
	}}
	d := TreeDiversity(f, false)
	// Trees 2 and 4 both use only one feature, and four pairs include the tree without splits.
	if d.Pairs != 5 || d.Undefined != 5 {
		t.Errorf("%d pairs and %d undefined, want 5 and 5", d.Pairs, d.Undefined)
	}
	// Trees 0 and 1 differ by a third; they share nothing with the two trees on feature 2.
	if want := (1./3 + 4) / 5; math.Abs(d.Distance-want) > 1e-12 {
		t.Errorf("distance %v, want %v", d.Distance, want)
	}
	// χ²: 4·(0.5²/1.5) = 2/3 with 1 degree of freedom; 4 with 2, twice for each of 0 and 1.
	score := func(x, df float64) float64 {
		return (math.Pow(x/df, 1./3) - 1 + 2/(9*df)) / math.Sqrt(2/(9*df))
	}
	if want := (score(2./3, 1) + 4*score(4, 2)) / 5; math.Abs(d.Dissimilarity-want) > 1e-12 {
		t.Errorf("dissimilarity %v, want %v", d.Dissimilarity, want)
	}
	if got, want := MeanFeatureDepths(f, 1), [4]float64{
		(0 + 1 + 1 + 1 + 1) / 5., (1 + 0 + 1 + 1 + 1) / 5., (2 + 2 + 0 + 1 + 0) / 5., (2 + 2 + 1 + 1 + 1) / 5.,
	}; [4]float64(got) != want {
		t.Errorf("mean depths %v, want %v", got, want)
	}
}
