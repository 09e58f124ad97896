package godt

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// A ranking is the comparison of a table's methods that the thesis tests.
type ranking struct {
	table
	methods []string // the first is compared with the others
	equal   []string // those of whom the thesis has a p above 0.05
	p       string   // the table that has the p of Wilcoxon's test
	ranks   string   // the table that has Friedman's mean ranks

	of []paper.Part // the runs
}

var rankings = []ranking{
	{named("3.2"), []string{"GODT", "SVM", "CART", "OC1", "QDA", "LDA"}, nil, "3.6", "3.7",
		of(&Trees, "GODT", "CART", "OC1")},
	{named("4.1"), []string{"GORF", "RF", "GODT", "SVM", "CART"}, []string{"RF"}, "4.3", "4.4",
		append(onSets("GORF, tuned", "RF, tuned"), of(&Trees, "GODT", "CART")...)},
	{named("5.1"), []string{"GQDT", "GODT", "CART"}, []string{"GODT"}, "A.15", "A.16",
		append(of(&Scaled, scaled), of(&Trees, "GODT", "CART")...)},
	{named("5.3"), []string{"GQRF", "GORF", "RF"}, []string{"GORF", "RF"}, "A.15", "A.16",
		onSets(tunedGQRF, "GORF, tuned", "RF, tuned")},
}

var tests = []paper.Figure{
	tested("Table 3.6", wilcoxon), tested("Table 4.3", wilcoxon), tested("Table A.15", wilcoxon),
	tested("Table 3.7", friedman), tested("Table 4.4", friedman), tested("Table A.16", friedman),
}

// onSets returns the part of tuned forests on sets of classes.
func onSets(methods ...string) []paper.Part {
	return []paper.Part{{Experiment: &Tuned, Problems: names(Sets, ""), Methods: methods}}
}

// A test is one of the thesis's two.
type test struct {
	shows, place string
	of           func(k ranking) string // the table that has it
	add          func(k ranking, r *paper.Results, t *viz.Table)
	claims       func(k ranking) []paper.Claim
}

var (
	wilcoxon = test{"p of Wilcoxon's two-sided tests", "Tables 3.6, 4.3 and A.15: Wilcoxon's test",
		func(k ranking) string { return k.p }, ranking.addTests, ranking.tests}
	friedman = test{"Friedman's mean ranks, 1 is best", "Tables 3.7, 4.4 and A.16: Friedman's ranks",
		func(k ranking) string { return k.ranks }, ranking.addRanks, ranking.meanRanks}
)

// tested is a table of tests.
func tested(name string, by test) paper.Figure {
	f := byMethod(name, by.shows, by.place, nil)
	of := slices.DeleteFunc(slices.Clone(rankings), func(k ranking) bool { return by.of(k) != named(name).number })
	switch {
	case len(of) > 1:
		f.Note = rescale + "; " + leaves
	case of[0].number == "4.1":
		f = peersOf(higher+"; "+leaves, f, Sets, "SVM")
		f.Fill = byPeers(of[0].table, Sets, "SVM")
	default:
		f = peersOf(higher+"; SVM, LDA and QDA "+otherly, f, Sets, "SVM", "LDA", "QDA")
		f.Fill = byPeers(of[0].table, Sets, "SVM", "LDA", "QDA")
	}
	for _, k := range of {
		f.Of, f.Claims = append(f.Of, k.of...), append(f.Claims, by.claims(k)...)
	}
	f.Draw = func(r *paper.Results) paper.Drawing {
		t := viz.Table{Columns: []string{"methods", "printed", "from the printed cells", "from our means"}}
		for _, k := range of {
			by.add(k, r, &t)
			cells, means := k.scores(r, k.methods...)
			t.Note += fmt.Sprintf("Table %s: Friedman's p is %s from the cells of %d sets, %s from our means of %d. ",
				k.number, paper.Significant(eval.FriedmanTest(cells).P, 2), len(cells),
				paper.Significant(eval.FriedmanTest(means).P, 2), len(means))
		}
		return paper.Draw(nil, t)
	}
	return f
}

// scores returns the accuracies of methods, a line a set that has all: the printed ones in hundredths, since
// differences of decimals may look like ties where there are none; and ours.
func (k ranking) scores(r *paper.Results, methods ...string) (printed, ours [][]float64) {
	table, means := r.Printed(file(k.number)), k.ours(r)
	for _, set := range table.Rows {
		var p, o []float64
		for _, m := range methods {
			p = append(p, math.Round(100*table.At(set, m).Value))
			o = append(o, means(set, m).Value)
		}
		if !slices.ContainsFunc(p, math.IsNaN) {
			printed = append(printed, p)
		}
		if !slices.ContainsFunc(o, math.IsNaN) {
			ours = append(ours, o)
		}
	}
	return printed, ours
}

func (k ranking) addTests(r *paper.Results, t *viz.Table) {
	text := func(lines [][]float64) string { return paper.Significant(p(lines), 2) }
	for _, m := range k.methods[1:] {
		cells, means := k.scores(r, k.methods[0], m)
		t.Add(k.methods[0]+", "+m, paper.Significant(r.Printed(file(k.p)).At(m, "p").Value, 2), text(cells), text(means))
	}
}

// twoSided returns the p-value of Wilcoxon's two-sided signed-rank test.
func twoSided(a, b []float64) float64 { return min(1, 2*min(eval.Wilcoxon(a, b), eval.Wilcoxon(b, a))) }

func (k ranking) addRanks(r *paper.Results, t *viz.Table) {
	cells, means := k.scores(r, k.methods...)
	for j, m := range k.methods {
		t.Add(m, r.Printed(file(k.ranks)).At(m, "rank").Text(2), paper.Decimals(eval.FriedmanTest(cells).Ranks[j], 2),
			paper.Decimals(eval.FriedmanTest(means).Ranks[j], 2))
	}
}

// tests claims that the thesis's tests come out with ours as they do there: with a p below 0.0455, which is two
// standard deviations, for the first method where the thesis has a small p, and elsewhere with none so small.
func (k ranking) tests() (claims []paper.Claim) {
	for _, m := range k.methods[1:] {
		sign, says := paper.Above, k.methods[0]+" is better than "+m+", p"
		equal := slices.Contains(k.equal, m)
		if equal {
			sign, says = paper.Below, k.methods[0]+" doesn't differ significantly from "+m+", p"
		}
		claims = append(claims, paper.Claim{Says: says, Sign: sign, Find: func(r *paper.Results) paper.Finding {
			_, means := k.scores(r, k.methods[0], m)
			deviate := paper.Number{Value: normal(means), StdErr: 1}
			if equal {
				deviate = paper.Exact(math.Abs(deviate.Value) - 2)
			}
			return paper.Finding{Ours: paper.Exact(p(means)), Paper: r.Printed(file(k.p)).At(m, "p"), Difference: deviate}
		}})
	}
	return claims
}

// p returns the p-value of Wilcoxon's two-sided test of lines with two numbers.
func p(lines [][]float64) float64 {
	a, b := pair(lines)
	return twoSided(a, b)
}

func pair(lines [][]float64) (a, b []float64) {
	for _, line := range lines {
		a, b = append(a, line[0]), append(b, line[1])
	}
	return a, b
}

// normal returns the normal deviate of the same p, above 0 if the first numbers are larger.
func normal(lines [][]float64) float64 {
	a, b := pair(lines)
	size := distuv.UnitNormal.Quantile(1 - twoSided(a, b)/2)
	if eval.Wilcoxon(a, b) > eval.Wilcoxon(b, a) {
		return -size
	}
	return size
}

// meanRanks claims the mean rank of each method on the sets that are printed and here. The printed mean rank is of
// other sets, too, so ours is compared with that of the printed accuracies.
func (k ranking) meanRanks() (claims []paper.Claim) {
	for j, m := range k.methods {
		says := m + "'s mean rank on the sets here"
		claims = append(claims, paper.Claim{Says: says, Find: func(r *paper.Results) paper.Finding {
			table, means := r.Printed(file(k.number)), k.ours(r)
			var ours, theirs []float64
			for _, set := range table.Rows {
				var here, printed []float64
				for _, method := range k.methods {
					here, printed = append(here, means(set, method).Value), append(printed, table.At(set, method).Value)
				}
				if !floats.HasNaN(here) && !floats.HasNaN(printed) {
					ours = append(ours, eval.FriedmanTest([][]float64{here}).Ranks[j])
					theirs = append(theirs, eval.FriedmanTest([][]float64{printed}).Ranks[j])
				}
			}
			return paper.Paired(ours, theirs)
		}})
	}
	return claims
}
