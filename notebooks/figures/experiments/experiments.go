// Package experiments does the runs of the papers' experiments, from the command line or, in small, in a cell.
package experiments

import (
	"context"
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/notebooks/figures"
	godt "github.com/obliqua-ml/obliqua/notebooks/figures/godt/runs"
	graf "github.com/obliqua-ml/obliqua/notebooks/figures/graf/runs"
	hrf "github.com/obliqua-ml/obliqua/notebooks/figures/hrf/runs"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	sporf "github.com/obliqua-ml/obliqua/notebooks/figures/sporf/runs"
	tao "github.com/obliqua-ml/obliqua/notebooks/figures/tao/runs"
	"github.com/obliqua-ml/obliqua/notebooks/figures/trial"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/viz"
)

// Studies are how the runs of all papers are done.
var Studies = slices.Concat(sporf.Studies, graf.Studies, hrf.Studies, tao.Studies, godt.Studies)

// Main is the command line of notebooks/figures/run. See [trial.Main].
func Main(dial func(ctx context.Context, address string) (cluster.Engine, error)) {
	trial.Main(Studies, dial)
}

// A Small says how much smaller a figure is computed than the paper has it. Fields that are 0 or nil leave all.
type Small struct {
	Trees, Repeats    int
	Problems, Methods []string
	X                 []int
}

// Now computes a small version of a paper's figure, with a progress bar, and draws it like [figures.Show]. Nothing is
// kept. It ends the cell at an error.
func Now(of, name string, small Small) {
	r := paper.Results{Root: "..", Most: small.Trees}
	for _, part := range figures.Runs(of, name) {
		i := slices.IndexFunc(Studies, func(s trial.Study) bool { return s.Name == part.Name })
		if i < 0 {
			panic(fmt.Sprintf("experiments: nothing does the runs of %s", part.Name))
		}
		some := paper.Part{Problems: small.Problems, Methods: small.Methods, X: small.X}
		ctx, done := viz.Progress(nb.Context(), part.Name)
		records, err := trial.Execution{Trees: small.Trees, Only: func(run paper.Run) bool {
			return part.Has(run) && some.Has(run) && (small.Repeats == 0 || run.Repeat <= small.Repeats)
		}}.Do(ctx, Studies[i])
		done()
		r.Use(part.Experiment, nb.Value(records, err))
	}
	figures.ShowFrom(&r, of, name)
}
