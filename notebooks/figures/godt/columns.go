package godt

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// peersFile has what scikit-learn's methods do on the same divisions.
const peersFile = "godt-baselines.csv"

// measured returns our records of single settings on the thesis's sets, and those of scikit-learn.
func measured(r *paper.Results) (records []paper.Record) {
	for _, e := range []*paper.Experiment{&Trees, &Forests, &Quadratic, &Values, &Variants, &Madelon, &OnTest} {
		records = append(records, r.Records(paper.Part{Experiment: e, X: []int{0}})...)
	}
	at := map[string]int{}
	r.Lines(peersFile, func(l *paper.Line) {
		key := l.Text("set") + l.Text("method") + l.Text("split")
		switch measure := l.Text("measure"); measure {
		case "accuracy", "mae":
			at[key] = len(records)
			records = append(records, paper.Record{
				Run:    paper.Run{Problem: l.Text("set"), Method: strings.ToUpper(l.Text("method"))},
				Result: paper.Result{Score: l.Number("score"), Seconds: l.Number("seconds"), More: map[string]float64{}}})
		default:
			records[at[key]].More[measure] = l.Number("score")
		}
	})
	return records
}

// A table is a printed table of numbers by set and method.
type table struct {
	number  string              // such as "3.2"
	columns []string            // the printed ones to show; nil for all
	methods map[string][]string // ours, by the printed column, where the names differ
	seconds bool                // whether columns are those of seconds
}

var number = regexp.MustCompile(`(\d|A)\.\d+`)

// named returns the table that a figure's name has.
func named(name string) table { return table{number: number.FindString(name)} }

// file returns the file of a printed table.
func file(number string) string { return "godt/table" + strings.ReplaceAll(number, ".", "_") + ".csv" }

// others are the tables that don't have accuracies: which measure they have.
var others = map[string]string{"A.5": "precision", "A.10": "precision", "A.6": "recall", "A.11": "recall", "A.7": "f1",
	"A.12": "f1", "A.17": "depth", "A.4": "mse", "3.9": "mae", "4.5": "mae"}

// measure returns what the table has.
func (t table) measure() string {
	if t.seconds {
		return "seconds"
	}
	return cmp.Or(others[t.number], "accuracy")
}

// words are what the table has, where it isn't called like that.
var words = map[string]string{"accuracy": "accuracy, %", "precision": "precision, %", "recall": "recall, %",
	"f1": "F1, %", "mae": "mean absolute error", "mse": "mean squared error"}

// words returns what the table has, with its unit.
func (t table) words() string { return cmp.Or(words[t.measure()], t.measure()) }

// units reports whether the units or sizes of the numbers differ by set.
func (t table) units() bool { return slices.Contains([]string{"seconds", "mse", "mae"}, t.measure()) }

// of returns a record's number in the table's unit.
func (t table) of(r paper.Record) float64 {
	switch measure := t.measure(); measure {
	case "seconds":
		return r.Seconds
	case "mae":
		return r.Score
	case "accuracy":
		return 100 * r.Score
	case "mse", "depth":
		return paper.More(measure)(r)
	default:
		return 100 * paper.More(measure)(r)
	}
}

// ours returns the function that has the mean over our divisions of a set. The error is the standard deviation of a
// division, since a printed number is of one division. Seconds have none.
func (t table) ours(r *paper.Results) func(set, column string) paper.Number {
	cells := map[[2]string][]float64{}
	for _, record := range measured(r) {
		if v := t.of(record); v == v {
			key := [2]string{record.Problem, record.Method}
			cells[key] = append(cells[key], v)
		}
	}
	return func(set, column string) paper.Number {
		methods := t.methods[column]
		if methods == nil {
			methods = []string{column}
		}
		var values []float64
		for _, method := range methods {
			values = append(values, cells[[2]string{set, method}]...)
		}
		n := paper.NumberOf(values)
		if n.StdErr *= math.Sqrt(float64(len(values))); t.seconds {
			n.StdErr = math.NaN()
		}
		return n
	}
}

// beside sets the table and ours side by side.
func (t table) beside(r *paper.Results) paper.Beside {
	printed := r.Printed(file(t.number))
	b := paper.Beside{Title: t.words(), Row: "set", Rows: printed.Rows, Columns: t.columns, Ours: t.ours(r),
		Paper: printed.At, Places: 1, Units: t.units(), Best: floats.Max,
		Note: "±: standard deviation of a division." + paper.Mark + ": further from the thesis's than two of them."}
	if b.Columns == nil {
		b.Columns = printed.Columns
	}
	if b.Units {
		b.Best = floats.Min
	}
	if t.seconds { // of another machine, so that none is marked
		b.Note, b.Best = "", nil
		b.Paper = func(set, column string) paper.Number {
			return paper.Number{Value: printed.At(set, column).Value, StdErr: math.NaN()}
		}
	}
	return b
}

// charted are the tables whose first columns are drawn, if all are shown: how many.
var charted = map[string]int{"3.2": 6, "4.1": 2, "5.1": 2, "5.3": 2}

func (t table) draw(r *paper.Results) paper.Drawing {
	b := t.beside(r)
	d := paper.Draw(nil, b.Table())
	if n := charted[t.number]; n > 0 && t.columns == nil {
		g := viz.Grid{Columns: 2, Height: 380}
		for _, column := range b.Columns[:n] {
			g.Charts = append(g.Charts, spread(b, column))
		}
		d.Chart = g
	}
	return d
}

// spread draws a column's printed numbers and ours by set, with two standard deviations of a division.
func spread(b paper.Beside, column string) viz.Chart {
	chart := viz.Ranges{Title: column, X: b.Title, Range: "two standard deviations"}
	ours, printed := viz.Marks{Name: "here, mean"}, viz.Marks{Name: "the thesis"}
	for _, set := range b.Rows {
		o, p := b.Ours(set, column), b.Paper(set, column).Value
		if math.IsNaN(o.Value + p) {
			continue
		}
		chart.Names = append(chart.Names, set)
		chart.Low, chart.High = append(chart.Low, o.Value-2*o.StdErr), append(chart.High, min(100, o.Value+2*o.StdErr))
		ours.Values, printed.Values = append(ours.Values, o.Value), append(printed.Values, p)
	}
	chart.Marks = []viz.Marks{ours, printed}
	return chart
}

// agrees claims that a column has the printed mean over sets. Of different units it is the mean of the logarithm.
func (t table) agrees(column string) paper.Claim {
	what := t.words()
	if t.units() {
		what = "logarithm of the " + what
	}
	return t.claim(paper.Same, column+"'s "+what, func(at func(column string) float64) float64 {
		if t.units() {
			return math.Log(at(column))
		}
		return at(column)
	})
}

// leads claims the sign of the lead that a column has on another one, or that it is as printed.
func (t table) leads(sign paper.Sign, column, other string) paper.Claim {
	return t.claim(sign, column+"'s "+t.words()+", less "+other+"'s",
		func(at func(column string) float64) float64 { return at(column) - at(other) })
}

// claim claims something of the mean over sets of a number made of the table's.
func (t table) claim(sign paper.Sign, says string, of func(at func(column string) float64) float64) paper.Claim {
	return paper.Claim{Says: says + ", mean over sets", Sign: sign, Find: func(r *paper.Results) paper.Finding {
		printed, ours := r.Printed(file(t.number)), t.ours(r)
		var here, there, differences []float64
		for _, set := range printed.Rows {
			o := of(func(column string) float64 { return ours(set, column).Value })
			p := of(func(column string) float64 { return printed.At(set, column).Value })
			if d := o - p; d == d {
				here, there, differences = append(here, o), append(there, p), append(differences, d)
			}
		}
		f := paper.Finding{Ours: paper.NumberOf(here), Paper: paper.NumberOf(there)}
		f.Difference = paper.NumberOf(differences)
		if sign != paper.Same {
			f.Difference = f.Ours
		}
		return f
	}}
}
