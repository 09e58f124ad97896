package graf

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Sizes is table C.1: the sizes of the sets. More also has how many principal components have 50, 70 and 90 % of the
// variance ("pc50", …): of a random half of the rows with features as they are in the file, which is what the paper
// prints, or, as method GRAF, of all rows with standardised features.
var Sizes = paper.Experiment{Name: "grafsets", File: paper.SizesFile,
	Grids: []paper.Grid{{Problems: Sets, Methods: []string{"GRAF", Halved}}}}

// Halved is the method of [Sizes] that takes half of the rows.
const Halved = "GRAF, half, not scaled"

// Kappas is table D.1: κ, the mean over four folds. More has κ by fold ("fold1", …) and their standard deviation
// ("sd"). Methods that end in [Once] are tuned as in the paper: once, by 5-fold cross-validation on a half of the rows,
// with 100 to 2000 trees. Others are tuned within each fold, with 200 trees, and More also has κ of the setting that is
// best on the test parts, chosen in hindsight ("best").
var Kappas = paper.Experiment{Name: "grafD1", File: "graf-tableD1-paper.csv", Grids: []paper.Grid{
	{Problems: Sets, Methods: Forests, Seed: 1},
	{Problems: Sets, Methods: forestsOnce(), Seed: 1, Order: "pmxr"}}}

// Boosted are the methods of other libraries on the folds of table D.1.
var Boosted = paper.Experiment{Name: "boosting", File: paper.ClassifiersFile,
	Grids: []paper.Grid{{Problems: Sets, Methods: boosters, Repeats: folds}},
	Read:  paper.Classified("fd_", paper.Pairs("GB GB ADA ADA XGB XGB"))}

// folds is the number of the folds of a set.
const folds = 4

// Once ends the names of methods of [Kappas].
const Once = ", tuned once"

// forestsOnce are [Forests] as they are tuned in the paper, whose OT are most probably planes that aren't shared.
func forestsOnce() []string {
	return []string{"GRAF" + Once, unshared + Once, "ET" + Once, "RF" + Once}
}

// once returns the runs of our forests, by their numbers in [Forests], that are tuned once.
func once(forests ...int) (parts []paper.Part) {
	for _, k := range forests {
		parts = append(parts, Kappas.By(forestsOnce()[k]))
	}
	return parts
}

const (
	tableC1 = "graf/tableC1_datasets.csv"
	tableD1 = "graf/tableD1_kappa_4fold.csv"
	untuned = "within folds, but for the number of trees"
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
			{Says: "sets with another number of rows than printed", Find: sizes.Differ(0)},
			{Says: "sets with another number of features than printed", Find: sizes.Differ(1)},
			{Says: "sets with another number of classes than printed", Find: sizes.Differ(2)},
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
		Paper: paper.Protocol{Sets: 115, Trees: 2000}, Of: once(0, 1, 2, 3), Draw: drawTableD1},
		forestOfD1(0, 200), forestOfD1(1, 100), forestOfD1(2, 200), forestOfD1(3, 200),
		boosterOfD1("GB", 200), boosterOfD1("ADA", 500), boosterOfD1("XGB", 500)),
	[]paper.Figure{
		{Name: "Table D.1, by size", Shows: "GRAF's κ here less the paper's, tuned within folds and in hindsight", Ours: true,
			Place: "graf#Table D.1", Of: []paper.Part{Kappas.By(Forests...)}, Draw: drawBySize,
			Claims: []paper.Claim{{Sign: paper.Above, Find: nearHindsight,
				Says: "share of sets whose printed κ is nearer to our best setting in hindsight than to that tuned within " +
					"folds: above 0.5"}}},
		{Name: "Figure 11", Shows: "mean ranks, and p-values that the column is better than the row", Place: "graf#Figure 11",
			Paper: paper.Protocol{Sets: 115}, Of: once(0, 1, 2, 3), Lacks: lacks,
			Here: paper.Protocol{Methods: "boosting over a smaller grid, or without"},
			Until: paper.StandIn{For: once(0, 1, 2, 3), Of: []paper.Part{Kappas.By(Forests...)},
				Here: paper.Protocol{Tuning: untuned, Methods: "without boosting"}},
			Draw: drawRanks, Note: "the paper's ranks come back where GRAF's and OT's settings are chosen in hindsight and " +
				"ET's and RF's are not",
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

// forestOfD1 is a column of table D.1, of a method by its number in [Forests]. On sets whose runs aren't done, forests
// of so many trees that are tuned within folds stand for it.
func forestOfD1(k, trees int) paper.Figure {
	method := Forests[k]
	f := paper.Figure{Name: method, Shows: "κ", Of: once(k),
		Until: paper.StandIn{For: once(k), Of: []paper.Part{Kappas.By(method)},
			Here: paper.Protocol{Trees: trees, Tuning: untuned}},
		Claims: []paper.Claim{{Says: method + "'s κ, mean over sets", Find: printedKappa(method)}}}
	switch method {
	case "OT":
		f.Note = "as the paper's κ of GRAF; its oblique trees aren't ours of ridge fits, but most probably planes that " +
			"aren't shared"
	case "GRAF":
		f.Note = "the paper's κ is that of settings chosen in hindsight, or of a finer grid, on most sets"
	}
	return f
}

// printedKappa finds the mean difference of a method's κ from the paper's, over our sets.
func printedKappa(method string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		var ours, theirs []float64
		for _, m := range tunedMeans(r).Of(method) {
			ours = append(ours, m.Score.Value)
			theirs = append(theirs, r.Printed(tableD1).At(m.Problem, method).Value)
		}
		return paper.Paired(ours, theirs)
	}
}

// tunedMeans returns κ of our forests: of those tuned once on sets where all four are, and of the others elsewhere.
func tunedMeans(r *paper.Results) (means paper.Means) {
	within, tuned := r.Means(Kappas.By(Forests...)), r.Means(Kappas.By(forestsOnce()...))
	for _, set := range Sets {
		of := tuned.On(set).Of(forestsOnce()...)
		if len(of) < len(Forests) {
			means = append(means, within.On(set)...)
			continue
		}
		for k, m := range of {
			m.Method = Forests[k]
			means = append(means, m)
		}
	}
	return means
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

// boosterOfD1 is a method of another library, with at most so many rounds.
func boosterOfD1(method string, rounds int) paper.Figure {
	apart := func(r *paper.Results) (more, within []float64) {
		return paper.Apart(boosted(r).Of(method), func(m paper.Mean) paper.Number {
			return printedFolds(r, m.Problem, method)
		})
	}
	return paper.Figure{Name: method, Shows: "κ", Of: []paper.Part{Boosted.By(method)},
		Here: paper.Protocol{Trees: rounds, Tuning: "a smaller grid"}, Claims: []paper.Claim{
			{Says: method + "'s κ, median absolute distance from the paper's over sets: below 0.02", Sign: paper.Below,
				Find: func(r *paper.Results) paper.Finding {
					more, _ := apart(r)
					for i, d := range more {
						more[i] = math.Abs(d)
					}
					return paper.Beyond(paper.Median(more), 0.02)
				}},
			{Says: method + "'s κ, share of sets within two standard errors over folds: above 0.8", Sign: paper.Above,
				Find: func(r *paper.Results) paper.Finding {
					_, within := apart(r)
					return paper.Beyond(paper.NumberOf(within), 0.8)
				}}}}
}

// printedFolds returns a printed κ with its standard error. The paper prints standard deviations over its four folds.
func printedFolds(r *paper.Results, set, method string) paper.Number {
	return r.Printed(tableD1).At(set, method).MeanOf(folds)
}

// boosted returns κ of the methods of other libraries, where all folds have been measured.
func boosted(r *paper.Results) paper.Means { return r.Means(Boosted.On()).Complete(folds) }

// A kappa returns κ of a method on a set, NaN where there is none.
type kappa func(set, method string) float64

// columns are κ of our forests and of boosting, and the paper's.
type columns struct {
	tuned             kappa // as [tunedMeans] says
	within, hindsight kappa // of forests that are tuned within folds, and of their best settings on the test parts
	printed           kappa

	sets    []string // on which all forests have been measured
	both    []string // of these, those on which they are tuned within folds, too
	methods []string // that have been measured on all sets
}

func columnsOf(r *paper.Results) columns {
	table, means, within := r.Printed(tableD1), append(tunedMeans(r), boosted(r)...), r.Means(Kappas.By(Forests...))
	c := columns{
		tuned:     func(set, method string) float64 { return means.At(set, method, 0).Score.Value },
		within:    func(set, method string) float64 { return within.At(set, method, 0).Score.Value },
		hindsight: func(set, method string) float64 { return within.At(set, method, 0).Measure("best") },
		printed:   func(set, method string) float64 { return table.At(set, method).Value },
	}
	c.sets = c.tuned.whole(slices.Sorted(slices.Values(Sets)), Forests)
	c.both = c.within.whole(c.sets, Forests)
	for _, method := range slices.Concat(Forests, boosters) {
		if len(c.tuned.whole(c.sets, []string{method})) == len(c.sets) {
			c.methods = append(c.methods, method)
		}
	}
	return c
}

// whole returns the sets on which all methods have been measured.
func (of kappa) whole(sets, methods []string) (some []string) {
	for _, set := range sets {
		if !slices.ContainsFunc(methods, func(method string) bool { return math.IsNaN(of(set, method)) }) {
			some = append(some, set)
		}
	}
	return some
}

// drawTableD1 sets κ side by side, those of boosting where they have been measured.
func drawTableD1(r *paper.Results) paper.Drawing {
	c := columnsOf(r)
	b := paper.Beside{Row: "set", Rows: c.sets, Columns: slices.Concat(Forests, boosters), Places: 3, Best: floats.Max,
		Paper: func(set, method string) paper.Number { return paper.Unsure(c.printed(set, method)) },
		Ours:  func(set, method string) paper.Number { return paper.Unsure(c.tuned(set, method)) }}
	return paper.Draw(b.Distances("κ in the paper", "κ here − paper"), b.Table())
}

// drawBySize draws our κ of GRAF, tuned within folds, less the paper's against the number of rows.
func drawBySize(r *paper.Results) paper.Drawing {
	all := columnsOf(r)
	c := viz.Curves{X: "rows", Y: "κ here − paper", LogX: true, Levels: []viz.Level{{Y: 0, Name: "equal"}}}
	for i, of := range []kappa{all.within, all.hindsight} {
		var rows, more []float64
		for _, set := range all.both {
			rows = append(rows, r.Printed(tableC1).At(set, "n_samples").Value)
			more = append(more, of(set, "GRAF")-all.printed(set, "GRAF"))
		}
		c.Series = append(c.Series, viz.Series{Name: []string{"tuned", "in hindsight"}[i], X: rows, Y: more, Points: true})
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
			c := columnsOf(r)
			p := eval.PairwiseWilcoxon(c.tuned.scores(c.sets, c.methods))[slices.Index(c.methods, than)][0]
			return paper.Beyond(paper.Exact(p), 0.05)
		}}
}

// drawRanks draws figure 11: the paper's κ of all its methods, and beside it ours of those on all sets. The table has
// the mean ranks of our forests by how settings are chosen.
func drawRanks(r *paper.Results) paper.Drawing {
	c := columnsOf(r)
	matrix := func(title string, sets, methods []string, of kappa) viz.Chart {
		all := of.scores(sets, methods)
		return viz.RankMatrix{Title: fmt.Sprintf("%s, %d sets", title, len(sets)), Methods: methods,
			Ranks: eval.FriedmanTest(all).Ranks, P: eval.PairwiseWilcoxon(all)}
	}
	t := viz.Table{Columns: append([]string{"κ"}, Forests...), Title: fmt.Sprintf("Mean ranks on %d sets", len(c.both))}
	add := func(name string, of kappa) {
		row := []string{name}
		for _, rank := range eval.FriedmanTest(of.scores(c.both, Forests)).Ranks {
			row = append(row, paper.Decimals(rank, 2))
		}
		t.Add(row...)
	}
	add("the paper", c.printed)
	add("tuned", c.tuned)
	add("tuned within folds", c.within)
	add("in hindsight", c.hindsight)
	add("GRAF and OT in hindsight, ET and RF tuned within folds", func(set, method string) float64 {
		if method == "GRAF" || method == "OT" {
			return c.hindsight(set, method)
		}
		return c.within(set, method)
	})
	return paper.Draw(viz.Grid{Columns: 2, Width: 480, Height: 300, Charts: []viz.Chart{
		matrix("the paper", r.Printed(tableD1).Rows, ranked, c.printed), matrix("here", c.sets, c.methods, c.tuned)}}, t)
}
