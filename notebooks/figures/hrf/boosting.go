package hrf

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

// boosters are the printed names of methods of other libraries, by those of their predictions.
var boosters = paper.Pairs("GB GB XGB XGBoost CAT CatBoost")

// boostedDivisions are how many of a set's divisions boosting is measured on.
const boostedDivisions = 5

// boosterOfTable5 is a column of table 5 by the method's own library, on so many sets.
func boosterOfTable5(method string, sets int, tuning string) paper.Figure {
	f := paper.Figure{Name: "Table 5, " + method, Shows: "accuracy", Place: table5Place, Paper: protocol, Lacks: lacks,
		Files: []string{"classifiers.csv", paper.PredictionsFile},
		Here:  paper.Protocol{Sets: sets, Repeats: boostedDivisions, Tuning: tuning},
		Claims: []paper.Claim{
			{Says: "share of sets within two standard errors of the printed accuracy: above 0.8", Sign: paper.Above,
				Find: func(r *paper.Results) paper.Finding {
					_, within := boostedApart(r, method)
					return paper.Beyond(paper.NumberOf(within), 0.8)
				}},
			medianClaim(func(r *paper.Results) []float64 {
				apart, _ := boostedApart(r, method)
				return apart
			}),
			{Says: fmt.Sprintf("HRF's accuracy less %s's, points, mean over sets", method), Find: aheadOf(method)}}}
	if sets < len(Sets)/2 {
		f.Note = "quick sets alone, which are too few to judge by"
	}
	return f
}

// boosted returns the accuracies of boosting in percent, where all divisions have been measured.
func boosted(r *paper.Results) paper.Means {
	var records []paper.Record
	for _, p := range r.Predictions() {
		if set, ok := strings.CutPrefix(p.Set, "hrf/"); ok {
			records = append(records, paper.Record{Run: paper.Run{Problem: set, Method: boosters[p.Method]},
				Result: paper.Result{Score: 100 - 100*p.Error()}})
		}
	}
	return slices.DeleteFunc(paper.MeansOf(records), func(m paper.Mean) bool { return m.Repeats != boostedDivisions })
}

// boostedApart returns by set our accuracy less the printed one, in points, and 1 where that is within two standard
// errors over divisions or the print's rounding. The paper prints no errors.
func boostedApart(r *paper.Results, method string) (apart, within []float64) {
	for _, m := range boosted(r).Of(method) {
		f := paper.Against(m.Score, r.Printed(table5).At(m.Problem, method).Times(100))
		apart, within = append(apart, f.Difference.Value), append(within, 0)
		if paper.Same.Verdict(f) == paper.Agrees {
			within[len(within)-1] = 1
		}
	}
	return apart, within
}

// aheadOf finds how far HRF is ahead of a boosting method, beside the same difference in the paper.
func aheadOf(method string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		var ours, theirs []float64
		means := r.Means(accuracy)
		for _, m := range boosted(r).Of(method) {
			if hrf := means.On(m.Problem); len(hrf) > 0 {
				ours = append(ours, 100-100*hrf[0].Measure("err.hrf")-m.Score.Value)
				theirs = append(theirs, published(r, m.Problem, method))
			}
		}
		return paper.Finding{Ours: paper.NumberOf(ours), Paper: paper.NumberOf(theirs),
			Difference: paper.NumberOf(floats.SubTo(make([]float64, len(ours)), ours, theirs))}
	}
}
