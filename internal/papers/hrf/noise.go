package hrf

import (
	"fmt"
	"math"
	"strings"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Shares is table 8: X CART trees are grown on all rows of a set. The score is their mean share of features whose
// importance is below 1/p. More has the least and the most share, and p, the number of encoded columns.
var Shares = paper.Experiment{Name: "hrft8", File: "hrf-table8-paper.csv",
	Grids: []paper.Grid{{Problems: Sets, Methods: []string{"noise share"}, X: []int{20}}}}

const (
	table8     = "hrf_table8_noise.csv"
	noiseShare = "p_noise"
	table8At   = "hrf#Table 8 and figure 6: noise in real data"
)

var noise = []paper.Figure{
	{Name: "Table 8", Shows: "share of features that are noise", Place: table8At, Paper: paper.Protocol{Sets: 52},
		Of: []paper.Part{Shares.On()}, Lacks: lacks, Draw: drawShares,
		Claims: []paper.Claim{{Says: "share, mean over sets",
			Find: Shares.On().Of(paper.Score).PrintedSets(table8, noiseShare, 1)}}},
	{Name: "Figure 6", Shows: "HRF's gain in accuracy by share of noise", Place: table8At, Paper: paper.Protocol{Sets: 52},
		Of:    []paper.Part{Tuned.By("HRF", "RF", "bagging"), Shares.On()},
		Lacks: lacks, Draw: gainByShare,
		Claims: []paper.Claim{
			{Says: "HRF's gain on RF, sets of shares below 0.8 less the others, points", Sign: paper.Above,
				Find: groupsDiffer("RF")},
			{Says: "HRF's gain on bagging, sets of shares below 0.8 less the others, points", Sign: paper.Above,
				Find: groupsDiffer("Bagging")}}},
}

func drawShares(r *paper.Results) paper.Drawing {
	printed := r.Printed(table8)
	t := viz.Table{Columns: []string{"set", "paper", "here", "least", "most"},
		Note: paper.Mark + ": further from the paper than 0.05 or one feature."}
	var x, y []float64
	for _, m := range r.Means(Shares.On()) {
		their := printed.At(m.Problem, noiseShare).Value
		row := []string{m.Problem, paper.Decimals(their, 2), paper.Decimals(m.Score.Value, 2),
			paper.Decimals(m.Measure("least"), 2), paper.Decimals(m.Measure("most"), 2)}
		if math.Abs(m.Score.Value-their) > max(0.05, 1/m.Measure("p")) {
			row[2] += paper.Mark
		}
		t.Add(row...)
		x, y = append(x, their), append(y, m.Score.Value)
	}
	return paper.Draw(viz.Curves{X: "the paper's share", Y: "here", Series: []viz.Series{
		{Name: "a data set", X: x, Y: y, Points: true},
		{Name: "equal", X: []float64{0.2, 1}, Y: []float64{0.2, 1}}}}, t)
}

// grouped returns HRF's gains on a method of table 5 in points: in the paper and here, on sets of shares below 0.8 and
// on the others, each by its own shares.
func grouped(r *paper.Results, column string) (gains [2][2][]float64) {
	printed, own := r.Printed(table8), r.Means(Shares.On())
	add := func(by *[2][]float64, share, gain float64) {
		group := 1
		if share < 0.8 {
			group = 0
		}
		by[group] = append(by[group], gain)
	}
	for _, m := range outcomes(r) {
		add(&gains[0], printed.At(m.Problem, noiseShare).Value, published(r, m.Problem, column))
		add(&gains[1], own.At(m.Problem, "noise share", 20).Score.Value, measured(m, strings.ToLower(column)))
	}
	return gains
}

func groupsDiffer(column string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		var d [2]paper.Number
		for k, by := range grouped(r, column) {
			d[k] = paper.NumberOf(by[0]).Minus(paper.NumberOf(by[1]))
		}
		return paper.Finding{Ours: d[1], Paper: d[0], Difference: d[1]}
	}
}

func gainByShare(r *paper.Results) paper.Drawing {
	g := viz.Grid{Columns: 2, Height: 340}
	t := viz.Table{Columns: []string{"gain on", "from", "below 0.8|sets", "below 0.8|mean", "below 0.8|median",
		"0.8 or more|sets", "0.8 or more|mean", "0.8 or more|median"}}
	for _, column := range []string{"RF", "Bagging"} {
		title := map[string]string{"RF": "RF", "Bagging": "bagging"}[column]
		boxes := viz.Boxes{Title: "HRF − " + title, X: "estimated share of noise features", Y: "gain in accuracy, points",
			Groups: []string{"below 0.8", "0.8 or more"}, Levels: noDifference}
		for k, by := range grouped(r, column) {
			from := []string{"the paper", "here"}[k]
			boxes.Series = append(boxes.Series, viz.Sample{Name: from, Values: by[:]})
			row := []string{title, from}
			for _, values := range by {
				row = append(row, fmt.Sprint(len(values)), paper.NumberOf(values).Text(2),
					paper.Decimals(eval.Median(values), 2))
			}
			t.Add(row...)
		}
		g.Charts = append(g.Charts, boxes)
	}
	return paper.Draw(g, t)
}
