package godt

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// peerNames are names of scikit-learn's methods that its file writes otherwise.
var peerNames = map[string]string{"svm": "SVM", "lda": "LDA", "qda": "QDA"}

// peersFile has what scikit-learn's methods do on the same divisions.
const peersFile = "godt-baselines.csv"

// tuning are the experiments that choose settings.
var tuning = []*paper.Experiment{&Trees, &Forests, &Quadratic, &Scaled, &Tuned, &Values, &Variants, &Madelon, &OnTest}

// measured returns the records of experiments on the thesis's sets, and those of scikit-learn.
func measured(r *paper.Results, experiments ...*paper.Experiment) (records []paper.Record) {
	for _, e := range experiments {
		records = append(records, r.Records(paper.Part{Experiment: e, X: []int{0}})...)
	}
	at := map[string]int{}
	r.Lines(peersFile, func(l *paper.Line) {
		key := l.Text("set") + l.Text("method") + l.Text("split")
		switch measure := l.Text("measure"); measure {
		case "accuracy", "mae":
			at[key] = len(records)
			records = append(records, paper.Record{
				Run:    paper.Run{Problem: l.Text("set"), Method: cmp.Or(peerNames[l.Text("method")], l.Text("method"))},
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
	methods map[string][]string // ours by printed column, where names differ; a set has the first that was run
	seconds bool                // whether columns are those of seconds
	fits    bool                // whether accuracies are those of [Fits], as seconds are
}

var number = regexp.MustCompile(`(\d|A)\.\d+`)

// named returns the table that a figure's name has, in our reading of how its methods were run.
func named(name string) table {
	n := number.FindString(name)
	return table{number: n, methods: readings[n]}
}

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
		if processor, ok := r.More["processor"]; ok {
			return processor
		}
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

// cells returns the function that has our numbers of a set, one a division.
func (t table) cells(r *paper.Results) func(set, column string) []float64 {
	cells, experiments := map[[2]string][]float64{}, tuning
	if t.seconds || t.fits {
		experiments = []*paper.Experiment{&Fits}
	}
	for _, record := range measured(r, experiments...) {
		if v := t.of(record); v == v {
			key := [2]string{record.Problem, record.Method}
			cells[key] = append(cells[key], v)
		}
	}
	return func(set, column string) []float64 {
		for _, method := range t.methods[column] {
			if of := cells[[2]string{set, method}]; of != nil {
				return of
			}
		}
		if t.methods[column] != nil {
			return nil
		}
		return cells[[2]string{set, column}]
	}
}

// ours returns the function that has the mean over our divisions of a set. The error is the standard deviation of a
// division, since a printed number is of one division. Seconds have none.
func (t table) ours(r *paper.Results) func(set, column string) paper.Number {
	cells := t.cells(r)
	return func(set, column string) paper.Number {
		values := cells(set, column)
		n := paper.NumberOf(values)
		if n.StdErr *= math.Sqrt(float64(len(values))); t.seconds {
			n.StdErr = math.NaN()
		}
		return n
	}
}

// distances returns the function that says how far a printed number is above our mean, in standard deviations of such a
// difference. The deviation of an accuracy is at least 0.7 of the binomial one, since divisions share rows, and of a
// single division the binomial one. If that is 0, as with an accuracy of 100 %, the distance isn't known: NaN.
func (t table) distances(r *paper.Results) func(set, column string) float64 {
	cells, printed := t.cells(r), r.Printed(file(t.number))
	return func(set, column string) float64 {
		n := paper.NumberOf(cells(set, column))
		count := float64(len(cells(set, column)))
		deviation := n.StdErr * math.Sqrt(count)
		if at := slices.IndexFunc(Sets, func(s Set) bool { return s.Name == set }); at >= 0 && t.measure() == "accuracy" {
			binomial := math.Sqrt(n.Value * (100 - n.Value) / float64(Sets[at].Test))
			if deviation = max(deviation, 0.7*binomial); count == 1 {
				deviation = binomial
			}
		}
		if deviation == 0 {
			return math.NaN()
		}
		return (printed.At(set, column).Value - n.Value) / (deviation * math.Sqrt(1+1/count))
	}
}

// beside sets the table and ours side by side.
func (t table) beside(r *paper.Results) paper.Beside {
	printed := r.Printed(file(t.number))
	b := paper.Beside{Title: t.words(), Row: "set", Rows: printed.Rows, Columns: t.columns, Ours: t.ours(r),
		Paper: printed.At, Places: 1, Units: t.units(), Apart: apart, Best: floats.Max,
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

// apart is the set that means leave out: its printed labels don't go with its features. A recall of 43.3 % over two
// classes can't go with an accuracy of 76.36 % (table 4.1's RF), and CART is below the share of the larger class.
const apart = "Adult"

// sets are those that claims are of.
func (t table) sets() string {
	if t.units() {
		return "sets"
	}
	return "sets but " + apart
}

// agrees claims that a column is printed as we have it, set by set: by how many sets are within two standard
// deviations, and by the median difference, which no single set decides. Of different units it is that of logarithms.
func (t table) agrees(column string) []paper.Claim {
	return []paper.Claim{t.within(column), t.median(column)}
}

// within claims that 95 % of a column's sets have a printed number within two standard deviations of ours. The thesis
// doesn't say so: it is our yardstick.
func (t table) within(column string) paper.Claim { return t.withinWhere(column, "") }

// withinWhere is within, of the sets where that is so of a baseline, too: where it isn't, the data may be other.
func (t table) withinWhere(column, baseline string) paper.Claim {
	says := column + "'s " + t.words() + ": " + t.sets() + " within two standard deviations of a division"
	if baseline != "" {
		says += ", of those where " + baseline + "'s is"
	}
	return paper.Claim{Says: says, Find: func(r *paper.Results) paper.Finding {
		distance, near, all := t.distances(r), 0.0, 0.0
		for _, set := range r.Printed(file(t.number)).Rows {
			z := math.Abs(distance(set, column))
			if set == apart || z != z || baseline != "" && math.Abs(distance(set, baseline)) > 2 {
				continue
			}
			if all++; z <= 2 {
				near++
			}
		}
		if all == 0 {
			return paper.Found(paper.None)
		}
		return expecting(near, all)
	}}
}

// expecting finds how many of all sets are near, beside the expected number. The difference is the normal deviate that
// has the binomial probability of so few, and at most 0, since as many as expected or more agree. A set alone can't
// disagree.
func expecting(near, all float64) paper.Finding {
	deviate := distuv.UnitNormal.Quantile(distuv.Binomial{N: all, P: expected}.CDF(near))
	return paper.Finding{Ours: paper.Exact(near),
		Paper:      paper.Number{Value: expected * all, StdErr: math.Sqrt(expected * (1 - expected) * all)},
		Difference: paper.Number{Value: min(0, deviate), StdErr: 1}}
}

// expected is the share of a normal distribution within two standard deviations.
const expected = 0.9545

// median claims that the median over sets of our number less the printed one is 0.
func (t table) median(column string) paper.Claim {
	what := t.words()
	if t.units() {
		what = "logarithm of the " + what
	}
	return paper.Claim{Says: column + "'s " + what + " less the printed one, median over " + t.sets(),
		Find: func(r *paper.Results) paper.Finding {
			printed, ours := r.Printed(file(t.number)), t.ours(r)
			var differences []float64
			for _, set := range printed.Rows {
				o, p := ours(set, column).Value, printed.At(set, column).Value
				if t.units() {
					o, p = math.Log(o), math.Log(p)
				}
				if d := o - p; set != apart && d == d {
					differences = append(differences, d)
				}
			}
			return paper.Found(paper.Median(differences))
		}}
}

// leads claims the sign of the lead that a column has on another one, or that it is as printed.
func (t table) leads(sign paper.Sign, column, other string) paper.Claim {
	return t.claim(sign, column+"'s "+t.words()+", less "+other+"'s",
		func(at func(column string) float64) float64 { return at(column) - at(other) })
}

// claim claims something of the mean over sets of a number made of the table's.
func (t table) claim(sign paper.Sign, says string, of func(at func(column string) float64) float64) paper.Claim {
	return paper.Claim{Says: says + ", mean over " + t.sets(), Sign: sign, Find: func(r *paper.Results) paper.Finding {
		printed, ours := r.Printed(file(t.number)), t.ours(r)
		var here, there, differences []float64
		for _, set := range printed.Rows {
			o := of(func(column string) float64 { return ours(set, column).Value })
			p := of(func(column string) float64 { return printed.At(set, column).Value })
			if d := o - p; set != apart && d == d {
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
