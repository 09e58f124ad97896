package hrf

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const (
	table1Place = "hrf#Table 1: how weights follow from depths"
	table2Place = "hrf#Table 2: how different two trees are"
)

var examples = []paper.Figure{
	{Name: "Figure 1", Shows: "two trees with the depths of table 1", Place: table1Place,
		Here: paper.Protocol{Settings: "drawn from the printed depths, without the candidate features of the nodes"},
		Draw: func(*paper.Results) paper.Drawing { return paper.Draw(drawn(depthTrees)) }},
	{Name: "Table 1", Shows: "how weights follow from depths, α = 0.5, β = 1",
		Place: table1Place, Draw: weights,
		Claims: []paper.Claim{{Says: "the weights after both trees: largest difference", Find: weightsDiffer}}},
	{Name: "Figure 2", Shows: "four trees with the dominances of table 2", Place: table2Place,
		Here: paper.Protocol{Settings: "drawn from the printed dominances, which may fit other trees, too"},
		Draw: func(*paper.Results) paper.Drawing { return paper.Draw(drawn(dominanceTrees)) }},
	{Name: "Table 2", Shows: "how different two trees are", Place: table2Place,
		Note: "h3 and h4 have 3 degrees of freedom, not the printed 4, a slip: their printed dissimilarity is that of 3",
		Draw: dissimilarities,
		Claims: []paper.Claim{
			{Says: "χ² of the six pairs: largest difference", Find: pairsDiffer(func(p pair) float64 { return p.chiSquare })},
			{Says: "dissimilarity of the six pairs: largest difference",
				Find: pairsDiffer(func(p pair) float64 { return p.dissimilarity })}}},
}

// The trees of figures 1 and 2: the features of their nodes, each before those below it; −1 is a leaf.
var (
	depthTrees     = [][]int32{{0, 1, 2, 1, -1, -1, -1, -1, -1}, {3, 4, 2, 2, -1, -1, -1, -1, -1}}
	dominanceTrees = [][]int32{{0, 2, 1, -1, -1, -1, -1}, {0, 2, 3, -1, -1, -1, -1},
		{3, 4, 0, 1, -1, -1, -1, -1, -1}, {3, 1, 0, -1, -1, -1, 4, -1, -1}}
)

// tree makes a tree of the features of its nodes.
func tree(features []int32) *forest.Tree {
	t := &forest.Tree{Classes: 2}
	var grow func()
	grow = func() {
		at := len(t.Nodes)
		if features[at] < 0 {
			t.Nodes = append(t.Nodes, forest.ClassLeaf(0, 1))
			return
		}
		split := t.Splits.Add(forest.Linear([]int32{features[at]}, []float32{1}))
		t.Nodes = append(t.Nodes, forest.Node{Split: split})
		grow()
		t.Nodes[at].Next = int32(len(t.Nodes))
		grow()
	}
	grow()
	return t
}

// drawn draws trees on five features.
func drawn(trees [][]int32) viz.Chart {
	f := &forest.Forest{Classes: []string{"0", "1"}, Features: []string{"x1", "x2", "x3", "x4", "x5"}}
	g := viz.Grid{Columns: 2}
	for i, features := range trees {
		f.Trees = append(f.Trees, *tree(features))
		g.Charts = append(g.Charts, viz.TreeDiagram{Title: fmt.Sprintf("h%d", i+1), Model: f, Tree: i})
	}
	return g
}

// depths returns the depth of each feature in a tree, negative where it has no node, and the largest depth.
func depths(features []int32) (depths []int32, deepest int) {
	depths = make([]int32, 5)
	return depths, tree(features).FeatureDepths(depths)
}

// printedWeights are table 1's: D of each feature, and their sum.
var printedWeights = [][]float64{{0, 1, 2, 4, 4, 11}, {4, 4.5, 3, 2, 3, 16.5}}

// memories returns D after each tree of figure 1, and its sum: D = d + D/2, where a feature that a tree doesn't use has
// the depth of the deepest split plus 1.
func memories() (after [][]float64) {
	d := make([]float64, 5)
	for _, features := range depthTrees {
		depths, deepest := depths(features)
		for j, depth := range depths {
			if depth < 0 {
				depth = int32(deepest + 1)
			}
			d[j] = float64(depth) + d[j]/2
		}
		after = append(after, append(slices.Clone(d), floats.Sum(d)))
	}
	return after
}

func weights(*paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"after tree", "", "x1", "x2", "x3", "x4", "x5"}}
	for b, ours := range memories() {
		for k, d := range [][]float64{ours, printedWeights[b]} {
			row := []string{fmt.Sprint("h", b+1), []string{"here", "paper"}[k]}
			for _, v := range d[:5] {
				row = append(row, fmt.Sprintf("%v/%v", v, d[5]))
			}
			t.Add(row...)
		}
	}
	return paper.Draw(nil, t)
}

func weightsDiffer(*paper.Results) paper.Finding {
	worst := 0.0
	for b, d := range memories() {
		for j, v := range d[:5] {
			worst = max(worst, math.Abs(v/d[5]-printedWeights[b][j]/printedWeights[b][5]))
		}
	}
	return paper.Found(paper.Exact(worst))
}

// A pair is a row of table 2: two trees, χ², its degrees of freedom, and the dissimilarity.
type pair struct {
	first, second int
	chiSquare     float64
	freedom       int
	dissimilarity float64
}

var printedPairs = []pair{{1, 2, 2.000, 3, -0.192}, {1, 3, 8.747, 4, 1.500}, {1, 4, 8.215, 4, 1.386},
	{2, 3, 7.467, 4, 1.217}, {2, 4, 7.875, 4, 1.310}, {3, 4, 0.797, 4, -1.040}}

// pairs returns table 2 as we compute it. Dominance is eq. 4, the dissimilarity eq. 5.
func pairs() []pair {
	var dominances [][]float64
	for _, features := range dominanceTrees {
		depths, deepest := depths(features)
		row := make([]float64, 5)
		for j, d := range depths {
			if d >= 0 {
				row[j] = float64(deepest + 1 - int(d))
			}
		}
		dominances = append(dominances, row)
	}
	all := slices.Clone(printedPairs)
	for i, p := range all {
		a, b := dominances[p.first-1], dominances[p.second-1]
		all[i].chiSquare, all[i].freedom = inspect.ChiSquare(a, b)
		all[i].dissimilarity = inspect.Dissimilarity(a, b)
	}
	return all
}

func dissimilarities(*paper.Results) paper.Drawing {
	t := viz.Table{
		Columns: []string{"trees", "here|χ² (df)", "here|dissimilarity", "paper|χ² (df)", "paper|dissimilarity"},
		Note:    "For h3 and h4 the paper prints 4 degrees of freedom. Its own dissimilarity is that of 3.",
	}
	for i, ours := range pairs() {
		row := []string{fmt.Sprintf("h%d, h%d", ours.first, ours.second)}
		for _, p := range []pair{ours, printedPairs[i]} {
			row = append(row, fmt.Sprintf("%.3f (%d)", p.chiSquare, p.freedom), paper.Decimals(p.dissimilarity, 3))
		}
		t.Add(row...)
	}
	return paper.Draw(nil, t)
}

// pairsDiffer finds the largest difference of ours and the printed numbers of table 2, which have three decimals.
func pairsDiffer(number func(p pair) float64) func(*paper.Results) paper.Finding {
	return func(*paper.Results) paper.Finding {
		worst := 0.0
		for i, ours := range pairs() {
			worst = max(worst, math.Abs(number(ours)-number(printedPairs[i])))
		}
		return paper.Found(paper.Number{Value: worst, Rounding: 0.0005})
	}
}
