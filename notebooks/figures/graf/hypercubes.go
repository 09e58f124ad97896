package graf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// CubeSizes is table 1: hypercubes with as many features as the problem says. The score is the number of rows a vertex.
// More has the numbers of training and test rows, and how many principal components have 90 % of the variance
// ("components", and "projected" of projected cubes).
var CubeSizes = paper.Experiment{Name: "graft1", File: "graf-table1-paper.csv", Grids: []paper.Grid{
	{Problems: strings.Fields("3 4 5 6 7 8 9 10 11 12 13 14 15"), Methods: []string{"sizes"}, Repeats: 10}}}

// Cubes is figures 4 to 7: κ on hypercubes of X features. More has the size of the model ("size") and the seconds of
// training and prediction ("train_s", "test_s"). The tight clusters are ours.
var Cubes = paper.Experiment{Name: "graf4", File: "graf-fig4-paper.csv", Grids: []paper.Grid{{
	Problems: slices.Concat(plain, projected, tight), Methods: []string{"GRAF", oneCandidate, "OT", "ET", "RF"},
	X: paper.Ints(3, 15), Repeats: 10, Order: "xpmr"}}}

const (
	oneCandidate = "GRAF, K = 1"
	table1       = "graf/table1_hypercubes.csv"
)

var (
	plain      = []string{"binary", "multi-class"}
	projected  = []string{"binary, projected", "multi-class, projected"}
	tight      = []string{"binary, deviation 0.1"}
	cubeSizes  = paper.Series{Part: CubeSizes.On(), Measure: paper.More("components")}
	cubeScores = []string{"κ", "size"}
	cubeTimes  = []string{"train_s", "test_s"}
)

var hypercubes = slices.Concat([]paper.Figure{
	{Name: "Algorithm 3", Shows: "hypercubes", Place: "sim"},
	{Name: "Table 1", Shows: "sizes and components of hypercubes", Place: "graf#Table 1", Draw: drawTable1,
		Paper: paper.Protocol{Repeats: 10}, Of: []paper.Part{cubeSizes.Part}, Claims: []paper.Claim{
			{Says: "rows a vertex", Find: paper.Series{Part: cubeSizes.Part}.Printed(paper.Number{Value: 3.5, Rounding: 0.05})},
			{Says: "components, mean over the numbers of features", Find: cubeSizes.PrintedSets(table1, "components", 1)}}}},
	whole(cubes("Figure 4", "hypercubes", plain, cubeScores), scorePanels(plain, paper.Above)...),
	whole(cubes("Figure 5", "projected hypercubes", projected, cubeScores), scorePanels(projected, paper.Same)...),
	whole(cubes("Figure 6", "seconds on hypercubes", plain, cubeTimes),
		panel("a and b", "training", ahead("train_s", paper.Below, "binary", oneCandidate, "ET")),
		panel("c and d", "prediction", ahead("test_s", paper.Same, "binary", "GRAF", "RF"))),
	whole(cubes("Figure 7", "seconds on projected hypercubes", projected, cubeTimes),
		panel("a and b", "training", ahead("train_s", paper.Above, projected[0], "GRAF", "OT")),
		panel("c and d", "prediction", ahead("test_s", paper.Same, projected[0], "GRAF", "RF"))),
	whole(cubes("Figure 4, tight clusters", "clusters of deviation 0.1", tight, cubeScores)),
)

// cubes is one of figures 4 to 7. It has a row of panels for each measure, and a column for each problem.
func cubes(name, shows string, problems, measures []string) paper.Figure {
	heading, _, _ := strings.Cut(name, ",")
	lacking := "without boosting"
	if measures[0] == cubeTimes[0] {
		lacking += " and GRAF on a device"
	}
	part := paper.Part{Experiment: &Cubes, Problems: problems}
	return paper.Figure{Name: name, Shows: shows, Place: "graf#" + heading, Of: []paper.Part{part},
		Paper: paper.Protocol{Repeats: 10, Trees: 100, From: 3, To: 15}, Here: paper.Protocol{Methods: lacking},
		Draw: func(r *paper.Results) paper.Drawing {
			all, means := viz.SmallMultiples{Columns: 2}, r.Means(part).Of(Forests...)
			for _, name := range measures {
				for _, problem := range problems {
					m := cubeMeasures[name]
					c := paper.Curves(fmt.Sprintf("%c: %s", 'a'+len(all.Panels), problem), "features", m.axis, means.On(problem), m.of)
					c.LogY = m.of != nil
					all.Panels = append(all.Panels, c)
				}
			}
			return paper.Draw(all)
		}}
}

var cubeMeasures = map[string]struct {
	axis string
	of   func(m paper.Mean) paper.Number
}{
	"κ": {"κ", nil}, "size": {"numbers in the model", exact("size")},
	"train_s": {"seconds of training", exact("train_s")}, "test_s": {"seconds of prediction", exact("test_s")},
}

// exact returns one of a mean's other measurements for [paper.Curves].
func exact(name string) func(m paper.Mean) paper.Number {
	return func(m paper.Mean) paper.Number { return paper.Exact(m.Measure(name)) }
}

// scorePanels are those of figure 4 or 5. The sign is that of κ's differences.
func scorePanels(problems []string, sign paper.Sign) []paper.Figure {
	return []paper.Figure{
		panel("a", "κ, binary", ahead("κ", sign, problems[0], "GRAF", "RF")),
		panel("b", "κ, multi-class", ahead("κ", sign, problems[1], "GRAF", "RF")),
		panel("c", "model size, binary", ahead("size", paper.Below, problems[0], "GRAF", "OT")),
		panel("d", "model size, multi-class", ahead("size", paper.Below, problems[1], "GRAF", "OT")),
	}
}

func panel(name, shows string, claims ...paper.Claim) paper.Figure {
	return paper.Figure{Name: name, Shows: shows, Claims: claims}
}

// ahead claims the sign of a measure's difference of two methods with 12 features.
func ahead(measure string, sign paper.Sign, problem, a, b string) paper.Claim {
	of := func(method string) paper.Series {
		s := paper.Series{Part: paper.Part{Experiment: &Cubes, Problems: []string{problem}, Methods: []string{method},
			X: []int{12}}}
		if measure != "κ" {
			s.Measure = paper.More(measure)
		}
		return s
	}
	return paper.Claim{Sign: sign, Find: paper.Less(of(a), of(b)),
		Says: fmt.Sprintf("%s, %s, 12 features: %s less %s", cubeMeasures[measure].axis, problem, a, b)}
}

func drawTable1(r *paper.Results) paper.Drawing {
	printed, means := r.Printed(table1), r.Means(cubeSizes.Part)
	return paper.Drawing{Tables: []viz.Table{paper.Beside{Row: "features", Rows: printed.Rows, Columns: printed.Columns,
		Places: 1, Paper: printed.At, Ours: func(row, column string) paper.Number {
			return paper.Number{Value: means.At(row, "sizes", 0).Measure(column), StdErr: math.NaN()}
		}}.Table()}}
}
