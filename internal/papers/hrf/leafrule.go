package hrf

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// LeafRule divides HRF's lead on RF into the part of a leaf rule and that of the weights, untuned: a run divides a set
// X times. More has what is said of [Accuracy] for the rule in a random forest ("rule"), for the weights in forests
// that draw on ("weights-on") and in forests with the rule ("weights-leaf"), and for both ("diff.hrf").
var LeafRule = paper.Experiment{Name: "hrfleaf", File: "hrf-leafrule-paper.csv", Grids: []paper.Grid{
	{Problems: Sets, Methods: []string{"leaf rule"}, X: []int{50}},
	{Problems: []string{"bal", "smo", "vow"}, Methods: []string{"leaf rule"}, X: []int{100}}}}

var leafRule = []paper.Figure{
	{Name: "Leaf rule", Shows: "HRF's lead, points, as leaf rule and weights", Ours: true,
		Place: "hrf#Where does the lead on real data come from?", Of: []paper.Part{LeafRule.On()}, Draw: parts},
}

func parts(r *paper.Results) paper.Drawing {
	columns := []string{"the paper", "HRF − RF", "leaf rule", "weights, drawing on", "weights, leaf rule"}
	names := []string{"", "hrf", "rule", "weights-on", "weights-leaf"}
	gain := func(m paper.Mean, name string) float64 {
		if name == "" {
			return published(r, m.Problem, "RF")
		}
		return measured(m, name)
	}
	means := r.Means(LeafRule.On().At(50))
	slices.SortFunc(means, func(a, b paper.Mean) int { return cmp.Compare(gain(b, "hrf"), gain(a, "hrf")) })
	g := viz.Grid{Columns: 3, Width: 330, Height: 560}
	for block := range slices.Chunk(means, 15) {
		sets := block.Names(func(m paper.Mean) string { return m.Problem })
		g.Charts = append(g.Charts, paper.Filled(viz.HeatMap{Rows: sets, Columns: columns, Limit: 3},
			func(i, j int) (float64, string) {
				m, name := block[i], names[j]
				text := paper.Decimals(gain(m, name), 1)
				if min(m.Measure("better-p."+name), m.Measure("worse-p."+name)) < 0.05 {
					text += "*"
				}
				return gain(m, name), text
			}))
	}
	t := viz.Table{Columns: []string{"", "median", "mean", "above 0 on"},
		Note: "A star in the chart is p < 0.05 by the signed-rank test, over 50 divisions."}
	for k, name := range names {
		var all []float64
		for _, m := range means {
			all = append(all, gain(m, name))
		}
		up := floats.Count(func(v float64) bool { return v > 1e-9 }, all)
		t.Add(columns[k], paper.Decimals(eval.Median(all), 2), paper.NumberOf(all).Text(2), fmt.Sprint(up))
	}
	return paper.Draw(g, t, moreDivisions(r))
}

// moreDivisions returns the gain by the weights at 100 divisions.
func moreDivisions(r *paper.Results) viz.Table {
	t := viz.Table{Title: "Gain by the weights alone at 100 divisions, points",
		Columns: []string{"set", "both forests", "gain", "p|signed-rank test", "p|resampled t-test"}}
	for _, m := range r.Means(LeafRule.On().At(100)) {
		for _, rule := range [][2]string{{"weights-on", "draw on"}, {"weights-leaf", "have the leaf rule"}} {
			t.Add(m.Problem, rule[1], paper.Decimals(measured(m, rule[0]), 2),
				paper.Significant(m.Measure("better-p."+rule[0]), 2), paper.Decimals(m.Measure("t-p."+rule[0]), 2))
		}
	}
	return t
}
