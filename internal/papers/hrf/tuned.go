package hrf

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// Tuned is table 5 with forests that are tuned over table 4's grids by 5-fold cross-validation: a run is a method on a
// set that is divided X times into 80 % training and 20 % test rows. The paper doesn't say whether a method is tuned
// once a set or in each division. Here it is tuned once, on the training rows of the first division, and the setting is
// used in all. So rows that are tested later have been seen in tuning. The score is the mean error. More has the number
// of test rows of a division ("rows"), and how many are labelled wrongly in each ("wrong1", "wrong2", …).
var Tuned = paper.Experiment{Name: "hrft5cv", File: "hrf-table5-cv-paper.csv", Grids: []paper.Grid{
	{Problems: Sets, Methods: forests, X: []int{divisions}, Order: "mpxr"}}}

// divisions is how often the paper divides a set.
const divisions = 50

// forests are the methods that are trained here, HRF first, since its runs take longest.
var forests = []string{"HRF", "RF", "bagging", "ET"}

// Accuracy is table 5 with forests that are tuned out of bag in each division, over smaller grids. A run divides a set
// X times as [Tuned] does. The score is HRF's mean error. More has all mean errors ("err.rf", …), and of HRF beside
// each other method what [compare] finds. Tae is also done with categories that are encoded before the divisions, from
// all rows.
var Accuracy = paper.Experiment{Name: "hrft5", File: "hrf-table5-paper.csv", Grids: []paper.Grid{
	{Problems: Sets, Methods: []string{"table 5"}, X: []int{50}},
	{Problems: []string{"tae"}, Methods: []string{"encoded before"}, X: []int{50}}}}

// compare compares the numbers a and b of rows that two methods label wrongly in the same divisions. It sets the mean
// of a − b ("diff.name"), the p-values of a being less and greater by the signed-rank test ("better-p.name",
// "worse-p.name"), and the two-sided one of the corrected resampled t-test of Nadeau and Bengio (Machine Learning 52,
// 2003), which allows for the divisions' overlap ("t-p.name"). It may have error rates instead of numbers.
func compare(more map[string]float64, name string, a, b []float64) {
	const testToTrain = 0.25 // 20 % to 80 % of the rows
	more["better-p."+name] = eval.Wilcoxon(b, a)
	more["worse-p."+name] = eval.Wilcoxon(a, b)
	resampled := eval.ResampledTTest(a, b, testToTrain)
	more["diff."+name], more["t-p."+name] = resampled.Difference, resampled.P
}

// outcomes returns by set what [Accuracy] says of it in More, of the runs of [Tuned], with boosting where all divisions
// have been measured.
func outcomes(r *paper.Results) (means paper.Means) {
	boosting, tuned := r.Records(Boosted.On()), r.Records(Tuned.On())
	for _, set := range Sets {
		if wrong, rows := wrongRows(set, tuned, boosting); wrong != nil {
			means = append(means, paper.Mean{Cell: paper.Cell{Problem: set, Method: "table 5", X: divisions},
				More: compareAll(wrong, rows)})
		}
	}
	return means
}

// wrongRows returns by method how many of a set's test rows are labelled wrongly in each division, and how many test
// rows there are. It returns nil if a forest has no run.
func wrongRows(set string, tuned, boosting []paper.Record) (wrong map[string][]float64, rows float64) {
	wrong = map[string][]float64{}
	for _, record := range tuned {
		if record.Problem == set {
			rows = record.More["rows"]
			for k := range divisions {
				wrong[record.Method] = append(wrong[record.Method], record.More[fmt.Sprint("wrong", k+1)])
			}
		}
	}
	if len(wrong) < len(forests) {
		return nil, 0
	}
	for _, method := range slices.Sorted(maps.Values(boosters)) {
		var of [divisions]float64
		n := 0
		for _, record := range boosting {
			if record.Problem == set && record.Method == method {
				of[record.Repeat-1] = math.Round(record.Score * rows)
				n++
			}
		}
		if n == divisions {
			wrong[method] = of[:]
		}
	}
	return wrong, rows
}

// compareAll compares each two methods, in the order of [compared], and returns the mean errors, too.
func compareAll(wrong map[string][]float64, rows float64) map[string]float64 {
	more := map[string]float64{}
	for method, of := range wrong {
		more["err."+strings.ToLower(method)] = eval.Mean(of) / rows
	}
	for name, pair := range compared {
		a, b := wrong[order[pair[0]]], wrong[order[pair[1]]]
		if a == nil || b == nil {
			continue
		}
		compare(more, name, a, b)
		more["diff."+name] /= rows
	}
	return more
}

// pairsOf names each two methods, by their numbers in order: "rf" are HRF and RF, and "rf-et" RF and ET.
func pairsOf(order []string) map[string][2]int {
	names := slices.Concat(forests, []string{"GB", "XGBoost", "CatBoost"})
	pairs := map[string][2]int{}
	for i, first := range names {
		for _, second := range names[i+1:] {
			name := strings.ToLower(first + "-" + second)
			if i == 0 {
				name = strings.ToLower(second)
			}
			pairs[name] = [2]int{slices.Index(order, first), slices.Index(order, second)}
		}
	}
	return pairs
}
