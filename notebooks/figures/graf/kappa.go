package graf

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Sizes is table C.1: the sizes of the sets. More also has how many principal components of the standardised features
// have 50, 70 and 90 % of their variance ("pc50", …).
var Sizes = paper.Experiment{Name: "grafsets", File: paper.SizesFile,
	Grids: []paper.Grid{{Problems: Sets, Methods: []string{"GRAF"}}}}

// Kappas is table D.1: κ, the mean over four folds of 200 trees tuned within the fold. More has κ by fold ("fold1", …),
// their standard deviation ("sd"), and κ of the setting that is best on the test parts, chosen in hindsight ("best").
var Kappas = paper.Experiment{Name: "grafD1", File: "graf-tableD1-paper.csv",
	Grids: []paper.Grid{{Problems: Sets, Methods: Forests, Seed: 1}}}

// Faults is table D.1 for sets whose published coding is faulty, with a correct one and folds of our own.
var Faults = paper.Experiment{Name: "faultsD1", File: "graf-faults-paper.csv",
	Grids: []paper.Grid{{Problems: faultySets(), Methods: Forests, Seed: 1}}}

// faulty are the small sets of table D.1 whose published coding is faulty, and what the coding does wrong.
var faulty = []struct{ set, fault string }{
	{"congressional-voting", "codes yes and no alike"},
	{"statlog-australian-credit", "takes the applicant's sex as the class"},
	{"spect", "takes a feature as the class"},
	{"pittsburg-bridges-SPAN", "puts rows without a label into class 0"},
	{"pittsburg-bridges-REL-L", "puts rows without a label into class 0"},
	{"pittsburg-bridges-T-OR-D", "puts rows without a label into class 0"},
	{"soybean", "has a phantom row and lacks a class"},
}

func faultySets() (sets []string) {
	for _, f := range faulty {
		sets = append(sets, f.set)
	}
	return sets
}

const (
	tableC1 = "graf/tableC1_datasets.csv"
	tableD1 = "graf/tableD1_kappa_4fold.csv"
)

var (
	sizesPart = paper.Part{Experiment: &Sizes, Methods: []string{"GRAF"}}
	sizes     = paper.SizesTable{Of: sizesPart, File: tableC1, Columns: []paper.Size{
		{Name: "rows", Printed: []string{"n_samples"}}, {Name: "features", Printed: []string{"n_features"}},
		{Name: "classes", Printed: []string{"n_classes"}}, {Name: "pc50", Printed: []string{"pc_50"}},
		{Name: "pc70", Printed: []string{"pc_70"}}, {Name: "pc90", Printed: []string{"pc_90"}}}}
	boosters = []string{"GB", "ADA", "XGB"} // of other libraries
	// ranked are the paper's methods in the order of its ranks.
	ranked = []string{"GRAF", "ET", "OT", "GB", "XGB", "RF", "ADA"}
)

var kappas = slices.Concat([]paper.Figure{
	{Name: "Table C.1", Shows: "sets, and components for 50, 70 and 90 % of the variance", Place: "graf#Table C.1",
		Paper: paper.Protocol{Sets: 115}, Of: []paper.Part{sizesPart}, Lacks: lacks,
		Draw: func(r *paper.Results) paper.Drawing { return paper.Drawing{Tables: []viz.Table{sizes.Table(r)}} },
		Claims: []paper.Claim{{Says: "components for 90 %, mean over sets",
			Find: paper.Series{Part: sizesPart, Measure: paper.More("pc90")}.PrintedSets(tableC1, "pc_90", 1)}}}},
	whole(paper.Figure{Name: "Table D.1", Shows: "κ, mean of four folds", Place: "graf#Table D.1", Lacks: lacks,
		Paper: paper.Protocol{Sets: 115, Trees: 2000}, Here: paper.Protocol{Trees: 200, Tuning: "not the number of trees"},
		Of: []paper.Part{{Experiment: &Kappas}}, Draw: drawTableD1},
		forestOfD1("GRAF", 200), forestOfD1("OT", 100), forestOfD1("ET", 200), forestOfD1("RF", 200),
		boosterOfD1("GB", 19), boosterOfD1("ADA", 19), boosterOfD1("XGB", 70)),
	[]paper.Figure{
		{Name: "Table D.1, in hindsight", Shows: "κ of the setting that is best on the test parts", Ours: true,
			Place: "graf#Table D.1", Of: []paper.Part{{Experiment: &Kappas}}, Draw: drawDifferences},
		{Name: "Figure 11", Shows: "mean ranks, and p-values that the column is better than the row", Place: "graf#Figure 11",
			Paper: paper.Protocol{Sets: 115}, Of: []paper.Part{{Experiment: &Kappas}}, Lacks: lacks,
			Here: paper.Protocol{Methods: "without boosting"}, Draw: drawRanks,
			Claims: []paper.Claim{better("OT"), better("RF")}},
		{Name: "Figure 11, otherwise", Shows: "mean ranks if settings are chosen otherwise", Place: "graf#Figure 11", Ours: true,
			Of: []paper.Part{{Experiment: &Kappas}}, Draw: drawOtherRanks},
		{Name: "Table D.1, faulty codings", Shows: "κ with a faulty coding and with a clean one", Place: "graf#Faulty codings",
			Ours: true, Of: []paper.Part{{Experiment: &Faults}}, Draw: drawFaults},
	})

func forestOfD1(method string, trees int) paper.Figure {
	part := paper.Part{Experiment: &Kappas, Methods: []string{method}}
	return paper.Figure{Name: method, Shows: "κ", Of: []paper.Part{part}, Here: paper.Protocol{Trees: trees,
		Tuning: "not the number of trees"}, Claims: []paper.Claim{
		{Says: "κ, mean over sets", Find: paper.Series{Part: part}.PrintedSets(tableD1, method, 1)}}}
}

// boosterOfD1 is a method of another library, measured on so many sets.
func boosterOfD1(method string, sets int) paper.Figure {
	return paper.Figure{Name: method, Shows: "κ", Of: []paper.Part{}, Files: []string{paper.PredictionsFile},
		Here: paper.Protocol{Sets: sets, Tuning: "a smaller grid"}, Claims: []paper.Claim{
			{Says: "κ, mean over sets", Find: func(r *paper.Results) paper.Finding {
				var ours, theirs []float64
				kappas := boosted(r)[method]
				for _, set := range slices.Sorted(maps.Keys(kappas)) {
					ours, theirs = append(ours, kappas[set]), append(theirs, r.Printed(tableD1).At(set, method).Value)
				}
				return paired(ours, theirs)
			}}}}
}

// boosted returns κ by method and set of the methods of other libraries, where all four folds have been measured.
func boosted(r *paper.Results) map[string]map[string]float64 {
	type of struct{ method, set string }
	_, folds := paper.Grouped(r.Predictions(), func(p paper.Prediction) of { return of{p.Method, p.Set} })
	all := map[string]map[string]float64{}
	for key, predictions := range folds {
		set, ok := strings.CutPrefix(key.set, "fd_")
		if !ok || len(predictions) != 4 {
			continue
		}
		if all[key.method] == nil {
			all[key.method] = map[string]float64{}
		}
		for _, p := range predictions {
			all[key.method][set] += eval.Kappa(p.Labels, p.Truth) / 4
		}
	}
	return all
}

// A kappa returns κ of a method on a set, NaN where there is none.
type kappa func(set, method string) float64

// kappasOf returns κ of our forests, tuned and in hindsight, and the sets on which all four have been measured.
func kappasOf(r *paper.Results) (sets []string, tuned, hindsight, printed kappa) {
	table, means := r.Printed(tableD1), r.Means(paper.Part{Experiment: &Kappas})
	tuned = func(set, method string) float64 { return means.At(set, method, 0).Score.Value }
	hindsight = func(set, method string) float64 { return means.At(set, method, 0).Measure("best") }
	printed = func(set, method string) float64 { return table.At(set, method).Value }
	for _, set := range slices.Sorted(slices.Values(Sets)) {
		if !slices.ContainsFunc(Forests, func(m string) bool { return math.IsNaN(tuned(set, m)) }) {
			sets = append(sets, set)
		}
	}
	return sets, tuned, hindsight, printed
}

// drawTableD1 sets κ side by side, those of boosting where they have been measured.
func drawTableD1(r *paper.Results) paper.Drawing {
	sets, tuned, _, printed := kappasOf(r)
	others := boosted(r)
	unsure := func(v float64) paper.Number { return paper.Number{Value: v, StdErr: math.NaN()} }
	b := paper.Beside{Row: "set", Rows: sets, Columns: slices.Concat(Forests, boosters), Places: 3, Best: floats.Max,
		Paper: func(set, method string) paper.Number { return unsure(printed(set, method)) },
		Ours: func(set, method string) paper.Number {
			if kappa, ok := others[method][set]; ok {
				return unsure(kappa)
			}
			return unsure(tuned(set, method))
		}}
	return paper.Drawing{Chart: b.Distances("κ in the paper", "κ here − paper"), Tables: []viz.Table{b.Table()}}
}

// drawDifferences has means over sets of our κ less the paper's, tuned and in hindsight, by size of the sets.
func drawDifferences(r *paper.Results) paper.Drawing {
	sets, tuned, hindsight, printed := kappasOf(r)
	rows := r.Printed(tableC1)
	t := viz.Table{Title: "κ here less κ in the paper: mean over sets, and mean of absolute values", Columns: []string{"sets",
		"method", "number of sets", "tuned|mean", "tuned|absolute", "in hindsight|mean", "in hindsight|absolute"}}
	for _, size := range []struct {
		name     string
		from, to float64
	}{{"all", 0, 1e9}, {"at least 1000 rows", 1000, 1e9}, {"fewer than 1000 rows", 0, 1000}} {
		for _, method := range Forests {
			var differences [2][]float64
			for _, set := range sets {
				if n := rows.At(set, "n_samples").Value; n < size.from || n >= size.to {
					continue
				}
				for k, ours := range []kappa{tuned, hindsight} {
					differences[k] = append(differences[k], ours(set, method)-printed(set, method))
				}
			}
			row := []string{size.name, method, fmt.Sprint(len(differences[0]))}
			for _, d := range differences {
				row = append(row, paper.NumberOf(d).Text(3), paper.Decimals(floats.Norm(d, 1)/float64(len(d)), 3))
			}
			t.Add(row...)
		}
	}
	return paper.Drawing{Tables: []viz.Table{t}}
}

// scores returns κ of methods by set, as [eval.FriedmanTest] takes them.
func scores(sets, methods []string, of kappa) (all [][]float64) {
	for _, set := range sets {
		var row []float64
		for _, method := range methods {
			row = append(row, of(set, method))
		}
		all = append(all, row)
	}
	return all
}

// better claims that GRAF's κ is significantly above another method's. The p-value is corrected for our comparisons.
func better(than string) paper.Claim {
	return paper.Claim{Says: "p of GRAF's κ being above " + than + "'s: below 0.05", Sign: paper.Below,
		Find: func(r *paper.Results) paper.Finding {
			sets, tuned, _, _ := kappasOf(r)
			if len(sets) == 0 {
				return paper.Finding{Ours: paper.None, Paper: paper.None, Difference: paper.None}
			}
			p := eval.PairwiseWilcoxon(scores(sets, Forests, tuned))[slices.Index(Forests, than)][0]
			return paper.Finding{Ours: paper.Exact(p), Paper: paper.None, Difference: paper.Exact(p - 0.05)}
		}}
}

// drawRanks draws figure 11: the paper's κ of all its methods, and beside ours of four.
func drawRanks(r *paper.Results) paper.Drawing {
	sets, tuned, _, printed := kappasOf(r)
	matrix := func(title string, sets, methods []string, of kappa) viz.Chart {
		all := scores(sets, methods, of)
		return viz.RankMatrix{Title: fmt.Sprintf("%s, %d sets", title, len(sets)), Methods: methods,
			Ranks: eval.FriedmanTest(all).Ranks, P: eval.PairwiseWilcoxon(all)}
	}
	ours := slices.DeleteFunc(slices.Clone(ranked), func(m string) bool { return slices.Contains(boosters, m) })
	return paper.Drawing{Chart: viz.Grid{Columns: 2, Width: 480, Height: 300, Charts: []viz.Chart{
		matrix("the paper", r.Printed(tableD1).Rows, ranked, printed), matrix("here", sets, ours, tuned)}}}
}

// drawOtherRanks has mean ranks of our four methods by how the settings are chosen.
func drawOtherRanks(r *paper.Results) paper.Drawing {
	sets, tuned, hindsight, printed := kappasOf(r)
	t := viz.Table{Columns: slices.Concat([]string{"κ"}, Forests, []string{"Friedman χ²", "p"}),
		Title: fmt.Sprintf("Mean ranks on %d sets, 1 is best", len(sets))}
	for _, of := range []struct {
		name string
		kappa
	}{{"here, tuned", tuned}, {"here, in hindsight", hindsight},
		{"here, GRAF and OT in hindsight", func(set, method string) float64 {
			if method == "GRAF" || method == "OT" {
				return hindsight(set, method)
			}
			return tuned(set, method)
		}}, {"the paper", printed}} {
		f := eval.FriedmanTest(scores(sets, Forests, of.kappa))
		row := []string{of.name}
		for _, rank := range f.Ranks {
			row = append(row, paper.Decimals(rank, 2))
		}
		t.Add(append(row, paper.Decimals(f.Statistic, 2), fmt.Sprintf("%.1g", f.P))...)
	}
	return paper.Drawing{Tables: []viz.Table{t}}
}

// drawFaults has κ with the faulty coding and with a clean one.
func drawFaults(r *paper.Results) paper.Drawing {
	_, tuned, _, printed := kappasOf(r)
	clean := r.Means(paper.Part{Experiment: &Faults})
	t := viz.Table{Columns: append([]string{"set", "the coding …", "κ"}, Forests...)}
	for _, f := range faulty {
		for _, of := range []struct {
			name string
			kappa
		}{{"paper", printed}, {"here, same coding", tuned}, {"here, clean coding", func(set, method string) float64 {
			return clean.At(set, method, 0).Score.Value
		}}} {
			row := []string{f.set, f.fault, of.name}
			for _, method := range Forests {
				row = append(row, paper.Decimals(of.kappa(f.set, method), 3))
			}
			t.Add(row...)
		}
	}
	return paper.Drawing{Tables: []viz.Table{t}}
}
