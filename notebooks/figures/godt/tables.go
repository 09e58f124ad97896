package godt

import (
	"cmp"
	"slices"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

const (
	tunedPlace    = "godt#Tables 3.4 and 3.5: what is tuned"
	treesPlace    = "Table 3.2: accuracy of trees"
	forestsPlace  = "Table 4.1: accuracy of forests"
	quadricsPlace = "Tables 5.1 and 5.3: accuracy of quadratic trees and forests"
	fourAt        = "Tables A.5, A.6, A.7 and A.17: precision, recall, F1 and depth of trees"
	threeAt       = "Tables A.10, A.11 and A.12: precision, recall and F1 of forests and quadratic trees"
	slowAt        = "Tables 5.2 and 5.4: seconds to train quadratic trees and forests"
	valuesPlace   = "Tables 3.9 and 4.5: mean absolute errors"
	valuesTime    = "Tables 3.10 and 4.6: seconds"

	targets     = "targets that the thesis doesn't name"
	machine     = "another machine; ours include the choice of settings"
	fewQuadrics = "GQRF without Adult, Letter, Madelon and Usps"
	largeOnce   = "SVM, LDA and QDA once on large sets"
)

var (
	forestTuning = paper.Protocol{Repeats: 1, Tuning: "number of trees, features, leaf size, δ and β"}
	fixedForests = paper.Protocol{Trees: 200, Tuning: "T and β of GORF fixed, RF untuned"}
	tenTimes     = paper.Protocol{Repeats: 10}
)

// classes returns a figure of the sets of classes, which are divided once if the paper's protocol doesn't say otherwise.
func classes(f paper.Figure) paper.Figure { return ofSet(f, 22, lacks) }

// values returns a figure of the sets of values.
func values(f paper.Figure) paper.Figure { return ofSet(f, 20, lacksValues) }

func ofSet(f paper.Figure, sets int, lacks string) paper.Figure {
	f.Place, f.Lacks = "godt#"+f.Place, lacks
	f.Paper.Sets, f.Paper.Repeats = sets, cmp.Or(f.Paper.Repeats, 1)
	return f
}

// agree claims that columns of a table are as printed.
func agree(number string, columns ...string) (claims []paper.Claim) {
	for _, c := range columns {
		claims = append(claims, table{number: number}.agrees(c))
	}
	return claims
}

var tables = slices.Concat([]paper.Figure{
	{Name: "Table 3.4", Shows: "grid of GODT and GQDT", Place: tunedPlace, Note: "GQDT also with a relative β"},
	{Name: "Table 3.5", Shows: "settings of CART, OC1, SVM, LDA and QDA", Place: tunedPlace,
		Here: paper.Protocol{Tuning: "CART's criterion isn't tuned"},
		Note: "scikit-learn's defaults for LDA and QDA, not MATLAB's"},
	classes(paper.Figure{Name: "Table 3.2, GODT", Shows: "accuracy", Place: treesPlace, Of: of(&Trees, "GODT"),
		Draw:   table{number: "3.2"}.charted("GODT", "CART", "SVM", "LDA", "QDA", "OC1"),
		Claims: append(agree("3.2", "GODT"), table{number: "3.2"}.leads(paper.Above, "GODT", "CART"))}),
	classes(paper.Figure{Name: "Table 3.2, CART", Shows: "accuracy", Place: treesPlace, Of: of(&Trees, "CART"),
		Here: paper.Protocol{Tuning: "the criterion isn't tuned"}, Claims: agree("3.2", "CART")}),
	classes(paper.Figure{Name: "Table 3.2, SVM, LDA, QDA", Shows: "accuracy", Place: treesPlace,
		Here: paper.Protocol{Sets: 18}, Files: []string{peersFile}, Note: "the textbook's methods, features standardised",
		Claims: agree("3.2", "SVM", "LDA", "QDA")}),
	classes(paper.Figure{Name: "Table 3.2, OC1", Shows: "accuracy", Place: treesPlace, Paper: tenTimes,
		Of: of(&Trees, "OC1"), Note: "ten divisions, not ten seeds", Claims: agree("3.2", "OC1")}),
	classes(paper.Figure{Name: "Table 3.3", Shows: "training times of trees", Place: "Table 3.3: seconds to train trees",
		Paper: tenTimes, Here: paper.Protocol{Methods: largeOnce}, Of: of(&Trees, "GODT", "CART", "OC1"), Note: machine,
		Draw: table{number: "3.3", seconds: true}.draw}),
	values(paper.Figure{Name: "Table 3.10", Shows: "training times of trees of values", Place: valuesTime, Paper: tenTimes,
		Here: paper.Protocol{Methods: "SVM once on large sets"}, Of: of(&Values, "GODT", "CART"), Note: machine,
		Draw: table{number: "3.10", seconds: true}.draw}),
	classes(paper.Figure{Name: "Table 4.2", Shows: "training times of forests",
		Place: "Table 4.2: seconds to train forests", Paper: tenTimes, Here: fixedForests,
		Of: of(&Forests, "GORF", "RF"), Note: machine, Draw: table{number: "4.2", seconds: true}.draw}),
	values(paper.Figure{Name: "Table 4.6", Shows: "training times of forests of values", Place: valuesTime, Paper: tenTimes,
		Here: fixedForests, Of: of(&Values, "GORF", "RF"), Note: machine, Draw: table{number: "4.6", seconds: true}.draw}),
	classes(paper.Figure{Name: "Table 5.2", Shows: "training times of quadratic trees", Place: slowAt, Paper: tenTimes,
		Of: of(&Quadratic, "GQDT"), Note: machine + "; EM ends earlier than in GODT", Draw: table{number: "5.2", seconds: true}.draw}),
	classes(paper.Figure{Name: "Table 5.4", Shows: "training times of quadratic forests", Place: slowAt, Paper: tenTimes,
		Here: paper.Protocol{Trees: 200, Tuning: "a relative β of 0.03", Methods: fewQuadrics}, Of: of(&Quadratic, "GQRF"),
		Note: machine + "; EM ends earlier than in GORF", Draw: table{number: "5.4", seconds: true}.draw}),
	values(paper.Figure{Name: "Table 3.9, GODT and CART", Shows: "mean absolute error", Place: valuesPlace,
		Of: of(&Values, "GODT", "CART"), Note: targets, Draw: table{number: "3.9"}.charted("GODT", "CART"),
		Claims: agree("3.9", "GODT", "CART")}),
	values(paper.Figure{Name: "Tables 3.9 and 4.5, SVM", Shows: "mean absolute error", Place: valuesPlace,
		Here: paper.Protocol{Sets: 13}, Files: []string{peersFile}, Note: targets,
		Draw: table{number: "3.9", columns: []string{"SVM"}}.draw, Claims: agree("3.9", "SVM")}),
	classes(paper.Figure{Name: "Table 4.1, GORF", Shows: "accuracy", Place: forestsPlace, Paper: forestTuning,
		Here: paper.Protocol{Trees: 200, Tuning: "T and β fixed"}, Of: of(&Forests, "GORF"),
		Draw:   table{number: "4.1"}.charted("GORF", "RF"),
		Claims: append(agree("4.1", "GORF"), table{number: "4.1"}.leads(paper.Above, "GORF", "RF"))}),
	classes(paper.Figure{Name: "Table 4.1, RF", Shows: "accuracy", Place: forestsPlace,
		Paper: paper.Protocol{Tuning: "number of trees, features and leaf size"},
		Here:  paper.Protocol{Trees: 200, Tuning: "untuned"}, Of: of(&Forests, "RF"), Claims: agree("4.1", "RF")}),
	values(paper.Figure{Name: "Table 4.5", Shows: "mean absolute error of forests", Place: valuesPlace, Paper: forestTuning,
		Here: fixedForests, Of: of(&Values, "GORF", "RF"), Note: targets, Draw: table{number: "4.5"}.charted("GORF", "RF"),
		Claims: agree("4.5", "GORF", "RF")}),
	classes(paper.Figure{Name: "Table 5.1", Shows: "accuracy of quadratic trees", Place: quadricsPlace,
		Of: of(&Quadratic, "GQDT"), Draw: table{number: "5.1"}.charted("GQDT", "GODT"), Claims: agree("5.1", "GQDT")}),
	{Name: "Table 5.1, relative β", Shows: "accuracy of quadratic trees with another β", Place: "godt#" + quadricsPlace,
		Ours: true, Of: of(&Quadratic, relative), Claims: []paper.Claim{relativeBeta.agrees("GQDT")},
		Draw: relativeBeta.charted("GQDT")},
	classes(paper.Figure{Name: "Table 5.3", Shows: "accuracy of quadratic forests", Place: quadricsPlace,
		Paper: forestTuning, Here: paper.Protocol{Trees: 200, Tuning: "T fixed, β relative, 0.03", Methods: fewQuadrics},
		Of: of(&Quadratic, "GQRF"), Draw: table{number: "5.3"}.charted("GQRF", "GORF"), Claims: agree("5.3", "GQRF")}),
	values(paper.Figure{Name: "Table A.4", Shows: "mean squared errors", Place: "Table A.4: mean squared errors",
		Of: of(&Values, "GODT", "CART"), Draw: table{number: "A.4"}.draw, Claims: agree("A.4", "GODT", "CART")}),
}, measures("precision", "A.5", "A.10"), measures("recall", "A.6", "A.11"), measures("F1", "A.7", "A.12"), []paper.Figure{
	classes(paper.Figure{Name: "Table A.17", Shows: "depth of trees", Place: fourAt, Of: of(&Trees, "GODT", "CART"),
		Draw: table{number: "A.17"}.draw, Claims: agree("A.17", "GODT")}),
})

// relativeBeta is table 5.1 with a β relative to the variances.
var relativeBeta = table{number: "5.1", columns: []string{"GQDT"}, methods: map[string]string{"GQDT": relative}}

// measures are the tables of a measure: of trees, and of forests and quadratic trees.
func measures(name, trees, forests string) []paper.Figure {
	return []paper.Figure{
		classes(paper.Figure{Name: "Table " + trees, Shows: name + " of trees", Place: fourAt, Of: of(&Trees, "GODT"),
			Draw: table{number: trees}.draw, Claims: agree(trees, "GODT")}),
		classes(paper.Figure{Name: "Table " + forests, Shows: name + " of forests and quadratic trees", Place: threeAt,
			Paper: forestTuning, Here: paper.Protocol{Trees: 200, Tuning: "T and β of GORF fixed", Methods: fewQuadrics},
			Of: of(&Forests, "GORF", "RF"), Draw: table{number: forests}.draw, Claims: agree(forests, "GORF")}),
	}
}
