package sporf

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Trees is figure 11: strength and correlation of the trees ("strength", "correlation") on 10,000 test rows; the score
// is the error. X is the number of training rows.
var Trees = paper.Experiment{Name: "sporf11", File: "sporf-fig11-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"trunk"}, Methods: three, X: []int{10, 100}, Repeats: 10, Order: "pxmr"},
	{Problems: []string{"orthant"}, Methods: three, X: []int{400}, Repeats: 10},
	{Problems: []string{"sparse parity"}, Methods: three, X: []int{1000}, Repeats: 10}}}

// Bias is figure 12: James's bias, variance and variance effect ("bias", "variance", "effect") on sparse parity with X
// training rows; the score is the error. A run trains on 25 samples, with the setting that is best on the first.
var Bias = paper.Experiment{Name: "sporf12", File: "sporf-fig12-paper.csv", Grids: biasRuns}

// WholeBias is figure 12 with the paper's 100 samples and 500 trees.
var WholeBias = paper.Experiment{Name: "sporf12whole", File: "sporf-fig12-whole-paper.csv", Grids: biasRuns}

var (
	three    = []string{"RF", "SPORF", "F-RC"}
	biasRuns = []paper.Grid{{Problems: []string{"sparse parity"}, Methods: three, X: []int{500, 1000, 2000, 3000}}}
)

const (
	at11 = "sporf#Figure 11: strong trees or different trees"
	at12 = "sporf#Figure 12: bias or variance"
)

var trees = []paper.Figure{
	{Name: "Figure 11", Shows: "strength against correlation of trees", Place: at11, Ours: true,
		Of: []paper.Part{Trees.On()}, Draw: draw11},
	figure11("A", "sparse parity", 1000, map[string]paper.Sign{"strength": paper.Above, "correlation": paper.Above}),
	figure11("B", "orthant", 400, map[string]paper.Sign{"strength": paper.Above, "correlation": paper.Above}),
	figure11("C", "trunk", 10, map[string]paper.Sign{"correlation": paper.Below}),
	figure11("D", "trunk", 100, map[string]paper.Sign{"strength": paper.Above}),
	{Name: "Figure 12", Shows: "bias, variance, variance effect and error on sparse parity", Place: at12,
		Paper: paper.Protocol{Repeats: 100, Trees: 500, From: 500, To: 3000}, Of: []paper.Part{Bias.On()},
		Here: paper.Protocol{Repeats: 25, Trees: 100, Tuning: "tuned on the first sample"},
		Draw: paper.Panels(2, bias("A: bias", "bias"), bias("B: variance", "variance"), bias("C: variance effect", "effect"),
			lines(viz.Curves{Title: "D: error rate", X: "training rows", Y: "error"}, Bias.By(three...), "", nil)),
		Claims: []paper.Claim{{Says: "SPORF's bias less RF's, 1000 rows", Sign: paper.Below, Find: biasDifference}}},
}

// figure11 is a panel of figure 11. It claims signs of SPORF's less RF's, by measure.
func figure11(letter, problem string, rows int, signs map[string]paper.Sign) paper.Figure {
	f := paper.Figure{Name: "Figure 11" + letter, Place: at11, Paper: ten,
		Shows: fmt.Sprintf("strength and correlation of trees: %s, %d rows", problem, rows),
		Here:  paper.Protocol{Tuning: "settings compared with 100 trees"},
		Of:    []paper.Part{Trees.On(problem).At(rows)}}
	for _, measure := range slices.Sorted(maps.Keys(signs)) {
		says := fmt.Sprintf("%s on %s with %d rows, SPORF's less RF's", measure, problem, rows)
		f.Claims = append(f.Claims, less(says, signs[measure], f.Of[0], "SPORF", "RF", paper.More(measure)))
	}
	return f
}

// draw11 draws strengths against correlations, a point a repeat. The table has means over repeats.
func draw11(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"problem", "rows", "forest", "strength", "correlation", "test error"}}
	for _, m := range r.Means(Trees.On()).On("sparse parity", "orthant", "trunk") {
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
			forests := Trees.On(problem).By(method).At(rows)
			c.Series = append(c.Series, paper.Dots(method, forests.Of(paper.More("correlation")).List(r),
				forests.Of(paper.More("strength")).List(r)))
		}
		return c
	}
}

func bias(title, measure string) panel {
	return lines(viz.Curves{Title: title, X: "training rows", Y: measure}, Bias.By(three...), "",
		func(m paper.Mean) paper.Number { return paper.Exact(m.Measure(measure)) })
}

// biasDifference finds the difference of two biases, which are shares of 10,000 test rows.
func biasDifference(r *paper.Results) paper.Finding {
	share := func(method string) paper.Number {
		v := Bias.By(method).At(1000).Of(paper.More("bias")).Mean(r).Value
		return paper.Number{Value: v, StdErr: math.Sqrt(v * (1 - v) / 10000)}
	}
	return paper.Found(share("SPORF").Minus(share("RF")))
}
