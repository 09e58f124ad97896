package hrf

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Sizes is table 3: the sizes of the data sets at hand.
var Sizes = paper.Experiment{Name: "hrfsets", File: paper.SizesFile,
	Grids: []paper.Grid{{Problems: Sets, Methods: []string{"HRF"}}}}

var sizes = paper.SizesTable{Of: Sizes.By("HRF"), File: table3,
	Columns: []paper.Size{{Name: "rows", Printed: []string{"n"}}, {Name: "features", Printed: []string{"inputs"}},
		{Name: "classes", Printed: []string{"classes"}}, {Name: "missing", Printed: []string{"missing"}}}}

// table5Columns are the printed names of our methods.
var table5Columns = map[string]string{"RF": "RF", "HRF": "HRF", "ET": "ExtraTrees", "bagging": "Bagging"}

const (
	table3      = "hrf_table3_datasets.csv"
	table5      = "hrf_table5_accuracy.csv"
	table5Place = "hrf#Table 5: accuracy on real data"
)

// protocol is that of tables 5 to 7: 50 divisions are one run.
var protocol = paper.Protocol{Sets: 52, Repeats: 50, Trees: 100}

var tables = []paper.Figure{
	{Name: "Table 3", Shows: "the data sets", Place: "hrf#Table 3: the data sets", Paper: paper.Protocol{Sets: 52},
		Of: []paper.Part{sizes.Of}, Lacks: lacks,
		Note: "without mus, which the paper lists and doesn't use; it counts the class of bal, ban, blo and bre as a " +
			"feature, and misprints the rows of ban, bld, dna, hea, lib and thy, whose sources have ours",
		Draw: func(r *paper.Results) paper.Drawing { return paper.Draw(nil, sizes.Table(r)) },
		Claims: []paper.Claim{
			{Says: "sets with another number of rows than printed", Find: sizes.Differ(0)},
			{Says: "sets with another number of features than printed", Find: sizes.Differ(1)},
			{Says: "sets with another number of classes than printed", Find: sizes.Differ(2)}}},
	{Name: "Table 4", Shows: "grids of the methods", Place: table5Place, Of: []paper.Part{Tuned.On()},
		Draw: grids},
	ofTable5("RF", "RF", "RF"), hrfOfTable5(),
	{Name: "Table 5, HRF tuned in each division", Shows: "accuracy", Ours: true, Place: table5Place,
		Of: []paper.Part{Accuracy.By("table 5")},
		Claims: []paper.Claim{{Says: leadSays,
			Find: func(r *paper.Results) paper.Finding { return lead(r, r.Means(Accuracy.By("table 5"))) }}}},
	ofTable5("ExtraTrees", "ET", "ExtraTrees"), ofTable5("bagging", "bagging", "Bagging"),
	boosterOfTable5("GB"), boosterOfTable5("XGBoost"), boosterOfTable5("CatBoost"),
}

// once says what the paper leaves open, or has otherwise.
const once = "tuned once a set, in the first division; categories are encoded from training rows"

const leadSays = "HRF's accuracy less RF's, points, mean over sets"

// grids are the values that table 4 prints, and how they are read.
func grids(*paper.Results) paper.Drawing {
	columns := []string{"method", "parameter", "values", "read as"}
	return paper.Draw(nil, viz.Table{Columns: columns, Rows: [][]string{
		{"bagging", "features of a tree", "0.6 to 1 of all", "0.6, 0.7, 0.8, 0.9, 1, rounded down"},
		{"RF", "features of a node", "√p, log₂ p, p", "rounded down"},
		{"ET", "depth; rows to split", "4, 6, any; 2, 4", "√p features of a node"},
		{"HRF", "α; β", "0, 0.1, … 0.9; 1, 2, … min(10, p)", "α = 0: the leaf rule without weights"},
		{"GB", "subsample; depth; rows to split", "0.9, 1; 2, 3, 4; 2, 4", ""},
		{"XGBoost", "depth; weight of a child", "4, 6, 8; 1, 2", ""},
		{"CatBoost", "", "defaults", "with 100 rounds"},
	}})
}

// ofTable5 is a column of table 5, of a method as our runs and the table call it.
func ofTable5(name, method, column string) paper.Figure {
	f := paper.Figure{Name: "Table 5, " + name, Shows: "accuracy", Place: table5Place, Paper: protocol, Lacks: lacks,
		Of: []paper.Part{Tuned.By(method)}, Here: paper.Protocol{Repeats: divisions}, Note: once,
		Claims: levels(strings.ToLower(method), column)}
	if name == "RF" {
		f.Draw = besideTable5
	}
	return f
}

func hrfOfTable5() paper.Figure {
	f := ofTable5("HRF", "HRF", "HRF")
	f.Draw = ahead
	f.Note = "by cross-validation, and out of bag in each division, HRF gains less (HRF tuned in each division); " + once
	f.Claims = append(f.Claims, paper.Claim{Says: leadSays,
		Find: func(r *paper.Results) paper.Finding { return lead(r, outcomes(r)) }})
	return f
}

// near is a distance from a printed accuracy that counts as small, in points: about two standard errors of a mean over
// 50 divisions of a few hundred rows.
const near = 1.5

// levels claim that most of our accuracies are near the printed ones, and that none of them leads.
func levels(run, column string) []paper.Claim {
	return []paper.Claim{
		{Says: fmt.Sprintf("share of sets within %v points of the printed accuracy, more than a half", near),
			Sign: paper.Above, Find: func(r *paper.Results) paper.Finding {
				var values []float64
				for _, d := range distances(r, run, column) {
					within := 0.0
					if math.Abs(d) <= near {
						within = 1
					}
					values = append(values, within)
				}
				return paper.Beyond(paper.NumberOf(values), 0.5)
			}},
		medianClaim(func(r *paper.Results) []float64 { return distances(r, run, column) })}
}

// medianClaim claims that the median of distances from the print is none.
func medianClaim(of func(r *paper.Results) []float64) paper.Claim {
	return paper.Claim{Says: "accuracy less the printed one, points, median over sets",
		Find: func(r *paper.Results) paper.Finding { return paper.Found(paper.Median(of(r))) }}
}

// distances returns our accuracies less the printed ones, in points.
func distances(r *paper.Results, run, column string) (all []float64) {
	for _, m := range outcomes(r) {
		ours, printed := 1-m.Measure("err."+run), r.Printed(table5).At(m.Problem, column).Value
		all = append(all, 100*(ours-printed))
	}
	return all
}

// besideTable5 sets our accuracies beside the printed ones, in percent.
func besideTable5(r *paper.Results) paper.Drawing {
	printed, means := r.Printed(table5), outcomes(r)
	others := boosted(r)
	b := paper.Beside{Row: "data set", Rows: Sets, Places: 1, Best: floats.Max,
		Columns: []string{"RF", "HRF", "ET", "bagging", "GB", "XGBoost", "CatBoost"},
		Note:    boostedNote(r)}
	b.Paper = func(set, method string) paper.Number {
		return printed.At(set, cmp.Or(table5Columns[method], method)).Times(100)
	}
	b.Ours = func(set, method string) paper.Number {
		if table5Columns[method] == "" {
			return others.At(set, method, 0).Score
		}
		err := means.At(set, "table 5", 50).Measure("err." + strings.ToLower(method))
		return paper.Number{Value: 100 - 100*err, StdErr: math.NaN()}
	}
	return paper.Draw(b.Distances("the paper's accuracy, %", "ours − the paper's, points"), b.Table(), encodings(r))
}

// boostedNote says what is shown.
func boostedNote(r *paper.Results) string {
	fewer := 0
	for _, m := range boosted(r) {
		if m.Repeats < divisions {
			fewer++
		}
	}
	note := "Percent of 50 divisions; boosting is of its own libraries"
	if fewer > 0 {
		note += fmt.Sprintf(", and %d of its numbers are of the first %d divisions or a few more", fewer, fewDivisions)
	}
	return note + "."
}

// encodings sets accuracies on tae side by side: encoders fitted to training rows, or to all rows.
func encodings(r *paper.Results) viz.Table {
	t := viz.Table{Title: "tae, by the rows that encoders are fitted to, percent", Columns: []string{"encoders"}}
	rows := [][]string{{"the paper"}, {"here, training rows"}, {"here, all rows"}}
	for _, method := range []string{"RF", "HRF", "ET", "bagging"} {
		t.Columns = append(t.Columns, method)
		rows[0] = append(rows[0], r.Printed(table5).At("tae", table5Columns[method]).Times(100).Text(1))
		for k, by := range []string{"table 5", "encoded before"} {
			err := r.Means(Accuracy.On("tae")).At("tae", by, 50).Measure("err." + strings.ToLower(method))
			rows[k+1] = append(rows[k+1], paper.Decimals(100-100*err, 1))
		}
	}
	t.Rows = rows
	return t
}

// measured returns a gain in accuracy that a run has found, in points.
func measured(m paper.Mean, name string) float64 { return 0 - 100*m.Measure("diff."+name) }

// published returns HRF's printed gain on a method of table 5, in points.
func published(r *paper.Results, set, method string) float64 {
	printed := r.Printed(table5)
	return 100 * (printed.At(set, "HRF").Value - printed.At(set, method).Value)
}

// leads returns how far HRF is ahead of RF on each set, in points, in outcomes and in the paper, in the order of the
// paper's.
func leads(r *paper.Results, means paper.Means) (ours, theirs []float64) {
	order, behind := make([]int, len(means)), make([]float64, len(means))
	for i, m := range means {
		behind[i] = 0 - published(r, m.Problem, "RF")
	}
	floats.Argsort(behind, order)
	for i, j := range order {
		ours, theirs = append(ours, measured(means[j], "rf")), append(theirs, 0-behind[i])
	}
	return ours, theirs
}

// lead finds the mean difference between our lead and the paper's.
func lead(r *paper.Results, means paper.Means) paper.Finding {
	return paper.Paired(leads(r, means))
}

// ahead draws the leads.
func ahead(r *paper.Results) paper.Drawing {
	ours, theirs := leads(r, outcomes(r))
	x := floats.Span(make([]float64, len(ours)), 1, float64(len(ours)))
	return paper.Draw(viz.Curves{X: "sets, in the order of the paper's difference", Y: "HRF − RF, points",
		Series: []viz.Series{{Name: "the paper", X: x, Y: theirs}, {Name: "here", X: x, Y: ours, Points: true}},
		Levels: noDifference})
}
