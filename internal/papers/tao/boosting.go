package tao

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// A booster is a method of another library: the set and the method of its predictions, and its printed row without the
// data's name. Splits of the set are seeds.
type booster struct{ set, method, printed string }

// boostersOf returns the rows of tables 2 and 3 that are measured, of letter or r8. AdaBoost's rate is tuned or, not
// tuned, 1. XGBoost is fitted once, since it draws nothing.
func boostersOf(data string, tuned bool) []booster {
	ada, rounds := "tao/"+data, map[string][2]string{"letter": {"2600", "26000"}, "r8": {"800", "8000"}}[data]
	if tuned {
		ada = "taotuned/" + data
	}
	return []booster{{ada, "ADA100", "AdaBoost, 100, 20"}, {ada, "ADA1000", "AdaBoost, 1000, 20"},
		{"taoxgb/" + data, "XGB100", "XGBoost, " + rounds[0] + ", 30"},
		{"taoxgb/" + data, "XGB1000", "XGBoost, " + rounds[1] + ", 30"}}
}

// boosted reports whether all boosters of some data are measured as the paper has them.
func boosted(data string) func(r *paper.Results) bool {
	return func(r *paper.Results) bool { return measured(r, boostersOf(data, true)) }
}

// measured reports whether boosters have five repeats or, of XGBoost, one.
func measured(r *paper.Results, boosters []booster) bool {
	fits := map[[2]string]int{}
	for _, p := range r.Predictions() {
		fits[[2]string{p.Set, p.Method}]++
	}
	return !slices.ContainsFunc(boosters, func(b booster) bool {
		wanted := 1
		if strings.HasPrefix(b.method, "ADA") {
			wanted = 5
		}
		return fits[[2]string{b.set, b.method}] < wanted
	})
}

// boostersFile has the training errors of boosters.
const boostersFile = "classifiers.csv"

const drawsNothing = "XGBoost draws nothing, so it has one run, and the standard error is that of the test rows"

// ofBoosters is the item of table 2 with AdaBoost and XGBoost on Letter.
func ofBoosters() paper.Figure {
	full := withBoosters(boostersOf("letter", true), paper.Protocol{Repeats: 5})
	full.Whole = boosted("letter")
	untuned := boostersOf("letter", false)
	other := withBoosters([]booster{untuned[0], untuned[2], untuned[3]},
		paper.Protocol{Repeats: 5, Tuning: "AdaBoost isn't tuned", Methods: "AdaBoost of 100 trees alone"})
	other.Note = notes[other.Name] + "; " + drawsNothing
	return instead(full, other)
}

func withBoosters(boosters []booster, here paper.Protocol) paper.Figure {
	f := paper.Figure{Name: "Table 2, Letter, AdaBoost and XGBoost", Shows: "test error", Place: table2Place,
		Paper: paper.Protocol{Repeats: 5, Trees: 1000}, Files: []string{boostersFile, paper.PredictionsFile}, Here: here,
		Note: "depth and numbers of trees are the printed ones, so only learning rates are tuned; " + drawsNothing}
	for _, b := range boosters {
		f.Claims = append(f.Claims, paper.Claim{Says: forest{printed: b.printed}.says("error in percent"),
			Find: func(r *paper.Results) paper.Finding {
				printed := r.Printed(tables2to5).At("Letter, "+b.printed, "error").MeanOf(5) // repeats
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
	for _, b := range boostersOf(data, boosted(data)(r)) {
		row := title + ", " + b.printed
		words := strings.Split(b.printed, ", ")
		cells := []string{words[0], words[1], printed.At(row, "error").Text(2), b.error(r).Text(2),
			large(printed.At(row, "parameters").Value)}
		t.Add(append(cells, slices.Repeat([]string{"–"}, len(t.Columns)-len(cells))...)...)
	}
}

// ofXGBoost returns XGBoost's errors on a set in percent by number of rounds, each of a tree for each class. On Letter
// trees of the first 40 rounds are at most 24 deep, so the limits of table 2 (30) and figure 5 (25) are the same.
func ofXGBoost(r *paper.Results, set, part string) func(rounds int) float64 {
	if part == "test" {
		return func(rounds int) float64 {
			return booster{set, fmt.Sprint("XGB", rounds), ""}.error(r).Value
		}
	}
	errors := map[string]float64{}
	r.Lines(boostersFile, func(l *paper.Line) {
		if l.Text("set") == set && l.Text("measure") == "train error" {
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
