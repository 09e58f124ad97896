package graf

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Cubes is figures 4 to 7: κ on hypercubes of X features. More has the size of the model ("size") and the seconds of
// training and prediction ("train_s", "test_s"). The tight clusters are ours.
var Cubes = paper.Experiment{Name: "graf4", File: "graf-fig4-paper.csv", Grids: []paper.Grid{{
	Problems: []string{"binary", "multi-class", "binary, projected", "multi-class, projected", tight},
	Methods:  []string{"GRAF", oneCandidate, "OT", "ET", "RF"}, X: paper.Ints(3, 15), Repeats: 10, Order: "xpmr"}}}

// CubeSizes is table 1: the training rows of hypercubes of X features. More has the test rows ("test"), and how many
// principal components have 90 % of the variance ("components", and "projected" of projected ones).
var CubeSizes = paper.Experiment{Name: "graft1", File: "graf-table1-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"cube"}, Methods: []string{"sizes"}, X: paper.Ints(3, 15), Repeats: 10}}}

const (
	tight        = "binary, deviation 0.1"
	oneCandidate = "GRAF, K = 1"
	table1       = "graf/table1_hypercubes.csv"
)

var (
	plain     = []string{"binary", "multi-class"}
	projected = []string{"binary, projected", "multi-class, projected"}
)

var hypercubes = slices.Concat([]paper.Figure{
	{Name: "Algorithm 3", Shows: "hypercubes", Place: "sim"},
	{Name: "Table 1", Shows: "sizes and components of hypercubes", Place: "graf#Table 1",
		Paper: paper.Protocol{Repeats: 10, From: 3, To: 15}, Draw: drawTable1,
		Of: []paper.Part{{Experiment: &CubeSizes}}, Claims: []paper.Claim{
			differs("rows a vertex", func(features int, at func(string) float64) float64 {
				return (at("training rows") + at("test rows")) / math.Exp2(float64(features))
			}),
			differs("components", func(_ int, at func(string) float64) float64 { return at("components") }),
			differs("components, projected", func(_ int, at func(string) float64) float64 {
				return at("components, projected")
			})}}},
	cubeFigure("Figure 4", "hypercubes", "without boosting", plain, cubeScores,
		panelOf("a", "κ, binary", atTwelve("κ", paper.Above, "binary", "GRAF", "RF", nil)),
		panelOf("b", "κ, multi-class", atTwelve("κ", paper.Above, "multi-class", "GRAF", "RF", nil)),
		panelOf("c", "model size, binary", sizeAtTwelve("binary")),
		panelOf("d", "model size, multi-class", sizeAtTwelve("multi-class"))),
	cubeFigure("Figure 5", "projected hypercubes", "without boosting", projected, cubeScores,
		panelOf("a", "κ, binary", atTwelve("κ", paper.Same, projected[0], "GRAF", "RF", nil)),
		panelOf("b", "κ, multi-class", atTwelve("κ", paper.Same, projected[1], "GRAF", "RF", nil)),
		panelOf("c", "model size, binary", sizeAtTwelve(projected[0])),
		panelOf("d", "model size, multi-class", sizeAtTwelve(projected[1]))),
	cubeFigure("Figure 6", "seconds on hypercubes", "without boosting and GRAF on a device", plain, cubeTimes,
		panelOf("a and b", "training", atTwelve("seconds of training", paper.Below, "binary", oneCandidate, "ET",
			paper.More("train_s"))),
		panelOf("c and d", "prediction", predictsAsFast("binary"))),
	cubeFigure("Figure 7", "seconds on projected hypercubes", "without boosting and GRAF on a device", projected, cubeTimes,
		panelOf("a and b", "training", atTwelve("seconds of training", paper.Above, projected[0], "GRAF", "OT",
			paper.More("train_s"))),
		panelOf("c and d", "prediction", predictsAsFast(projected[0]))),
	[]paper.Figure{{Name: "Figure 4, tight clusters", Shows: "hypercubes whose clusters have a deviation of 0.1",
		Place: "graf#Figure 4", Ours: true, Of: []paper.Part{{Experiment: &Cubes, Problems: []string{tight},
			Methods: Forests}}, Draw: cubeScores([]string{tight})}},
)

// cubeFigure is one of figures 4 to 7 with its panels.
func cubeFigure(
	name, shows, lacking string, problems []string, draw func(problems []string) func(*paper.Results) paper.Drawing,
	panels ...paper.Figure,
) []paper.Figure {
	return whole(paper.Figure{Name: name, Shows: shows, Place: "graf#" + name, Draw: draw(problems),
		Paper: paper.Protocol{Repeats: 10, Trees: 100, From: 3, To: 15}, Here: paper.Protocol{Methods: lacking},
		Of: []paper.Part{{Experiment: &Cubes, Problems: problems}}}, panels...)
}

func panelOf(name, shows string, claims ...paper.Claim) paper.Figure {
	return paper.Figure{Name: name, Shows: shows, Claims: claims}
}

// series returns a measure of a method with 12 features.
func series(problem, method string, of paper.Measure) paper.Series {
	return paper.Series{Part: paper.Part{Experiment: &Cubes, Problems: []string{problem}, Methods: []string{method},
		X: []int{12}}, Measure: of}
}

// atTwelve claims the sign of a difference of two methods with 12 features.
func atTwelve(what string, sign paper.Sign, problem, a, b string, of paper.Measure) paper.Claim {
	return paper.Claim{Says: fmt.Sprintf("%s with 12 features, %s: %s less %s", what, problem, a, b), Sign: sign,
		Find: paper.Less(series(problem, a, of), series(problem, b, of))}
}

func sizeAtTwelve(problem string) paper.Claim {
	return atTwelve("numbers in the model", paper.Below, problem, "GRAF", "OT", paper.More("size"))
}

// predictsAsFast claims that GRAF takes less than twice RF's time to predict: the paper calls both comparable.
func predictsAsFast(problem string) paper.Claim {
	return paper.Claim{Says: "seconds of prediction with 12 features, " + problem + ": GRAF less twice RF", Sign: paper.Below,
		Find: paper.Less(series(problem, "GRAF", paper.More("test_s")), series(problem, "RF",
			func(r paper.Record) float64 { return 2 * paper.More("test_s")(r) }))}
}

// exact returns one of a mean's other measurements for [paper.Curves].
func exact(name string) func(m paper.Mean) paper.Number {
	return func(m paper.Mean) paper.Number { return paper.Exact(m.Measure(name)) }
}

// cubePanels draws a measure against the features: a panel a problem.
func cubePanels(means paper.Means, problems []string, y string, of func(paper.Mean) paper.Number) (all []viz.Curves) {
	for _, problem := range problems {
		c := paper.Curves(problem, "features", y, means.On(problem).Of(Forests...), of)
		c.LogY = of != nil
		all = append(all, c)
	}
	return all
}

// lettered has a row of panels for each measure. The first is a.
func lettered(rows ...[]viz.Curves) viz.Chart {
	all := viz.SmallMultiples{Columns: 2, Panels: slices.Concat(rows...)}
	for i := range all.Panels {
		all.Panels[i].Title = fmt.Sprintf("%c: %s", 'a'+i, all.Panels[i].Title)
	}
	return all
}

// cubeScores draws figure 4 or 5.
func cubeScores(problems []string) func(r *paper.Results) paper.Drawing {
	return func(r *paper.Results) paper.Drawing {
		means := r.Means(paper.Part{Experiment: &Cubes})
		return paper.Drawing{Chart: lettered(cubePanels(means, problems, "κ", nil),
			cubePanels(means, problems, "numbers in the model", exact("size"))),
			Tables: []viz.Table{cubeTable(means, problems, []string{"κ", "millions of numbers"},
				func(m paper.Mean) []string {
					return []string{m.Score.Text(3), paper.Decimals(m.Measure("size")/1e6, 1)}
				})}}
	}
}

// cubeTimes draws figure 6 or 7.
func cubeTimes(problems []string) func(r *paper.Results) paper.Drawing {
	return func(r *paper.Results) paper.Drawing {
		means := r.Means(paper.Part{Experiment: &Cubes})
		return paper.Drawing{Chart: lettered(cubePanels(means, problems, "seconds of training", exact("train_s")),
			cubePanels(means, problems, "seconds of prediction", exact("test_s"))),
			Tables: []viz.Table{cubeTable(means, problems, []string{"training, s", "prediction, s"},
				func(m paper.Mean) []string {
					return []string{paper.Decimals(m.Measure("train_s"), 2), paper.Decimals(m.Measure("test_s"), 3)}
				})}}
	}
}

// cubeTable has cells of each problem and method with 12 features, or with the most that there are.
func cubeTable(means paper.Means, problems, names []string, cells func(m paper.Mean) []string) viz.Table {
	x := 0
	for _, m := range means {
		x = max(x, min(m.X, 12))
	}
	t := viz.Table{Title: fmt.Sprint(x, " features"), Columns: []string{"method"}}
	for _, problem := range problems {
		for _, name := range names {
			t.Columns = append(t.Columns, problem+"|"+name)
		}
	}
	for _, method := range Cubes.Grids[0].Methods {
		row := []string{method}
		for _, problem := range problems {
			row = append(row, cells(means.At(problem, method, x))...)
		}
		t.Add(row...)
	}
	return t
}

// table1Columns are the printed columns of table 1, and what of ours they are.
var table1Columns = []struct{ name, more string }{{"training rows", ""}, {"test rows", "test"},
	{"components", "components"}, {"components, projected", "projected"}}

// differs compares a measure of table 1 with the paper's, in the mean over the numbers of features.
func differs(says string, of func(features int, at func(column string) float64) float64) paper.Claim {
	return paper.Claim{Says: says + ", mean over the numbers of features", Find: func(r *paper.Results) paper.Finding {
		var ours, theirs []float64
		printed, means := r.Printed(table1), r.Means(paper.Part{Experiment: &CubeSizes})
		for _, m := range means {
			ours = append(ours, of(m.X, func(column string) float64 { return sizeOf(m, column).Value }))
			theirs = append(theirs, of(m.X, func(column string) float64 { return printed.At(fmt.Sprint(m.X), column).Value }))
		}
		return paired(ours, theirs)
	}}
}

// paired compares ours with the paper's numbers, in the mean over sets.
func paired(ours, theirs []float64) paper.Finding {
	difference := floats.SubTo(make([]float64, len(ours)), ours, theirs)
	return paper.Finding{Ours: paper.Exact(eval.Mean(ours)), Paper: paper.Exact(eval.Mean(theirs)),
		Difference: paper.NumberOf(difference)}
}

// sizeOf returns our number in a column of table 1.
func sizeOf(m paper.Mean, column string) paper.Number {
	for _, c := range table1Columns {
		if c.name == column && c.more != "" {
			return paper.Exact(m.Measure(c.more))
		}
	}
	return paper.Exact(m.Score.Value)
}

func drawTable1(r *paper.Results) paper.Drawing {
	printed, means := r.Printed(table1), map[string]paper.Mean{}
	for _, m := range r.Means(paper.Part{Experiment: &CubeSizes}) {
		means[fmt.Sprint(m.X)] = m
	}
	b := paper.Beside{Row: "features", Rows: printed.Rows, Places: 1, Paper: printed.At,
		Ours: func(row, column string) paper.Number { return sizeOf(means[row], column) }}
	for _, c := range table1Columns {
		b.Columns = append(b.Columns, c.name)
	}
	return paper.Drawing{Tables: []viz.Table{b.Table()}}
}
