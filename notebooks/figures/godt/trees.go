package godt

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const treesAt = "godt#Tables A.18, A.19 and A.20: forests of up to 1000 trees"

var numbersOfTrees = []paper.Figure{
	byTrees("A.18", "Madelon", 600), byTrees("A.19", "Usps", 1860), byTrees("A.20", "Satimages", 1287),
	{Name: "Table A.18, features", Shows: "GORF on Madelon by the features of a tree", Place: treesAt, Ours: true,
		Of: of(&Madelon, "GORF, 22 features", "GORF, 500 features"), Draw: byFeatures},
}

// byTrees is a table of accuracies by number of trees on a set. The claim is of 1000 trees; its error is that of so many
// independent test rows.
func byTrees(number, set string, testRows float64) paper.Figure {
	part := paper.Part{Experiment: &Ensembles, Problems: []string{set}}
	name := file(number)
	f := paper.Figure{Name: "Table " + number, Shows: "accuracy on " + set + " by number of trees", Place: treesAt,
		Paper: paper.Protocol{Repeats: 1, From: 10, To: 1000}, Here: paper.Protocol{From: 10, To: 1000}, Of: []paper.Part{part}}
	ours := func(r *paper.Results) func(trees, method string) paper.Number {
		means := r.Means(part)
		return func(trees, method string) paper.Number {
			p := means.At(set, method, 1000).Measure("accuracy." + trees)
			return paper.Number{Value: 100 * p, StdErr: 100 * math.Sqrt(p*(1-p)/testRows)}
		}
	}
	f.Draw = func(r *paper.Results) paper.Drawing {
		b := paper.Beside{Row: "trees", Rows: r.Printed(name).Rows, Columns: []string{"GORF", "RF"},
			Ours: ours(r), Paper: r.Printed(name).At, Places: 1, Best: floats.Max,
			Note: "±: of so many test rows." + paper.Mark + ": further from the thesis than two of them."}
		c := viz.Curves{X: "trees", Y: "accuracy, %", LogX: true}
		for _, method := range b.Columns {
			c.Series = append(c.Series, line(method+", here", b.Rows, method, b.Ours), line(method+", the thesis", b.Rows,
				method, b.Paper))
		}
		return paper.Drawing{Chart: c, Tables: []viz.Table{b.Table()}}
	}
	f.Claims = []paper.Claim{{Says: "GORF's lead on RF with 1000 trees, points", Sign: paper.Above,
		Find: func(r *paper.Results) paper.Finding {
			o, p := ours(r), r.Printed(name)
			d := o("1000", "GORF").Minus(o("1000", "RF"))
			return paper.Finding{Ours: d, Paper: p.At("1000", "GORF").Minus(p.At("1000", "RF")), Difference: d}
		}}}
	return f
}

// line returns a method's numbers by number of trees.
func line(name string, trees []string, method string, of func(trees, method string) paper.Number) viz.Series {
	s := viz.Series{Name: name}
	for _, text := range trees {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(err)
		}
		s.X, s.Y = append(s.X, n), append(s.Y, of(text, method).Value)
	}
	return s
}

func byFeatures(r *paper.Results) paper.Drawing {
	means := r.Means(of(&Madelon, "GORF, 22 features", "GORF, 500 features")[0])
	percent := func(m paper.Mean) paper.Number { return m.Score.Times(100) }
	c := paper.Curves("", "trees", "accuracy, %", means, percent)
	c.LogX = true
	c.Series = append(c.Series, line("GORF, the thesis", r.Printed(file("A.18")).Rows, "GORF", r.Printed(file("A.18")).At))
	return paper.Drawing{Chart: c, Tables: []viz.Table{paper.MeansTable(fmt.Sprintf("Accuracy, %%, of %d forests",
		means[0].Repeats), "trees", means, 1, percent)}}
}
