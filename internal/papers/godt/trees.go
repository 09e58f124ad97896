package godt

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const ensemblesAt = "godt#Tables A.18, A.19 and A.20: forests of up to 1000 trees"

var numbersOfTrees = []paper.Figure{
	byTrees("Table A.18", "Madelon", 600), byTrees("Table A.19", "Usps", 1860), byTrees("Table A.20", "Satimages", 1287),
	{Name: "Table A.18, features", Shows: "accuracy of GORF on Madelon, %, by the features of a tree", Place: ensemblesAt,
		Ours: true, Of: of(&Madelon, "GORF, 22 features", "GORF, 500 features"), Draw: byFeatures},
}

// byTrees is a table of accuracies by number of trees on a set. Standard errors are binomial, for the given number of
// test rows.
func byTrees(name, set string, testRows float64) paper.Figure {
	part := Ensembles.On(set)
	both := func(r *paper.Results) paper.Beside {
		means, printed := r.Means(part), r.Printed(file(named(name).number))
		return paper.Beside{Row: "trees", Rows: printed.Rows, Columns: []string{"GORF", "RF"}, Paper: printed.At, Places: 1,
			Best: floats.Max, Note: "±: of so many test rows." + paper.Mark + ": further from the thesis than two of them.",
			Ours: func(trees, method string) paper.Number {
				p := means.At(set, method, 1000).Measure("accuracy." + trees)
				return paper.Number{Value: p, StdErr: math.Sqrt(p * (1 - p) / testRows)}.Times(100)
			}}
	}
	return paper.Figure{Name: name, Shows: "accuracy on " + set + ", %, by number of trees", Place: ensemblesAt,
		Paper: paper.Protocol{Repeats: 1, From: 10, To: 1000}, Here: paper.Protocol{From: 10, To: 1000},
		Of: []paper.Part{part},
		Draw: func(r *paper.Results) paper.Drawing {
			b := both(r)
			c := viz.Curves{X: "trees", Y: "accuracy, %", LogX: true}
			for _, method := range b.Columns {
				c.Series = append(c.Series, line(method+", here", b.Rows, method, b.Ours),
					line(method+", the thesis", b.Rows, method, b.Paper))
			}
			return paper.Draw(c, b.Table())
		},
		Claims: []paper.Claim{{Says: "GORF's accuracy less RF's, points, mean over numbers of trees",
			Find: func(r *paper.Results) paper.Finding { return meanLead(both(r)) }}}}
}

// meanLead compares GORF's mean lead over numbers of trees with the printed one. Both are of one forest and one set of
// test rows, whatever its number of trees, so their errors are alike: those of our largest forests.
func meanLead(b paper.Beside) paper.Finding {
	var ours, printed []float64
	for _, trees := range b.Rows {
		o, p := b.Ours(trees, "GORF").Value-b.Ours(trees, "RF").Value, b.Paper(trees, "GORF").Minus(b.Paper(trees, "RF"))
		if d := o + p.Value; d == d {
			ours, printed = append(ours, o), append(printed, p.Value)
		}
	}
	last := b.Rows[len(b.Rows)-1]
	stdErr := b.Ours(last, "GORF").Minus(b.Ours(last, "RF")).StdErr
	lead := paper.Number{Value: eval.Mean(ours), StdErr: stdErr}
	return paper.Against(lead, paper.Number{Value: eval.Mean(printed), StdErr: stdErr})
}

// line returns a method's numbers by number of trees.
func line(name string, trees []string, method string, of func(trees, method string) paper.Number) viz.Series {
	s := viz.Series{Name: name}
	for _, text := range trees {
		n, err := strconv.Atoi(text)
		if err != nil {
			panic(fmt.Sprintf("godt: %q trees", text))
		}
		s.X, s.Y = append(s.X, float64(n)), append(s.Y, of(text, method).Value)
	}
	return s
}

func byFeatures(r *paper.Results) paper.Drawing {
	means := r.Means(of(&Madelon, "GORF, 22 features", "GORF, 500 features")[0])
	return paper.Drawing{Tables: []viz.Table{paper.MeansTable("", "trees", means, 1,
		func(m paper.Mean) paper.Number { return m.Score.Times(100) })}}
}
