package old

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/contest"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/viz"
)

// This file puts what the thesis on Gaussian-mixture trees prints beside what we measured.

// A Thesis has the numbers of both. One of its columns is named by a table and a method, such as "3.2 GODT". Methods
// that only we have begin with the name of the printed one: "5.1 GQDT relative β".
type Thesis struct {
	Printed map[string]map[string]map[string]float64 // see [ReadGODTTables]
	Records []Record                                 // ours on the sets of tables 3.2 and 3.9
	sets    []GODTSet                                // small ones first
}

// ReadThesis reads the thesis's tables and our committed results, or ends the cell.
func ReadThesis() Thesis {
	t := Thesis{Printed: nb.Value(ReadGODTTables("../testdata/godt")), sets: append(GODTSets(), GODTValueSets()...)}
	slices.SortStableFunc(t.sets, func(a, b GODTSet) int { return cmp.Compare(a.N, b.N) })
	for _, experiment := range []string{"trees", "forests", "quadratic", "values"} {
		t.Records = append(t.Records, Committed("godt-"+experiment)...)
	}
	for _, r := range Committed("godt-madelon") { // whose runs are listed under other names than those of godt-variants
		switch r.Method {
		case "shared full":
			r.Method = "GODT, full covariance"
		case "random start":
			r.Method = "GODT, random start"
		}
		if r.X == 0 {
			t.Records = append(t.Records, r)
		}
	}
	if _, err := os.Stat(resultsFolder + "godt-variants-paper.csv"); err == nil {
		t.Records = append(t.Records, Committed("godt-variants")...)
	}
	baselines := map[string]int{}
	nb.Must(eachLine(resultsFolder+"godt-baselines.csv", func(l *publishedLine) {
		name := l.text("set") + l.text("method") + l.text("split")
		switch measure := l.text("measure"); measure {
		case "accuracy", "mae":
			baselines[name] = len(t.Records)
			t.Records = append(t.Records, Record{
				Run:    Run{Problem: l.text("set"), Method: strings.ToUpper(l.text("method"))},
				Result: Result{Score: l.number("score"), Seconds: l.number("seconds"), More: map[string]float64{}}})
		default:
			t.Records[baselines[name]].More[measure] = l.number("score")
		}
	}))
	return t
}

// On returns the part of the thesis on some of the sets.
func (t Thesis) On(keep func(GODTSet) bool) Thesis {
	t.sets = slices.DeleteFunc(slices.Clone(t.sets), func(s GODTSet) bool { return !keep(s) })
	return t
}

// Common returns the part on the sets for which all columns have both numbers.
func (t Thesis) Common(columns ...string) Thesis {
	return t.On(func(s GODTSet) bool {
		return !slices.ContainsFunc(columns, func(c string) bool { _, ok := t.compare(t.column(c), s.Name); return !ok })
	})
}

// A measure is what a table has.
type measure struct {
	name   string
	of     func(r Record) float64
	better int  // 1 if higher is better, −1 if lower is, 0 if neither
	spread bool // whether ranges of splits are of interest
}

func score(r Record) float64 { return r.Score }

// more returns a measure that records have beside their score.
func more(name string, scale float64) func(r Record) float64 {
	return func(r Record) float64 {
		v, ok := r.More[name]
		if !ok {
			return math.NaN()
		}
		return scale * v
	}
}

// measureOf returns what a table of the thesis has.
func measureOf(table string) measure {
	switch table {
	case "3.2", "4.1", "5.1", "5.3":
		return measure{"accuracy, %", func(r Record) float64 { return 100 * r.Score }, 1, true}
	case "A.5", "A.10":
		return measure{"precision, %", more("precision", 100), 1, false}
	case "A.6", "A.11":
		return measure{"recall, %", more("recall", 100), 1, false}
	case "A.7", "A.12":
		return measure{"F1, %", more("f1", 100), 1, false}
	case "3.9", "4.5":
		return measure{"mean absolute error", score, -1, true}
	case "A.4":
		return measure{"mean squared error", more("mse", 1), -1, false}
	case "A.17":
		return measure{"depth", more("depth", 1), 0, false}
	case "3.3", "3.10", "4.2", "4.6", "5.2", "5.4":
		return measure{"seconds", func(r Record) float64 { return r.Seconds }, -1, false}
	}
	panic("figures: " + table + " isn't a table by set and method")
}

// shortest is the fewest seconds that result files, which have hundredths, can tell from none.
const shortest = 0.005

// format writes a number; percentages have two decimals, as in the thesis.
func (m measure) format(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case m.better > 0:
		return fmt.Sprintf("%.2f", v)
	case m.name == "seconds" && v <= shortest:
		return "<0.01"
	case v >= 1000:
		return fmt.Sprintf("%.0f", v)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// A column is a method of a table.
type column struct {
	table, method, printed string // printed is how the table calls the method
	again                  bool   // whether a column before has the same printed numbers
	measure
}

func (t Thesis) column(name string) column {
	table, method, _ := strings.Cut(name, " ")
	printed, _, _ := strings.Cut(method, " ")
	return column{table, method, printed, false, measureOf(table)}
}

func (t Thesis) columns(names []string) (columns []column) {
	for _, name := range names {
		c := t.column(name)
		c.again = slices.ContainsFunc(columns, func(d column) bool { return d.table == c.table && d.printed == c.printed })
		columns = append(columns, c)
	}
	return columns
}

// values returns our numbers on the splits of a set.
func (t Thesis) values(c column, set string) (values []float64) {
	for _, r := range t.Records {
		if r.Problem == set && r.Method == c.method {
			if v := c.of(r); v == v {
				values = append(values, v)
			}
		}
	}
	return values
}

// A beside is a printed number beside ours.
type beside struct {
	printed, mean, low, high float64 // low and high are the ends of the central 95 % of the splits
	reach, below, splits     int     // splits that are as good as printed, and that are no better
}

// compare compares the numbers on a set. It returns false if one of them is missing.
func (t Thesis) compare(c column, set string) (r beside, ok bool) {
	printed, known := t.Printed[c.table][set][c.printed]
	x := t.values(c, set)
	if !known || math.IsNaN(printed) || len(x) == 0 {
		return r, false
	}
	r = beside{printed: printed, mean: eval.Mean(x), splits: len(x)}
	slices.Sort(x)
	r.low, r.high = contest.Quantile(x, 0.025), contest.Quantile(x, 0.975)
	rounding := 0.0
	if c.better > 0 {
		rounding = 0.005
	}
	if c.name == "seconds" {
		r.mean = max(r.mean, shortest)
	}
	for _, v := range x {
		if c.better > 0 && v >= printed-rounding || c.better < 0 && v <= printed {
			r.reach++
		}
		if c.better > 0 && v <= printed+rounding || c.better < 0 && v >= printed {
			r.below++
		}
	}
	return r, true
}

// share is that of n splits that some reach, where the printed number counts as a split.
func share(reach, n int) float64 { return float64(reach+1) / float64(n+1) }

// fisher combines p-values by Fisher's method: the probability that χ² with 2k degrees of freedom exceeds −2 Σ ln p.
// It is NaN if there are none.
func fisher(p []float64) float64 {
	if len(p) == 0 {
		return math.NaN()
	}
	half := 0.0
	for _, v := range p {
		half -= math.Log(v)
	}
	return mathext.GammaIncRegComp(float64(len(p)), half)
}

// Table has a line a set with printed numbers, once for several methods of ours, beside ours. Accuracies and absolute
// errors have the central 95 % of our splits, and how many of them are as good as printed. The best method of a line
// is bold, among printed numbers and among ours. The last lines have means, or for errors and seconds, whose units or
// sizes differ by set, the geometric mean of ours divided by the printed ones.
func (t Thesis) Table(title string, names ...string) nb.Table {
	columns := t.columns(names)
	table := nb.Table{Title: title, Columns: []string{"set"}}
	oneMeasure := !slices.ContainsFunc(columns, func(c column) bool { return c.name != columns[0].name })
	for _, c := range columns {
		group := c.method
		if !oneMeasure {
			group += ": " + c.name
		}
		if !c.again {
			table.Columns = append(table.Columns, group+"|printed")
		}
		table.Columns = append(table.Columns, group+"|ours")
		if c.spread {
			table.Columns = append(table.Columns, group+"|95 % of splits", group+"|as good")
		}
	}
	all := make([][]beside, len(columns))
	var missing []string
	for _, s := range t.sets {
		if t.Printed[columns[0].table][s.Name] == nil {
			continue
		}
		line := make([]beside, len(columns))
		any := false
		printed, ours := make([]float64, len(columns)), make([]float64, len(columns))
		for k, c := range columns {
			r, ok := t.compare(c, s.Name)
			if !ok {
				r = beside{printed: math.NaN(), mean: math.NaN()}
				if v, known := t.Printed[c.table][s.Name][c.printed]; known {
					r.printed = v
				}
			} else {
				all[k], any = append(all[k], r), true
			}
			line[k], printed[k], ours[k] = r, r.printed, r.mean
		}
		if !any {
			missing = append(missing, s.Name)
			continue
		}
		cells, theirs, own := []string{s.Name}, marked(columns, printed), marked(columns, ours)
		for k, c := range columns {
			if !c.again {
				cells = append(cells, theirs[k])
			}
			cells = append(cells, own[k])
			if c.spread {
				cells = append(cells, c.ends(line[k]), line[k].shares())
			}
		}
		table.Add(cells...)
	}
	table.Add(footer("all of these", columns, func(k int) []string { return columns[k].total(all[k]) })...)
	if columns[0].better > 0 && columns[0].spread {
		table.Add(footer("Fisher's p", columns, func(k int) []string {
			return []string{"", fmt.Sprintf("%.2g", fisher(reached(all[k]))), "", ""}
		})...)
	}
	if len(missing) > 0 {
		table.Note = "Not run yet: " + strings.Join(missing, ", ") + "."
	}
	return table
}

// marked writes the numbers of columns. One is marked if no other of its measure is better, and some other is worse.
func marked(columns []column, values []float64) (cells []string) {
	for k, c := range columns {
		cells = append(cells, best(columns, values, k)+c.format(values[k]))
	}
	return cells
}

// best returns the mark of column k.
func best(columns []column, values []float64, k int) string {
	worse := false
	for i, c := range columns {
		d := float64(c.better) * (values[k] - values[i])
		rounding := 1e-9 * math.Abs(values[k])
		switch {
		case c.name != columns[k].name || math.IsNaN(d):
		case d < -rounding:
			return ""
		default:
			worse = worse || d > rounding
		}
	}
	if !worse {
		return ""
	}
	return "*"
}

// ends returns the range of the splits as text.
func (c column) ends(r beside) string {
	if r.splits == 0 {
		return ""
	}
	if c.better > 0 {
		return fmt.Sprintf("%.1f to %.1f", r.low, r.high)
	}
	return c.format(r.low) + " to " + c.format(r.high)
}

func (r beside) shares() string {
	if r.splits == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", r.reach, r.splits)
}

// footer returns a last line.
func footer(name string, columns []column, cells func(k int) []string) []string {
	line := []string{name}
	for k, c := range columns {
		own := cells(k)
		if c.again {
			own = own[1:]
		}
		line = append(line, own...)
	}
	return line
}

// total returns the cells of a column in the line of all sets.
func (c column) total(all []beside) []string {
	cells := []string{"–", "–"}
	if len(all) > 0 && c.better < 0 {
		cells[0] = "1"
		if ratio := c.ratio(all); ratio == ratio {
			cells[1] = fmt.Sprintf("%.2f", ratio)
		}
	} else if len(all) > 0 {
		printed, ours := means(all)
		cells = []string{c.format(printed), c.format(ours)}
	}
	if c.spread {
		cells = append(cells, fmt.Sprintf("%d sets", len(all)), "")
	}
	return cells
}

func means(all []beside) (printed, ours float64) {
	for _, r := range all {
		printed, ours = printed+r.printed/float64(len(all)), ours+r.mean/float64(len(all))
	}
	return printed, ours
}

// ratio returns the geometric mean of ours divided by the printed numbers. It leaves out seconds too short to measure.
func (c column) ratio(all []beside) float64 {
	var logs []float64
	for _, r := range all {
		if c.name != "seconds" || r.mean > shortest {
			logs = append(logs, math.Log(r.mean/r.printed))
		}
	}
	return math.Exp(eval.Mean(logs))
}

// reached returns for each set the share of splits that are as good as printed.
func reached(all []beside) (p []float64) {
	for _, r := range all {
		p = append(p, share(r.reach, r.splits))
	}
	return p
}

// Summary has a line a column, over the sets that have both numbers: means, and Fisher's p, which is small if the
// printed accuracies are higher or lower than our splits can explain.
func (t Thesis) Summary(title string, names ...string) nb.Table {
	table := nb.Table{Title: title, Columns: []string{"method", "sets", "mean|printed", "mean|ours", "mean|difference",
		"Fisher's p|printed is higher", "Fisher's p|lower"}}
	for _, c := range t.columns(names) {
		var all []beside
		var low []float64
		for _, s := range t.sets {
			if r, ok := t.compare(c, s.Name); ok {
				all, low = append(all, r), append(low, share(r.below, r.splits))
			}
		}
		printed, ours := means(all)
		table.Add(c.method, fmt.Sprint(len(all)), c.format(printed), c.format(ours), fmt.Sprintf("%+.2f", ours-printed),
			fmt.Sprintf("%.2g", fisher(reached(all))), fmt.Sprintf("%.2g", fisher(low)))
	}
	return table
}

// Paired compares two methods of ours split by split.
func (t Thesis) Paired(title, first, second string) nb.Table {
	a, b := t.column(first), t.column(second)
	table := nb.Table{Title: title, Columns: []string{"set", "mean|" + a.method, "mean|" + b.method, "mean|difference",
		"splits where " + b.method + " is|better", "splits where " + b.method + " is|worse", "of",
		"depth|" + a.method, "depth|" + b.method}}
	depth := func(c column, set string) string {
		c.measure = measureOf("A.17")
		return fmt.Sprintf("%.1f", eval.Mean(t.values(c, set)))
	}
	var means [2][]float64
	for _, s := range t.sets {
		x, y := t.values(a, s.Name), t.values(b, s.Name)
		if len(x) == 0 || len(x) != len(y) {
			continue
		}
		better, worse := 0, 0
		for i := range x {
			switch d := float64(a.better) * (y[i] - x[i]); {
			case d > 0:
				better++
			case d < 0:
				worse++
			}
		}
		at := []float64{eval.Mean(x), eval.Mean(y)}
		both := marked([]column{a, b}, at)
		table.Add(s.Name, both[0], both[1], fmt.Sprintf("%+.2f", at[1]-at[0]), fmt.Sprint(better), fmt.Sprint(worse),
			fmt.Sprint(len(x)), depth(a, s.Name), depth(b, s.Name))
		means[0], means[1] = append(means[0], at[0]), append(means[1], at[1])
	}
	if len(means[0]) > 0 {
		x, y := eval.Mean(means[0]), eval.Mean(means[1])
		table.Add("mean", a.format(x), a.format(y), fmt.Sprintf("%+.2f", y-x), "", "", "", "", "")
		table.Note = fmt.Sprintf("Two-sided Wilcoxon test of the means of the %d sets: p = %.2g.", len(means[0]),
			twoSided(means[0], means[1]))
	}
	return table
}

// variants are the tables of other covariances and starts: how they call the thesis's default and the other, how our
// results do, and the table that has the times.
var variants = [][6]string{
	{"A.1", "diagonal", "GODT", "full", "GODT, full covariance", "A.1"},
	{"A.2", "initialised", "GODT", "random", "GODT, random start", "A.3"},
	{"A.8", "initialised", "GORF", "random", "GORF, random start", "A.9"},
	{"A.13", "full", "GQDT", "diagonal", "GQDT, diagonal covariance", "A.13"},
	{"A.14", "initialised", "GQDT", "random", "GQDT, random start", "A.14"},
}

// Variants are tables A.1 to A.3, A.8, A.9, A.13 and A.14, as far as they have been run. The better of a pair is bold.
func (t Thesis) Variants() nb.Table {
	table := nb.Table{Title: "Tables A.1 to A.3, A.8, A.9, A.13, A.14: accuracy in percent, and seconds",
		Columns: []string{"table", "set"}}
	for _, of := range []string{"default", "instead"} {
		for _, column := range []string{"what", "printed", "ours", "splits", "seconds, printed", "seconds, ours"} {
			table.Columns = append(table.Columns, of+"|"+column)
		}
	}
	accuracy, seconds := measureOf("3.2"), measureOf("3.3")
	missing := 0
	for _, v := range variants {
		pair := []column{{v[0], v[2], v[1], false, accuracy}, {v[0], v[4], v[3], false, accuracy}}
		for _, s := range t.sets {
			first, ok := t.compare(pair[0], s.Name)
			second, both := t.compare(pair[1], s.Name)
			if !ok || !both {
				if t.Printed[v[0]][s.Name] != nil {
					missing++
				}
				continue
			}
			printed := marked(pair, []float64{first.printed, second.printed})
			ours := marked(pair, []float64{first.mean, second.mean})
			line := []string{v[0], s.Name}
			for k, r := range []beside{first, second} {
				took := pair[k]
				took.measure = seconds
				theirs := "–"
				if v, ok := t.Printed[v[5]][s.Name][took.printed+" seconds"]; ok {
					theirs = seconds.format(v)
				}
				line = append(line, pair[k].method, printed[k], ours[k], fmt.Sprint(r.splits), theirs,
					seconds.format(eval.Mean(t.values(took, s.Name))))
			}
			table.Add(line...)
		}
	}
	table.Note = fmt.Sprintf("Not run yet: %d of the 25 pairs.", missing)
	return table
}

// twoSided returns the p-value of Wilcoxon's two-sided signed-rank test.
func twoSided(a, b []float64) float64 { return min(1, 2*min(eval.Wilcoxon(a, b), eval.Wilcoxon(b, a))) }

// Charts draws printed numbers beside ours by set, a chart a column that has any. Accuracies have the central 95 % of
// our splits. Absolute errors are divided by the printed ones, and seconds are as they are; both on logarithmic axes.
func (t Thesis) Charts(names ...string) (charts []viz.Ranges) {
	for _, c := range t.columns(names) {
		chart := viz.Ranges{X: c.name, Log: c.better < 0}
		if c.spread {
			chart.Range = "central 95 % of our splits"
		}
		var ours, printed []float64
		fewest, most := math.MaxInt, 0
		for _, s := range t.sets {
			r, ok := t.compare(c, s.Name)
			if !ok || c.name == "seconds" && r.mean <= shortest {
				continue
			}
			if c.spread && c.better < 0 {
				chart.X = c.name + " divided by the printed one"
				r.low, r.mean, r.high, r.printed = r.low/r.printed, r.mean/r.printed, r.high/r.printed, 1
			}
			chart.Names = append(chart.Names, s.Name)
			if c.spread {
				chart.Low, chart.High = append(chart.Low, r.low), append(chart.High, r.high)
			}
			ours, printed = append(ours, r.mean), append(printed, r.printed)
			fewest, most = min(fewest, r.splits), max(most, r.splits)
		}
		if chart.Names == nil {
			continue
		}
		chart.Marks = []viz.Marks{{Name: "our mean", Values: ours}, {Name: "printed", Values: printed}}
		chart.Title = fmt.Sprintf("Table %s, %s: %d of %d sets, %d to %d splits", c.table, c.method, len(chart.Names),
			len(t.Printed[c.table]), fewest, most)
		charts = append(charts, chart)
	}
	return charts
}
