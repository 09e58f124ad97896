package graf

import (
	"fmt"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// A Varied is a figure on the decomposition of Kohavi and Wolpert: bias² ("bias2"), variance and error, the score, of
// 50 models on Weka's rows, against what is varied. The rest is 100 trees, M = 5 and 2500 rows.
type Varied struct {
	paper.Experiment
	Number    string // of the figure
	What      string // "trees", "M" or "rows"
	Centroids int
}

// VariedFigures are figures 8 to 10 and B.1 to B.6.
var VariedFigures = []*Varied{
	newVaried("8", "trees", 10), newVaried("9", "M", 10), newVaried("10", "rows", 10),
	newVaried("B.1", "rows", 20), newVaried("B.2", "rows", 50), newVaried("B.3", "M", 20),
	newVaried("B.4", "M", 50), newVaried("B.5", "trees", 20), newVaried("B.6", "trees", 50),
}

var variedX = map[string][]int{"trees": {2, 5, 10, 50, 150}, "M": {2, 4, 6, 8, 10},
	"rows": {200, 600, 1200, 1800, 2500}}

func newVaried(number, what string, centroids int) *Varied {
	short := strings.ReplaceAll(number, ".", "")
	return &Varied{paper.Experiment{Name: "graf" + short, File: "graf-fig" + short + "-paper.csv", Grids: []paper.Grid{
		{Problems: []string{"2 classes" + weka, "5 classes" + weka}, Methods: Forests, X: variedX[what], Order: "xpmr"}}},
		number, what, centroids}
}

const weka = ", Weka's rows" // ends the names of problems

func variedExperiments() (all []*paper.Experiment) {
	for _, v := range VariedFigures {
		all = append(all, &v.Experiment)
	}
	return all
}

func varied() (all []paper.Figure) {
	for _, v := range VariedFigures {
		xs := v.Grids[0].X
		f := paper.Figure{Name: "Figure " + v.Number, Place: "graf#Figure " + v.Number,
			Shows: fmt.Sprintf("bias², variance and error of 50 models against %s, %d centroids", v.What, v.Centroids),
			Paper: paper.Protocol{From: xs[0], To: xs[len(xs)-1]}, Of: []paper.Part{v.On()},
			Note: "which rows are for testing is ours", Draw: v.draw, Claims: v.claims()}
		if v.What == "rows" {
			f.Note += "; GRAF has the least variance from M = 8 on with 10 and 20 centroids (figures 9 and B.3), " +
				"and not with 50 (B.4)"
		}
		all = append(all, f)
	}
	return append(all, paper.Figure{Name: "Appendix A", Shows: "Weka's rows, by the printed commands, to the last digit",
		Place: "tools/experiments/graf"})
}

// claims returns what the paper says of the figure: against rows, that GRAF has the least variance, and an error that
// is the lowest or comparable, for which we take 0.01; otherwise that its error saturates, which we take for less than
// a tenth of the fall at the last step.
func (v *Varied) claims() (all []paper.Claim) {
	five, xs := v.On("5 classes"+weka), v.Grids[0].X
	if v.What != "rows" {
		return []paper.Claim{{Sign: paper.Below, Find: func(r *paper.Results) paper.Finding {
			at := func(i int) float64 { return five.By("GRAF").At(xs[i]).Of(nil).Mean(r).Value }
			return paper.Beyond(paper.Exact((at(3)-at(4))/(at(0)-at(4))), 0.1)
		}, Says: fmt.Sprintf("GRAF's error, 5 classes, saturates: of its fall from %s = %d on, less than 0.1 is after %d",
			v.What, xs[0], xs[3])}}
	}
	less := func(other string, of paper.Measure, bound float64) func(r *paper.Results) paper.Finding {
		return func(r *paper.Results) paper.Finding {
			return paper.Beyond(paper.Less(five.By("GRAF").Of(of), five.By(other).Of(of))(r).Ours, bound)
		}
	}
	for _, other := range []string{"OT", "ET"} {
		says := " with 5 classes, GRAF less " + other + ", mean over the numbers of rows"
		all = append(all,
			paper.Claim{Says: "variance" + says, Sign: paper.Below, Find: less(other, paper.More("variance"), 0)},
			paper.Claim{Says: "error" + says + ": below 0.01", Sign: paper.Below, Find: less(other, nil, 0.01)})
	}
	return all
}

// draw draws bias², variance and error: a row of panels for two classes and one for five. The tables have the variance.
func (v *Varied) draw(r *paper.Results) (d paper.Drawing) {
	all := viz.SmallMultiples{Columns: 3}
	for _, problem := range v.Grids[0].Problems {
		means, classes := r.Means(v.On(problem)), strings.TrimSuffix(problem, weka)
		for _, m := range means {
			m.More["error"] = m.Score.Value
		}
		for _, name := range []string{"bias²", "variance", "error"} {
			measure := exact(strings.Replace(name, "²", "2", 1))
			c := paper.Curves(classes+": "+name, v.What, name, means, measure)
			c.LogX = v.What == "trees"
			all.Panels = append(all.Panels, c)
		}
		d.Tables = append(d.Tables, paper.MeansTable("Variance, "+classes, v.What, means, 4, exact("variance")))
	}
	d.Chart = all
	return d
}
