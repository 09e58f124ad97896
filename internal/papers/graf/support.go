package graf

import (
	"fmt"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Support is table 2 and figure 14: support vectors of an SVM against rows chosen in other ways. The score is the
// accuracy on the test rows of an SVM trained on the chosen rows, with the settings that were chosen for all training
// rows. Methods are SVM (all rows are chosen), GRAF (the most sensitive rows), SVIS, NPPS, and two that the paper
// doesn't have: GRAF P (rows drawn in proportion to their sensitivity) and random (rows drawn uniformly). All but NPPS
// choose as many rows as there are support vectors.
//
// More has the size of the choice as a percentage of the training rows, of the support vectors for SVM; overlap, the
// percentage of the support vectors that were chosen; and weight, these vectors' percentage of the sum of α. GRAF also
// has quantiles of N·p, p being the probability of eq. 33: all.25 is the first quartile over all rows, sv.25 over the
// support vectors, most.25 over the rows chosen; and sv1 to sv4, the mean of N·p over the quarters of the support
// vectors by ascending α.
var Support = paper.Experiment{Name: "graf-support", File: "graf-support-paper.csv", Grids: []paper.Grid{
	{Problems: supportSets[:8], Methods: supportMethods, Repeats: 5, Order: "prmx"},
	{Problems: supportSets[8:], Methods: supportMethods, Repeats: 2, Order: "prmx"}}}

var (
	// supportSets are the sets of table 2 by size. Those of more than 2500 rows, the last five, are divided twice.
	supportSets = strings.Fields(`synthetic-control hill-valley credit-approval breast-cancer-wisc energy-y2
		statlog-vehicle statlog-german-credit titanic optical abalone pendigits mushroom letter`)
	supportMethods = []string{"SVM", "GRAF", "GRAF P", "SVIS", "NPPS", "random"}
)

const table2 = "graf/table2_support_vectors.csv"

var supportVectors = []paper.Figure{
	{Name: "Figure 14", Shows: "distribution of the rows' probability N·p (eq. 33)", Place: "graf#Figure 14",
		Paper: paper.Protocol{Sets: 13, Repeats: 1}, Of: []paper.Part{Support.By("GRAF")}, Draw: drawSupport,
		Claims: []paper.Claim{{Says: "median N·p, support vectors' less all rows', mean over sets", Sign: paper.Above,
			Find: Support.By("GRAF").Of(func(r paper.Record) float64 { return r.More["sv.50"] - r.More["all.50"] }).Alone}}},
	{Name: "Table 2", Shows: "overlap of the chosen rows with support vectors, and accuracy, %", Place: "graf#Table 2",
		Paper: paper.Protocol{Sets: 13, Repeats: 1}, Of: []paper.Part{Support.On()}, Draw: drawTable2,
		Claims: []paper.Claim{
			{Says: "GRAF's overlap with the support vectors, %, mean over sets",
				Find: Support.By("GRAF").Of(paper.More("overlap")).PrintedSets(table2, "graf_overlap_pct", 1)},
			{Says: "points of accuracy lost with GRAF's choice, mean over sets", Find: lost}},
		Note: "our SVMs have fewer support vectors, so that fewer are chosen by chance, too (Table 2, beyond chance); the " +
			"paper prints no C and γ"},
	{Name: "Table 2, beyond chance", Shows: "overlap less the share of a random choice", Ours: true,
		Place: "graf#Table 2", Of: []paper.Part{Support.By("GRAF")},
		Claims: []paper.Claim{
			{Says: "support vectors, % of the training rows, mean over sets",
				Find: Support.By("SVM").Of(paper.More("size")).PrintedSets(table2, "svs_pct", 1)},
			{Says: "GRAF's overlap less the share of support vectors, points, mean over sets", Find: beyondChance}}},
}

// lost finds the points of accuracy that GRAF's choice loses, beside those that it loses in table 2.
func lost(r *paper.Results) paper.Finding {
	var ours, theirs []float64
	printed, means := r.Printed(table2), r.Means(Support.On())
	for _, set := range supportSets {
		all, some := means.At(set, "SVM", 0).Score.Value, means.At(set, "GRAF", 0).Score.Value
		ours = append(ours, 100*(all-some))
		theirs = append(theirs, printed.At(set, "svm_accuracy_pct").Value-printed.At(set, "graf_accuracy_pct").Value)
	}
	return paper.Paired(ours, theirs)
}

// beyondChance finds by how much the overlap of GRAF's choice is above the share of rows that it takes, which is that
// of support vectors and the overlap of a random choice.
func beyondChance(r *paper.Results) paper.Finding {
	var ours, theirs []float64
	printed := r.Printed(table2)
	for _, m := range r.Means(Support.By("GRAF")) {
		ours = append(ours, m.Measure("overlap")-m.Measure("size"))
		theirs = append(theirs, printed.At(m.Problem, "graf_overlap_pct").Value-printed.At(m.Problem, "svs_pct").Value)
	}
	return paper.Paired(ours, theirs)
}

// loss returns the points of accuracy that are lost if an SVM learns from a method's rows instead of all.
func loss(r *paper.Results, method string) paper.Number {
	percent := func(r paper.Record) float64 { return 100 * r.Score }
	return paper.Less(Support.By("SVM").Of(percent), Support.By(method).Of(percent))(r).Ours
}

// drawTable2 has means over sets, and then overlaps and accuracies beside the paper's.
func drawTable2(r *paper.Results) paper.Drawing {
	means, printed := r.Means(Support.On()), r.Printed(table2)
	t := viz.Table{Title: "Means over 13 sets, %; loss: accuracy by all rows less that by the chosen",
		Columns: []string{"rows chosen by", "size", "overlap", "weight", "loss"}}
	for _, method := range supportMethods[1:] {
		row := []string{method}
		for _, what := range t.Columns[1:4] {
			row = append(row, Support.By(method).Of(paper.More(what)).Mean(r).Text(1))
		}
		t.Add(append(row, loss(r, method).Text(1))...)
	}
	beside := func(what string, ours func(m paper.Mean) paper.Number) viz.Table {
		return paper.Beside{Title: what + ", %", Row: "set", Rows: supportSets, Columns: supportMethods, Places: 1,
			Paper: func(set, method string) paper.Number { return printed.At(set, strings.ToLower(method)+"_"+what+"_pct") },
			Ours:  func(set, method string) paper.Number { return ours(means.At(set, method, 0)) }}.Table()
	}
	return paper.Draw(nil, t,
		beside("overlap", func(m paper.Mean) paper.Number { return paper.Unsure(m.Measure("overlap")) }),
		beside("accuracy", func(m paper.Mean) paper.Number { return m.Score.Times(100) }))
}

// drawSupport draws figure 14. The table has the means of quarters of the support vectors.
func drawSupport(r *paper.Results) paper.Drawing {
	all := viz.SmallMultiples{Columns: 3}
	t := viz.Table{Title: "Mean N·p of the support vectors, by quarters of their weights α",
		Columns: []string{"set", "smallest α", "second", "third", "largest α"}}
	for _, m := range r.Means(Support.By("GRAF")).On(supportSets...) {
		c := viz.Curves{Title: m.Problem, X: "N·p", Y: "rows below, %"}
		for _, group := range [][2]string{{"all", "all rows"}, {"sv", "support vectors"}, {"most", "the most sensitive"}} {
			s := viz.Series{Name: group[1]}
			for percent := 5; percent < 100; percent += 10 {
				s.X = append(s.X, m.Measure(fmt.Sprint(group[0], ".", percent)))
				s.Y = append(s.Y, float64(percent))
			}
			c.Series = append(c.Series, s)
		}
		all.Panels = append(all.Panels, c)
		row := []string{m.Problem}
		for _, quarter := range []string{"sv1", "sv2", "sv3", "sv4"} {
			row = append(row, paper.Decimals(m.Measure(quarter), 2))
		}
		t.Add(row...)
	}
	return paper.Draw(all, t)
}
