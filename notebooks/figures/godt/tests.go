package godt

import (
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// A ranking is the comparison of a table's methods that the thesis tests.
type ranking struct {
	table
	methods []string // the first is compared with the others
	equal   []string // those of whom the thesis has a p above 0.05
	p       string   // the table that has the p of Wilcoxon's test
	ranks   string   // the table that has Friedman's mean ranks
}

var rankings = []ranking{
	{table{number: "3.2"}, []string{"GODT", "SVM", "CART", "OC1", "QDA", "LDA"}, nil, "3.6", "3.7"},
	{table{number: "4.1"}, []string{"GORF", "RF", "GODT", "SVM", "CART"}, []string{"RF"}, "4.3", "4.4"},
	{table{number: "5.1"}, []string{"GQDT", "GODT", "CART"}, []string{"GODT"}, "A.15", "A.16"},
	{table{number: "5.3"}, []string{"GQRF", "GORF", "RF"}, []string{"GORF", "RF"}, "A.15", "A.16"},
}

const (
	wilcoxonAt = "Tables 3.6, 4.3 and A.15: Wilcoxon's test"
	friedmanAt = "Tables 3.7, 4.4 and A.16: Friedman's ranks"
)

var tests = []paper.Figure{
	wilcoxon("3.6", 0), wilcoxon("4.3", 1), wilcoxon("A.15", 2, 3),
	friedman("3.7", 0), friedman("4.4", 1), friedman("A.16", 2, 3),
}

// wilcoxon is a table of Wilcoxon's tests. It claims a lead where the thesis's p is below 0.05, and elsewhere the printed
// difference.
func wilcoxon(number string, which ...int) paper.Figure {
	f := classes(paper.Figure{Name: "Table " + number, Shows: "Wilcoxon's tests", Place: wilcoxonAt,
		Here: paper.Protocol{Sets: 18}, Files: []string{peersFile}})
	for _, i := range which {
		k := rankings[i]
		for _, m := range k.methods[1:] {
			sign := paper.Above
			if slices.Contains(k.equal, m) {
				sign = paper.Same
			}
			f.Claims = append(f.Claims, k.leads(sign, k.methods[0], m))
		}
	}
	if slices.Contains(which, 3) {
		f.Here.Methods = fewQuadrics
	}
	f.Draw = func(r *paper.Results) paper.Drawing {
		t := viz.Table{Columns: []string{"methods", "printed|p", "printed|Bonferroni", "from the printed cells|p",
			"from the printed cells|Bonferroni", "from the printed cells|sets", "our means|p", "our means|sets"}}
		for _, i := range which {
			rankings[i].addTests(r, &t)
		}
		return paper.Drawing{Tables: []viz.Table{t}}
	}
	return f
}

func (k ranking) addTests(r *paper.Results, t *viz.Table) {
	printed := r.Printed(file(k.p))
	for _, m := range k.methods[1:] {
		cells, means := k.scores(r, k.methods[0], m)
		p := twoSided(column(cells, 0), column(cells, 1))
		t.Add(k.methods[0]+", "+m, paper.Significant(printed.At(m, "p").Value, 2),
			paper.Significant(printed.At(m, "bonferroni").Value, 2), paper.Significant(p, 2),
			paper.Significant(min(1, p*float64(len(k.methods)-1)), 2), fmt.Sprint(len(cells)),
			paper.Significant(twoSided(column(means, 0), column(means, 1)), 2), fmt.Sprint(len(means)))
	}
}

// scores returns the accuracies of methods, a line a set that has all: the printed ones in hundredths, since differences
// of decimals may look like ties where there are none; and ours.
func (k ranking) scores(r *paper.Results, methods ...string) (printed, ours [][]float64) {
	table, means := r.Printed(file(k.number)), k.ours(r)
	for _, set := range table.Rows {
		var p, o []float64
		for _, m := range methods {
			p = append(p, math.Round(100*table.At(set, m).Value))
			o = append(o, means(set, m).Value)
		}
		if !slices.ContainsFunc(p, math.IsNaN) {
			printed = append(printed, p)
		}
		if !slices.ContainsFunc(o, math.IsNaN) {
			ours = append(ours, o)
		}
	}
	return printed, ours
}

// column returns a column of lines.
func column(lines [][]float64, j int) (column []float64) {
	for _, line := range lines {
		column = append(column, line[j])
	}
	return column
}

// twoSided returns the p-value of Wilcoxon's two-sided signed-rank test.
func twoSided(a, b []float64) float64 { return min(1, 2*min(eval.Wilcoxon(a, b), eval.Wilcoxon(b, a))) }

// friedman is a table of mean ranks. It claims that of each ranking's first method.
func friedman(number string, which ...int) paper.Figure {
	f := classes(paper.Figure{Name: "Table " + number, Shows: "Friedman's mean ranks, 1 is best", Place: friedmanAt,
		Here: paper.Protocol{Sets: 18}, Files: []string{peersFile}})
	for _, i := range which {
		k := rankings[i]
		f.Claims = append(f.Claims, paper.Claim{Says: k.methods[0] + "'s mean rank", Find: k.rank})
	}
	if slices.Contains(which, 3) {
		f.Here.Methods = fewQuadrics
	}
	f.Draw = func(r *paper.Results) paper.Drawing {
		t := viz.Table{Columns: []string{"method", "printed|rank", "printed|accuracy", "from the printed cells|rank",
			"from the printed cells|accuracy", "our means|rank", "our means|accuracy"},
			Note: "Ranks are over the sets that all methods have, accuracies from the cells over all sets of the method."}
		for _, i := range which {
			rankings[i].addRanks(r, &t)
		}
		return paper.Drawing{Tables: []viz.Table{t}}
	}
	return f
}

func (k ranking) addRanks(r *paper.Results, t *viz.Table) {
	table := r.Printed(file(k.ranks))
	printed, ours := k.scores(r, k.methods...)
	theirs, own := eval.FriedmanTest(printed), eval.FriedmanTest(ours)
	for j, m := range k.methods {
		cells, _ := k.scores(r, m)
		t.Add(m, table.At(m, "rank").Text(2), table.At(m, "mean").Text(2), paper.Decimals(theirs.Ranks[j], 2),
			paper.Decimals(eval.Mean(column(cells, 0))/100, 2), paper.Decimals(own.Ranks[j], 2),
			paper.Decimals(eval.Mean(column(ours, j)), 2))
	}
	t.Note += fmt.Sprintf(" Friedman's test of table %s: p is %s from the cells of %d sets, %s from ours of %d.", k.number,
		paper.Significant(theirs.P, 2), len(printed), paper.Significant(own.P, 2), len(ours))
}

// rank finds the mean rank of the first method.
func (k ranking) rank(r *paper.Results) paper.Finding {
	_, ours := k.scores(r, k.methods...)
	var ranks []float64
	for _, line := range ours {
		for j := range line {
			line[j] = -line[j]
		}
		ranks = append(ranks, eval.Ranks(line)[0])
	}
	our, printed := paper.NumberOf(ranks), r.Printed(file(k.ranks)).At(k.methods[0], "rank")
	return paper.Finding{Ours: our, Paper: printed, Difference: our.Minus(printed)}
}
