package godt

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const (
	onTest     = "GODT on test rows"
	thresholds = "GODT supervised"
)

var selection = []paper.Figure{
	besideGODT("Chosen on test rows", "accuracy of GODT with the settings that are best on the test rows",
		"Settings chosen on test rows", &OnTest, onTest,
		table{number: "3.2", methods: map[string][]string{"GODT": {onTest}}}.agrees("GODT")),
	besideGODT("Supervised thresholds", "accuracy of GODT with thresholds searched by impurity",
		"A threshold that looks at the labels", &Trees, thresholds,
		paper.Claim{Says: "accuracy with the mixture's threshold less that by impurity", Sign: paper.Above,
			Find: paper.Less(paper.Series{Part: of(&Trees, "GODT")[0]}, paper.Series{Part: of(&Trees, thresholds)[0]})}),
	{Name: "Printed and ours", Shows: "which methods have higher numbers in the thesis", Ours: true,
		Place: "godt#What came out", Draw: distances},
}

// besideGODT is a method of ours beside GODT in table 3.2, on the sets where it was run.
func besideGODT(name, shows, place string, e *paper.Experiment, method string, claim paper.Claim) paper.Figure {
	draw := func(r *paper.Results) paper.Drawing {
		b := table{number: "3.2", columns: []string{"GODT", method}}.beside(r)
		printed := b.Paper
		b.Paper = func(set, _ string) paper.Number { return printed(set, "GODT") }
		b.Rows = slices.DeleteFunc(slices.Clone(b.Rows), func(set string) bool {
			return math.IsNaN(b.Ours(set, method).Value)
		})
		return paper.Draw(nil, b.Table())
	}
	return paper.Figure{Name: name, Shows: shows, Ours: true, Place: "godt#" + place, Of: of(e, method), Draw: draw,
		Claims: []paper.Claim{claim}}
}

// distances says of each method how far printed accuracies are above ours on small sets, in standard deviations of a
// division.
func distances(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"method", "mean accuracy, %|printed", "mean accuracy, %|here",
		"printed above ours, standard deviations|mean", "printed above ours, standard deviations|together"},
		Note: "The ten sets of at most 1,000 rows. Together: the mean times √10, standard normal if each printed number " +
			"is one more division. The largest of three draws is 0.85 above their mean on average, of five 1.16."}
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
	return paper.Draw(nil, t)
}
