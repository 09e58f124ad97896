package godt

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const (
	timesAt    = "godt#Table 5.5, figures A.1 and A.2: complexity"
	simulation = "GODT, GQDT and CART on a simulation, not forests on Madelon"
)

var times = []paper.Figure{
	{Name: "Table 5.5", Shows: "complexity", Place: timesAt, Of: of(&Times),
		Here: paper.Protocol{Methods: "a simulation of ten classes; without GQRF"}, Draw: complexities,
		Claims: []paper.Claim{
			grows("GODT", "rows", 1000, 1), grows("GODT", "features", enough, 2), grows("GQDT", "features", enough, 2),
			grows("GORF", "trees", 25, 1)}},
	{Name: "Figure A.1", Shows: "training time against rows", Place: timesAt, Of: of(&Times, "rows"),
		Here: paper.Protocol{Methods: simulation}, Draw: seconds("rows")},
	{Name: "Figure A.2", Shows: "training time against features", Place: timesAt, Of: of(&Times, "features"),
		Here: paper.Protocol{Methods: simulation}, Draw: seconds("features")},
	{Name: "Time of trees", Shows: "training time against trees", Place: timesAt, Ours: true, Of: of(&Times, "trees"),
		Draw: seconds("trees")},
}

// enough features are so many that trees hardly get smaller with more of them.
const enough = 32

// growing returns how the seconds of a learner grow with what is named, from so many on.
func growing(r *paper.Results, learner, what string, from int) (x, y []float64) {
	for _, m := range r.Means(of(&Times, what)[0]).On(learner).ByX() {
		if m.X >= from {
			x, y = append(x, math.Log(float64(m.X))), append(y, math.Log(m.Score.Value))
		}
	}
	return x, y
}

// exponent returns the slope of the least-squares line through points, with its standard error.
func exponent(x, y []float64) paper.Number {
	if len(x) < 3 {
		return paper.None
	}
	intercept, slope := stat.LinearRegression(x, y, nil, false)
	residuals, spread, mean := 0.0, 0.0, stat.Mean(x, nil)
	for i := range x {
		residuals += math.Pow(y[i]-intercept-slope*x[i], 2)
		spread += math.Pow(x[i]-mean, 2)
	}
	return paper.Number{Value: slope, StdErr: math.Sqrt(residuals / float64(len(x)-2) / spread)}
}

// grows claims an exponent.
func grows(learner, what string, from int, printed float64) paper.Claim {
	return paper.Claim{Says: "exponent of " + learner + "'s seconds in " + what, Find: func(r *paper.Results) paper.Finding {
		ours := exponent(growing(r, learner, what, from))
		return paper.Finding{Ours: ours, Paper: paper.Exact(printed), Difference: ours.Minus(paper.Exact(printed))}
	}}
}

func complexities(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"model", "printed", "exponent here|rows", "exponent here|features from 32 on",
		"exponent here|trees"}, Note: "N rows, p features, T trees, m features a tree, I rounds of EM."}
	for _, model := range [][]string{{"CART", "N·p·log N"}, {"RF", "T·N·m·log N"}, {"GODT", "N·p²·log N + I·N·p·log N"},
		{"GORF", "T·N·m²·log N + T·I·N·m·log N"}, {"GQDT", "N·p²·log N + I·N·p²·log N"},
		{"GQRF", "T·N·m²·log N + T·I·N·m²·log N"}} {
		for _, what := range []string{"rows", "features", "trees"} {
			from := map[string]int{"features": enough}[what]
			model = append(model, exponent(growing(r, model[0], what, from)).Text(2))
		}
		t.Add(model...)
	}
	return paper.Drawing{Tables: []viz.Table{t}}
}

// seconds draws the seconds of training as something grows, a line a learner.
func seconds(what string) func(r *paper.Results) paper.Drawing {
	return func(r *paper.Results) paper.Drawing {
		means := r.Means(of(&Times, what)[0])
		for i := range means {
			means[i].Method = means[i].Problem
		}
		c := paper.Curves("", what, "seconds to train", means, nil)
		c.LogX, c.LogY = true, true
		return paper.Drawing{Chart: c}
	}
}
