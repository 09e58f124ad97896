package sporf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Noise is figure 7: κ on the authors' folds with X columns of standard Gaussian noise behind the features, on twelve
// small sets. κ is that of [eval.ChanceKappa]. Forests have 100 trees, and settings are compared with 50 and without
// d = p²; with 1000 columns RR-RF, whose rotations take p³ steps, has 25 trees and d = ⌊√p⌋.
var Noise = paper.Experiment{Name: "sporf7", File: "sporf-fig7-paper.csv", Grids: []paper.Grid{
	{Problems: strings.Fields(`
		seeds wine glass ecoli ionosphere vertebral_column_task_1 zoo statlog_heart parkinsons image_segmentation
		hepatitis breast_cancer-wisconsin-diag`),
		Methods: five, X: noiseColumns, Repeats: 5, Order: "xpmr"}}}

// WholeNoise is figure 7 as the authors have it: on all sets, whose features are standardised before the noise is
// added, with every [Choice] of their grid.
var WholeNoise = paper.Experiment{Name: "sporf7whole", File: "sporf-fig7-whole-paper.csv", Grids: []paper.Grid{
	{Problems: Sets, Methods: ofFigure7, X: noiseColumns[1:], Repeats: 5, Order: "xpmr"}}}

var (
	five         = []string{"RF", "SPORF", "F-RC", "CCF", "RR-RF"}
	ofFigure7    = []string{"RF", "SPORF", "CCF", "RR-RF"}
	noiseColumns = []int{0, 10, 100, 1000}
)

const (
	at6 = "sporf-forests#Figure 6: which setting without tuning"
	at7 = "sporf-forests#Figure 7: columns of noise"

	choicesOf6  = 25
	byDefault   = 3*5 + 2 // the setting (p, 3/p)
	bestInPaper = 4*5 + 3 // (p², 4/p)
)

var settings = []paper.Figure{
	{Name: "Figure 6", Shows: "median rank of every (d, λ)", Place: at6, Paper: folds, Lacks: lacks,
		Of: []paper.Part{OnSets.By("SPORF")}, Draw: draw6,
		Note: "the authors' public rerun doesn't have (p², 4/p) as the best either",
		Claims: []paper.Claim{{Sign: paper.Below,
			Says: "rank of (p², 4/p), the paper's best, less that of the default (p, 3/p), mean over sets",
			Find: func(r *paper.Results) paper.Finding {
				return paper.Found(paper.NumberOf(difference(ranks(r), bestInPaper, byDefault)))
			}}}},
	{Name: "Figure 7", Shows: "κ with columns of noise", Place: at7, Lacks: lacks, Of: []paper.Part{noise}, Draw: draw7,
		Paper: paper.Protocol{Sets: 105, Repeats: 5, Trees: 500, To: 1000},
		Here: paper.Protocol{Trees: 100, Tuning: "settings compared with 50 trees, without d = p²",
			Methods: "no XGBoost"},
		Claims: []paper.Claim{
			less("κ with 100 columns, RR-RF's less RF's", paper.Below, noise.At(100), "RR-RF", "RF", nil),
			less("κ with 100 columns, RR-RF's less CCF's", paper.Below, noise.At(100), "RR-RF", "CCF", nil),
			less("κ with 100 columns, CCF's less SPORF's", paper.Below, noise.At(100), "CCF", "SPORF", nil),
			{Says: "SPORF ties for the best: κ with 100 columns, RF's less SPORF's, no more than 0",
				Find: func(r *paper.Results) paper.Finding {
					columns := noise.At(100)
					return paper.NoMore(paper.Less(columns.By("RF").Of(nil), columns.By("SPORF").Of(nil))(r).Ours, paper.Exact(0))
				}}}},
}

var noise = Noise.By(ofFigure7...)

// ranks returns the rank of each choice on each set of six features or more: five d, and of each five λ. Choices are
// ranked by error on each fold, 1 for the lowest, ties sharing the mean of their ranks; the ranks are averaged over a
// set's folds. Sets are in alphabetical order.
func ranks(r *paper.Results) (all [][]float64) {
	_, folds := paper.Grouped(r.Records(OnSets.By("SPORF")), func(r paper.Record) string { return r.Problem })
	for _, set := range slices.Sorted(maps.Keys(folds)) {
		mean := make([]float64, choicesOf6)
		for _, record := range folds[set] {
			var errors []float64
			for _, c := range Choices("SPORF", int(record.More["features"])) {
				errors = append(errors, record.More[c.Name("error")])
			}
			if len(errors) == choicesOf6 {
				floats.AddScaled(mean, 1/float64(len(folds[set])), eval.Ranks(errors))
			}
		}
		if mean[0] > 0 {
			all = append(all, mean)
		}
	}
	return all
}

// medians returns the median of each column.
func medians(rows [][]float64) (all []float64) {
	for j := range rows[0] {
		all = append(all, eval.Median(column(rows, j)))
	}
	return all
}

func draw6(r *paper.Results) paper.Drawing {
	var theirs []float64
	for _, m := range r.Points(pointsFile, "6") {
		theirs = append(theirs, m.Score.Value)
	}
	ranks := ranks(r)
	both := viz.Grid{Columns: 2, Charts: []viz.Chart{rankMap("the authors' public rerun, 99 sets", theirs),
		rankMap(fmt.Sprintf("here, %d sets", len(ranks)), medians(ranks))}}
	for _, set := range ranks {
		floats.Scale(-1, set) // Friedman's test is of scores, of which the highest is the best
	}
	f := eval.FriedmanTest(ranks)
	t := viz.Table{Columns: []string{"Friedman's test that all 25 settings are alike", fmt.Sprintf("p = %.2g", f.P)}}
	best := floats.MinIdx(f.Ranks)
	t.Add("lowest mean rank here", fmt.Sprintf("(%s, %d/p)", powers[4-best/5], best%5+1))
	return paper.Draw(both, t)
}

// powers are the rows of figure 6.
var powers = []string{"p²", "p", "p^¾", "p^½", "p^¼"}

// rankMap draws median ranks. Colours say by how much a setting is better or worse than 13, the rank of a setting that
// makes no difference.
func rankMap(title string, ranks []float64) viz.HeatMap {
	return paper.Filled(viz.HeatMap{Title: title, X: "λ", Y: "d", Limit: 8, Rows: powers,
		Columns: []string{"1/p", "2/p", "3/p", "4/p", "5/p"}}, func(i, j int) (float64, string) {
		rank := ranks[5*(4-i)+j]
		return rank - 13, paper.Decimals(rank, 1)
	})
}

// draw7 draws κ and its difference from the random forest's on the same set with the same noise. Means are over the
// sets that all methods have with a number of columns of noise. Numbers of columns that fewer than half of the sets
// have are left out.
func draw7(r *paper.Results) paper.Drawing {
	means := r.Means(noise)
	sets := means.Names(func(m paper.Mean) string { return m.Problem })
	var kappa, lead paper.Means
	for _, x := range noiseColumns {
		kappas := table(func(set, method string) paper.Number { return means.At(set, method, x).Score }).
			rows(sets, ofFigure7...)
		if 2*len(kappas) < len(sets) {
			continue
		}
		for j, method := range ofFigure7 {
			cell := paper.Cell{Method: method, X: x + 1}
			kappa = append(kappa, paper.Mean{Cell: cell, Score: paper.NumberOf(column(kappas, j))})
			lead = append(lead, paper.Mean{Cell: cell, Score: paper.NumberOf(difference(kappas, j, 0))})
		}
	}
	const x = "columns of noise + 1 (logarithmic)"
	a := paper.Curves("κ, mean over sets", x, "κ", kappa, nil)
	b := paper.Curves("κ less RF's on the same set", x, "difference of κ", lead, nil)
	a.LogX, b.LogX = true, true
	return paper.Draw(viz.Grid{Columns: 2, Charts: []viz.Chart{a, b}})
}
