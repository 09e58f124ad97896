package hrf

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const pairsPlace = "hrf#Tables 6 and 7: who beats whom"

var (
	pairsOfTable = []paper.Part{Tuned.On(), Boosted.On()}
	pairsHere    = paper.Protocol{Repeats: divisions} // of sets that lack some boosting isn't shown
)

var comparisons = []paper.Figure{
	{Name: "Table 6", Shows: "sets on which the column's method is more accurate (significantly)", Place: pairsPlace,
		Paper: protocol, Here: pairsHere, Of: pairsOfTable, Lacks: lacks, Draw: table6,
		Note: "fewer sets than printed, as HRF's lead in table 5 is smaller",
		Claims: []paper.Claim{
			{Says: "share of sets on which HRF is more accurate than RF", Find: shareAhead},
			{Says: "sets on which HRF is more accurate less sets on which RF is, share", Sign: paper.Above,
				Find: net("RF")},
			{Says: "sets on which HRF is more accurate less sets on which bagging is, share", Sign: paper.Above,
				Find: net("bagging")},
			{Says: "sets on which HRF is more accurate less sets on which ET is, share", Sign: paper.Above,
				Find: net("ET")}}},
	{Name: "Table 7", Shows: "dominance: significant wins less losses", Place: pairsPlace, Paper: protocol,
		Here: pairsHere, Of: pairsOfTable, Lacks: lacks, Draw: table7,
		Note: "as table 6",
		Claims: []paper.Claim{
			{Says: "HRF's dominance, wins less losses a set", Find: dominance},
			{Says: "HRF's dominance less RF's, a set", Sign: paper.Above, Find: dominates("RF")},
			{Says: "HRF's dominance less bagging's, a set", Sign: paper.Above, Find: dominates("bagging")},
			{Says: "HRF's dominance less ET's, a set", Sign: paper.Above, Find: dominates("ET")}}},
}

// net finds the share of sets on which HRF is more accurate than another method less that on which the other is.
func net(other string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		var values []float64
		for _, set := range verdicts(r) {
			values = append(values, float64(cmp.Compare(set[hrf][slices.Index(order, other)][gained], 0)))
		}
		return paper.Found(paper.NumberOf(values))
	}
}

// everywhere returns the numbers of the methods that have been compared on all sets.
func everywhere(sets []versus) (methods []int) {
	for m := range order {
		lacking := func(set versus) bool { return m != hrf && math.IsNaN(set[hrf][m][gained]) }
		if !slices.ContainsFunc(sets, lacking) {
			methods = append(methods, m)
		}
	}
	return methods
}

// dominances returns a method's significant wins less losses among the methods that are on all sets, set by set.
func dominances(r *paper.Results, method int) (all []float64) {
	sets := verdicts(r)
	for _, set := range sets {
		sum := 0.0
		for _, other := range everywhere(sets) {
			sum += set[method][other][signedRank]
		}
		all = append(all, sum)
	}
	return all
}

// dominance finds that of HRF, beside the sum of table 6's counts for the same methods.
func dominance(r *paper.Results) paper.Finding {
	printed := 0.0
	for _, other := range everywhere(verdicts(r)) {
		printed += printedWins[other][hrf][1] - printedWins[hrf][other][1]
	}
	return paper.Against(paper.NumberOf(dominances(r, hrf)), paper.Exact(printed/52))
}

func dominates(other string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		d := dominances(r, hrf)
		return paper.Found(paper.NumberOf(floats.SubTo(d, d, dominances(r, slices.Index(order, other)))))
	}
}

// A verdict says how a method did against another one on a set.
type verdict [3]float64

// The numbers of a verdict.
const (
	gained     = iota // mean accuracy less the other's, in points
	signedRank        // by the signed-rank test at 0.05: 1 better, −1 worse, 0 neither
	resampled         // the same by the corrected resampled t-test
)

// verdictOf reads what a run found of two methods, whose errors it compared under a name. The gain is NaN if it hasn't
// compared them.
func verdictOf(m paper.Mean, name string) verdict {
	significant := func(p string) float64 {
		if m.Measure(p+"-p."+name) < 0.05 {
			return 1
		}
		return 0
	}
	gain := measured(m, name)
	return verdict{gain, significant("better") - significant("worse"), math.Copysign(significant("t"), gain)}
}

// order is that of the methods in table 6, and hrf the number of HRF.
var order = []string{"bagging", "RF", "ET", "GB", "XGBoost", "CatBoost", "HRF"}

const hrf = 6

// compared are pairs of methods, by their numbers in order, by the name of what a run found of them.
var compared = pairsOf(order)

// A versus has the verdicts on each method (first) against each other one on a set.
type versus [7][7]verdict

// verdicts returns them set by set.
func verdicts(r *paper.Results) (sets []versus) {
	for _, m := range outcomes(r) {
		var set versus
		for name, p := range compared {
			v := verdictOf(m, name)
			set[p[0]][p[1]], set[p[1]][p[0]] = v, verdict{-v[0], -v[1], -v[2]}
		}
		sets = append(sets, set)
	}
	return sets
}

// shareAhead finds the share of sets on which HRF is more accurate than RF.
func shareAhead(r *paper.Results) paper.Finding {
	var values []float64
	for _, set := range verdicts(r) {
		values = append(values, float64(max(0, cmp.Compare(set[hrf][slices.Index(order, "RF")][gained], 0))))
	}
	return paper.Against(paper.NumberOf(values), paper.Exact(48.0/52))
}

// A wins counts sets: [i][j] are those on which method j is better than method i, and significantly better.
type wins [7][7][2]float64

// printedWins is table 6.
var printedWins = wins{
	{{}, {35, 22}, {32.5, 25}, {26, 21}, {24, 19}, {37, 30}, {45, 40}},
	{{17, 8}, {}, {30, 19}, {24, 17}, {28.5, 23}, {32, 22}, {48, 43}},
	{{19.5, 12}, {22, 14}, {}, {27, 18}, {22, 15}, {30, 21}, {35, 29}},
	{{26, 16}, {28, 16}, {25, 21}, {}, {27, 14}, {33.5, 28}, {37, 29}},
	{{28, 22}, {23.5, 21}, {30, 24}, {25, 20}, {}, {30.5, 26}, {34.5, 30}},
	{{15, 7}, {20, 8}, {22, 19}, {18.5, 11}, {21.5, 11}, {}, {33, 24}},
	{{7, 4}, {4, 2}, {17, 11}, {15, 7}, {17.5, 9}, {19, 11}, {}},
}

// count counts as table 6 does: equal accuracies count ½.
func count(sets []versus, test int) (w wins) {
	for _, set := range sets {
		for i := range order {
			for j := range order {
				v := set[j][i]
				switch {
				case math.Abs(v[gained]) < 1e-7: // differs from 0 by rounding
					w[i][j][0] += 0.5
				case v[gained] > 0:
					w[i][j][0]++
				}
				if v[test] > 0 {
					w[i][j][1]++
				}
			}
		}
	}
	return w
}

// A version is one of tables 6 and 7.
type version struct {
	title string
	sets  int
	wins
}

// versions are the paper's and ours by two tests, and the numbers of the methods that are on all sets.
func versions(r *paper.Results) (methods []int, all []version) {
	sets := verdicts(r)
	here := func(name string, test int) version {
		return version{fmt.Sprintf("here, %d sets, %s", len(sets), name), len(sets), count(sets, test)}
	}
	return everywhere(sets), []version{{"the paper, 52 sets", 52, printedWins}, here("signed-rank test", signedRank),
		here("resampled t-test", resampled)}
}

// named returns the names of methods.
func named(methods []int) (names []string) {
	for _, m := range methods {
		names = append(names, order[m])
	}
	return names
}

func table6(r *paper.Results) paper.Drawing {
	g := viz.Grid{Columns: 3, Width: 330, Height: 300}
	methods, all := versions(r)
	for _, v := range all {
		g.Charts = append(g.Charts, paper.Filled(viz.HeatMap{Title: v.title, X: "better method", Y: "worse method",
			Limit: float64(v.sets), Columns: named(methods), Rows: named(methods)}, func(i, j int) (float64, string) {
			if i == j {
				return math.NaN(), ""
			}
			n := v.wins[methods[i]][methods[j]]
			return n[1], fmt.Sprintf("%g (%g)", n[0], n[1])
		}))
	}
	return paper.Draw(g)
}

func table7(r *paper.Results) paper.Drawing {
	methods, all := versions(r)
	t := viz.Table{Columns: []string{"method"},
		Note: fmt.Sprintf("Among %d methods. In the paper's table 7, of seven, HRF has +151 and CatBoost +58.", len(methods))}
	for _, method := range named(methods) {
		t.Rows = append(t.Rows, []string{method})
	}
	for _, v := range all {
		t.Columns = append(t.Columns, v.title+"|wins", v.title+"|losses", v.title+"|dominance")
		for k, i := range methods {
			won, lost := 0.0, 0.0
			for _, j := range methods {
				won, lost = won+v.wins[j][i][1], lost+v.wins[i][j][1]
			}
			t.Rows[k] = append(t.Rows[k], fmt.Sprint(won), fmt.Sprint(lost), paper.Decimals(won-lost, 0))
		}
	}
	return paper.Draw(nil, t)
}
