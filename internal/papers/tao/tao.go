// Package tao has the figures and tables of Carreira-Perpiñán, Zharmagambetov: Ensembles of Bagged TAO Trees
// Consistently Improve over Random Forests, AdaBoost and Gradient Boosting, in the paper's order.
//
//   - table2.go: tables 1 to 5, test error and size
//   - diversity.go: figures 1 and 2, what makes the trees differ
//   - passes.go: figures 3 to 5, depth, passes and trees
//   - variants.go: tables 6 to 9
//   - ours.go: beside the paper, from results of experiments that are done
//
// How the runs are done is in tools/experiments/tao. Drawings of trees trained in a cell: notebooks/figures/taolive.
package tao

import (
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// Paper is the paper's room.
var Paper = paper.Paper{
	Key: "tao", Name: "TAO",
	Experiments: []*paper.Experiment{&Sizes, &Table2, &Table3, &Diversity, &Passes, &Trees, &Pairs, &Features, &Path,
		&Structures},
	Figures: slices.Concat(table2, diversity, passes, variants, ours),
}

// asPaper ends the names of methods with the paper's settings (Section 5.1.2): one λ = 0.01 for splits and leaves, of
// features as they are, a penalised bias, as LIBLINEAR has it, and 40 passes, or 80 in figures 3 to 5. Other methods
// have settings of our own.
const asPaper = " as the paper"

// named returns names with an end.
func named(names []string, end string) (all []string) {
	for _, name := range names {
		all = append(all, name+end)
	}
	return all
}

// instead returns a figure that another one stands in for while runs behind it are missing.
func instead(full, other paper.Figure) paper.Figure {
	full.Instead = &other
	return full
}

// at returns a measure after so many trees and passes: "parameters", "flops", or in percent the errors "test" and
// "train".
func at(what string, trees, passes int) paper.Measure {
	factor := 1.0
	if what == "test" || what == "train" {
		factor = 100
	}
	of := paper.More(fmt.Sprintf("%s.%d.%d", what, trees, passes))
	return func(r paper.Record) float64 { return factor * of(r) }
}

// percent is the score in percent.
func percent(r paper.Record) float64 { return 100 * r.Score }

// mean returns a measure's mean over the repeats of a cell.
func mean(records []paper.Record, cell paper.Cell, of paper.Measure) paper.Number {
	var values []float64
	for _, r := range records {
		if r.Cell() == cell && !math.IsNaN(of(r)) {
			values = append(values, of(r))
		}
	}
	return paper.NumberOf(values)
}

// onTest returns a difference of error rates in percent with the standard error that so many test rows give it. The
// scatter of training is not in it.
func onTest(a, b float64, rows float64) paper.Number {
	return paper.Number{Value: a - b, StdErr: 100 * math.Sqrt((a+b)/100/rows)}
}
