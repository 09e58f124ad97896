package sporf

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const (
	at5   = "sporf-sets#Figure 5: differences over all sets"
	atAll = "sporf-sets#Other methods on the same sets"
)

var (
	effectMethods = []string{"SPORF", boosted, "RR-RF", "CCF"}
	effectRuns    = []paper.Part{of(&Table1, "", []string{"RF", "SPORF", "RR-RF", "CCF"})}
	effectHere    = paper.Protocol{Repeats: 5, Tuning: "SPORF and RR-RF raced", Methods: "XGBoost on 71 sets"}
	others        = []string{"SPORF", "RR-RF", "CCF", "GRAF", "OT", "RotF", boosted}
)

// kinds are the sets of the three rows of figure 5.
var kinds = []string{"numeric", "categorical", "all"}

var effects = []paper.Figure{
	{Name: "Figure 5A", Shows: "κ(RF) − κ(A) on each set", Place: at5, Ours: true, Of: effectRuns,
		Paper: folds, Here: effectHere, Draw: draw5A},
	figure5A("numeric", "sets of numbers only", ahead(paper.Above, "numeric", "SPORF")),
	figure5A("categories", "sets with categories", ahead(paper.Below, "categorical", "RR-RF"),
		ahead(paper.Below, "categorical", "CCF")),
	figure5A("all", "all sets", ahead(paper.Above, "all", "SPORF")),
	{Name: "Figure 5B", Shows: "ranks and Wilcoxon tests", Place: at5, Paper: folds, Here: effectHere, Of: effectRuns,
		Lacks: lacks, Draw: draw5B, Claims: []paper.Claim{{Sign: paper.Below,
			Says: "the largest p of SPORF's κ being above another method's, all sets, is below 0.005",
			Find: largestP}}},
	{Name: "Other methods", Shows: "κ less RF's on each set, points", Place: atAll, Ours: true,
		Of: []paper.Part{Table1.On()}, Draw: drawOthers},
	{Name: "All methods", Shows: "mean ranks of κ and Nemenyi's critical difference", Place: atAll, Ours: true,
		Of: []paper.Part{Table1.On()}, Draw: drawDifference},
}

func figure5A(kind, shows string, claims ...paper.Claim) paper.Figure {
	p := folds
	if kind != "all" {
		p.Sets = 0 // the runs are those of all sets
	}
	return paper.Figure{Name: "Figure 5A, " + kind, Shows: "differences of κ from RF, " + shows, Place: at5, Paper: p,
		Here: effectHere, Of: effectRuns, Lacks: lacks, Claims: claims}
}

// A source has κ in percent of a set and method, NaN if there is none.
type source func(set, method string) float64

// sources returns the paper's table and ours.
func sources(r *paper.Results) (theirs, ours source) {
	here, printed := kappas(r), r.Printed(table1)
	return func(set, method string) float64 { return printed.At(set, method).Value },
		func(set, method string) float64 { return number(here, set, method).Value }
}

// rows returns the κ of methods on the sets of a kind that have all of them: a row a set.
func rows(r *paper.Results, of source, kind string, methods ...string) (all [][]float64) {
	printed := r.Printed(table1)
	for _, set := range printed.Rows {
		if categories := printed.At(set, "p_cat").Value > 0; kind != "all" && categories != (kind == "categorical") {
			continue
		}
		var row []float64
		for _, method := range methods {
			if v := of(set, method); !math.IsNaN(v) {
				row = append(row, v)
			}
		}
		if len(row) == len(methods) {
			all = append(all, row)
		}
	}
	return all
}

// column returns a column of rows.
func column(rows [][]float64, j int) (x []float64) {
	for _, row := range rows {
		x = append(x, row[j])
	}
	return x
}

// leads returns κ of a method less RF's, on each set of a kind.
func leads(r *paper.Results, of source, kind, method string) (points []float64) {
	for _, row := range rows(r, of, kind, "RF", method) {
		points = append(points, row[1]-row[0])
	}
	return points
}

// ahead claims on which side more sets are: where the method has a higher κ than RF, or a lower one. A few sets on
// which it is far ahead don't decide.
func ahead(sign paper.Sign, kind, method string) paper.Claim {
	balance := func(points []float64) paper.Number {
		for i, v := range points {
			points[i] = math.Copysign(1, v)
			if math.Abs(v) < 1e-9 {
				points[i] = 0
			}
		}
		return paper.NumberOf(points)
	}
	return paper.Claim{Says: "share of " + kind + " sets with " + method + " ahead of RF less share behind", Sign: sign,
		Find: func(r *paper.Results) paper.Finding {
			theirs, ours := sources(r)
			d := balance(leads(r, ours, kind, method))
			return paper.Finding{Ours: d, Paper: balance(leads(r, theirs, kind, method)), Difference: d}
		}}
}

func draw5A(r *paper.Results) paper.Drawing {
	theirs, ours := sources(r)
	g := viz.Grid{Columns: 2}
	t := viz.Table{Title: "Mean of κ(RF) − κ(A), points",
		Columns: []string{"sets", "method", "paper|sets", "paper|mean", "here|sets", "here|mean"}}
	for _, kind := range kinds {
		for _, from := range []struct {
			name string
			source
		}{{"the paper", theirs}, {"here", ours}} {
			b := viz.Beeswarm{Title: kind + " sets, " + from.name, X: "effect size κ(RF) − κ(A), points",
				Names: effectMethods, Limit: 10}
			for _, method := range effectMethods {
				b.Values = append(b.Values, opposite(leads(r, from.source, kind, method)))
			}
			g.Charts = append(g.Charts, b)
		}
		for _, method := range effectMethods {
			paperOnes, own := opposite(leads(r, theirs, kind, method)), opposite(leads(r, ours, kind, method))
			t.Add(kind, method, fmt.Sprint(len(paperOnes)), paper.NumberOf(paperOnes).Text(2), fmt.Sprint(len(own)),
				paper.NumberOf(own).Text(2))
		}
	}
	return paper.Draw(g, t)
}

func opposite(values []float64) []float64 {
	for i := range values {
		values[i] = 0 - values[i]
	}
	return values
}

// ranked5 are the methods of figure 5B.
var ranked5 = []string{"RF", "SPORF", boosted, "RR-RF", "CCF"}

func draw5B(r *paper.Results) paper.Drawing {
	theirs, ours := sources(r)
	g := viz.Grid{Columns: 2}
	for _, kind := range kinds {
		g.Charts = append(g.Charts, rankShares(kind+" sets, the paper", rows(r, theirs, kind, ranked5...)),
			rankShares(kind+" sets, here", rows(r, ours, kind, ranked5...)))
	}
	return paper.Draw(g)
}

// rankShares draws how often each method has each rank, and at the right the p-value of Wilcoxon's one-sided test that
// SPORF's κ is above the method's. Ties share the better rank.
func rankShares(title string, kappas [][]float64) viz.HeatMap {
	h := viz.HeatMap{Title: fmt.Sprintf("%s (%d)", title, len(kappas)), X: "rank, and p of SPORF being better",
		Columns: []string{"1", "2", "3", "4", "5", "p"}, Rows: ranked5, Limit: 0.6}
	for j, method := range ranked5 {
		shares, text := make([]float64, 6), make([]string, 6)
		for _, row := range kappas {
			rank := 0
			for _, v := range row {
				if v > row[j]+1e-9 {
					rank++
				}
			}
			shares[rank] += 1 / float64(len(kappas))
		}
		for k, share := range shares[:5] {
			text[k] = fmt.Sprintf("%.0f %%", 100*share)
		}
		if p := eval.Wilcoxon(column(kappas, 1), column(kappas, j)); method != "SPORF" {
			if text[5] = "< 10⁻⁴"; p >= 1e-4 {
				text[5] = paper.Significant(p, 1)
			}
		}
		h.Values, h.Text = append(h.Values, shares), append(h.Text, text)
	}
	return h
}

// largestP finds the largest p-value of figure 5B over all sets, and by how much it is above 0.005. Each method has all
// sets that it and SPORF have.
func largestP(r *paper.Results) paper.Finding {
	theirs, ours := sources(r)
	largest := func(of source) (p float64) {
		for _, method := range ranked5 {
			if method != "SPORF" {
				pairs := rows(r, of, "all", "SPORF", method)
				p = max(p, eval.Wilcoxon(column(pairs, 0), column(pairs, 1)))
			}
		}
		return p
	}
	p := largest(ours)
	return paper.Finding{Ours: paper.Exact(p), Paper: paper.Exact(largest(theirs)), Difference: paper.Exact(p - 0.005)}
}

// drawOthers draws what methods gain over the random forest, those that the paper lacks included.
func drawOthers(r *paper.Results) paper.Drawing {
	_, ours := sources(r)
	g := viz.Grid{Columns: 2}
	t := viz.Table{Columns: []string{"sets", "method", "number", "median", "mean", "p|better than RF", "p|worse"},
		Note: "p: one-sided Wilcoxon signed-rank tests."}
	for _, kind := range kinds[:2] {
		b := viz.Beeswarm{Title: kind + " sets", X: "κ − κ of RF, points", Names: others, Limit: 10}
		for _, method := range others {
			pairs := rows(r, ours, kind, method, "RF")
			points := leads(r, ours, kind, method)
			b.Values = append(b.Values, points)
			a, rf := column(pairs, 0), column(pairs, 1)
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
	_, ours := sources(r)
	names := append([]string{"RF"}, others...)
	kappas := rows(r, ours, "all", names...)
	f := eval.FriedmanTest(kappas)
	d := eval.Nemenyi(len(names), len(kappas), 0.05)
	chart := viz.CriticalDifference{Title: fmt.Sprintf("%d sets, level 5 %%", len(kappas)), Methods: names,
		Ranks: f.Ranks, Difference: d, Groups: eval.Cliques(f.Ranks, d)}
	return paper.Drawing{Chart: viz.Grid{Width: 640, Charts: []viz.Chart{chart}}}
}
