package godt

import "github.com/obliqua-ml/obliqua/notebooks/figures/paper"

const (
	tunedAt    = "godt#Tables 3.4 and 3.5: what is tuned"
	treesAt    = "Table 3.2: accuracy of trees"
	forestsAt  = "Table 4.1: accuracy of forests"
	quadricsAt = "Tables 5.1 and 5.3: accuracy of quadratic trees and forests"
	fourAt     = "Tables A.5, A.6, A.7 and A.17: precision, recall, F1 and depth of trees"
	threeAt    = "Tables A.10, A.11 and A.12: precision, recall and F1 of forests and quadratic trees"
	slowAt     = "Tables 5.2 and 5.4: seconds to train quadratic trees and forests"
	valuesAt   = "Tables 3.9 and 4.5: mean absolute errors"
	slowAt2    = "Tables 3.10 and 4.6: seconds"

	fewTuned    = "T and β of GORF fixed, RF untuned"
	machine     = "another machine; ours include the choice of settings"
	fewQuadrics = "GQRF without Adult, Letter, Madelon and Usps"
)

var tables = []paper.Figure{
	{Name: "Table 3.4", Shows: "grid of GODT and GQDT", Place: tunedAt, Note: "GQDT also with a relative β"},
	{Name: "Table 3.5", Shows: "settings of CART, OC1, SVM, LDA and QDA", Place: tunedAt,
		Here: paper.Protocol{Tuning: "CART's criterion isn't tuned"},
		Note: "scikit-learn's defaults for LDA and QDA, not MATLAB's"},
	ahead("GODT", "CART", accuracy("Table 3.2, GODT", treesAt, &Trees, "GODT")),
	reduced(0, "the criterion isn't tuned", "", accuracy("Table 3.2, CART", treesAt, &Trees, "CART")),
	peers(accuracy("Table 3.2, SVM, LDA, QDA", treesAt, nil, "SVM", "LDA", "QDA"), 18),
	tenTimes("ten divisions, not ten seeds", accuracy("Table 3.2, OC1", treesAt, &Trees, "OC1")),
	reduced(0, "", "SVM, LDA and QDA once on large sets",
		timed("Table 3.3", "trees", "Table 3.3: seconds to train trees", &Trees, "GODT", "CART", "OC1")),
	reduced(0, "", "SVM once on large sets", timed("Table 3.10", "trees of values", slowAt2, &Values, "GODT", "CART")),
	reduced(200, fewTuned, "",
		timed("Table 4.2", "forests", "Table 4.2: seconds to train forests", &Forests, "GORF", "RF")),
	reduced(200, fewTuned, "", timed("Table 4.6", "forests of values", slowAt2, &Values, "GORF", "RF")),
	timed("Table 5.2", "quadratic trees, where EM ends earlier here", slowAt, &Quadratic, "GQDT"),
	reduced(200, "a relative β of 0.03", fewQuadrics,
		timed("Table 5.4", "quadratic forests, where EM ends earlier here", slowAt, &Quadratic, "GQRF")),
	byMethod("Table 3.9, GODT and CART", "mean absolute error", valuesAt, &Values, "GODT", "CART"),
	peers(byMethod("Tables 3.9 and 4.5, SVM", "mean absolute error", valuesAt, nil, "SVM"), 13),
	ahead("GORF", "RF", reduced(200, "T and β fixed", "", accuracy("Table 4.1, GORF", forestsAt, &Forests, "GORF"))),
	reduced(200, "untuned", "", accuracy("Table 4.1, RF", forestsAt, &Forests, "RF")),
	reduced(200, fewTuned, "", byMethod("Table 4.5", "mean absolute error of forests", valuesAt, &Values, "GORF", "RF")),
	accuracy("Table 5.1", quadricsAt, &Quadratic, "GQDT"),
	{Name: "Table 5.1, relative β", Shows: "accuracy of quadratic trees with another β", Place: "godt#" + quadricsAt,
		Ours: true, Of: of(&Quadratic, relative), Draw: relativeBeta.draw,
		Claims: []paper.Claim{relativeBeta.agrees("GQDT")}},
	reduced(200, "T fixed, β relative, 0.03", fewQuadrics, accuracy("Table 5.3", quadricsAt, &Quadratic, "GQRF")),
	byMethod("Table A.4", "mean squared errors", "Table A.4: mean squared errors", &Values, "GODT", "CART"),
	byMethod("Table A.5", "precision of trees", fourAt, &Trees, "GODT"),
	byMethod("Table A.6", "recall of trees", fourAt, &Trees, "GODT"),
	byMethod("Table A.7", "F1 of trees", fourAt, &Trees, "GODT"),
	reduced(200, fewTuned, fewQuadrics,
		byMethod("Table A.10", "precision of forests and quadratic trees", threeAt, &Forests, "GORF")),
	reduced(200, fewTuned, fewQuadrics,
		byMethod("Table A.11", "recall of forests and quadratic trees", threeAt, &Forests, "GORF")),
	reduced(200, fewTuned, fewQuadrics,
		byMethod("Table A.12", "F1 of forests and quadratic trees", threeAt, &Forests, "GORF")),
	byMethod("Table A.17", "depth of trees", fourAt, &Trees, "GODT"),
}

// relativeBeta is table 5.1 with a β relative to the variances.
var relativeBeta = table{number: "5.1", columns: []string{"GQDT"}, methods: map[string][]string{"GQDT": {relative}}}

// byMethod is a figure of a printed table: some of its columns, which an experiment has, unless it is nil. It claims
// that they are as printed.
func byMethod(name, shows, place string, e *paper.Experiment, columns ...string) paper.Figure {
	t := named(name)
	f := paper.Figure{Name: name, Shows: shows, Place: "godt#" + place, Lacks: lacks, Draw: t.draw,
		Paper: paper.Protocol{Sets: 22, Repeats: 1}}
	switch t.number {
	case "3.9", "3.10", "4.5", "4.6", "A.4":
		f.Paper.Sets, f.Lacks, f.Note = 20, lacksValues, "targets that the thesis doesn't name"
	}
	if e != nil {
		f.Of = of(e, columns...)
	}
	for _, c := range columns {
		f.Claims = append(f.Claims, t.agrees(c))
	}
	return f
}

func accuracy(name, place string, e *paper.Experiment, columns ...string) paper.Figure {
	return byMethod(name, "accuracy", place, e, columns...)
}

// timed is a figure of seconds, which are compared with no claim.
func timed(name, what, place string, e *paper.Experiment, columns ...string) paper.Figure {
	f := tenTimes(machine, byMethod(name, "seconds to train "+what, place, e, columns...))
	t := named(name)
	t.seconds = true
	f.Draw, f.Claims = t.draw, nil
	return f
}

func tenTimes(note string, f paper.Figure) paper.Figure {
	f.Paper.Repeats, f.Note = 10, note
	return f
}

// reduced says what is less than in the thesis.
func reduced(trees int, tuning, methods string, f paper.Figure) paper.Figure {
	f.Here = paper.Protocol{Trees: trees, Tuning: tuning, Methods: methods}
	return f
}

// peers says that the runs are scikit-learn's. Another part of the table draws them.
func peers(f paper.Figure, sets int) paper.Figure {
	f.Here.Sets, f.Files, f.Note, f.Draw = sets, []string{peersFile}, "the textbook's methods, features standardised", nil
	return f
}

// ahead adds the claim that a column is ahead of another one.
func ahead(column, other string, f paper.Figure) paper.Figure {
	f.Claims = append(f.Claims, named(f.Name).leads(paper.Above, column, other))
	return f
}
