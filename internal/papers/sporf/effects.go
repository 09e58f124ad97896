package sporf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const (
	at5   = "sporf-sets#Figure 5: differences over all sets"
	atAll = "sporf-sets#Other methods on the same sets"
)

var (
	effectMethods = []string{"SPORF", boosted, "RR-RF", "CCF"}
	effectRuns    = []paper.Part{OnSets.On()}
	effectHere    = paper.Protocol{Repeats: 5}
	ranked5       = []string{"RF", "SPORF", boosted, "RR-RF", "CCF"} // of figure 5B
	others        = []string{"SPORF", "RR-RF", "CCF", "GRAF", "OT", "RotF", boosted}
	kinds         = []string{"numeric", "categorical", "all"} // sets of the three rows of figure 5
)

var effects = []paper.Figure{
	{Name: "Figure 5A", Shows: "κ(RF) − κ(A) on each set", Place: at5, Ours: true, Of: effectRuns, Draw: draw5A},
	figure5A("numeric", "sets of numbers only", 0, ahead(paper.Above, "numeric", "SPORF")),
	figure5A("categories", "sets with categories", 0, ahead(paper.Below, "categorical", "RR-RF"),
		ahead(paper.Below, "categorical", "CCF")),
	figure5A("all", "all sets", folds.Sets, ahead(paper.Above, "all", "SPORF")),
	{Name: "Figure 5B", Shows: "ranks and Wilcoxon tests", Place: at5, Paper: folds, Here: effectHere, Of: effectRuns,
		Until: fewerTrees, Fill: setsByMethod, Lacks: lacks, Draw: draw5B,
		Note: "both p are of the sets here; over all sets the printed κ have 0.022, and a p below 0.005 only with folds as " +
			"the units, which aren't independent (Figure 5B, by fold)",
		Claims: []paper.Claim{{Sign: paper.Above, Find: largestP,
			Says: "the largest p of SPORF's κ being above another method's is as small as 0.005 of 105 sets"}}},
	{Name: "Figure 5B, by fold", Shows: "Wilcoxon tests with folds as the units", Place: at5, Ours: true, Of: effectRuns,
		Claims: []paper.Claim{{Sign: paper.Below, Find: largestPByFold,
			Says: "the largest p of SPORF's κ being above another method's, all folds, is below 0.005"}}},
	{Name: "Other methods", Shows: "κ less RF's on each set, points", Place: atAll, Ours: true,
		Of: []paper.Part{Table1.On()}, Draw: drawOthers},
	{Name: "All methods", Shows: "mean ranks of κ and Nemenyi's critical difference", Place: atAll, Ours: true,
		Of: []paper.Part{Table1.On()}, Draw: drawDifference},
}

// figure5A is a part of figure 5A. Sets is how many the paper has, 0 where the runs are those of other sets, too.
func figure5A(kind, shows string, sets int, claims ...paper.Claim) paper.Figure {
	return paper.Figure{Name: "Figure 5A, " + kind, Shows: "differences of κ from RF, " + shows, Place: at5,
		Paper: paper.Protocol{Sets: sets, Repeats: 5, Trees: 500}, Here: effectHere, Of: effectRuns,
		Until: fewerTrees, Fill: setsByMethod, Lacks: lacks, Claims: claims}
}

// A source is a table of κ in percent.
type source struct {
	name string
	table
}

// sources returns the paper's table and ours.
func sources(r *paper.Results) []source {
	return []source{{"the paper", r.Printed(table1).At}, {"here", kappas(r)}}
}

// ofKind returns the sets of a kind.
func ofKind(r *paper.Results, kind string) []string {
	printed := r.Printed(table1)
	return slices.DeleteFunc(slices.Clone(printed.Rows), func(set string) bool {
		return kind != "all" && (kind == "categorical") != (printed.At(set, "p_cat").Value > 0)
	})
}

// ahead claims on which side more sets are: where the method has a higher κ than RF, or a lower one. A few sets on
// which it is far ahead don't decide.
func ahead(sign paper.Sign, kind, method string) paper.Claim {
	return paper.Claim{Says: "share of " + kind + " sets with " + method + " ahead of RF less share behind", Sign: sign,
		Find: func(r *paper.Results) paper.Finding {
			var balances []paper.Number
			for _, from := range sources(r) {
				var signs []float64
				for _, d := range difference(from.rows(ofKind(r, kind), method, "RF"), 0, 1) {
					if math.Abs(d) < 1e-9 {
						d = 0
					}
					signs = append(signs, float64(cmp.Compare(d, 0)))
				}
				balances = append(balances, paper.NumberOf(signs))
			}
			return paper.Finding{Ours: balances[1], Paper: balances[0], Difference: balances[1]}
		}}
}

func draw5A(r *paper.Results) paper.Drawing {
	g := viz.Grid{Columns: 2}
	t := viz.Table{Title: "Mean of κ(RF) − κ(A), points",
		Columns: []string{"sets", "method", "paper|sets", "paper|mean", "here|sets", "here|mean"}}
	for _, kind := range kinds {
		lines := make([][]string, len(effectMethods))
		for _, from := range sources(r) {
			b := viz.Beeswarm{Title: kind + " sets, " + from.name, X: "effect size κ(RF) − κ(A), points",
				Names: effectMethods, Limit: 10}
			for j, method := range effectMethods {
				points := difference(from.rows(ofKind(r, kind), "RF", method), 0, 1)
				b.Values = append(b.Values, points)
				lines[j] = append(lines[j], fmt.Sprint(len(points)), paper.NumberOf(points).Text(2))
			}
			g.Charts = append(g.Charts, b)
		}
		for j, line := range lines {
			t.Add(append([]string{kind, effectMethods[j]}, line...)...)
		}
	}
	return paper.Draw(g, t)
}

// draw5B draws how often each method has each rank, and at the right the p-value of Wilcoxon's one-sided test that
// SPORF's κ is above the method's.
func draw5B(r *paper.Results) paper.Drawing {
	g := viz.Grid{Columns: 2}
	for _, kind := range kinds {
		for _, from := range sources(r) {
			g.Charts = append(g.Charts, rankShares(kind+" sets, "+from.name, from.rows(ofKind(r, kind), ranked5...)))
		}
	}
	return paper.Draw(g)
}

// rankShares is a panel of figure 5B. Ties share the better rank.
func rankShares(title string, kappas [][]float64) viz.HeatMap {
	h := viz.HeatMap{Title: fmt.Sprintf("%s (%d)", title, len(kappas)), X: "rank, and p of SPORF being better",
		Columns: []string{"1", "2", "3", "4", "5", "p"}, Rows: ranked5, Limit: 0.6}
	return paper.Filled(h, func(j, rank int) (float64, string) {
		p := eval.Wilcoxon(column(kappas, 1), column(kappas, j))
		switch {
		case rank == 5 && ranked5[j] == "SPORF":
			return 0, ""
		case rank == 5 && p < 1e-4:
			return 0, "< 10⁻⁴"
		case rank == 5:
			return 0, paper.Significant(p, 1)
		}
		share := 0.0
		for _, row := range kappas {
			if floats.Count(func(v float64) bool { return v > row[j]+1e-9 }, row) == rank {
				share += 1 / float64(len(kappas))
			}
		}
		return share, fmt.Sprintf("%.0f %%", 100*share)
	})
}

// largestP finds the largest p-value of figure 5B over our sets, beside that of the printed κ on the same sets. The
// difference is its normal deviate less that of 0.005, which is smaller by the root of the share of sets that are here.
// Each method has all sets that it and SPORF have.
func largestP(r *paper.Results) paper.Finding {
	f := paper.Finding{Ours: paper.Exact(0), Paper: paper.Exact(0)}
	ours, printed := kappas(r), r.Printed(table1)
	for _, method := range []string{"RF", boosted, "RR-RF", "CCF"} {
		both := slices.DeleteFunc(ofKind(r, "all"), func(set string) bool {
			return len(ours.rows([]string{set}, "SPORF", method)) == 0
		})
		here, theirs := ours.rows(both, "SPORF", method), table(printed.At).rows(both, "SPORF", method)
		p := eval.Wilcoxon(column(here, 0), column(here, 1))
		f.Paper.Value = max(f.Paper.Value, eval.Wilcoxon(column(theirs, 0), column(theirs, 1)))
		if p > f.Ours.Value {
			share := float64(len(here)) / float64(folds.Sets)
			f.Ours.Value = p
			f.Difference = paper.Number{StdErr: 1, Value: distuv.UnitNormal.Quantile(1-p) -
				math.Sqrt(share)*distuv.UnitNormal.Quantile(1-0.005)}
		}
	}
	return f
}

// setsByMethod says how many sets each method has.
func setsByMethod(r *paper.Results, here *paper.Protocol) {
	var counts []string
	ours := kappas(r)
	for _, method := range effectMethods {
		counts = append(counts, fmt.Sprintf("%s on %d sets", method, len(ours.rows(Sets, method))))
	}
	here.Methods = strings.Join(counts, ", ")
}

// largestPByFold is largestP with our folds as the units.
func largestPByFold(r *paper.Results) paper.Finding {
	kappas := map[paper.Run]float64{} // of sets, methods and folds
	for _, record := range asTheAuthors(r) {
		kappas[paper.Run{Problem: record.Problem, Method: record.Method, Repeat: record.Repeat}] = kappa(record)
	}
	largest := 0.0
	for _, method := range []string{"RF", boosted, "RR-RF", "CCF"} {
		var sporf, other []float64
		for _, set := range Sets {
			for fold := range 5 {
				a, known := kappas[paper.Run{Problem: set, Method: "SPORF", Repeat: fold + 1}]
				b, both := kappas[paper.Run{Problem: set, Method: method, Repeat: fold + 1}]
				if known && both {
					sporf, other = append(sporf, a), append(other, b)
				}
			}
		}
		largest = max(largest, eval.Wilcoxon(sporf, other))
	}
	return paper.Beyond(paper.Exact(largest), 0.005)
}

// drawOthers draws the gains over the random forest with our defaults, also of methods that the paper lacks.
func drawOthers(r *paper.Results) paper.Drawing {
	ours := ourKappas(r)
	g := viz.Grid{Columns: 2}
	t := viz.Table{Columns: []string{"sets", "method", "number", "median", "mean", "p|better than RF", "p|worse"},
		Note: "p: one-sided Wilcoxon signed-rank tests."}
	for _, kind := range kinds[:2] {
		b := viz.Beeswarm{Title: kind + " sets", X: "κ − κ of RF, points", Names: others, Limit: 10}
		for _, method := range others {
			pairs := ours.rows(ofKind(r, kind), method, "RF")
			a, rf, points := column(pairs, 0), column(pairs, 1), difference(pairs, 0, 1)
			b.Values = append(b.Values, points)
			t.Add(kind, method, fmt.Sprint(len(points)), paper.Decimals(eval.Median(points), 2),
				paper.NumberOf(points).Text(2), paper.Significant(eval.Wilcoxon(a, rf), 1),
				paper.Significant(eval.Wilcoxon(rf, a), 1))
		}
		g.Charts = append(g.Charts, b)
	}
	return paper.Draw(g, t)
}

// drawDifference draws the mean ranks of all methods on the sets that all have.
func drawDifference(r *paper.Results) paper.Drawing {
	names := append([]string{"RF"}, others...)
	kappas := ourKappas(r).rows(ofKind(r, "all"), names...)
	f, d := eval.FriedmanTest(kappas), eval.Nemenyi(len(names), len(kappas), 0.05)
	return paper.Draw(viz.Grid{Width: 640, Charts: []viz.Chart{viz.CriticalDifference{
		Title: fmt.Sprintf("%d sets, level 5 %%", len(kappas)), Methods: names, Ranks: f.Ranks, Difference: d,
		Groups: eval.Cliques(f.Ranks, d)}}})
}
