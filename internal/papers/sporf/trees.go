package sporf

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Bias is figure 12: James's bias, variance and variance effect ("bias", "variance", "effect") on sparse parity with X
// training rows; the score is the error. A run trains on 25 samples, with the setting that is best on the first.
var Bias = paper.Experiment{Name: "sporf12", File: "sporf-fig12-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"sparse parity"}, Methods: three, X: []int{500, 1000, 2000, 3000}}}}

// WholeBias is figure 12 as the authors have it: 100 samples, each with the [Choice] that is best on it.
var WholeBias = paper.Experiment{Name: "sporf12whole", File: "sporf-fig12-whole-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"sparse parity"}, Methods: three, X: []int{500, 1000, 3000}, Order: "xpmr"}}}

var three = []string{"RF", "SPORF", "F-RC"}

const (
	at11 = "sporf#Figure 11: strong trees or different trees"
	at12 = "sporf#Figure 12: bias or variance"
)

var trees = []paper.Figure{
	{Name: "Figure 11", Shows: "strength against correlation of trees", Place: at11, Ours: true,
		Of: []paper.Part{ofFigure11}, Draw: draw11},
	figure11("A", "sparse parity", 1000, "20 features, as the authors' script has; the caption says 10",
		tree{"strength", "SPORF", "RF", paper.Above}, tree{"correlation", "SPORF", "RF", paper.Above},
		tree{"strength", "F-RC", "RF", paper.Above}, tree{"correlation", "F-RC", "RF", paper.Above},
		tree{"correlation", "SPORF", "F-RC", paper.Below}),
	figure11("B", "orthant", 400, "the random forest's trees fall into two groups, by the d that out-of-bag error takes",
		tree{"strength", "F-RC", "RF", paper.Same},
		tree{"correlation", "F-RC", "RF", paper.Above}, tree{"strength", "SPORF", "RF", paper.Above},
		tree{"correlation", "SPORF", "RF", paper.Above}, tree{"correlation", "SPORF", "F-RC", paper.Below}),
	figure11("C", "trunk", 10, "", tree{"strength", "SPORF", "RF", paper.Same},
		tree{"correlation", "SPORF", "RF", paper.Below}, tree{"strength", "F-RC", "RF", paper.Same},
		tree{"correlation", "F-RC", "RF", paper.Below}),
	figure11("D", "trunk", 100, "", tree{"strength", "SPORF", "RF", paper.Above},
		tree{"correlation", "SPORF", "RF", paper.Above}, tree{"strength", "F-RC", "RF", paper.Above},
		tree{"correlation", "F-RC", "RF", paper.Above}),
	{Name: "Figure 12", Shows: "bias, variance, variance effect and error on sparse parity", Place: at12,
		Paper: paper.Protocol{Repeats: 100, Trees: 500, From: 500, To: 3000}, Of: []paper.Part{Bias.On()},
		Here: paper.Protocol{Repeats: 25, Trees: 100, Tuning: "tuned on the first sample"},
		Draw: paper.Panels(2, bias("A: bias", "bias"), bias("B: variance", "variance"), bias("C: variance effect", "effect"),
			lines(viz.Curves{Title: "D: error rate", X: "training rows", Y: "error"}, Bias.By(three...), "", nil)),
		Claims: []paper.Claim{
			{Says: "SPORF's bias less RF's, 1000 rows", Sign: paper.Below, Find: biasDifference("RF")},
			{Says: "SPORF's bias less F-RC's, 1000 rows", Sign: paper.Below, Find: biasDifference("F-RC")}}},
}

var ofFigure11 = paper.Part{Experiment: &Simulated, Methods: three, X: []int{10, 100, 400, 1000}}

// A tree is a claim on the trees of two forests: the sign of a measure of one less that of the other.
type tree struct {
	measure, of, than string
	sign              paper.Sign
}

// figure11 is a panel of figure 11.
func figure11(letter, problem string, rows int, note string, claims ...tree) paper.Figure {
	f := paper.Figure{Name: "Figure 11" + letter, Place: at11, Paper: ten, Note: note,
		Shows: fmt.Sprintf("strength and correlation of trees: %s, %d rows", problem, rows),
		Of:    []paper.Part{ofFigure11.On(problem).At(rows)}}
	for _, c := range claims {
		says := fmt.Sprintf("%s of trees, %s's less %s's", c.measure, c.of, c.than)
		f.Claims = append(f.Claims, less(says, c.sign, f.Of[0], c.of, c.than, paper.More(c.measure)))
	}
	return f
}

// draw11 draws strengths against correlations, a point a repeat. The table has means over repeats.
func draw11(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"problem", "rows", "forest", "strength", "correlation", "test error"}}
	for _, m := range r.Means(ofFigure11).On("sparse parity", "orthant", "trunk") {
		t.Add(m.Problem, fmt.Sprint(m.X), m.Method, paper.Decimals(m.Measure("strength"), 3),
			paper.Decimals(m.Measure("correlation"), 3), m.Score.Text(4))
	}
	return paper.Draw(paper.Panels(2, strengths("A", "sparse parity", 1000), strengths("B", "orthant", 400),
		strengths("C", "trunk", 10), strengths("D", "trunk", 100))(r).Chart, t)
}

func strengths(letter, problem string, rows int) panel {
	return func(r *paper.Results) viz.Chart {
		c := viz.Curves{Title: fmt.Sprintf("%s: %s, %d rows", letter, problem, rows), X: "correlation", Y: "strength"}
		for _, method := range three {
			forests := Simulated.On(problem).By(method).At(rows)
			if strengths := forests.Of(paper.More("strength")).List(r); len(strengths) > 0 {
				c.Series = append(c.Series, viz.Series{
					Name: method, X: forests.Of(paper.More("correlation")).List(r), Y: strengths, Points: true})
			}
		}
		return c
	}
}

func bias(title, measure string) panel {
	return lines(viz.Curves{Title: title, X: "training rows", Y: measure}, Bias.By(three...), "",
		func(m paper.Mean) paper.Number { return paper.Exact(m.Measure(measure)) })
}

// biasDifference finds the difference of two biases, which are shares of 10,000 test rows.
func biasDifference(other string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		share := func(method string) paper.Number {
			v := Bias.By(method).At(1000).Of(paper.More("bias")).Mean(r).Value
			return paper.Number{Value: v, StdErr: math.Sqrt(v * (1 - v) / 10000)}
		}
		return paper.Found(share("SPORF").Minus(share(other)))
	}
}
