package godt

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const timesAt = "godt#Table 5.5, figures A.1 and A.2: complexity"

var times = []paper.Figure{
	{Name: "Table 5.5", Shows: "complexity of training", Place: timesAt, Of: of(&Times), Draw: complexities,
		Note: "the thesis derives these and measures none; ours are measured on a simulation of ten classes, and not " +
			"judged by features, since its trees shrink as features are added",
		Claims: []paper.Claim{grows("GODT", "rows", byRows()), grows("GORF", "trees", 1), grows("GQRF", "trees", 1)}},
	against("Figure A.1", "rows", steeper("GQRF", "RF", "rows")),
	against("Figure A.2", "features", steeper("GORF", "RF", "features"), steeper("GQRF", "GORF", "features")),
}

// against is a figure of training times on Madelon.
func against(name, what string, claims ...paper.Claim) paper.Figure {
	part := of(&MadelonTimes, what)
	return paper.Figure{Name: name, Shows: "training time against " + what, Place: timesAt, Of: part, Claims: claims,
		Note: "the thesis prints neither trees nor numbers; forests of 20 trees and processor time here. From 32 features " +
			"on the exponents in features can't be told apart",
		Draw: func(r *paper.Results) paper.Drawing { return paper.Draw(growing(r, part[0], what)) }}
}

// steeper claims that a learner's seconds on Madelon grow with a larger exponent than another one's.
func steeper(learner, other, what string) paper.Claim {
	return paper.Claim{Sign: paper.Above,
		Says: "exponent of " + learner + "'s seconds in " + what + ", less " + other + "'s",
		Find: func(r *paper.Results) paper.Finding {
			part := of(&MadelonTimes, what)[0]
			return paper.Found(exponent(r, part, learner).Minus(exponent(r, part, other)))
		}}
}

// growing draws the seconds of training as what a part has on its axis grows.
func growing(r *paper.Results, part paper.Part, what string) viz.Chart {
	means := r.Means(part)
	for i := range means {
		means[i].Method = means[i].Problem
	}
	c := paper.Curves(what, what, "seconds to train", means, nil)
	c.LogX, c.LogY = true, true
	return c
}

// exponent returns how the seconds of a part's learner grow with X: the slope of the least-squares line through the
// logarithms, with its standard error. In [Times] it takes features from 32 on, where trees hardly get smaller with
// more of them.
func exponent(r *paper.Results, part paper.Part, learner string) paper.Number {
	var x, y []float64
	for _, m := range r.Means(part).On(learner) {
		if part.Experiment != &Times || m.Method != "features" || m.X >= 32 {
			x, y = append(x, math.Log(float64(m.X))), append(y, math.Log(m.Score.Value))
		}
	}
	if len(x) < 3 {
		return paper.None
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	r2 := math.Pow(stat.Correlation(x, y, nil), 2)
	degrees := float64(len(x) - 2)
	return paper.Number{Value: slope, StdErr: math.Abs(slope) * math.Sqrt((1/r2-1)/degrees), Degrees: degrees}
}

// byRows returns the exponent of N·log N over the numbers of rows that were timed.
func byRows() float64 {
	var x, y []float64
	for _, n := range Times.Grids[0].X {
		log := math.Log(float64(n))
		x, y = append(x, log), append(y, log+math.Log(log))
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	return slope
}

// grows claims an exponent.
func grows(learner, what string, printed float64) paper.Claim {
	find := func(r *paper.Results) paper.Finding {
		ours := exponent(r, of(&Times, what)[0], learner)
		return paper.Against(ours, paper.Exact(printed))
	}
	return paper.Claim{Says: "exponent of " + learner + "'s seconds in " + what, Find: find}
}

// complexities draws the seconds of training as rows, features or trees grow. The table has the printed complexities.
func complexities(r *paper.Results) paper.Drawing {
	t := viz.Table{Title: "Complexity", Columns: []string{"model", "printed", "exponent here|rows",
		"exponent here|features", "exponent here|trees"},
		Note: "N rows, p features, T trees, m features a tree, I rounds of EM."}
	for _, model := range [][]string{{"CART", "N·p·log N"}, {"RF", "T·N·m·log N"}, {"GODT", "N·p²·log N + I·N·p·log N"},
		{"GORF", "T·N·m²·log N + T·I·N·m·log N"}, {"GQDT", "N·p²·log N + I·N·p²·log N"},
		{"GQRF", "T·N·m²·log N + T·I·N·m²·log N"}} {
		row := []string{model[0], model[1]}
		for _, what := range []string{"rows", "features", "trees"} {
			row = append(row, exponent(r, of(&Times, what)[0], model[0]).Text(2))
		}
		t.Add(row...)
	}
	g := viz.Grid{Columns: 2, Width: 340, Height: 300}
	for _, what := range []string{"rows", "features", "trees"} {
		if part := of(&Times, what)[0]; len(r.Records(part)) > 0 {
			g.Charts = append(g.Charts, growing(r, part, what))
		}
	}
	return paper.Draw(g, t)
}
