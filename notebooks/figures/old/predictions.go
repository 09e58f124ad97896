package old

import (
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

// A PredictionMean is the mean over splits of a method's error and Cohen's kappa on a set.
type PredictionMean struct {
	Set, Method  string
	Splits       int
	Error, Kappa float64
}

// PredictionMeans returns the means of each set and method, ordered by both.
func PredictionMeans(all []paper.Prediction) (means []PredictionMean) {
	order, splits := grouped(all, func(p paper.Prediction) [2]string { return [2]string{p.Set, p.Method} })
	slices.SortFunc(order, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, of := range order {
		m := PredictionMean{Set: of[0], Method: of[1], Splits: len(splits[of])}
		for _, p := range splits[of] {
			m.Error += p.Error()
			m.Kappa += eval.Kappa(p.Labels, p.Truth)
		}
		m.Error /= float64(m.Splits)
		m.Kappa /= float64(m.Splits)
		means = append(means, m)
	}
	return means
}
