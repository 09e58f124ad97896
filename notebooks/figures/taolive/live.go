// Package taolive draws TAO trees that are trained in the cell, on an exclusive or that greedy growth can't see. Its
// functions end the cell at an error.
package taolive

import (
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/tao"
	figures "github.com/obliqua-ml/obliqua/internal/papers/tao"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
	runs "github.com/obliqua-ml/obliqua/tools/experiments/tao"
	"github.com/obliqua-ml/obliqua/viz"
)

// problem is the exclusive or, turned by 30°.
var problem = sim.XOR{Cells: 2, Degrees: 30}

// Rows are 400 rows of the problem.
func Rows() *datasets.Dataset { return problem.Sample(400, 1) }

// Error returns a model's error on 10,000 new rows, in percent.
func Error(model *forest.Forest) float64 {
	test := problem.Sample(10_000, 2)
	return 100 * eval.Error(nb.Value(model.Predict(nb.Context(), test)), test.Labels)
}

// Regions trains a learner on [Rows] and draws its regions, with leaves and error in the title.
func Regions(name string, learner forest.Learner) viz.Chart {
	model := nb.Value(learner.Fit(nb.Context(), Rows()))
	title := fmt.Sprintf("%s: %d leaves, %.1f %%", name, model.Size().Leaves, Error(model))
	return viz.DecisionRegions{Title: title, Model: model, Data: Rows()}
}

// Trained returns the history of a tree of the given depth in 12 passes.
func Trained(depth int, acceptance tao.Acceptance, seed uint64) *tao.History {
	var history tao.History
	l := tao.Learner{Trees: 1, Depth: depth, Passes: 12, Acceptance: acceptance, Sampling: forest.AllRows, Seed: seed}
	nb.Value(history.Fit(nb.Context(), l, Rows()))
	return &history
}

// Snapshots draws a history with a slider over the passes.
func Snapshots(history *tao.History) viz.Chart {
	chart := viz.Snapshots{Title: "TAO on the turned exclusive or", Data: Rows()}
	for _, p := range history.Passes() {
		f := history.Forest(p.Number)
		chart.Models = append(chart.Models, f)
		caption := fmt.Sprintf("Pass %d: %v rows wrong, test %.1f %%", p.Number, p.Loss, Error(f))
		chart.Captions = append(chart.Captions, caption)
	}
	return chart
}

// RootProblems draws the reduced problem of the root after some passes.
func RootProblems(history *tao.History, passes ...int) viz.Chart {
	g := viz.Grid{Title: "The reduced problem of the root", Columns: 3}
	for _, pass := range passes {
		rows, root := RootProblem(history.Forest(pass), Rows())
		matter, wrong := 0, 0
		for i, side := range nb.Value(root.Predict(nb.Context(), rows)) {
			if rows.Labels[i] < 2 {
				matter++
			}
			if rows.Labels[i] == 1-side {
				wrong++
			}
		}
		title := fmt.Sprintf("after pass %d: %d matter, %d on the wrong side", pass, matter, wrong)
		g.Charts = append(g.Charts, viz.DecisionRegions{Title: title, Model: root, Data: rows})
	}
	return g
}

// Objective draws loss and penalty of a tree of depth 2 by when fits may raise the objective.
func Objective() viz.Chart {
	runs := []figures.Run{{Name: "free, then strict", Strict: 10}, {Name: "strict", Strict: 1}}
	for i := range runs {
		by := &runs[i]
		for _, p := range Trained(2, acceptances[by.Name], 3).Passes() {
			if p.Number > 0 {
				by.Loss, by.Penalty = append(by.Loss, p.Loss), append(by.Penalty, p.Penalty)
			}
		}
	}
	return figures.DrawRuns("One tree on the exclusive or", runs...)
}

var acceptances = map[string]tao.Acceptance{"free, then strict": tao.FreeThenStrict, "strict": tao.Strict}

// Starts counts, of trees from 100 random starts, how many end with an error below 2 %, by depth.
func Starts(depths ...int) viz.Table {
	t := viz.Table{Title: "100 random starts", Columns: []string{"depth"}}
	names := []string{"free, then strict", "strict"}
	for _, name := range names {
		t.Columns = append(t.Columns, name+"|error below 2 %", name+"|mean error, %")
	}
	for _, depth := range depths {
		row := []string{fmt.Sprint(depth)}
		for _, name := range names {
			solved, sum := 0, 0.0
			for seed := range uint64(100) {
				e := Error(Trained(depth, acceptances[name], seed).Last())
				sum += e / 100
				if e < 2 {
					solved++
				}
			}
			row = append(row, fmt.Sprint(solved), fmt.Sprintf("%.1f", sum))
		}
		t.Add(row...)
	}
	return t
}

// Digits returns the first rows of MNIST's training part, with pixels in [0, 1].
func Digits(rows int) *datasets.Dataset {
	train, _, err := runs.MNIST(nb.Context())
	return runs.Between(nb.Value(train, err), 0, int32(rows))
}
