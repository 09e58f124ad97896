package godt

import (
	"slices"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// The thesis divides each set once. Here a run is one of many random divisions, of the same sizes, into training,
// validation and test rows; its repeat is the division's number. The score is the accuracy, of values the mean absolute
// error. More has precision, recall and F1 as means over classes, or the mean squared error ("mse"), and the depth.
var (
	// Trees are GODT on the thesis's grid, CART, OC1, and GODT with thresholds searched by impurity.
	Trees = paper.Experiment{Name: "godttrees", File: "godt-trees-paper.csv", Grids: append(
		divided(Sets, 100, 50, 10, "GODT", "CART", thresholds), divided(Sets, 20, 10, 10, "OC1")...)}
	// Forests are GORF and random forests of 200 trees.
	Forests = paper.Experiment{Name: "godtforests", File: "godt-forests-paper.csv",
		Grids: divided(Sets, 50, 10, 2, "GORF", "RF")}
	// Quadratic are GQDT on the thesis's grid, and with β relative to the variances; and GQRF with such a β.
	Quadratic = paper.Experiment{Name: "godtquadratic", File: "godt-quadratic-paper.csv", Grids: slices.Concat(
		divided(Sets, 50, 10, 10, "GQDT"), divided(Sets, 50, 5, 1, relative), divided(Sets, 20, 2, 0, "GQRF"))}
	// Scaled are GQDT and variants on the thesis's grid, with features scaled to [−1, 1] and categories as integer
	// codes, and starts by K-means++.
	Scaled = paper.Experiment{Name: "godtscaled", File: "godt-scaled-paper.csv", Grids: slices.Concat(
		divided(Sets, 50, 10, 10, scaled), divided(five, 50, 10, 10, "GQDT, scaled, diagonal covariance",
			"GQDT, scaled, random start", "GQDT, scaled, K-means++ start", "GQDT, K-means++ start", "GODT, K-means++ start"))}
	// Tuned are the forests on the thesis's whole grid: of 50, 100, 200 or 500 trees, with 1, 5, 10 or 20 as the smallest
	// node or leaf, and of GORF and GQRF δ and β. Categories are integer codes; GQRF has features scaled to [−1, 1].
	Tuned = paper.Experiment{Name: "godttuned", File: "godt-tuned-paper.csv", Grids: slices.Concat(
		divided(Sets, 10, 2, 1, "RF, tuned", "GORF, tuned", tunedGQRF),
		divided(ValueSets, 10, 2, 1, "RF, tuned", "GORF, tuned"))}
	// Fits are ten fits on the first division, with the settings that Trees, Scaled, Tuned or Values record for it:
	// the repeat is only the seed. A variant has the settings of its default. More has "processor", the seconds of the
	// fit on all cores together, without the choice of settings.
	Fits = paper.Experiment{Name: "godtfits", File: "godt-fits-paper.csv", Grids: slices.Concat(
		divided(Sets, 10, 10, 10, "GODT", "CART", "OC1", scaled, "GORF, tuned", "RF, tuned", tunedGQRF),
		divided(ValueSets, 10, 10, 10, "GODT", "CART", "GORF, tuned", "RF, tuned"),
		divided(five, 10, 10, 10, "GODT, full covariance", "GODT, random start", scaled+", diagonal covariance",
			scaled+", K-means++ start", randomForest))}
	// Values are the trees and forests for values.
	Values = paper.Experiment{Name: "godtvalues", File: "godt-values-paper.csv", Grids: append(
		divided(ValueSets, 50, 20, 5, "GODT", "CART"), divided(ValueSets, 20, 5, 1, "GORF", "RF")...)}
	// Variants have other covariances or starts than the thesis's default.
	Variants = paper.Experiment{Name: "godtvariants", File: "godt-variants-paper.csv", Grids: slices.Concat(
		divided(few("Abalone", "Adult", "Satimages", "Wine"), 50, 10, 10, "GODT, full covariance", "GODT, random start"),
		divided(five, 50, 10, 10, "GQDT, diagonal covariance", "GQDT, random start"),
		divided(five, 20, 10, 10, "GORF, random start"))}
	// Madelon are variants of trees (X is 0), and GORF of X trees by the features of a tree.
	Madelon = paper.Experiment{Name: "godtmadelon", File: "godt-madelon-paper.csv", Grids: []paper.Grid{
		{Problems: []string{"Madelon"}, Methods: []string{"shared diagonal", "random start", "shared full"}, Repeats: 20},
		{Problems: []string{"Madelon"}, Methods: []string{"GORF, 22 features", "GORF, 250 features", "GORF, 500 features"},
			X: []int{10, 50, 100, 200, 500, 1000}, Repeats: 3}}}
	// Ensembles are forests of X trees. More has the accuracies of their first trees ("accuracy.10"; [FirstTrees]).
	Ensembles = paper.Experiment{Name: "godtensembles", File: "godt-ensembles-paper.csv", Grids: []paper.Grid{
		{Problems: []string{"Satimages", "Usps", "Madelon"}, Methods: []string{"GORF", "RF"}, X: []int{1000}}}}
	// Times have the seconds of training (the score) on a simulation of ten classes, as rows, features or trees (the
	// method) grow to X. The others stay at 8,000, 16 and 1. The problem is the learner.
	Times = paper.Experiment{Name: "godttime", File: "godt-time-paper.csv", Grids: []paper.Grid{
		{Problems: []string{"GODT", "GQDT", "CART"}, Methods: []string{"rows"}, Repeats: 3,
			X: []int{1000, 2000, 4000, 8000, 16000, 32000, 64000}},
		{Problems: []string{"GODT", "GQDT", "CART"}, Methods: []string{"features"}, Repeats: 3,
			X: []int{4, 8, 16, 32, 64, 128, 256}},
		{Problems: []string{"GORF", "RF", "GQRF"}, Methods: []string{"trees"}, Repeats: 3,
			X: []int{25, 50, 100, 200, 400, 800}}}}
	// MadelonTimes have the processor seconds of training forests of 20 trees on Madelon (the score), as rows or the
	// features of a tree or node grow to X. The others stay at all rows and 22 features. The problem is the learner.
	MadelonTimes = paper.Experiment{Name: "godtmadelontime", File: "godt-madelontime-paper.csv", Grids: []paper.Grid{
		{Problems: []string{"RF", "GORF", "GQRF"}, Methods: []string{"rows"}, Repeats: 3,
			X: []int{125, 250, 500, 1000, 2000}},
		{Problems: []string{"RF", "GORF", "GQRF"}, Methods: []string{"features"}, Repeats: 3,
			X: []int{4, 8, 16, 32, 64, 128, 256, 500}}}}
	// OnTest is GODT with the settings of the grid that are best on the test rows.
	OnTest = paper.Experiment{Name: "godtontest", File: "godt-ontest-paper.csv", Grids: divided(Sets, 10, 0, 0, onTest)}
	// Depths is GODT's depth (the score) with the settings that validation rows choose. More has "shallowest" and
	// "deepest", of trees of the chosen β whose validation error is within a standard error of the lowest.
	Depths = paper.Experiment{Name: "godtdepths", File: "godt-depths-paper.csv", Grids: divided(
		slices.DeleteFunc(slices.Clone(Sets), func(s Set) bool { return s.Name == apart }), 10, 5, 2, "GODT")}
	// Beta is GQDT, fully grown, with a β of 10 to the power of X/1000 times the variances ("relative") or as it is.
	Beta = paper.Experiment{Name: "godtbeta", File: "godt-beta-paper.csv", Grids: withX(
		divided(few("Wine", "Dermatology", "Glass", "Ionosphere", "Segmentation", "Satimages", "Letter"), 20, 5, 5,
			"relative", "absolute"),
		-6000, -5000, -4000, -3000, -2500, -2000, -1500, -1000, -500, 0)}
	// Dividers are ways to divide a node, without tuning, of features as they are (X is 0) and standardised (1).
	Dividers = paper.Experiment{Name: "godtablation", File: "godt-ablation-paper.csv", Grids: withX(
		divided(Sets, 50, 0, 0, "random direction", "first axis", "K-means", "mixture, diagonal", "mixture, full",
			"quadratic, diagonal", "quadratic, full", "first axis, supervised", "K-means, supervised",
			"mixture, supervised"), 0, 1)}
)

// FirstTrees are the numbers of trees of tables A.18 to A.20.
var FirstTrees = []int{10, 25, 50, 100, 200, 300, 500, 800, 1000}

const (
	relative = "GQDT relative β"
	scaled   = "GQDT, scaled"

	tunedGQRF    = "GQRF, scaled, tuned"
	randomForest = "GORF, tuned, random start"
)

// five are the sets of the tables on covariances and starts.
var five = few("Abalone", "Adult", "Madelon", "Satimages", "Wine")

// few returns sets of classes by name.
func few(names ...string) []Set {
	return slices.DeleteFunc(slices.Clone(Sets), func(s Set) bool { return !slices.Contains(names, s.Name) })
}

// withX returns grids with numbers X.
func withX(grids []paper.Grid, xs ...int) []paper.Grid {
	for i := range grids {
		grids[i].X = xs
	}
	return grids
}

// of returns the parts of an experiment that methods are.
func of(e *paper.Experiment, methods ...string) []paper.Part {
	return []paper.Part{{Experiment: e, Methods: methods}}
}
