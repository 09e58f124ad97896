package old

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// A ranking is the comparison of a table's methods that the thesis tests.
type ranking struct {
	table   string
	methods []string // the first is compared with the others
	tests   string   // the table that prints Wilcoxon's p
	ranks   string   // the table that prints Friedman's mean ranks
}

var rankings = []ranking{
	{"3.2", []string{"GODT", "SVM", "CART", "OC1", "QDA", "LDA"}, "3.6", "3.7"},
	{"4.1", []string{"GORF", "RF", "GODT", "SVM", "CART"}, "4.3", "4.4"},
	{"5.1", []string{"GQDT", "GODT", "CART"}, "A.15", "A.16"},
	{"5.3", []string{"GQRF", "GORF", "RF"}, "A.15", "A.16"},
	{"3.9", []string{"GODT", "CART"}, "", ""}, // the thesis doesn't test this one
}

// printedScores returns the printed numbers of methods, a line a set that has all, in whole units of the last decimal:
// differences of numbers with decimals may look like ties where there are none.
func (t Thesis) printedScores(table string, methods ...string) [][]float64 {
	unit := 0.01
	if measureOf(table).better < 0 {
		unit = 1e-4
	}
	return Scores(t.Printed[table], methods, func(_ string, v float64) float64 { return math.Round(v / unit) })
}

// ourMeans returns our means, a line a set that has all.
func (t Thesis) ourMeans(table string, methods ...string) (lines [][]float64) {
	for _, s := range t.sets {
		var line []float64
		for _, m := range methods {
			if x := t.values(t.column(table+" "+m), s.Name); len(x) > 0 && t.Printed[table][s.Name] != nil {
				line = append(line, eval.Mean(x))
			}
		}
		if len(line) == len(methods) {
			lines = append(lines, line)
		}
	}
	return lines
}

// columnOf returns a column of lines.
func columnOf(lines [][]float64, j int) (column []float64) {
	for _, line := range lines {
		column = append(column, line[j])
	}
	return column
}

// wilcoxonTest returns the two-sided p of the first two columns, and how many lines there are, as text.
func wilcoxonTest(lines [][]float64) (p float64, sets string) {
	if len(lines) == 0 {
		return math.NaN(), "–"
	}
	return twoSided(columnOf(lines, 0), columnOf(lines, 1)), fmt.Sprint(len(lines))
}

// WilcoxonTests are tables 3.6, 4.3 and A.15, and a test that the thesis lacks: p as printed, from the printed cells,
// and from our means, over all sets that both methods have.
func (t Thesis) WilcoxonTests() nb.Table {
	table := nb.Table{Title: "Wilcoxon's two-sided signed-rank test",
		Columns: []string{"table", "comparison", "printed|p", "printed|Bonferroni", "from the printed cells|p",
			"from the printed cells|Bonferroni", "from the printed cells|sets", "our means|p", "our means|sets"}}
	for _, r := range rankings {
		for _, m := range r.methods[1:] {
			cell := func(column string) string {
				if v, ok := t.Printed[r.tests][m][column]; ok {
					return fmt.Sprintf("%.2g", v)
				}
				return "–"
			}
			p, sets := wilcoxonTest(t.printedScores(r.table, r.methods[0], m))
			corrected := "–"
			if r.tests == "3.6" || r.tests == "4.3" {
				corrected = fmt.Sprintf("%.2g", min(1, float64(len(r.methods)-1)*p))
			}
			ours, oursSets := wilcoxonTest(t.ourMeans(r.table, r.methods[0], m))
			oursP := "–"
			if !math.IsNaN(ours) {
				oursP = fmt.Sprintf("%.2g", ours)
			}
			name := r.tests
			if name == "" {
				name = "(" + r.table + ")"
			}
			table.Add(name, r.methods[0]+" against "+m, cell("p"), cell("bonferroni"), fmt.Sprintf("%.2g", p), corrected,
				sets, oursP, oursSets)
		}
	}
	return table
}

// FriedmanRanks are tables 3.7, 4.4 and A.16: mean ranks and mean accuracies as printed, from the printed cells, and
// from our means. Ranks are over the sets that all methods have, printed means over all sets of the method, and ours
// over the methods that have been run.
func (t Thesis) FriedmanRanks() nb.Table {
	table := nb.Table{Title: "Friedman's mean ranks (1 is best) and mean accuracies in percent",
		Columns: []string{"table", "method", "printed|rank", "printed|accuracy", "from the printed cells|rank",
			"from the printed cells|accuracy", "from the printed cells|sets", "our means|rank", "our means|accuracy",
			"our means|sets"}, Note: "Our ranks and accuracies are over the sets that all these methods have run on. " +
			"Friedman's test, table "}
	for _, r := range rankings {
		if r.ranks == "" {
			continue
		}
		cells := t.printedScores(r.table, r.methods...)
		printed := eval.FriedmanTest(cells)
		table.Note += fmt.Sprintf("%s: p = %.2g from the printed cells, ", r.table, printed.P)
		run := slices.DeleteFunc(slices.Clone(r.methods), func(m string) bool { return len(t.ourMeans(r.table, m)) == 0 })
		lines := t.ourMeans(r.table, run...)
		ours := eval.FriedmanTest(lines)
		table.Note += fmt.Sprintf("%.2g from ours. ", ours.P)
		for k, m := range r.methods {
			all := t.printedScores(r.table, m)
			mean := 0.0
			for _, line := range all {
				mean += line[0] / 100 / float64(len(all))
			}
			line := []string{r.ranks, m, fmt.Sprintf("%.2f", t.Printed[r.ranks][m]["rank"]),
				fmt.Sprintf("%.2f", t.Printed[r.ranks][m]["mean"]), fmt.Sprintf("%.2f", printed.Ranks[k]),
				fmt.Sprintf("%.2f", mean), fmt.Sprint(len(cells)), "–", "–", "–"}
			if j := slices.Index(run, m); j >= 0 {
				copy(line[7:], []string{fmt.Sprintf("%.2f", ours.Ranks[j]),
					fmt.Sprintf("%.2f", eval.Mean(columnOf(lines, j))), fmt.Sprint(len(lines))})
			}
			table.Add(line...)
		}
	}
	return table
}

// Scores returns a number for each method and each set on which all of them have one, as [eval.FriedmanTest] takes
// them. Sets are in alphabetical order. NaN is no number.
func Scores[C any](
	table map[string]map[string]C, methods []string, of func(method string, cell C) float64,
) (scores [][]float64) {
	for _, set := range slices.Sorted(maps.Keys(table)) {
		var line []float64
		for _, name := range methods {
			if cell, ok := table[set][name]; ok {
				line = append(line, of(name, cell))
			}
		}
		if len(line) == len(methods) && !slices.ContainsFunc(line, math.IsNaN) {
			scores = append(scores, line)
		}
	}
	return scores
}
