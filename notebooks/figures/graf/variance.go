package graf

import (
	"fmt"
	"math"
	"strings"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// A Varied is a figure on the decomposition of Kohavi and Wolpert: bias² ("bias2"), variance and error, the score, of 50
// models on Weka's rows, against what is varied. The rest is 100 trees, M = 5 and 2500 rows.
type Varied struct {
	paper.Experiment
	Number    string // of the figure
	What      string // "trees", "M" or "rows"
	Centroids int
}

// VariedFigures are figures 8 to 10 and B.1 to B.6.
var VariedFigures = []*Varied{
	newVaried("8", "trees", 10), newVaried("9", "M", 10), newVaried("10", "rows", 10),
	newVaried("B.1", "rows", 20), newVaried("B.2", "rows", 50), newVaried("B.3", "M", 20),
	newVaried("B.4", "M", 50), newVaried("B.5", "trees", 20), newVaried("B.6", "trees", 50),
}

var variedX = map[string][]int{"trees": {2, 5, 10, 50, 150}, "M": {2, 4, 6, 8, 10}, "rows": {200, 600, 1200, 1800, 2500}}

// classes are the problems' names, by what a figure calls them.
var classes = []struct{ name, problem string }{
	{"2 classes", "2 classes, Weka's rows"}, {"5 classes", "5 classes, Weka's rows"}}

func newVaried(number, what string, centroids int) *Varied {
	short := strings.ReplaceAll(number, ".", "")
	return &Varied{paper.Experiment{Name: "graf" + short, File: "graf-fig" + short + "-paper.csv", Grids: []paper.Grid{
		{Problems: []string{classes[0].problem, classes[1].problem}, Methods: Forests, X: variedX[what], Order: "xpmr"}}},
		number, what, centroids}
}

func variedExperiments() (all []*paper.Experiment) {
	for _, v := range VariedFigures {
		all = append(all, &v.Experiment)
	}
	return all
}

func varied() (all []paper.Figure) {
	for _, v := range VariedFigures {
		xs := variedX[v.What]
		all = append(all, paper.Figure{Name: "Figure " + v.Number, Place: "graf#Figure " + v.Number,
			Shows: fmt.Sprintf("bias², variance and error of 50 models against %s, %d centroids",
				map[string]string{"trees": "the trees", "M": "M", "rows": "the training rows"}[v.What], v.Centroids),
			Paper: paper.Protocol{From: xs[0], To: xs[len(xs)-1]}, Of: []paper.Part{{Experiment: &v.Experiment}},
			Note: "which rows are for testing is ours", Draw: v.draw, Claims: []paper.Claim{v.claim()}})
	}
	return append(all, paper.Figure{Name: "Appendix A", Shows: "Weka's rows, by the printed commands, to the last digit",
		Place: "notebooks/figures/graf/runs"})
}

// series returns a measure of a method with five classes.
func (v *Varied) series(method string, of paper.Measure, x ...int) paper.Series {
	return paper.Series{Part: paper.Part{Experiment: &v.Experiment, Problems: []string{classes[1].problem},
		Methods: []string{method}, X: x}, Measure: of}
}

// claim returns what the paper says of the figure: against rows, that GRAF has the least variance; otherwise that its
// error saturates, which we take for less than a tenth of the fall at the last step.
func (v *Varied) claim() paper.Claim {
	xs := variedX[v.What]
	last, before := xs[len(xs)-1], xs[len(xs)-2]
	if v.What == "rows" {
		return paper.Claim{Says: "variance with 5 classes, GRAF less OT, mean over the numbers of rows", Sign: paper.Below,
			Find: paper.Less(v.series("GRAF", paper.More("variance")), v.series("OT", paper.More("variance")))}
	}
	says := fmt.Sprintf("GRAF's error with 5 classes saturates: of its fall from %d %s on, less than 0.1 comes after %d",
		xs[0], v.What, before)
	return paper.Claim{Says: says, Sign: paper.Below, Find: func(r *paper.Results) paper.Finding {
		at := func(x int) float64 { return v.series("GRAF", nil, x).Mean(r).Value }
		share := (at(before) - at(last)) / (at(xs[0]) - at(last))
		return paper.Finding{Ours: paper.Exact(share), Paper: paper.None, Difference: paper.Exact(share - 0.1)}
	}}
}

// variedMeasures are the columns of panels.
var variedMeasures = []struct {
	name string
	of   func(m paper.Mean) paper.Number
}{
	{"bias²", exact("bias2")}, {"variance", exact("variance")},
	{"error", func(m paper.Mean) paper.Number { return paper.Exact(m.Score.Value) }},
}

// draw draws bias², variance and error: a row of panels for two classes and one for five.
func (v *Varied) draw(r *paper.Results) paper.Drawing {
	means := r.Means(paper.Part{Experiment: &v.Experiment}).Of(Forests...)
	x := map[string]string{"trees": "trees", "M": "features M", "rows": "training rows"}[v.What]
	at := map[string]int{"trees": 150, "M": 8, "rows": 2500}[v.What]
	all := viz.SmallMultiples{Columns: 3}
	t := viz.Table{Title: fmt.Sprintf("%s = %d", v.What, at), Columns: []string{"method"}}
	rows := make([][]string, len(Forests))
	for _, c := range classes {
		for _, measure := range variedMeasures {
			panel := paper.Curves(c.name+": "+measure.name, x, measure.name, means.On(c.problem), measure.of)
			panel.LogX = v.What == "trees"
			all.Panels = append(all.Panels, panel)
			t.Columns = append(t.Columns, c.name+"|"+measure.name)
			least := math.Inf(1)
			for _, method := range Forests {
				least = math.Min(least, measure.of(means.At(c.problem, method, at)).Value)
			}
			for i, method := range Forests {
				n := measure.of(means.At(c.problem, method, at))
				star := map[bool]string{true: "*"}[n.Value == least]
				rows[i] = append(rows[i], star+n.Text(4))
			}
		}
	}
	for i, row := range rows {
		t.Add(append([]string{Forests[i]}, row...)...)
	}
	return paper.Drawing{Chart: all, Tables: []viz.Table{t}}
}
