package godt

import (
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const (
	onTest     = "GODT on test rows"
	thresholds = "GODT supervised"
)

var selection = []paper.Figure{
	besideGODT("Chosen on test rows", "accuracy of GODT with the settings that are best on the test rows",
		"Settings chosen on test rows", &OnTest, onTest,
		table{number: "3.2", methods: map[string][]string{"GODT": {onTest}}}.agrees("GODT")...),
	besideGODT("Supervised thresholds", "accuracy of GODT with thresholds searched by impurity",
		"A threshold that looks at the labels", &Trees, thresholds,
		paper.Claim{Says: "accuracy with the mixture's threshold less that by impurity", Sign: paper.Above,
			Find: paper.Less(paper.Series{Part: of(&Trees, "GODT")[0]}, paper.Series{Part: of(&Trees, thresholds)[0]})}),
	{Name: "Printed and ours", Shows: "which methods have higher numbers in the thesis", Ours: true,
		Place: "godt#How far printed numbers are from ours", Draw: distances,
		Claims: append(meanDistances(), named("3.2").withinWhere("GODT", "CART"), named("4.1").withinWhere("GORF", "CART"),
			named("4.1").withinWhere("RF", "CART"), named("5.1").withinWhere("GQDT", "CART"),
			named("3.9").withinWhere("GODT", "CART"), named("A.4").withinWhere("GODT", "CART"),
			named("4.5").withinWhere("GORF", "CART"), named("4.5").withinWhere("RF", "CART"))},
	{Name: "Table 3.2, textbook", Shows: "accuracy of SVM, LDA and QDA as textbooks have them, features standardised",
		Place: "godt#How the baselines were run", Ours: true, Files: []string{peersFile}, Draw: textbook.draw,
		Claims: slices.Concat(textbook.agrees("SVM"), textbook.agrees("LDA"), textbook.agrees("QDA"))},
	{Name: "Large leaves", Shows: "accuracy of CART and random forests with leaves of so many rows",
		Place: "godt#How the baselines were run", Ours: true, Files: []string{peersFile}, Draw: largeLeaves},
}

// textbook are the baselines of table 3.2 as scikit-learn has them.
var textbook = table{number: "3.2", columns: []string{"SVM", "LDA", "QDA"}}

// largeLeaves sets trees and forests of large leaves beside the printed ones.
func largeLeaves(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"set", "CART|thesis", "CART|tuned", "CART|10", "CART|20", "RF|thesis", "RF|untuned",
		"RF|5", "RF|20"}, Note: "10 rows and so on: all leaves have at least so many, on the same divisions."}
	trees, forests := table{number: "3.2"}, table{number: "4.1"}
	printed, forest := r.Printed(file("3.2")), r.Printed(file("4.1"))
	tree, wood := trees.ours(r), forests.ours(r)
	for _, s := range Sets {
		row := []string{s.Name, printed.At(s.Name, "CART").Text(1)}
		for _, m := range []string{"CART", "CART, leaves of 10", "CART, leaves of 20"} {
			row = append(row, tree(s.Name, m).Text(1))
		}
		row = append(row, forest.At(s.Name, "RF").Text(1))
		for _, m := range []string{"RF", "RF, leaves of 5", "RF, leaves of 20"} {
			row = append(row, wood(s.Name, m).Text(1))
		}
		t.Add(row...)
	}
	return paper.Draw(nil, t)
}

// besideGODT is a method of ours beside GODT in table 3.2, on the sets where it was run.
func besideGODT(
	name, shows, place string, e *paper.Experiment, method string, claims ...paper.Claim,
) paper.Figure {
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
		Claims: claims}
}

// A compared is a printed column beside a method of ours.
type compared struct {
	table
	column, name string
}

// own are the thesis's methods, and baselines those that it compares them with.
var (
	own = []compared{
		{table{number: "3.2"}, "GODT", "GODT"},
		{table{number: "3.2", methods: map[string][]string{"GODT": {onTest}}}, "GODT", "GODT, chosen on test rows"},
		{table{number: "4.1"}, "GORF", "GORF"},
		{table{number: "4.1", methods: map[string][]string{"GORF": {"GORF, tuned"}}}, "GORF", "GORF, tuned as printed"},
		{table{number: "5.1"}, "GQDT", "GQDT, features as they are"}, {named("5.1"), "GQDT", "GQDT, scaled features"},
		{relativeBeta, "GQDT", relative}, {table{number: "5.3"}, "GQRF", "GQRF, relative β"},
		{table{number: "5.3", methods: map[string][]string{"GQRF": {tunedGQRF}}}, "GQRF", "GQRF, scaled, tuned as printed"},
	}
	baselines = []compared{
		{table{number: "3.2"}, "CART", "CART"}, {table{number: "3.2"}, "OC1", "OC1"}, {table{number: "4.1"}, "RF", "RF"},
		{table{number: "4.1", methods: map[string][]string{"RF": {"RF, tuned"}}}, "RF", "RF, tuned as printed"},
		{named("3.2"), "SVM", "SVM, linear, unscaled"}, {named("3.2"), "LDA", "LDA, diagonal"},
		{named("3.2"), "QDA", "naive Bayes for QDA"},
		{textbook, "SVM", "SVM, textbook"}, {textbook, "LDA", "LDA, textbook"}, {textbook, "QDA", "QDA, textbook"},
	}
)

// mean returns the mean over small and medium sets of how far printed accuracies are above ours, in standard
// deviations. Its standard error counts each printed number as one more division.
func (c compared) mean(r *paper.Results) paper.Number {
	distance := c.distances(r)
	var z []float64
	for _, s := range Sets {
		if d := distance(s.Name, c.column); s.Size != "large" && d == d {
			z = append(z, d)
		}
	}
	if len(z) == 0 {
		return paper.None
	}
	return paper.Number{Value: eval.Mean(z), StdErr: 1 / math.Sqrt(float64(len(z)))}
}

// meanDistances claims of methods that they are printed as we have them.
func meanDistances() (claims []paper.Claim) {
	for _, c := range append(slices.Clone(own), baselines...) {
		claims = append(claims, paper.Claim{Says: c.name + ": printed above ours, standard deviations, mean over sets",
			Find: func(r *paper.Results) paper.Finding { return paper.Found(c.mean(r)) }})
	}
	return claims
}

// distances says of each method how far printed accuracies are above ours on small and medium sets.
func distances(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"method", "sets", "mean accuracy, %|printed", "mean accuracy, %|here",
		"printed above ours, standard deviations|mean", "printed above ours, standard deviations|together"},
		Note: "Sets of up to 10,000 rows that the method was run on. Together: the mean times the root of the sets, " +
			"standard normal if each printed number is one more division. The largest of three draws is 0.85 above their " +
			"mean on average, of five 1.16."}
	for _, c := range append(slices.Clone(own), baselines...) {
		ours, printed, distance := c.ours(r), r.Printed(file(c.number)), c.distances(r)
		var theirs, here []float64
		for _, s := range Sets {
			if d := distance(s.Name, c.column); s.Size != "large" && d == d {
				theirs = append(theirs, printed.At(s.Name, c.column).Value)
				here = append(here, ours(s.Name, c.column).Value)
			}
		}
		z := c.mean(r)
		t.Add(c.name, fmt.Sprint(len(here)), paper.Decimals(eval.Mean(theirs), 1), paper.Decimals(eval.Mean(here), 1),
			paper.Decimals(z.Value, 2), paper.Decimals(z.Value/z.StdErr, 1))
	}
	return paper.Draw(nil, t)
}
