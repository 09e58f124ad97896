package godt

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

var selection = []paper.Figure{
	{Name: "Chosen on test rows", Shows: "GODT's accuracy, %, over ten divisions", Ours: true,
		Place: "godt#Settings chosen on test rows", Of: of(&OnTest), Draw: chosen},
	{Name: "Printed and ours", Shows: "which methods have higher numbers in the thesis", Ours: true,
		Place: "godt#What came out", Draw: distances},
	{Name: "Supervised thresholds", Shows: "accuracy, %, of GODT with thresholds searched by impurity", Ours: true,
		Place: "godt#A threshold that looks at the labels", Of: of(&Trees, "GODT", "GODT supervised"), Draw: supervised},
}

// chosen sets accuracies side by side where settings are chosen on validation rows and on test rows.
func chosen(r *paper.Results) paper.Drawing {
	printed, best := r.Printed(file("3.2")), r.Means(of(&OnTest)[0])
	t := viz.Table{Columns: []string{"set", "the thesis", "here, chosen on|validation rows", "here, chosen on|test rows"}}
	var all, most [3][]float64 // most are without Heart Failure
	for _, m := range best {
		var validation []float64
		for _, record := range r.Records(paper.Part{Experiment: &Trees, Problems: []string{m.Problem}, Methods: []string{"GODT"}}) {
			if record.Repeat <= m.Repeats {
				validation = append(validation, 100*record.Score)
			}
		}
		row := [3]float64{printed.At(m.Problem, "GODT").Value, eval.Mean(validation), 100 * m.Score.Value}
		addRow(&t, m.Problem, row[:]...)
		for k, v := range row {
			all[k] = append(all[k], v)
			if m.Problem != "Heart Failure" {
				most[k] = append(most[k], v)
			}
		}
	}
	addRow(&t, "mean", eval.Mean(all[0]), eval.Mean(all[1]), eval.Mean(all[2]))
	addRow(&t, "without Heart Failure", eval.Mean(most[0]), eval.Mean(most[1]), eval.Mean(most[2]))
	return paper.Drawing{Tables: []viz.Table{t}}
}

// addRow adds numbers with one decimal.
func addRow(t *viz.Table, name string, numbers ...float64) {
	row := []string{name}
	for _, v := range numbers {
		row = append(row, paper.Decimals(v, 1))
	}
	t.Add(row...)
}

// distances says of each method how far printed accuracies are above ours, in standard deviations of a division, over
// the sets where divisions differ.
func distances(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"method", "sets", "mean accuracy, %|printed", "mean accuracy, %|here",
		"printed above ours, standard deviations|mean", "printed above ours, standard deviations|together"},
		Note: "Small and medium sets. Together: the mean times the root of the number of sets, normal if a printed number " +
			"is one more division. The larger of three draws is 0.85 above their mean, of five 1.16."}
	for _, c := range [][2]string{{"3.2", "GODT"}, {"4.1", "GORF"}, {"5.1", "GQDT"}, {"", "GQDT, relative β"}, {"5.3", "GQRF"},
		{"3.2", "CART"}, {"4.1", "RF"}, {"3.2", "SVM"}, {"3.2", "LDA"}, {"3.2", "QDA"}, {"3.2", "OC1"}} {
		of, column := table{number: c[0]}, c[1]
		if c[0] == "" {
			of, column = relativeBeta, "GQDT"
		}
		ours, printed := of.ours(r), r.Printed(file(of.number))
		var theirs, own, z []float64
		for _, set := range append(names(Sets, "small"), names(Sets, "medium")...) {
			o, p := ours(set, column), printed.At(set, column)
			if d := (p.Value - o.Value) / o.StdErr; !math.IsNaN(d) && !math.IsInf(d, 0) {
				theirs, own, z = append(theirs, p.Value), append(own, o.Value), append(z, d)
			}
		}
		t.Add(c[1], fmt.Sprint(len(z)), paper.Decimals(eval.Mean(theirs), 1), paper.Decimals(eval.Mean(own), 1),
			paper.Decimals(eval.Mean(z), 2), paper.Decimals(eval.Mean(z)*math.Sqrt(float64(len(z))), 1))
	}
	return paper.Drawing{Tables: []viz.Table{t}}
}

// supervised compares both thresholds division by division.
func supervised(r *paper.Results) paper.Drawing {
	methods := []string{"GODT", "GODT supervised"}
	t := viz.Table{Columns: []string{"set", "accuracy, %|mixture's threshold", "accuracy, %|by impurity", "difference",
		"depth|mixture's threshold", "depth|by impurity"}}
	var all [2][]float64
	for _, set := range names(Sets, "") {
		part := paper.Part{Experiment: &Trees, Problems: []string{set}, Methods: methods}
		one := func(method string) paper.Series {
			p := part
			p.Methods = []string{method}
			return paper.Series{Part: p}
		}
		means := r.Means(part)
		a, b := means.At(set, methods[0], 0), means.At(set, methods[1], 0)
		t.Add(set, a.Score.Times(100).Text(1), b.Score.Times(100).Text(1),
			paper.Less(one(methods[1]), one(methods[0]))(r).Difference.Times(100).Text(1),
			paper.Decimals(a.Measure("depth"), 1), paper.Decimals(b.Measure("depth"), 1))
		all[0], all[1] = append(all[0], a.Score.Value), append(all[1], b.Score.Value)
	}
	t.Note = "Two-sided Wilcoxon test of the means: p = " + paper.Significant(twoSided(all[0], all[1]), 2) + "."
	return paper.Drawing{Tables: []viz.Table{t}}
}
