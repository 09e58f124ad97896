package graf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Sizes is table C.1: the sizes of the sets. More also has how many principal components have 50, 70 and 90 % of the
// variance ("pc50", …): of a random half of the rows with features as they are in the file, which is what the paper
// prints, or, as method GRAF, of all rows with standardised features.
var Sizes = paper.Experiment{Name: "grafsets", File: paper.SizesFile,
	Grids: []paper.Grid{{Problems: Sets, Methods: []string{"GRAF", Halved}}}}

// Halved is the method of [Sizes] that takes half of the rows.
const Halved = "GRAF, half, not scaled"

// Kappas is table D.1: κ, the mean over four folds of 200 trees tuned within the fold. More has κ by fold ("fold1", …),
// their standard deviation ("sd"), and κ of the setting that is best on the test parts, chosen in hindsight ("best").
// Methods that end in [Once] are tuned as in the paper: once, on a half of the rows, with 100 to 2000 trees.
var Kappas = paper.Experiment{Name: "grafD1", File: "graf-tableD1-paper.csv", Grids: []paper.Grid{
	{Problems: Sets, Methods: Forests, Seed: 1},
	{Problems: Sets, Methods: []string{"GRAF" + Once, unshared + Once, "ET" + Once, "RF" + Once}, Seed: 1, Order: "pmxr"}}}

// Once ends the names of methods of [Kappas].
const Once = ", tuned once"

const (
	tableC1 = "graf/tableC1_datasets.csv"
	tableD1 = "graf/tableD1_kappa_4fold.csv"
	untuned = "the number of trees isn't tuned"
)

var (
	sizes = paper.SizesTable{Of: Sizes.By(Halved), File: tableC1, Columns: []paper.Size{
		{Name: "rows", Printed: []string{"n_samples"}}, {Name: "features", Printed: []string{"n_features"}},
		{Name: "classes", Printed: []string{"n_classes"}}, {Name: "pc50", Printed: []string{"pc_50"}},
		{Name: "pc70", Printed: []string{"pc_70"}}, {Name: "pc90", Printed: []string{"pc_90"}}}}
	boosters = []string{"GB", "ADA", "XGB"}                           // of other libraries
	ranked   = []string{"GRAF", "ET", "OT", "GB", "XGB", "RF", "ADA"} // in the order of the paper's ranks
)

var kappas = slices.Concat([]paper.Figure{
	{Name: "Table C.1", Shows: "sets, and components for 50, 70 and 90 % of the variance", Place: "graf#Table C.1",
		Paper: paper.Protocol{Sets: 115}, Of: []paper.Part{sizes.Of}, Lacks: lacks,
		Draw: func(r *paper.Results) paper.Drawing { return paper.Draw(nil, readings(r), sizes.Table(r)) },
		Claims: []paper.Claim{
			{Says: "components for 90 %, mean over sets",
				Find: sizes.Of.Of(paper.More("pc90")).PrintedSets(tableC1, "pc_90", 1)},
			{Says: "distance of the components for 90 % from the print, median over sets",
				Find: func(r *paper.Results) paper.Finding {
					return paper.Found(paper.Exact(eval.Median(distances(r, Halved, "90"))))
				}},
			{Says: "share of sets with at most one component more or less than printed: above 0.9", Sign: paper.Above,
				Find: func(r *paper.Results) paper.Finding {
					return paper.Beyond(shareWithin(distances(r, Halved, "90")), 0.9)
				}},
		}}},
	whole(paper.Figure{Name: "Table D.1", Shows: "κ, mean of four folds", Place: "graf#Table D.1", Lacks: lacks,
		Paper: paper.Protocol{Sets: 115, Trees: 2000}, Here: paper.Protocol{Trees: 200, Tuning: untuned},
		Of: []paper.Part{Kappas.On()}, Draw: drawTableD1},
		forestOfD1("GRAF", 200), forestOfD1("OT", 100), forestOfD1("ET", 200), forestOfD1("RF", 200),
		boosterOfD1("GB", 19), boosterOfD1("ADA", 19), boosterOfD1("XGB", 70)),
	[]paper.Figure{
		{Name: "Table D.1, by size", Shows: "GRAF's κ here less the paper's, tuned and in hindsight", Ours: true,
			Place: "graf#Table D.1", Of: []paper.Part{Kappas.On()}, Draw: drawBySize},
		{Name: "Figure 11", Shows: "mean ranks, and p-values that the column is better than the row", Place: "graf#Figure 11",
			Paper: paper.Protocol{Sets: 115}, Of: []paper.Part{Kappas.On()}, Lacks: lacks,
			Here: paper.Protocol{Methods: "without boosting"}, Draw: drawRanks, Note: "the paper's ranks come back where " +
				"GRAF's and OT's settings are chosen in hindsight and ET's and RF's are not",
			Claims: []paper.Claim{better("OT", paper.Below), better("RF", paper.Below), better("ET", paper.Above)}},
	})

// distances returns by set how far the components for so many percent are from the print.
func distances(r *paper.Results, method, percent string) (all []float64) {
	for _, m := range r.Means(Sizes.By(method)) {
		printed := r.Printed(tableC1).At(m.Problem, "pc_"+percent).Value
		all = append(all, math.Abs(m.Measure("pc"+percent)-printed))
	}
	return all
}

// shareWithin returns the share of distances that are at most 1.
func shareWithin(distances []float64) paper.Number {
	within := make([]float64, len(distances))
	for i, d := range distances {
		if d <= 1 {
			within[i] = 1
		}
	}
	return paper.NumberOf(within)
}

// readings compares both ways to count components with the print.
func readings(r *paper.Results) viz.Table {
	t := viz.Table{Title: "Components: mean distance from the print, and sets that are more than one away",
		Columns: []string{"of", "50 %", "70 %", "90 %", "sets, 90 %"}}
	for i, method := range []string{Halved, "GRAF"} {
		row := []string{[]string{"half of the rows, as they are", "all rows, standardised"}[i]}
		for _, percent := range []string{"50", "70", "90"} {
			row = append(row, paper.NumberOf(distances(r, method, percent)).Text(2))
		}
		of90 := distances(r, method, "90")
		far := float64(len(of90)) * (1 - shareWithin(of90).Value)
		t.Add(append(row, paper.Decimals(far, 0))...)
	}
	return t
}

func forestOfD1(method string, trees int) paper.Figure {
	f := paper.Figure{Name: method, Shows: "κ", Of: []paper.Part{Kappas.By(method)},
		Here: paper.Protocol{Trees: trees, Tuning: untuned}, Claims: []paper.Claim{
			{Says: method + "'s κ, mean over sets", Find: Kappas.By(method).Of(nil).PrintedSets(tableD1, method, 1)},
			{Says: method + "'s κ, tuned once on a half, mean over the smaller sets",
				Find: Kappas.By(cmp.Or(map[string]string{"OT": unshared}[method], method)+Once).Of(nil).PrintedSets(
					tableD1, method, 1)}}}
	switch method {
	case "OT":
		f.Note = "as the paper's κ of GRAF; its oblique trees aren't ours of ridge fits, but most probably planes that " +
			"aren't shared"
	case "GRAF":
		f.Note = "the paper's κ is that of settings chosen in hindsight, or of a finer grid, on most sets"
		f.Claims = append(f.Claims, paper.Claim{Sign: paper.Above, Find: nearHindsight,
			Says: "share of sets whose printed κ is nearer to our best setting in hindsight than to the tuned one: above 0.5"})
	}
	return f
}

// nearHindsight finds on which share of the sets where both differ the paper's κ of GRAF is nearer to ours in hindsight
// than to ours that is tuned.
func nearHindsight(r *paper.Results) paper.Finding {
	var nearer []float64
	for _, m := range r.Means(Kappas.By("GRAF")) {
		printed := r.Printed(tableD1).At(m.Problem, "GRAF").Value
		toTuned, toBest := math.Abs(m.Score.Value-printed), math.Abs(m.Measure("best")-printed)
		if toTuned == toBest {
			continue
		}
		nearer = append(nearer, 0)
		if toBest < toTuned {
			nearer[len(nearer)-1] = 1
		}
	}
	return paper.Beyond(paper.NumberOf(nearer), 0.5)
}

// boosterOfD1 is a method of another library, measured on so many sets.
func boosterOfD1(method string, sets int) paper.Figure {
	return paper.Figure{Name: method, Shows: "κ", Of: []paper.Part{}, Files: []string{paper.PredictionsFile},
		Here: paper.Protocol{Sets: sets, Tuning: "a smaller grid"}, Claims: []paper.Claim{
			{Says: method + "'s κ, median absolute distance from the paper's over sets: below 0.02", Sign: paper.Below,
				Find: func(r *paper.Results) paper.Finding {
					apart, _ := boostedApart(r, method)
					return paper.Beyond(paper.Exact(eval.Median(apart)), 0.02)
				}},
			{Says: method + "'s κ, share of sets within two standard errors over folds: above 0.8", Sign: paper.Above,
				Find: func(r *paper.Results) paper.Finding {
					_, within := boostedApart(r, method)
					return paper.Beyond(paper.NumberOf(within), 0.8)
				}}}}
}

// boostedApart returns by set how far κ is from the paper's, and 1 where that is within two standard errors of both,
// or within the print's rounding. The paper prints standard deviations over its four folds.
func boostedApart(r *paper.Results, method string) (apart, within []float64) {
	printed := r.Printed(tableD1)
	for _, m := range boosted(r).Of(method) {
		theirs := printed.At(m.Problem, method)
		theirs.StdErr = printed.At(m.Problem, method+" ±").Value / 2
		d := m.Score.Minus(theirs)
		apart, within = append(apart, math.Abs(d.Value)), append(within, 0)
		if paper.Same.Verdict(paper.Finding{Difference: d}) == paper.Agrees {
			within[len(within)-1] = 1
		}
	}
	return apart, within
}

// boosted returns κ of the methods of other libraries, where all four folds have been measured.
func boosted(r *paper.Results) (means paper.Means) {
	var folds []paper.Record
	for _, p := range r.Predictions() {
		if set, ok := strings.CutPrefix(p.Set, "fd_"); ok && slices.Contains(boosters, p.Method) {
			folds = append(folds, paper.Record{Run: paper.Run{Problem: set, Method: p.Method},
				Result: paper.Result{Score: eval.Kappa(p.Labels, p.Truth)}})
		}
	}
	return slices.DeleteFunc(paper.MeansOf(folds), func(m paper.Mean) bool { return m.Repeats != 4 })
}

// A kappa returns κ of a method on a set, NaN where there is none.
type kappa func(set, method string) float64

// kappasOf returns κ of our forests, tuned and in hindsight, and the sets on which all four have been measured.
func kappasOf(r *paper.Results) (sets []string, tuned, hindsight, printed kappa) {
	table, means := r.Printed(tableD1), r.Means(Kappas.By(Forests...))
	tuned = func(set, method string) float64 { return means.At(set, method, 0).Score.Value }
	hindsight = func(set, method string) float64 { return means.At(set, method, 0).Measure("best") }
	printed = func(set, method string) float64 { return table.At(set, method).Value }
	sets = slices.DeleteFunc(slices.Sorted(slices.Values(Sets)), func(set string) bool {
		return len(means.On(set)) < len(Forests)
	})
	return sets, tuned, hindsight, printed
}

// drawTableD1 sets κ side by side, those of boosting where they have been measured.
func drawTableD1(r *paper.Results) paper.Drawing {
	sets, _, _, printed := kappasOf(r)
	means := append(boosted(r), r.Means(Kappas.On())...)
	b := paper.Beside{Row: "set", Rows: sets, Columns: slices.Concat(Forests, boosters), Places: 3, Best: floats.Max,
		Paper: func(set, method string) paper.Number { return paper.Unsure(printed(set, method)) },
		Ours:  func(set, method string) paper.Number { return paper.Unsure(means.At(set, method, 0).Score.Value) }}
	return paper.Draw(b.Distances("κ in the paper", "κ here − paper"), b.Table())
}

// drawBySize draws our κ of GRAF less the paper's against the number of rows.
func drawBySize(r *paper.Results) paper.Drawing {
	sets, tuned, hindsight, printed := kappasOf(r)
	c := viz.Curves{X: "rows", Y: "κ here − paper", LogX: true, Levels: []viz.Level{{Y: 0, Name: "equal"}}}
	for i, of := range []kappa{tuned, hindsight} {
		var rows, more []float64
		for _, set := range sets {
			rows = append(rows, r.Printed(tableC1).At(set, "n_samples").Value)
			more = append(more, of(set, "GRAF")-printed(set, "GRAF"))
		}
		c.Series = append(c.Series, paper.Dots([]string{"tuned", "in hindsight"}[i], rows, more))
	}
	return paper.Draw(c)
}

// scores returns κ of methods by set, as [eval.FriedmanTest] takes them.
func (of kappa) scores(sets, methods []string) (all [][]float64) {
	for _, set := range sets {
		var row []float64
		for _, method := range methods {
			row = append(row, of(set, method))
		}
		all = append(all, row)
	}
	return all
}

// better claims that GRAF's κ is significantly above another method's, or that it isn't, if the sign is Above. The
// p-value is corrected for our comparisons.
func better(than string, sign paper.Sign) paper.Claim {
	side := map[paper.Sign]string{paper.Below: "below", paper.Above: "above"}[sign]
	return paper.Claim{Says: "p of GRAF's κ being above " + than + "'s: " + side + " 0.05", Sign: sign,
		Find: func(r *paper.Results) paper.Finding {
			sets, tuned, _, _ := kappasOf(r)
			p := eval.PairwiseWilcoxon(tuned.scores(sets, Forests))[slices.Index(Forests, than)][0]
			return paper.Beyond(paper.Exact(p), 0.05)
		}}
}

// drawRanks draws figure 11: the paper's κ of all its methods, and beside it ours of four. The table has the mean ranks
// of the four by how settings are chosen.
func drawRanks(r *paper.Results) paper.Drawing {
	sets, tuned, hindsight, printed := kappasOf(r)
	matrix := func(title string, sets, methods []string, of kappa) viz.Chart {
		all := of.scores(sets, methods)
		return viz.RankMatrix{Title: fmt.Sprintf("%s, %d sets", title, len(sets)), Methods: methods,
			Ranks: eval.FriedmanTest(all).Ranks, P: eval.PairwiseWilcoxon(all)}
	}
	t := viz.Table{Columns: append([]string{"κ"}, Forests...), Title: fmt.Sprintf("Mean ranks on %d sets", len(sets))}
	add := func(name string, of kappa) {
		row := []string{name}
		for _, rank := range eval.FriedmanTest(of.scores(sets, Forests)).Ranks {
			row = append(row, paper.Decimals(rank, 2))
		}
		t.Add(row...)
	}
	add("the paper", printed)
	add("tuned", tuned)
	add("in hindsight", hindsight)
	add("GRAF and OT in hindsight, ET and RF tuned", func(set, method string) float64 {
		if method == "GRAF" || method == "OT" {
			return hindsight(set, method)
		}
		return tuned(set, method)
	})
	return paper.Draw(viz.Grid{Columns: 2, Width: 480, Height: 300, Charts: []viz.Chart{
		matrix("the paper", r.Printed(tableD1).Rows, ranked, printed), matrix("here", sets, Forests, tuned)}}, t)
}
