package hrf

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
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
			Find: paper.Series{Part: Shares.On()}.PrintedSets(table8, noiseShare, 1)}}},
	{Name: "Figure 6", Shows: "HRF's gain in accuracy by share of noise", Place: table8At, Paper: paper.Protocol{Sets: 52},
		Here: paper.Protocol{Tuning: "table 5's smaller grids"}, Of: []paper.Part{accuracy, Shares.On()}, Lacks: lacks,
		Draw: gainByShare,
		Claims: []paper.Claim{
			{Says: "HRF's gain on RF, sets of shares below 0.8 less the others, points", Sign: paper.Above,
				Find: groupsDiffer("rf", "RF")},
			{Says: "HRF's gain on bagging, sets of shares below 0.8 less the others, points", Sign: paper.Above,
				Find: groupsDiffer("bagging", "Bagging")}}},
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
	return paper.Drawing{Tables: []viz.Table{t}, Chart: viz.Curves{X: "the paper's share", Y: "here",
		Series: []viz.Series{paper.Dots("a data set", x, y), {Name: "equal", X: []float64{0.2, 1}, Y: []float64{0.2, 1}}}}}
}

// grouped returns HRF's gains on a method in points, on sets of shares below 0.8 and on the others: here and in the
// paper, each by its own shares.
func grouped(r *paper.Results, method, column string) (here, printed [2][]float64) {
	accuracies, shares := r.Printed(table5), r.Printed(table8)
	own := r.Means(Shares.On())
	group := func(share float64) int {
		if share < 0.8 {
			return 0
		}
		return 1
	}
	for _, m := range r.Means(accuracy) {
		g := group(own.At(m.Problem, "noise share", 20).Score.Value)
		here[g] = append(here[g], 0-100*m.Measure("diff."+method))
		g = group(shares.At(m.Problem, noiseShare).Value)
		printed[g] = append(printed[g],
			100*(accuracies.At(m.Problem, "HRF").Value-accuracies.At(m.Problem, column).Value))
	}
	return here, printed
}

func groupsDiffer(method, column string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		here, printed := grouped(r, method, column)
		ours := paper.NumberOf(here[0]).Minus(paper.NumberOf(here[1]))
		return paper.Finding{Ours: ours, Paper: paper.NumberOf(printed[0]).Minus(paper.NumberOf(printed[1])), Difference: ours}
	}
}

func gainByShare(r *paper.Results) paper.Drawing {
	g := viz.Grid{Columns: 2, Height: 340}
	t := viz.Table{Columns: []string{"gain on", "from", "below 0.8|sets", "below 0.8|mean", "below 0.8|median", "0.8 or more|sets",
		"0.8 or more|mean", "0.8 or more|median"}}
	for _, against := range []struct{ run, column, title string }{{"rf", "RF", "RF"}, {"bagging", "Bagging", "bagging"}} {
		here, printed := grouped(r, against.run, against.column)
		boxes := viz.Boxes{Title: "HRF − " + against.title, X: "estimated share of noise features", Y: "gain in accuracy, points",
			Groups: []string{"below 0.8", "0.8 or more"}, Levels: []viz.Level{{Y: 0, Name: "no difference"}}}
		for _, from := range []struct {
			name string
			by   [2][]float64
		}{{"the paper", printed}, {"here", here}} {
			boxes.Series = append(boxes.Series, viz.Sample{Name: from.name, Values: from.by[:]})
			row := []string{against.title, from.name}
			for _, values := range from.by {
				row = append(row, paper.Decimals(float64(len(values)), 0), paper.NumberOf(values).Text(2),
					paper.Decimals(eval.Median(values), 2))
			}
			t.Add(row...)
		}
		g.Charts = append(g.Charts, boxes)
	}
	return paper.Draw(g, t)
}
