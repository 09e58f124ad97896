package godt

import (
	"math"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

var beta = []paper.Figure{{Name: "β", Shows: "accuracy of GQDT, fully grown, by β", Place: "godt#β decides", Ours: true,
	Of: of(&Beta), Draw: byBeta}}

// BetaAt returns the β of a run's X.
func BetaAt(x int) float64 { return math.Pow(10, float64(x)/1000) }

// byBeta draws accuracies by β up to 1/3, a panel a set: beyond, they fall far. The table has the best β of both kinds,
// and the accuracies at 10⁻⁴, which is in the thesis's grid, and at 1.
func byBeta(r *paper.Results) paper.Drawing {
	printed, means := r.Printed(file("5.1")), r.Means(of(&Beta)[0])
	all := viz.SmallMultiples{Columns: 2}
	t := viz.Table{Columns: []string{"set", "the thesis"}}
	kinds := []string{"relative", "absolute"}
	for _, kind := range kinds {
		t.Columns = append(t.Columns, kind+" β|best", kind+" β|at β", kind+" β|at 10⁻⁴", kind+" β|at 1")
	}
	for _, set := range means.Names(func(m paper.Mean) string { return m.Problem }) {
		their := printed.At(set, "GQDT")
		c := viz.Curves{Title: set, X: "β", Y: "accuracy, %", LogX: true,
			Levels: []viz.Level{{Y: their.Value, Name: "the thesis"}}}
		row := []string{set, their.Text(1)}
		for _, kind := range kinds {
			s := viz.Series{Name: kind + " β"}
			of := means.On(set).Of(kind).ByX()
			best := of[0]
			for _, m := range of {
				if m.X < -400 {
					s.X, s.Y = append(s.X, BetaAt(m.X)), append(s.Y, 100*m.Score.Value)
				}
				if m.Score.Value > best.Score.Value {
					best = m
				}
			}
			c.Series = append(c.Series, s)
			row = append(row, best.Score.Times(100).Text(1), paper.Significant(BetaAt(best.X), 1),
				means.At(set, kind, -4000).Score.Times(100).Text(1), means.At(set, kind, 0).Score.Times(100).Text(1))
		}
		all.Panels = append(all.Panels, c)
		t.Add(row...)
	}
	return paper.Drawing{Chart: all, Tables: []viz.Table{t}}
}
