package hrf

import (
	"fmt"
	"maps"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// boosters are the printed names of methods of other libraries, by those in the file of their results.
var boosters = paper.Pairs("GB GB XGB XGBoost CAT CatBoost")

// Boosted are these methods on the divisions of table 5. The score is the error.
var Boosted = paper.Experiment{Name: "boosting", File: paper.ClassifiersFile,
	Grids: []paper.Grid{{Problems: Sets, Methods: slices.Sorted(maps.Values(boosters)), Repeats: divisions}},
	Read:  paper.Classified("hrf/", boosters)}

// fewDivisions are how many divisions a set must have for a mean accuracy of boosting.
const fewDivisions = 5

// boosterOfTable5 is a column of table 5 by the method's own library.
func boosterOfTable5(method string) paper.Figure {
	apart := func(r *paper.Results) (more, within []float64) {
		return paper.Apart(boosted(r).Of(method), func(m paper.Mean) paper.Number {
			return r.Printed(table5).At(m.Problem, method).Times(100)
		})
	}
	return paper.Figure{Name: "Table 5, " + method, Shows: "accuracy", Place: table5Place, Paper: protocol, Lacks: lacks,
		Of: []paper.Part{Boosted.By(method)}, Note: "HRF is behind its print, not " + method + " (Table 5, HRF)",
		Claims: []paper.Claim{
			{Says: "share of sets within two standard errors of the printed accuracy: above 0.8", Sign: paper.Above,
				Find: func(r *paper.Results) paper.Finding {
					_, within := apart(r)
					return paper.Beyond(paper.NumberOf(within), 0.8)
				}},
			medianClaim(func(r *paper.Results) []float64 {
				more, _ := apart(r)
				return more
			}),
			{Says: fmt.Sprintf("HRF's accuracy less %s's, points, mean over sets", method), Find: aheadOf(method)}}}
}

// boosted returns the accuracies of boosting in percent, of sets with a few divisions.
func boosted(r *paper.Results) paper.Means {
	records := slices.Clone(r.Records(Boosted.On()))
	for i, record := range records {
		records[i].Score = 100 - 100*record.Score
	}
	return paper.MeansOf(records).Complete(fewDivisions)
}

// aheadOf finds how far HRF is ahead of a boosting method in the divisions that both have, beside the same difference
// in the paper.
func aheadOf(method string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		_, divided := paper.Grouped(r.Records(Boosted.By(method)), func(r paper.Record) string { return r.Problem })
		var ours, theirs []float64
		for _, hrf := range r.Records(Tuned.By("HRF")) {
			var ahead []float64
			for _, record := range divided[hrf.Problem] {
				wrong := hrf.More[fmt.Sprint("wrong", record.Repeat)] / hrf.More["rows"]
				ahead = append(ahead, 100*(record.Score-wrong))
			}
			if len(ahead) >= fewDivisions {
				ours = append(ours, eval.Mean(ahead))
				theirs = append(theirs, published(r, hrf.Problem, method))
			}
		}
		return paper.Paired(ours, theirs)
	}
}
