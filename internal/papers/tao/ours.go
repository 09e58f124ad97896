package tao

import (
	"fmt"
	"math"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// These experiments are ours and done. Commit 9888aae has the code of their runs.
var (
	// acceptance has, for Letter trees of depth 11, loss and penalty of the objective of the first tree ("loss.3",
	// "penalty.3") and the mean test error ("test.3") after each of X passes.
	acceptance = paper.Experiment{File: "tao-acceptance-paper.csv"}

	// lambda has the mean error of a tree on a fifth of the training rows ("tree.20", after passes). X is 1000 times the
	// λ of linear leaves.
	lambda = paper.Experiment{File: "tao-lambda-paper.csv"}

	// refine has measures of SPORF forests before, after refinement by TAO, and of trees of any depth ("test.before").
	refine = paper.Experiment{File: "tao-refine-paper.csv"}
)

var ours = []paper.Figure{
	{Name: "Acceptance", Shows: "objective and test error of a Letter tree by when a fit may raise the objective",
		Ours: true, Place: "tao#The objective, and when a fit may raise it", Of: []paper.Part{acceptance.On()},
		Draw: drawAcceptance},
	{Name: "Which λ", Shows: "error of a tree on held-out training rows", Ours: true, Place: "tao#Which λ?",
		Of: []paper.Part{lambda.On()}, Draw: drawLambda},
	{Name: "Refining", Shows: "SPORF forests of depth 8 refined by TAO", Ours: true,
		Place: "tao#Refining forests of other methods", Of: []paper.Part{refine.On()}, Draw: drawRefined},
}

func drawAcceptance(r *paper.Results) paper.Drawing {
	var objective []Run
	errors := viz.Curves{Title: "test error of a tree", X: "pass", Y: "test error, %"}
	for _, m := range r.Means(acceptance.On()) {
		t := Run{Name: m.Method, Strict: map[string]int{"free then strict": 31, "strict": 1}[m.Method]}
		s := viz.Series{Name: m.Method}
		for p := 1; p <= m.X; p++ {
			t.Loss = append(t.Loss, m.Measure(fmt.Sprintf("loss.%d", p)))
			t.Penalty = append(t.Penalty, m.Measure(fmt.Sprintf("penalty.%d", p)))
			s.X, s.Y = append(s.X, float64(p)), append(s.Y, 100*m.Measure(fmt.Sprintf("test.%d", p)))
		}
		objective, errors.Series = append(objective, t), append(errors.Series, s)
	}
	return paper.Drawing{Chart: viz.Grid{Columns: 1, Width: 640, Charts: []viz.Chart{
		DrawRuns("objective of a tree", objective...), errors}}}
}

// A Run has the loss and the penalty of an objective after each pass, from the first.
type Run struct {
	Name          string
	Loss, Penalty []float64
	Strict        int // the first strict pass, which may not raise the objective; 0 means none
}

// DrawRuns draws the objective of runs and its two parts, with dots at strict passes.
func DrawRuns(title string, runs ...Run) viz.Chart {
	panels := make([]viz.Curves, 3)
	for i, quantity := range []string{"Objective", "Loss", "Penalty"} {
		panels[i] = viz.Curves{Title: quantity, X: "pass", Y: quantity}
	}
	for _, r := range runs {
		if r.Strict > 0 {
			r.Name += fmt.Sprintf(" (dots: strict from pass %d)", r.Strict)
		}
		series := make([]viz.Series, 3)
		for i, loss := range r.Loss {
			for k, y := range []float64{loss + r.Penalty[i], loss, r.Penalty[i]} {
				s := &series[k]
				s.Name, s.X, s.Y = r.Name, append(s.X, float64(i+1)), append(s.Y, y)
				s.Dots = append(s.Dots, r.Strict > 0 && i+1 >= r.Strict)
			}
		}
		for k, s := range series {
			panels[k].Series = append(panels[k].Series, s)
		}
	}
	return viz.SmallMultiples{Title: title, Panels: panels}
}

func drawLambda(r *paper.Results) paper.Drawing {
	values := []string{"0.01", "0.1", "1", "10"}
	t := viz.Table{Columns: []string{"data", "forest", "λ of leaves"}}
	for _, v := range values {
		t.Columns = append(t.Columns, "error in %, λ =|"+v)
	}
	means := r.Means(lambda.On())
	type row struct {
		data, kind string
		leaf       int
	}
	rows, cells := paper.Grouped(means, func(m paper.Mean) row { return row{m.Problem, m.Method[:5], m.X} })
	for _, key := range rows {
		line := []string{key.data, key.kind, "–"}
		if key.leaf > 0 {
			line[2] = fmt.Sprint(float64(key.leaf) / 1000)
		}
		for _, v := range values {
			error := math.NaN()
			for _, m := range cells[key] {
				if strings.HasSuffix(m.Method, " λ="+v) {
					error = m.Measure("tree.10")
					if last := m.Measure("tree.20"); last == last {
						error = last
					}
				}
			}
			line = append(line, paper.Decimals(100*error, 2))
		}
		t.Add(line...)
	}
	return paper.Draw(nil, t)
}

func drawRefined(r *paper.Results) paper.Drawing {
	kinds := []string{"before", "after", "deep"}
	errors := viz.HeatMap{Title: "test error, %; colour: change in points", Limit: 5,
		Columns: []string{"depth ≤ 8", "refined", "any depth"}}
	sizes := viz.HeatMap{Title: "parameters; colour: change in powers of 2", Columns: errors.Columns, Limit: 4}
	t := viz.Table{Columns: []string{"set", "a tree|before", "a tree|refined", "out of bag|before", "out of bag|refined",
		"test|before", "test|refined", "folds|helps", "folds|hurts"}, Note: "Errors in percent, means over five folds."}
	part := refine.By("refined")
	means := r.Means(part)
	for _, m := range means {
		errors.Rows, sizes.Rows = append(errors.Rows, m.Problem), append(sizes.Rows, m.Problem)
		row := []string{m.Problem}
		for _, of := range []string{"tree.", "oob.", "test."} {
			for _, kind := range kinds[:2] {
				row = append(row, paper.Decimals(100*m.Measure(of+kind), 2))
			}
		}
		helps, hurts := 0, 0
		for _, record := range r.Records(refine.On(m.Problem).By("refined")) {
			if d := record.More["test.after"] - record.More["test.before"]; d < 0 {
				helps++
			} else if d > 0 {
				hurts++
			}
		}
		t.Add(append(row, fmt.Sprint(helps), fmt.Sprint(hurts))...)
	}
	errors = paper.Filled(errors, func(i, j int) (float64, string) {
		v := means[i].Measure("test." + kinds[j])
		return 100 * (v - means[i].Measure("test.before")), paper.Decimals(100*v, 2)
	})
	sizes = paper.Filled(sizes, func(i, j int) (float64, string) {
		v := means[i].Measure("parameters." + kinds[j])
		return math.Log2(v / means[i].Measure("parameters.before")), large(v)
	})
	return paper.Draw(viz.Grid{Columns: 2, Height: 400, Charts: []viz.Chart{errors, sizes}}, t)
}
