package godt

import (
	"cmp"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// peersFile has what scikit-learn's methods do on the same divisions.
const peersFile = "godt-baselines.csv"

// measured returns our records of single settings on the thesis's sets, and those of scikit-learn.
func measured(r *paper.Results) (records []paper.Record) {
	for _, e := range []*paper.Experiment{&Trees, &Forests, &Quadratic, &Values, &Variants} {
		records = append(records, r.Records(paper.Part{Experiment: e})...)
	}
	names := map[string]string{"shared full": "GODT, full covariance", "random start": "GODT, random start"}
	for _, record := range r.Records(paper.Part{Experiment: &Madelon, X: []int{0}}) {
		record.Method = names[record.Method]
		records = append(records, record)
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
	number  string            // such as "3.2"
	columns []string          // the printed ones to show; nil for all
	methods map[string]string // ours, by the printed column, where the names differ
	seconds bool              // whether columns are those of seconds
}

// file returns the file of a printed table.
func file(number string) string { return "godt/table" + strings.ReplaceAll(number, ".", "_") + ".csv" }

// measure returns what the numbers are, ours in the printed unit, and which are best.
func (t table) measure() (name string, of paper.Measure, best func([]float64) float64) {
	percent := func(of paper.Measure) paper.Measure {
		return func(r paper.Record) float64 { return 100 * of(r) }
	}
	if t.seconds {
		return "seconds", func(r paper.Record) float64 { return r.Seconds }, floats.Min
	}
	switch t.number {
	case "3.9", "4.5":
		return "mean absolute error", paper.Score, floats.Min
	case "A.4":
		return "mean squared error", paper.More("mse"), floats.Min
	case "A.5", "A.10":
		return "precision, %", percent(paper.More("precision")), floats.Max
	case "A.6", "A.11":
		return "recall, %", percent(paper.More("recall")), floats.Max
	case "A.7", "A.12":
		return "F1, %", percent(paper.More("f1")), floats.Max
	case "A.17":
		return "depth", paper.More("depth"), nil
	}
	return "accuracy, %", percent(paper.Score), floats.Max
}

// units reports whether the units or sizes of the numbers differ by set.
func (t table) units() bool {
	name, _, _ := t.measure()
	return name == "seconds" || strings.HasSuffix(name, "error")
}

// ours returns the function that has the mean over our divisions of a set. The error is the standard deviation of a
// division, since a printed number is of one division. Seconds have none.
func (t table) ours(r *paper.Results) func(set, column string) paper.Number {
	name, of, _ := t.measure()
	cells := map[[2]string][]float64{}
	for _, record := range measured(r) {
		if v := of(record); v == v {
			key := [2]string{record.Problem, record.Method}
			cells[key] = append(cells[key], v)
		}
	}
	return func(set, column string) paper.Number {
		values := cells[[2]string{set, cmp.Or(t.methods[column], column)}]
		n := paper.NumberOf(values)
		n.StdErr *= math.Sqrt(float64(len(values)))
		if name == "seconds" {
			n.StdErr = math.NaN()
		}
		return n
	}
}

// beside sets the table and ours side by side.
func (t table) beside(r *paper.Results) paper.Beside {
	name, _, best := t.measure()
	printed := r.Printed(file(t.number))
	b := paper.Beside{Title: name, Row: "set", Rows: printed.Rows, Columns: t.columns, Ours: t.ours(r), Paper: printed.At,
		Places: 1, Units: t.units(), Best: best}
	if name != "seconds" {
		b.Note = "±: standard deviation of a division." + paper.Mark +
			": further from the thesis's division than two of them."
	}
	if b.Columns == nil {
		b.Columns = printed.Columns
	}
	return b
}

func (t table) draw(r *paper.Results) paper.Drawing {
	return paper.Drawing{Tables: []viz.Table{t.beside(r).Table()}}
}

// charted draws the table and, of some columns, the divisions.
func (t table) charted(columns ...string) func(r *paper.Results) paper.Drawing {
	return func(r *paper.Results) paper.Drawing {
		b := t.beside(r)
		name, _, _ := t.measure()
		return paper.Drawing{Chart: spreads(b, name, columns), Tables: []viz.Table{b.Table()}}
	}
}

// spreads draws printed numbers and ours by set, a panel a column. Of different units there are quotients.
func spreads(b paper.Beside, name string, columns []string) viz.Chart {
	g := viz.Grid{Columns: 2, Height: 380}
	for _, column := range columns {
		chart := viz.Ranges{Title: column, X: name, Range: "two standard deviations", Log: b.Units}
		ours, printed := viz.Marks{Name: "here, mean"}, viz.Marks{Name: "the thesis"}
		for _, set := range b.Rows {
			o, p := b.Ours(set, column), b.Paper(set, column).Value
			switch {
			case math.IsNaN(o.Value + p):
				continue
			case b.Units:
				chart.X = name + " / the thesis's"
				o, p = o.Times(1/p), 1
			}
			low, high := o.Value-2*o.StdErr, o.Value+2*o.StdErr
			if b.Units {
				low = max(low, o.Value/4)
			} else {
				high = min(high, 100)
			}
			chart.Names = append(chart.Names, set)
			chart.Low, chart.High = append(chart.Low, low), append(chart.High, high)
			ours.Values, printed.Values = append(ours.Values, o.Value), append(printed.Values, p)
		}
		chart.Marks = []viz.Marks{ours, printed}
		g.Charts = append(g.Charts, chart)
	}
	return g
}

// compare finds a number of each set, made of the table's numbers, here and in the thesis. An order is of ours.
func (t table) compare(sign paper.Sign, of func(at func(column string) float64) float64) func(*paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		printed, ours := r.Printed(file(t.number)), t.ours(r)
		var here, there, differences []float64
		for _, set := range printed.Rows {
			o := of(func(column string) float64 { return ours(set, column).Value })
			p := of(func(column string) float64 { return printed.At(set, column).Value })
			if d := o - p; d == d {
				here, there, differences = append(here, o), append(there, p), append(differences, d)
			}
		}
		f := paper.Finding{Ours: paper.NumberOf(here), Paper: paper.NumberOf(there), Difference: paper.NumberOf(differences)}
		if sign != paper.Same {
			f.Difference = f.Ours
		}
		return f
	}
}

// agrees claims that a column has the printed mean over sets. Of different units it is the mean of the logarithm.
func (t table) agrees(column string) paper.Claim {
	name, _, _ := t.measure()
	says := column + "'s " + name + ", mean over sets"
	if t.units() {
		says = column + "'s " + name + ", mean over sets of its logarithm"
	}
	return paper.Claim{Says: says, Find: t.compare(paper.Same, func(at func(string) float64) float64 {
		if t.units() {
			return math.Log(at(column))
		}
		return at(column)
	})}
}

// leads claims the sign of the lead that a column has on another one.
func (t table) leads(sign paper.Sign, column, other string) paper.Claim {
	name, _, _ := t.measure()
	return paper.Claim{Says: column + "'s lead on " + other + ", " + name + ", mean over sets", Sign: sign,
		Find: t.compare(sign, func(at func(string) float64) float64 { return at(column) - at(other) })}
}
