// Package now computes small versions of the papers' figures in a cell.
package now

import (
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/notebooks/figures"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/tools/experiments"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
	"github.com/obliqua-ml/obliqua/viz"
)

// A Small says how much smaller a figure is computed than the paper has it. Fields that are 0 or nil leave all.
type Small struct {
	Trees, Repeats    int
	Problems, Methods []string
	X                 []int
}

// Show computes a small version of a paper's figure, with a progress bar, and draws it like [figures.Show]. Nothing is
// kept. It ends the cell at an error.
func Show(of, name string, small Small) {
	r := paper.Results{Root: "..", Most: small.Trees}
	for _, part := range figures.Runs(of, name) {
		i := slices.IndexFunc(experiments.Studies, func(s trial.Study) bool { return s.Name == part.Name })
		if i < 0 {
			panic(fmt.Sprintf("now: nothing does the runs of %s", part.Name))
		}
		some := paper.Part{Problems: small.Problems, Methods: small.Methods, X: small.X}
		ctx, done := viz.Progress(nb.Context(), part.Name)
		records, err := trial.Execution{Trees: small.Trees, Only: func(run paper.Run) bool {
			return part.Has(run) && some.Has(run) && (small.Repeats == 0 || run.Repeat <= small.Repeats)
		}}.Do(ctx, experiments.Studies[i])
		done()
		r.Use(part.Experiment, nb.Value(records, err))
	}
	figures.ShowFrom(&r, of, name)
}
