package sporf

import (
	"fmt"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// Importances is figure 4: the ten projections of highest Gini importance on trunk with ten features and X rows. More
// has of each its importance relative to the largest ("importance.1"), the Bayes error along it ("bayes.1") and its
// weights ("weight.1.3" for x3), and the largest importance as a share of all. The score is the mean Bayes error.
var Importances = paper.Experiment{Name: "sporf4", File: "sporf-fig4-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"trunk"}, Methods: axisAndOblique, X: []int{1000}, Repeats: 10}}}

var axisAndOblique = []string{"RF", "SPORF"}

const at4 = "sporf#Figure 4: which combinations a forest finds important"

var (
	forests4 = []paper.Part{Importances.On()}
	once     = paper.Protocol{Repeats: 1, Trees: 500}
)

var projections = []paper.Figure{
	{Name: "Figure 4", Shows: "the ten projections of highest importance on trunk", Place: at4, Ours: true,
		Of: forests4, Paper: once, Draw: panels(2, weights("A: SPORF, one forest", "SPORF"),
			weights("B: RF, one forest", "RF"), importance4, bayes4)},
	{Name: "Figure 4A, B", Shows: "the ten projections of highest importance", Place: at4, Of: forests4, Paper: once},
	{Name: "Figure 4C", Shows: "importance of the ten projections", Place: at4, Of: forests4, Paper: once,
		Claims: []paper.Claim{{Sign: paper.Above,
			Says: "SPORF's tenth importance less RF's second, relative to the largest",
			Find: paper.Less(importance("SPORF", 10), importance("RF", 2))}}},
	{Name: "Figure 4D", Shows: "Bayes error of the ten projections", Place: at4, Of: forests4, Paper: once,
		Claims: []paper.Claim{
			less("SPORF's mean Bayes error less RF's", paper.Below, forests4[0], "SPORF", "RF", nil)}},
}

func importance(method string, rank int) paper.Series {
	return paper.Series{Part: of(&Importances, "", []string{method}),
		Measure: paper.More(fmt.Sprint("importance.", rank))}
}

// weights draws the projections of the first forest of a method, a column each.
func weights(title, method string) func(r *paper.Results) viz.Chart {
	return func(r *paper.Results) viz.Chart {
		h := viz.HeatMap{Title: title, X: "projection, by importance", Y: "feature", Limit: 1}
		forest := r.Records(of(&Importances, "", []string{method}))[0]
		for j := 1; j <= 10; j++ {
			values, text := make([]float64, 10), make([]string, 10)
			for k := range values {
				values[k] = forest.More[fmt.Sprintf("weight.%d.%d", k+1, j)]
				text[k] = map[float64]string{1: "+", -1: "−"}[values[k]]
			}
			h.Columns, h.Rows = append(h.Columns, fmt.Sprint(j)), append(h.Rows, fmt.Sprint("x", j))
			h.Values, h.Text = append(h.Values, values), append(h.Text, text)
		}
		return h
	}
}

func importance4(r *paper.Results) viz.Chart {
	return ranked(r, "C: importance, relative to the largest", "Gini importance", "importance")
}

func bayes4(r *paper.Results) viz.Chart {
	c := ranked(r, "D: error of the best classifier along it", "Bayes error", "bayes")
	c.Levels = []viz.Level{{Y: sim.Trunk{Features: 10}.Bayes().Error(), Name: "all features"}}
	return c
}

// ranked draws a measure of the ten projections, in means over forests.
func ranked(r *paper.Results, title, y, measure string) viz.Curves {
	c := viz.Curves{Title: title, X: "projection, by importance", Y: y}
	for _, m := range r.Means(forests4[0]).Of("SPORF", "RF") {
		s := viz.Series{Name: m.Method}
		for k := 1; k <= 10; k++ {
			s.X, s.Y = append(s.X, float64(k)), append(s.Y, m.Measure(fmt.Sprint(measure, ".", k)))
		}
		c.Series = append(c.Series, s)
	}
	return c
}
