// Package now computes small versions of the papers' figures in a cell.
package now

import (
	"cmp"
	"fmt"
	"maps"
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
// kept. It ends the cell at an error, and says which runs there are if small leaves none.
func Show(of, name string, small Small) { figures.ShowFrom(run(of, name, small), of, name) }

// run does the runs.
func run(of, name string, small Small) *paper.Results {
	r := paper.Results{Root: "..", Most: small.Trees}
	some := paper.Part{Problems: small.Problems, Methods: small.Methods, X: small.X}
	parts, found, there := figures.Runs(of, name), 0, map[paper.Cell]bool{}
	for k, part := range parts {
		ofPart := func(p paper.Part) bool { return p.Experiment == part.Experiment }
		if slices.ContainsFunc(parts[:k], ofPart) {
			continue // its runs were done with those of the first
		}
		i := slices.IndexFunc(experiments.Studies, func(s trial.Study) bool { return s.Name == part.Name })
		if i < 0 {
			panic(fmt.Sprintf("now: nothing does the runs of %s", part.Name))
		}
		ctx, done := viz.Progress(nb.Context(), part.Name)
		records, err := trial.Execution{Trees: small.Trees, Only: func(one paper.Run) bool {
			if !slices.ContainsFunc(parts, func(p paper.Part) bool { return ofPart(p) && p.Has(one) }) {
				return false
			}
			there[one.Cell()] = true
			return some.Has(one) && (small.Repeats == 0 || one.Repeat <= small.Repeats)
		}}.Do(ctx, experiments.Studies[i])
		done()
		r.Use(part.Experiment, nb.Value(records, err))
		found += len(records)
	}
	if found == 0 && len(there) > 0 {
		panic(fmt.Sprintf("now: %q of %s has no run of %+v; its problems, methods and X are %v", name, of, small,
			slices.SortedFunc(maps.Keys(there), func(a, b paper.Cell) int {
				return cmp.Or(cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Method, b.Method), a.X-b.X)
			})))
	}
	return &r
}
