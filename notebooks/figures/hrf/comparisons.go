package hrf

import (
	"cmp"
	"fmt"
	"maps"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Pairs is table 6: the methods of table 5 but HRF, compared with one another on the same divisions.
var Pairs = paper.Experiment{Name: "hrft6", File: "hrf-table6-paper.csv",
	Grids: []paper.Grid{{Problems: Sets, Methods: []string{"table 6"}, X: []int{50}}}}

const pairsPlace = "hrf#Tables 6 and 7: who beats whom"

var pairsHere = paper.Protocol{Repeats: 50, Methods: "4 of 7 methods"}

var comparisons = []paper.Figure{
	{Name: "Table 6", Shows: "sets on which the column's method is more accurate (significantly)", Place: pairsPlace,
		Paper: protocol, Here: pairsHere, Of: []paper.Part{accuracy, Pairs.On()}, Lacks: lacks, Draw: table6,
		Note: "fewer sets than printed, as HRF's lead in table 5 is smaller",
		Claims: []paper.Claim{
			{Says: "share of sets on which HRF is more accurate than RF", Find: share(gained, 48.0/52)},
			{Says: "sets on which HRF is more accurate less sets on which RF is, share", Sign: paper.Above,
				Find: net(gained, 1)},
			{Says: "sets on which HRF is more accurate less sets on which bagging is, share", Sign: paper.Above,
				Find: net(gained, 0)},
			{Says: "sets on which HRF is more accurate less sets on which ET is, share", Sign: paper.Above,
				Find: net(gained, 2)}}},
	{Name: "Table 7", Shows: "dominance: significant wins less losses", Place: pairsPlace, Paper: protocol,
		Here: pairsHere, Of: []paper.Part{accuracy, Pairs.On()}, Lacks: lacks, Draw: table7,
		Note: "as table 6",
		Claims: []paper.Claim{
			{Says: "HRF's dominance among four methods, wins less losses a set", Find: dominance},
			{Says: "HRF's dominance less RF's, a set", Sign: paper.Above, Find: dominates(1)},
			{Says: "HRF's dominance less bagging's, a set", Sign: paper.Above, Find: dominates(0)},
			{Says: "HRF's dominance less ET's, a set", Sign: paper.Above, Find: dominates(2)}}},
}

// net finds the share of sets on which HRF has the better of another method, by number in order, less that on which the
// other has.
func net(by, other int) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		var values []float64
		for _, set := range verdicts(r) {
			values = append(values, float64(cmp.Compare(set[3][other][by], 0)))
		}
		return paper.Found(paper.NumberOf(values))
	}
}

// dominances returns a method's significant wins less losses among the methods here, set by set.
func dominances(r *paper.Results, method int) (all []float64) {
	for _, set := range verdicts(r) {
		sum := 0.0
		for other := range order {
			sum += set[method][other][signedRank]
		}
		all = append(all, sum)
	}
	return all
}

// dominance finds that of HRF, beside the sum of table 6's counts for the same methods.
func dominance(r *paper.Results) paper.Finding {
	printed := 0.0
	for other := range order {
		printed += printedWins[other][3][1] - printedWins[3][other][1]
	}
	return paper.Against(paper.NumberOf(dominances(r, 3)), paper.Exact(printed/52))
}

func dominates(other int) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		d := dominances(r, 3)
		return paper.Found(paper.NumberOf(floats.SubTo(d, d, dominances(r, other))))
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

// versus reads what a run found of two methods, whose errors it compared under a name.
func versus(m paper.Mean, name string) verdict {
	significant := func(p string) float64 {
		if m.Measure(p+"-p."+name) < 0.05 {
			return 1
		}
		return 0
	}
	gain := measured(m, name)
	return verdict{gain, significant("better") - significant("worse"), math.Copysign(significant("t"), gain)}
}

// order is that of the methods in tables 6 and 7.
var order = []string{"bagging", "RF", "ET", "HRF"}

// compared are pairs of methods, by their numbers in order, by the name of what a run found of them.
var compared = map[string][2]int{"rf": {3, 1}, "bagging": {3, 0}, "et": {3, 2}, "rf-bagging": {1, 0}, "rf-et": {1, 2},
	"bagging-et": {0, 2}}

// verdicts returns those of each method (first) on each other one, set by set.
func verdicts(r *paper.Results) (sets [][4][4]verdict) {
	pairs := r.Means(Pairs.On())
	for _, m := range r.Means(accuracy) {
		others := pairs.At(m.Problem, "table 6", m.X)
		if others.More == nil {
			continue
		}
		maps.Copy(m.More, others.More)
		var set [4][4]verdict
		for name, p := range compared {
			v := versus(m, name)
			set[p[0]][p[1]], set[p[1]][p[0]] = v, verdict{-v[0], -v[1], -v[2]}
		}
		sets = append(sets, set)
	}
	return sets
}

// share finds the share of sets on which a number of the verdict on HRF and RF is positive; printed is the paper's.
func share(by int, printed float64) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		var values []float64
		for _, set := range verdicts(r) {
			values = append(values, float64(max(0, cmp.Compare(set[3][1][by], 0))))
		}
		ours := paper.NumberOf(values)
		return paper.Against(ours, paper.Exact(printed))
	}
}

// A wins counts sets: [i][j] are those on which method j is better than method i, and significantly better.
type wins [4][4][2]float64

// printedWins is table 6 for the methods here.
var printedWins = wins{
	{{}, {35, 22}, {32.5, 25}, {45, 40}},
	{{17, 8}, {}, {30, 19}, {48, 43}},
	{{19.5, 12}, {22, 14}, {}, {35, 29}},
	{{7, 4}, {4, 2}, {17, 11}, {}},
}

// count counts as table 6 does: equal accuracies count ½.
func count(sets [][4][4]verdict, test int) (w wins) {
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

func versions(r *paper.Results) []version {
	sets := verdicts(r)
	here := func(name string, test int) version {
		return version{fmt.Sprintf("here, %d sets, %s", len(sets), name), len(sets), count(sets, test)}
	}
	return []version{{"the paper, 52 sets", 52, printedWins}, here("signed-rank test", signedRank),
		here("resampled t-test", resampled)}
}

func table6(r *paper.Results) paper.Drawing {
	g := viz.Grid{Columns: 3, Width: 330, Height: 300}
	for _, v := range versions(r) {
		g.Charts = append(g.Charts, paper.Filled(viz.HeatMap{Title: v.title, X: "better method", Y: "worse method",
			Limit: float64(v.sets), Columns: order, Rows: order}, func(i, j int) (float64, string) {
			if i == j {
				return math.NaN(), ""
			}
			n := v.wins[i][j]
			return n[1], fmt.Sprintf("%g (%g)", n[0], n[1])
		}))
	}
	return paper.Draw(g)
}

func table7(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"method"},
		Note: "Among these four methods. The paper's own table 7 has seven methods: HRF +151 and CatBoost +58."}
	for _, method := range order {
		t.Rows = append(t.Rows, []string{method})
	}
	for _, v := range versions(r) {
		t.Columns = append(t.Columns, v.title+"|wins", v.title+"|losses", v.title+"|dominance")
		for i := range order {
			won, lost := 0.0, 0.0
			for j := range order {
				won, lost = won+v.wins[j][i][1], lost+v.wins[i][j][1]
			}
			t.Rows[i] = append(t.Rows[i], fmt.Sprint(won), fmt.Sprint(lost), paper.Decimals(won-lost, 0))
		}
	}
	return paper.Draw(nil, t)
}
