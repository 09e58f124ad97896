package hrf

import (
	"fmt"
	"math"
	"strconv"

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
		Claims: []paper.Claim{{Says: "share of sets on which HRF is more accurate than RF",
			Find: share(func(v Verdict) bool { return v.Gain > 0 }, 48.0/52)}}},
	{Name: "Table 7", Shows: "dominance: significant wins less losses", Place: pairsPlace, Paper: protocol, Here: pairsHere,
		Of: []paper.Part{accuracy, Pairs.On()}, Lacks: lacks, Draw: table7,
		Claims: []paper.Claim{{Says: "share of sets on which HRF is significantly more accurate than RF",
			Find: share(func(v Verdict) bool { return v.SignedRank > 0 }, 43.0/52)}}},
}

// A Verdict says how a method did against another one on a set.
type Verdict struct {
	Gain       float64 // mean accuracy less the other's
	SignedRank int     // by the signed-rank test at 0.05: 1 better, −1 worse, 0 neither
	Resampled  int     // the same by the corrected resampled t-test
}

// versus reads what a run found of two methods, whose errors it compared under a name.
func versus(m paper.Mean, name string) Verdict {
	const level = 0.05
	v := Verdict{Gain: 0 - m.Measure("diff."+name)}
	switch {
	case m.Measure("better-p."+name) < level:
		v.SignedRank = 1
	case m.Measure("worse-p."+name) < level:
		v.SignedRank = -1
	}
	if m.Measure("t-p."+name) < level {
		v.Resampled = int(math.Copysign(1, v.Gain))
	}
	return v
}

// verdicts returns those of each ordered pair of methods, set by set.
func verdicts(r *paper.Results) (sets []map[[2]string]Verdict) {
	pairs := r.Means(Pairs.On())
	for _, m := range r.Means(accuracy) {
		other := pairs.At(m.Problem, "table 6", m.X)
		if other.More == nil {
			continue
		}
		set := map[[2]string]Verdict{}
		add := func(method, other string, v Verdict) {
			set[[2]string{method, other}] = v
			set[[2]string{other, method}] = Verdict{-v.Gain, -v.SignedRank, -v.Resampled}
		}
		names := []string{"rf", "bagging", "et"}
		for k, name := range names {
			add("hrf", name, versus(m, name))
			for _, second := range names[k+1:] {
				add(name, second, versus(other, name+"-"+second))
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// share finds the share of sets on which a verdict on HRF and RF is so; printed is the paper's.
func share(so func(v Verdict) bool, printed float64) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		var values []float64
		for _, set := range verdicts(r) {
			one := 0.0
			if so(set[[2]string{"hrf", "rf"}]) {
				one = 1
			}
			values = append(values, one)
		}
		ours := paper.NumberOf(values)
		return paper.Finding{Ours: ours, Paper: paper.Exact(printed), Difference: ours.Minus(paper.Exact(printed))}
	}
}

// order is that of the methods in tables 6 and 7.
var order = []struct{ run, name string }{{"bagging", "bagging"}, {"rf", "RF"}, {"et", "ET"}, {"hrf", "HRF"}}

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
func count(sets []map[[2]string]Verdict, significant func(Verdict) bool) (w wins) {
	for i, loser := range order {
		for j, winner := range order {
			for _, set := range sets {
				v := set[[2]string{winner.run, loser.run}]
				switch {
				case i == j:
				case math.Abs(v.Gain) < 1e-9: // differs from 0 by rounding
					w[i][j][0] += 0.5
				case v.Gain > 0:
					w[i][j][0]++
				}
				if i != j && significant(v) {
					w[i][j][1]++
				}
			}
		}
	}
	return w
}

// A counted is a version of tables 6 and 7.
type counted struct {
	title string
	sets  int
	wins
}

func versions(r *paper.Results) []counted {
	sets := verdicts(r)
	return []counted{
		{"the paper, 52 sets", 52, printedWins},
		{fmt.Sprintf("here, %d sets, signed-rank test", len(sets)), len(sets),
			count(sets, func(v Verdict) bool { return v.SignedRank > 0 })},
		{fmt.Sprintf("here, %d sets, resampled t-test", len(sets)), len(sets),
			count(sets, func(v Verdict) bool { return v.Resampled > 0 })},
	}
}

func table6(r *paper.Results) paper.Drawing {
	g := viz.Grid{Columns: 3, Width: 330, Height: 300}
	for _, v := range versions(r) {
		h := viz.HeatMap{Title: v.title, X: "better method", Y: "worse method", Limit: float64(v.sets)}
		for i, worse := range order {
			h.Columns, h.Rows = append(h.Columns, worse.name), append(h.Rows, worse.name)
			values, texts := make([]float64, len(order)), make([]string, len(order))
			for j, n := range v.wins[i] {
				values[j], texts[j] = n[1], fmt.Sprintf("%g (%g)", n[0], n[1])
			}
			values[i], texts[i] = math.NaN(), ""
			h.Values, h.Text = append(h.Values, values), append(h.Text, texts)
		}
		g.Charts = append(g.Charts, h)
	}
	return paper.Draw(g)
}

func table7(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"method"}, Note: "Among these four methods. The paper's own table 7 has seven methods: " +
		"HRF +151 and CatBoost +58."}
	versions := versions(r)
	for _, v := range versions {
		t.Columns = append(t.Columns, v.title+"|wins", v.title+"|losses", v.title+"|dominance")
	}
	for i, method := range order {
		row := []string{method.name}
		for _, v := range versions {
			won, lost := 0.0, 0.0
			for j := range order {
				won, lost = won+v.wins[j][i][1], lost+v.wins[i][j][1]
			}
			row = append(row, strconv.FormatFloat(won, 'g', -1, 64), strconv.FormatFloat(lost, 'g', -1, 64),
				paper.Decimals(won-lost, 0))
		}
		t.Add(row...)
	}
	return paper.Draw(nil, t)
}
