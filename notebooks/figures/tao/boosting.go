package tao

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// A booster is a method of another library: the set and the method of its predictions, and its printed row without the
// data's name. Splits of the set are seeds.
type booster struct{ set, method, printed string }

// boosters are the rows of tables 2 and 3 that have been measured, by data.
var boosters = map[string][]booster{
	"letter": {{"tao/letter", "ADA100", "AdaBoost, 100, 20"}, {"tao/letter", "ADA1000", "AdaBoost, 1000, 20"},
		{"taoxgb/letter", "XGB100", "XGBoost, 2600, 30"}, {"taoxgb/letter", "XGB1000", "XGBoost, 26000, 30"}},
	"r8": {{"tao/r8", "ADA100", "AdaBoost, 100, 20"}, {"tao/r8", "ADA1000", "AdaBoost, 1000, 20"},
		{"taoxgb/r8", "XGB100", "XGBoost, 800, 30"}, {"taoxgb/r8", "XGB1000", "XGBoost, 8000, 30"}}}

// boostersFile has the training errors of boosters.
const boostersFile = "classifiers.csv"

// ofBoosters is the item of table 2 with AdaBoost and XGBoost on Letter.
func ofBoosters() paper.Figure {
	f := paper.Figure{Name: "Table 2, Letter, AdaBoost and XGBoost", Shows: "test error", Place: table2Place,
		Note:  notes["Table 2, Letter, AdaBoost and XGBoost"],
		Paper: paper.Protocol{Repeats: 5, Trees: 1000}, Files: []string{boostersFile, paper.PredictionsFile},
		Here: paper.Protocol{Repeats: 5, Tuning: "XGBoost's learning rate alone",
			Methods: "AdaBoost of 100 trees alone, XGBoost once"}}
	for _, b := range boosters["letter"] {
		if b.method == "ADA1000" {
			continue
		}
		f.Claims = append(f.Claims, paper.Claim{Says: forest{printed: b.printed}.says("error in percent"),
			Find: func(r *paper.Results) paper.Finding {
				printed := r.Printed(tables2to5).At("Letter, "+b.printed, "error")
				printed.StdErr /= math.Sqrt(5) // the print has the standard deviation of five repeats
				return paper.Against(b.error(r), printed)
			}})
	}
	return f
}

// error returns the test error in percent with its standard error over seeds. That of a single fit is what its test
// rows give it.
func (b booster) error(r *paper.Results) paper.Number {
	var values []float64
	rows := 0
	for _, p := range r.Predictions() {
		if p.Set == b.set && p.Method == b.method {
			values, rows = append(values, 100*p.Error()), len(p.Truth)
		}
	}
	n := paper.NumberOf(values)
	if len(values) == 1 {
		n.StdErr = math.Sqrt(n.Value * (100 - n.Value) / float64(rows))
	}
	return n
}

// onR8 is the mean of error.
func (b booster) onR8(r *paper.Results) float64 { return b.error(r).Value }

// addBoosters adds a row for each booster of the data to a table with so many columns: method, trees, printed and our
// error, and printed parameters.
func addBoosters(t *viz.Table, r *paper.Results, data, title string) {
	printed := r.Printed(tables2to5)
	for _, b := range boosters[data] {
		row := title + ", " + b.printed
		words := strings.Split(b.printed, ", ")
		cells := []string{words[0], words[1], printed.At(row, "error").Text(2), b.error(r).Text(2),
			large(printed.At(row, "parameters").Value)}
		t.Add(append(cells, slices.Repeat([]string{"–"}, len(t.Columns)-len(cells))...)...)
	}
}

// ofXGBoost returns XGBoost's errors on Letter in percent by number of rounds, each of 26 trees. Trees of the first 40
// rounds are at most 24 deep, so the limits of table 2 (30) and figure 5 (25) are the same.
func ofXGBoost(r *paper.Results, part string) func(rounds int) float64 {
	if part == "test" {
		return func(rounds int) float64 {
			return booster{"taoxgb/letter", fmt.Sprint("XGB", rounds), ""}.error(r).Value
		}
	}
	errors := map[string]float64{}
	r.Lines(boostersFile, func(l *paper.Line) {
		if l.Text("set") == "taoxgb/letter" && l.Text("measure") == "train error" {
			errors[l.Text("method")] = 100 * l.Number("score")
		}
	})
	return func(rounds int) float64 {
		if v, ok := errors[fmt.Sprint("XGB", rounds)]; ok {
			return v
		}
		return math.NaN()
	}
}
