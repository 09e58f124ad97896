package godt

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

var selection = []paper.Figure{
	{Name: "Chosen on test rows", Shows: "accuracy of GODT, %, over ten divisions", Ours: true,
		Place: "godt#Settings chosen on test rows", Of: of(&OnTest), Draw: chosen},
	{Name: "Printed and ours", Shows: "which methods have higher numbers in the thesis", Ours: true,
		Place: "godt#What came out", Draw: distances},
	{Name: "Supervised thresholds", Shows: "accuracy of GODT, %, with the mixture's threshold and one by impurity", Ours: true,
		Place: "godt#A threshold that looks at the labels", Of: of(&Trees, "GODT", "GODT supervised"), Draw: supervised,
		Claims: []paper.Claim{{Says: "accuracy with the mixture's threshold less that by impurity", Sign: paper.Above,
			Find: paper.Less(mixtures, byImpurity)}}},
}

var (
	mixtures   = paper.Series{Part: of(&Trees, "GODT")[0]}
	byImpurity = paper.Series{Part: of(&Trees, "GODT supervised")[0]}
)

// bySet sets numbers side by side, a row a set, with means in the last row.
func bySet(sets, columns []string, of func(set string) []float64) viz.Table {
	t := viz.Table{Columns: append([]string{"set"}, columns...)}
	add := func(name string, numbers []float64) {
		row := []string{name}
		for _, v := range numbers {
			row = append(row, paper.Decimals(v, 1))
		}
		t.Add(row...)
	}
	means := make([]float64, len(columns))
	for _, set := range sets {
		numbers := of(set)
		add(set, numbers)
		for k, v := range numbers {
			means[k] += v / float64(len(sets))
		}
	}
	add("mean", means)
	return t
}

// chosen has accuracies where settings are chosen on validation rows and on test rows.
func chosen(r *paper.Results) paper.Drawing {
	printed, best := r.Printed(file("3.2")), r.Means(of(&OnTest)[0])
	columns := []string{"the thesis", "here, chosen on|validation rows", "here, chosen on|test rows"}
	of := func(set string) []float64 {
		m := best.On(set)[0]
		var validation []float64
		for _, record := range r.Records(mixtures.Part) {
			if record.Problem == set && record.Repeat <= m.Repeats {
				validation = append(validation, 100*record.Score)
			}
		}
		return []float64{printed.At(set, "GODT").Value, eval.Mean(validation), 100 * m.Score.Value}
	}
	sets := names(Sets, "small")
	t := bySet(sets, columns, of)
	nine := bySet(slices.DeleteFunc(sets, func(set string) bool { return set == "Heart Failure" }), columns, of)
	t.Add(append([]string{"without Heart Failure"}, nine.Rows[len(nine.Rows)-1][1:]...)...)
	return paper.Drawing{Tables: []viz.Table{t}}
}

// supervised compares both thresholds.
func supervised(r *paper.Results) paper.Drawing {
	columns := []string{"accuracy, %|mixture's", "accuracy, %|by impurity", "depth|mixture's", "depth|by impurity"}
	first, second := r.Means(mixtures.Part), r.Means(byImpurity.Part)
	return paper.Drawing{Tables: []viz.Table{bySet(names(Sets, ""), columns, func(set string) []float64 {
		a, b := first.On(set)[0], second.On(set)[0]
		return []float64{100 * a.Score.Value, 100 * b.Score.Value, a.Measure("depth"), b.Measure("depth")}
	})}}
}

// distances says of each method how far printed accuracies are above ours on small sets, in standard deviations of a
// division.
func distances(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"method", "mean accuracy, %|printed", "mean accuracy, %|here",
		"printed above ours, standard deviations|mean", "printed above ours, standard deviations|together"},
		Note: "The ten sets of at most 1,000 rows. Together: the mean times √10, standard normal if each printed number is one " +
			"more division. The largest of three draws is 0.85 above their mean on average, of five 1.16."}
	add := func(of table, column, name string) {
		ours, printed := of.ours(r), r.Printed(file(of.number))
		var theirs, own, z []float64
		for _, set := range names(Sets, "small") {
			o, p := ours(set, column), printed.At(set, column).Value
			theirs, own, z = append(theirs, p), append(own, o.Value), append(z, (p-o.Value)/o.StdErr)
		}
		t.Add(name, paper.Decimals(eval.Mean(theirs), 1), paper.Decimals(eval.Mean(own), 1),
			paper.Decimals(eval.Mean(z), 2), paper.Decimals(eval.Mean(z)*math.Sqrt(10), 1))
	}
	for _, k := range rankings {
		add(k.table, k.methods[0], k.methods[0])
	}
	add(relativeBeta, "GQDT", relative)
	add(table{number: "4.1"}, "RF", "RF")
	for _, m := range rankings[0].methods[1:] {
		add(table{number: "3.2"}, m, m)
	}
	return paper.Drawing{Tables: []viz.Table{t}}
}
