package godt

import (
	"math"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

var beta = []paper.Figure{{Name: "β", Shows: "accuracy of GQDT, fully grown, by β", Place: "godt#β decides", Ours: true,
	Of: of(&Beta), Draw: byBeta}}

// betaAt returns the β of a run's X.
func betaAt(x int) float64 { return math.Pow(10, float64(x)/1000) }

// byBeta draws accuracies by β up to 1/3, a panel a set: beyond, they fall far.
func byBeta(r *paper.Results) paper.Drawing {
	printed, means := r.Printed(file("5.1")), r.Means(of(&Beta)[0]).ByX()
	all := viz.SmallMultiples{Columns: 2}
	for _, set := range means.Names(func(m paper.Mean) string { return m.Problem }) {
		c := viz.Curves{Title: set, X: "β", Y: "accuracy, %", LogX: true,
			Levels: []viz.Level{{Y: printed.At(set, "GQDT").Value, Name: "the thesis"}}}
		for _, kind := range []string{"relative", "absolute"} {
			s := viz.Series{Name: kind + " β"}
			for _, m := range means.On(set).Of(kind) {
				if m.X < -400 {
					s.X, s.Y = append(s.X, betaAt(m.X)), append(s.Y, 100*m.Score.Value)
				}
			}
			c.Series = append(c.Series, s)
		}
		all.Panels = append(all.Panels, c)
	}
	return paper.Draw(all)
}
