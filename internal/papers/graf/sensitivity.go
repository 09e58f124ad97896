package graf

import (
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// A Pattern is a simulated set of figures 12 and 13, with known boundaries between its classes.
type Pattern interface {
	Sample(n int, seed uint64) *datasets.Dataset
	BoundaryDistance(x []float32) float64
}

// Patterns are the sets of figure 12, a to f. The paper doesn't say how many rings, sectors and cells they have. Ours
// have few, so that most of a picture is far from a boundary.
var Patterns = []struct {
	Name string
	Pattern
}{
	{"circles, binary", sim.Circles{Rings: 2}}, {"circles, multi-class", sim.Circles{Rings: 3, Classes: 3}},
	{"pies, binary", sim.Pies{Sectors: 4}}, {"pies, multi-class", sim.Pies{Sectors: 4, Classes: 4}},
	{"XOR, binary", sim.XOR{Cells: 2}}, {"XOR, multi-class", sim.XOR{Cells: 3, Classes: 3}},
}

// PatternRows is the number of training rows of figures 12 and 13.
const PatternRows = 2000

// Selections are the ways to keep rows: the most sensitive, in proportion to sensitivity, uniformly.
var Selections = []struct {
	Name string
	By   inspect.Selection
}{{"S", inspect.ByRank}, {"P", inspect.ByProbability}, {"U", inspect.Uniformly}}

// Maps is figure 12 in numbers: the shares of rows within a tenth of the picture's width from a boundary, of all rows
// ("all") and of quarters of them ("U", "P", "S"). The score is that of S.
var Maps = paper.Experiment{Name: "graf12", File: "graf-fig12-paper.csv", Grids: []paper.Grid{
	{Problems: patternNames(), Methods: []string{"GRAF"}, Repeats: 5}}}

// Approximation is figure 13: the accuracy of forests of 200 trees on 10,000 rows, trained on X percent of 2000 rows.
var Approximation = paper.Experiment{Name: "graf13", File: "graf-fig13-paper.csv", Grids: []paper.Grid{
	{Problems: patternNames(), Methods: []string{"GRAF U", "GRAF P", "GRAF S", "RF U", "RF P", "RF S"},
		X: []int{5, 10, 20, 30, 40, 60, 80, 100}, Repeats: 5}}}

func patternNames() (names []string) {
	for _, p := range Patterns {
		names = append(names, p.Name)
	}
	return names
}

var sensitivities = []paper.Figure{
	{Name: "Figure 12", Shows: "sensitive rows lie along the boundaries", Place: "graf#Figure 12", Draw: drawNear,
		Of: []paper.Part{Maps.On()}, Note: "rings, sectors and cells are ours",
		Claims: []paper.Claim{{Says: "share near a boundary, the most sensitive quarter's less all rows'", Sign: paper.Above,
			Find: Maps.On().Of(func(r paper.Record) float64 { return r.Score - r.More["all"] }).Alone}}},
	{Name: "Figure 13", Shows: "accuracy with a part of the rows", Place: "graf#Figure 13", Draw: drawApproximation,
		Paper: paper.Protocol{Sets: 6, Trees: 200, From: 5, To: 100}, Of: []paper.Part{Approximation.On()},
		Note: "rings, sectors and cells are ours; all features for every tree",
		Claims: []paper.Claim{
			sufficient("GRAF"), sufficient("RF"), proportional("GRAF"), proportional("RF")}},
}

// sufficient claims that a fraction of the rows is enough, if they are the most sensitive. We take 40 % and half a
// point.
func sufficient(learner string) paper.Claim {
	says := "points of " + learner + "'s accuracy lost with the most sensitive 40 % of the rows: below 0.5"
	return paper.Claim{Says: says, Sign: paper.Below, Find: func(r *paper.Results) paper.Finding {
		return paper.Beyond(losses(r).At("", learner+" S", 40).Score, 0.5)
	}}
}

// proportional claims that rows drawn in proportion to sensitivity are comparable with a uniform draw or better.
func proportional(learner string) paper.Claim {
	return paper.Claim{Says: learner + "'s accuracy, P less U, mean over the shares and patterns: above −0.005",
		Sign: paper.Above, Find: func(r *paper.Results) paper.Finding {
			d := paper.Less(Approximation.By(learner+" P").Of(nil), Approximation.By(learner+" U").Of(nil))(r).Ours
			return paper.Beyond(d, -0.005)
		}}
}

// drawNear sets the shares near a boundary side by side.
func drawNear(r *paper.Results) paper.Drawing {
	t := viz.Table{Title: "Rows within a tenth of the picture's width from a boundary, %",
		Columns: []string{"pattern", "all", "U25%", "P25%", "S25%"}}
	for _, m := range r.Means(Maps.On()) {
		percent := func(what string) string { return paper.Decimals(100*m.Measure(what), 0) }
		t.Add(m.Problem, percent("all"), percent("U"), percent("P"), m.Score.Times(100).Text(0))
	}
	return paper.Draw(nil, t)
}

// drawApproximation draws accuracies, the binary patterns in a row and the others below, for GRAF and then RF.
func drawApproximation(r *paper.Results) paper.Drawing {
	all := viz.SmallMultiples{Columns: 3}
	for _, learner := range []string{"GRAF ", "RF "} {
		for _, i := range []int{0, 2, 4, 1, 3, 5} {
			pattern := Patterns[i].Name
			some := r.Means(Approximation.On(pattern)).Of(learner+"S", learner+"P", learner+"U")
			for k := range some {
				some[k].Method = strings.TrimPrefix(some[k].Method, learner)
			}
			title := learner[:len(learner)-1] + ": " + pattern
			all.Panels = append(all.Panels, paper.Curves(title, "rows kept, %", "accuracy", some, nil))
		}
	}
	return paper.Draw(all, paper.MeansTable(
		"Points of accuracy lost against all rows of the same repeat, mean over the patterns", "% kept:",
		losses(r).Of("GRAF S", "GRAF P", "GRAF U", "RF S", "RF P", "RF U"), 2, nil))
}

// losses returns by how many points the accuracy with a part of the rows is below that with all rows of the same
// repeat, over all patterns together.
func losses(r *paper.Results) paper.Means {
	whole := map[paper.Run]float64{}
	for _, record := range r.Records(Approximation.On().At(100)) {
		whole[record.Run] = record.Score
	}
	var lost []paper.Record
	for _, record := range r.Records(Approximation.On()) {
		run := record.Run
		run.X = 100
		if all, ok := whole[run]; ok && record.X < 100 {
			record.Problem, record.Score = "", 100*(all-record.Score)
			lost = append(lost, record)
		}
	}
	return paper.MeansOf(lost)
}
