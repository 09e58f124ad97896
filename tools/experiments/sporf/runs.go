// Package sporf does the runs of the SPORF paper's experiments.
//
//   - choices.go: forests as the authors' programs grow them, with every setting
//   - simulations.go: figures 1 to 4, 11 and 12
//   - sets.go: table 1, figures 6 and 7
//   - times.go: figures 8 to 10
package sporf

import (
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Studies are how the paper's runs are done.
var Studies = slices.Concat(choices, simulations, sets, times)

// trees is the paper's number of trees.
const trees = 500

// The grids of section 3.2: d in {p^¼, p^½, p^¾, p}, for oblique forests also p²; λ in {1/p, …, 5/p}; fully grown
// trees. The paper doesn't have extremely randomised trees; they have the random forest's grid.
var families = map[string]trial.Family{"RF": trial.OfTable(rf.Learner{}), "SPORF": trial.OfTable(sporf.Learner{}),
	"F-RC": trial.OfTable(sporf.FRC{}), "CCF": trial.OfTable(ccf.Learner{}), "RR-RF": trial.OfTable(rotation.Random{}),
	"ET": trial.ExtraTrees}

// tuned returns methods of all families that compare their settings with so many trees, and train the best with n.
func tuned(compare, n int) map[string]trial.Method {
	methods := map[string]trial.Method{}
	for name, f := range families {
		methods[name] = trial.Tuned(compare, n, f)
	}
	return methods
}

// fixed returns the method of one setting.
func fixed(l forest.Learner, steps ...datasets.Step) trial.Method {
	return trial.WithSetting(func(*trial.Trial) forest.Learner { return l }, steps...)
}

// ofFeatures returns a table without rows, for the grids of so many features.
func ofFeatures(p int) *datasets.Dataset { return &datasets.Dataset{Columns: make([][]float32, p)} }
