package tao

import (
	"fmt"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Diversity is figures 1 and 2: X is the share of the rows in each tree's sample in percent, 0 for the bootstrap. Trees
// have the same or different initial splits. The depth is 11 for Letter and 8 for MNIST; mnist20 has the first 20,000
// images.
var Diversity = paper.Experiment{Name: "tao12", File: "tao-fig12-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"letter"}, Methods: starts, X: shares, Repeats: 5, Order: "pmxr"},
	{Problems: []string{"mnist20"}, Methods: starts, X: shares},
	{Problems: []string{"letter"}, Methods: named(starts, asPaper), X: shares, Repeats: 5, Order: "pmxr"},
	{Problems: []string{"mnist"}, Methods: named(starts, asPaper), X: shares}}}

var (
	starts = []string{"different start", "same start"}
	shares = []int{0, 30, 50, 70, 80, 90, 100}
)

const diversityPlace = "tao#Figures 1 and 2: what makes the trees differ"

var diversity = []paper.Figure{
	instead(figure1("mnist", asPaper, paper.Protocol{Passes: 40}),
		figure1("mnist20", "", paper.Protocol{Passes: 10, Settings: "20,000 of 60,000 rows, λ = 0.1"})),
	instead(figure2(asPaper, paper.Protocol{Passes: 40}),
		figure2("", paper.Protocol{Passes: 20, Settings: "a standardised penalty, the bias isn't penalised"})),
}

// figure1 is figure 1 from methods whose names have an end.
func figure1(data, end string, here paper.Protocol) paper.Figure {
	f := paper.Figure{Name: "Figure 1", Shows: "test error by what makes the trees differ, MNIST", Place: diversityPlace,
		Paper: paper.Protocol{From: 0, To: 100, Passes: 40}, Here: here,
		Of: []paper.Part{Diversity.On(data).By(named(starts, end)...)},
		Draw: func(r *paper.Results) paper.Drawing {
			return paper.Draw(nil, diversityTable(r, data, end, here.Passes))
		}}
	if end == asPaper {
		f.Claims = []paper.Claim{
			{Says: "error with the same start less that with different ones, 90 % of the rows, points", Sign: paper.Above,
				Find: single(f.Of[0], paper.Cell{Problem: data, Method: starts[1] + end, X: 90},
					paper.Cell{Problem: data, Method: starts[0] + end, X: 90})},
			{Says: "error of bootstrap samples less that of 90 % of the rows, different starts, points", Sign: paper.Above,
				Find: single(f.Of[0], paper.Cell{Problem: data, Method: starts[0] + end},
					paper.Cell{Problem: data, Method: starts[0] + end, X: 90})}}
	}
	return f
}

// figure2 is figure 2 from methods whose names have an end.
func figure2(end string, here paper.Protocol) paper.Figure {
	different, same := starts[0]+end, starts[1]+end
	return paper.Figure{Name: "Figure 2", Shows: "error by what makes the trees differ, Letter", Place: diversityPlace,
		Paper: paper.Protocol{From: 0, To: 100, Passes: 40}, Here: here,
		Of: []paper.Part{Diversity.On("letter").By(different, same)},
		Draw: func(r *paper.Results) paper.Drawing {
			return paper.Draw(diversityChart(r, end, here.Passes), diversityTable(r, "letter", end, here.Passes))
		},
		Claims: []paper.Claim{
			{Says: "error with the same start less that with different ones, 90 % of the rows, points", Sign: paper.Above,
				Find: paper.Less(sampled(same, 90), sampled(different, 90))},
			{Says: "error of bootstrap samples less that of 90 % of the rows, different starts, points", Sign: paper.Above,
				Find: func(r *paper.Results) paper.Finding {
					return paper.Found(sampled(different, 0).Mean(r).Minus(sampled(different, 90).Mean(r)))
				}}}}
}

func sampled(start string, share int) paper.Series {
	return paper.Series{Measure: percent, Part: paper.Part{Experiment: &Diversity, Problems: []string{"letter"},
		Methods: []string{start}, X: []int{share}}}
}

// diversityChart draws the four panels of figure 2: training and test error of both kinds of start.
func diversityChart(r *paper.Results, end string, passes int) viz.Chart {
	all := viz.SmallMultiples{Columns: 2}
	for _, start := range []string{"same start", "different start"} {
		for _, part := range parts {
			c := viz.Curves{Title: start + ", " + part, X: "share of the rows in a sample, %", Y: part + " error, %",
				Levels: []viz.Level{{Y: diverse(r, "letter", start+end, 0, at(part, 20, passes)).Value, Name: "bootstrap, T = 20"}}}
			for _, trees := range []int{1, 2, 5, 10, 20} {
				s := viz.Series{Name: fmt.Sprintf("T = %d", trees)}
				for _, share := range shares[1:] {
					s.X = append(s.X, float64(share))
					s.Y = append(s.Y, diverse(r, "letter", start+end, share, at(part, trees, passes)).Value)
				}
				c.Series = append(c.Series, s)
			}
			all.Panels = append(all.Panels, c)
		}
	}
	return all
}

// diverse returns the mean of a measure.
func diverse(r *paper.Results, data, start string, share int, of paper.Measure) paper.Number {
	return Diversity.On(data).By(start).At(share).Of(of).Mean(r)
}

// diversityTable returns the test errors.
func diversityTable(r *paper.Results, data, end string, passes int) viz.Table {
	t := viz.Table{Title: "Test error, %", Columns: []string{"rows of a tree", "different start|T = 1",
		"different start|T = 10", "different start|T = 20", "same start|T = 1", "same start|T = 10", "same start|T = 20"}}
	for _, share := range shares {
		row := []string{fmt.Sprintf("%d %%", share)}
		if share == 0 {
			row[0] = "bootstrap"
		}
		for _, start := range starts {
			for _, trees := range []int{1, 10, 20} {
				row = append(row, diverse(r, data, start+end, share, at("test", trees, passes)).Text(2))
			}
		}
		t.Add(row...)
	}
	return t
}
