package sporf

import (
	"fmt"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
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
	forests4 = []paper.Part{Importances.By("SPORF", "RF")}
	once     = paper.Protocol{Repeats: 1, Trees: 500}
)

var projections = []paper.Figure{
	{Name: "Figure 4", Shows: "the ten projections of highest importance on trunk", Place: at4, Ours: true,
		Of: forests4, Paper: once, Draw: paper.Panels(2, weights("A: SPORF, one forest", "SPORF"),
			weights("B: RF, one forest", "RF"),
			ranked("C: importance, relative to the largest", "Gini importance", "importance"),
			ranked("D: error of the best classifier along it", "Bayes error", "bayes",
				viz.Level{Y: sim.Trunk{Features: 10}.Bayes().Error(), Name: "all features"}))},
	{Name: "Figure 4A, B", Shows: "the ten projections of highest importance", Place: at4, Of: forests4,
		Paper: once},
	{Name: "Figure 4C", Shows: "importance of the ten projections", Place: at4, Of: forests4, Paper: once,
		Claims: []paper.Claim{{Sign: paper.Above,
			Says: "SPORF's tenth importance less RF's second, relative to the largest",
			Find: paper.Less(Importances.By("SPORF").Of(paper.More("importance.10")),
				Importances.By("RF").Of(paper.More("importance.2")))}}},
	{Name: "Figure 4D", Shows: "Bayes error of the ten projections", Place: at4, Of: forests4, Paper: once,
		Claims: []paper.Claim{less("SPORF's mean Bayes error less RF's", paper.Below, forests4[0], "SPORF", "RF", nil)}},
}

// weights draws the projections of the first forest of a method: a row each.
func weights(title, method string) panel {
	return func(r *paper.Results) viz.Chart {
		h := viz.HeatMap{Title: title, X: "projection, by importance", Y: "feature", Limit: 1}
		for _, j := range paper.Ints(1, 10) {
			h.Columns, h.Rows = append(h.Columns, fmt.Sprint(j)), append(h.Rows, fmt.Sprint("x", j))
		}
		forest := r.Records(Importances.By(method))[0]
		return paper.Filled(h, func(i, j int) (float64, string) {
			weight := forest.More[fmt.Sprintf("weight.%d.%d", j+1, i+1)]
			return weight, map[float64]string{1: "+", -1: "−"}[weight]
		})
	}
}

// ranked draws a measure of the ten projections, in means over forests.
func ranked(title, y, measure string, levels ...viz.Level) panel {
	return func(r *paper.Results) viz.Chart {
		var means paper.Means
		for _, m := range r.Means(forests4[0]).Of("SPORF", "RF") {
			for _, m.X = range paper.Ints(1, 10) {
				m.Score = paper.Exact(m.Measure(fmt.Sprint(measure, ".", m.X)))
				means = append(means, m)
			}
		}
		c := paper.Curves(title, "projection, by importance", y, means, nil)
		c.Levels = levels
		return c
	}
}
