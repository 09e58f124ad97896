package graf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// CubeSizes is table 1: hypercubes with as many features as the problem says, by algorithm 3 as printed ("sizes"), with
// 3 or 4 rows a vertex, and also with features of one variance. The score is the number of rows a vertex.
// More has the numbers of training and test rows, and how many principal components have 90 % of the variance
// ("components", and "projected" of projected cubes).
var CubeSizes = paper.Experiment{Name: "graft1", File: "graf-table1-paper.csv", Grids: []paper.Grid{
	{Problems: cubeNames, Methods: []string{"sizes"}, Repeats: 10},
	{Problems: cubeNames, Methods: []string{FewRows, OneVariance}, Repeats: 10}}}

// These are methods of [CubeSizes].
const (
	FewRows     = "3 or 4 rows"
	OneVariance = "3 or 4 rows, one variance"
)

var cubeNames = strings.Fields("3 4 5 6 7 8 9 10 11 12 13 14 15")

// Cubes is figures 4 to 7: κ on hypercubes of X features. More has the size of the model ("size") and the seconds of
// training and prediction ("train_s", "test_s"). The tight clusters are ours.
var Cubes = paper.Experiment{Name: "graf4", File: "graf-fig4-paper.csv", Grids: []paper.Grid{{
	Problems: slices.Concat(plain, projected, tight), Methods: []string{"GRAF", oneCandidate, "OT", "ET", "RF"},
	X: paper.Ints(3, 15), Repeats: 10, Order: "xpmr"}, {
	Problems: slices.Concat(plain, projected), Methods: []string{unshared}, X: paper.Ints(3, 15), Repeats: 10,
	Order: "xpmr"}}}

const (
	oneCandidate = "GRAF, K = 1"
	unshared     = "OT, unshared planes" // GRAF's trees with planes that divide one region; OT is a tree of ridge fits
	table1       = "graf/table1_hypercubes.csv"
)

var (
	plain     = []string{"binary", "multi-class"}
	projected = []string{"binary, projected", "multi-class, projected"}
	tight     = []string{"binary, deviation 0.1"}
)

var hypercubes = slices.Concat([]paper.Figure{
	{Name: "Algorithm 3", Shows: "hypercubes", Place: "sim"},
	{Name: "Table 1", Shows: "sizes and components of hypercubes", Place: "graf#Table 1", Draw: drawTable1,
		Paper: paper.Protocol{Repeats: 10}, Of: []paper.Part{CubeSizes.On()}, Claims: []paper.Claim{
			{Says: "rows a vertex", Find: CubeSizes.On().Of(nil).Printed(paper.Number{Value: 3.5, Rounding: 0.05})},
			{Says: "components, mean over the numbers of features",
				Find: CubeSizes.On().Of(paper.More("components")).PrintedSets(table1, "components", 1)}}}},
	whole(cubes("Figure 4", "hypercubes", plain, "κ", "size"), scorePanels(plain, paper.Above)...),
	whole(cubes("Figure 5", "projected hypercubes", projected, "κ", "size"), scorePanels(projected, paper.Same)...),
	whole(cubes("Figure 6", "seconds on hypercubes", plain, "train_s", "test_s"),
		ahead("a and b", "training", "train_s", paper.Below, "binary", oneCandidate, "ET"),
		ahead("c and d", "prediction", "test_s", paper.Same, "binary", "GRAF", "RF")),
	whole(cubes("Figure 7", "seconds on projected hypercubes", projected, "train_s", "test_s"),
		ahead("a and b", "training", "train_s", paper.Above, projected[0], "GRAF", "OT"),
		ahead("c and d", "prediction", "test_s", paper.Same, projected[0], "GRAF", "RF")),
	whole(cubes("Figure 4, tight clusters", "clusters of deviation 0.1", tight, "κ", "size")),
)

// axes are the measures' names on axes.
var axes = map[string]string{"κ": "κ", "size": "numbers in the model", "train_s": "seconds of training",
	"test_s": "seconds of prediction"}

// cubes is one of figures 4 to 7. It has a row of panels for each measure, and a column for each problem.
func cubes(name, shows string, problems []string, measures ...string) paper.Figure {
	heading, _, _ := strings.Cut(name, ",")
	f := paper.Figure{Name: name, Shows: shows, Place: "graf#" + heading, Of: []paper.Part{Cubes.On(problems...)},
		Paper: paper.Protocol{Repeats: 10, Trees: 100, From: 3, To: 15}, Here: paper.Protocol{Methods: "without boosting"}}
	if measures[0] == "train_s" {
		f.Here.Methods += " and GRAF on a device"
	}
	f.Draw = func(r *paper.Results) paper.Drawing {
		all := viz.SmallMultiples{Columns: 2}
		for _, measure := range measures {
			for _, problem := range problems {
				c := paper.Curves(fmt.Sprintf("%c: %s", 'a'+len(all.Panels), problem), "features", axes[measure],
					r.Means(Cubes.On(problem)).Of(Forests...), exact(measure))
				c.LogY = measure != "κ"
				all.Panels = append(all.Panels, c)
			}
		}
		return paper.Draw(all)
	}
	return f
}

// exact returns what a chart draws of means: a measure without an error, or the score for κ.
func exact(measure string) func(m paper.Mean) paper.Number {
	if measure == "κ" {
		return nil
	}
	return func(m paper.Mean) paper.Number { return paper.Exact(m.Measure(measure)) }
}

// scorePanels are those of figure 4 or 5. The sign is that of κ's differences.
func scorePanels(problems []string, sign paper.Sign) []paper.Figure {
	return []paper.Figure{
		ahead("a", "κ, binary", "κ", sign, problems[0], "GRAF", "RF"),
		ahead("b", "κ, multi-class", "κ", sign, problems[1], "GRAF", "RF"),
		ahead("c", "model size, binary", "size", paper.Below, problems[0], "GRAF", "OT"),
		ahead("d", "model size, multi-class", "size", paper.Below, problems[1], "GRAF", "OT"),
	}
}

// ahead is a panel that claims the sign of a measure's difference of two methods with 12 features.
func ahead(name, shows, measure string, sign paper.Sign, problem, a, b string) paper.Figure {
	of, at := paper.More(measure), Cubes.On(problem).At(12)
	if measure == "κ" {
		of = paper.Score
	}
	return paper.Figure{Name: name, Shows: shows, Claims: []paper.Claim{{Sign: sign,
		Find: paper.Less(at.By(a).Of(of), at.By(b).Of(of)),
		Says: fmt.Sprintf("%s, %s, 12 features: %s less %s", axes[measure], problem, a, b)}}}
}

func drawTable1(r *paper.Results) paper.Drawing {
	printed, means := r.Printed(table1), r.Means(CubeSizes.On())
	return paper.Draw(nil, paper.Beside{Row: "features", Rows: printed.Rows, Columns: printed.Columns,
		Places: 1, Paper: printed.At, Ours: func(row, column string) paper.Number {
			return paper.Unsure(means.At(row, "sizes", 0).Measure(column))
		}}.Table())
}
