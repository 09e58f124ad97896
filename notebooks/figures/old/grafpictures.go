package old

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// This file makes the pictures and tables of notebooks/graf.ipynb. Like those of notebook.go, its functions end the
// cell at an error and take paths from the folder of the notebooks.

// GRAFTable1 returns table 1 of the GRAF paper: sizes of the hypercubes of 3 features up to most, at most 15, and how
// many principal components explain 90 % of their variance, in means of ten samples.
func GRAFTable1(most int) nb.Table {
	t := nb.Table{Title: "Table 1: hypercubes, means of ten samples", Columns: []string{"features"}}
	published := nb.Value(ReadTable("../testdata/graf/table1_hypercubes.csv"))
	names := []string{"training rows", "test rows", "components", "components, projected"}
	for _, of := range names {
		t.Columns = append(t.Columns, of+"|here", of+"|paper")
	}
	for _, features := range ints(3, most) {
		var here [4]float64
		for seed := range uint64(10) {
			cube := sim.Hypercube{Features: features}
			d := cube.Sample(0, seed)
			train, test := nb.Split(d, datasets.Holdout{Test: 0.3, Seed: seed})
			cube.Project = true
			plain, projected := reaching(explained(cells(d)), 0.9), reaching(explained(cells(cube.Sample(0, seed))), 0.9)
			floats.Add(here[:], []float64{float64(train.N()), float64(test.N()), float64(plain), float64(projected)})
		}
		row := []string{fmt.Sprint(features)}
		for i, of := range names {
			row = append(row, decimals(here[i]/10, 1), decimals(published[row[0]][of], 1))
		}
		t.Add(row...)
	}
	return t
}

// GRAFCubes returns figure 4 of the GRAF paper or, projected, figure 5: κ and the size of the model against the number
// of features. Figure 4 has tight clusters, too, which the paper doesn't have.
func GRAFCubes(records []Record, projected bool) viz.Chart {
	number, problems := cubeFigure(4, projected)
	if !projected {
		problems = append(problems, "binary, deviation 0.1")
	}
	means := of(MeansByX(records), cubeMethods...)
	var kappas, sizes []viz.Curves
	for _, problem := range problems {
		kappas = append(kappas, Curves(problem, "features", "κ, "+problem, means, problem, nil))
		size := Curves(problem, "features", "numbers in the model", means, problem, meanMore("size"))
		size.LogY = true
		sizes = append(sizes, size)
	}
	return viz.SmallMultiples{Title: fmt.Sprintf("Figure %d: hypercubes, %s", number, extent(means)),
		Columns: len(problems), Panels: append(kappas, sizes...)}
}

// GRAFTimes returns figure 6 of the GRAF paper or, projected, figure 7: seconds against the number of features.
func GRAFTimes(records []Record, projected bool) viz.Chart {
	number, problems := cubeFigure(6, projected)
	means := of(MeansByX(records), cubeMethods...)
	var panels []viz.Curves
	for _, what := range [][2]string{{"training", "train_s"}, {"prediction", "test_s"}} {
		for _, problem := range problems {
			c := Curves(problem+": "+what[0], "features", "seconds of "+what[0], means, problem, meanMore(what[1]))
			c.LogY = true
			panels = append(panels, c)
		}
	}
	return viz.SmallMultiples{Title: fmt.Sprintf("Figure %d: time, two cores, %s", number, extent(means)), Columns: 2,
		Panels: panels}
}

// cubeFigure returns the number of a figure and its problems, or those of the next one, whose data are projected.
func cubeFigure(number int, projected bool) (int, []string) {
	if projected {
		return number + 1, []string{"binary, projected", "multi-class, projected"}
	}
	return number, []string{"binary", "multi-class"}
}

// The methods, in the same order so that a method has the same colour in all figures; OT is missing in some.
var (
	variedMethods = []string{"GRAF", "ET", "RF", "OT"}
	cubeMethods   = append(slices.Clone(variedMethods), "GRAF, K = 1")
)

// extent says how many features and repeats means have.
func extent(means []Mean) string {
	var features, repeats []int
	for _, m := range means {
		features, repeats = append(features, m.X), append(repeats, m.Repeats)
	}
	few, many := slices.Min(repeats), slices.Max(repeats)
	text := fmt.Sprintf("%d to %d features, %d", slices.Min(features), slices.Max(features), few)
	if many > few {
		text += fmt.Sprintf(" to %d", many)
	}
	return text + " of 10 repeats"
}

// GRAFCubeTable returns κ, model size and seconds on hypercubes of 12 features. Methods of other libraries have κ only.
func GRAFCubeTable(records []Record) nb.Table {
	t := nb.Table{Title: "12 features: κ ± standard error, numbers in the model, seconds; the highest κ is bold",
		Columns: []string{"problem", "method", "repeats", "κ", "±", "model size", "training, s", "prediction, s"}}
	for _, problem := range cubeProblems {
		best := math.Inf(-1)
		var rows []Mean
		for _, m := range Means(records) {
			if m.Problem == problem.name && m.X == 12 {
				rows, best = append(rows, m), max(best, m.Mean)
			}
		}
		for _, m := range rows {
			kappa, stdErr := m.score()
			row := []string{m.Problem, m.Method, fmt.Sprint(m.Repeats), decimals(kappa, 3), decimals(stdErr, 3)}
			if kappa == best {
				row[3] = "*" + row[3]
			}
			for i, name := range []string{"size", "train_s", "test_s"} {
				cell := "–"
				if v, ok := m.More[name]; ok {
					cell = decimals(v, []int{0, 2, 3}[i])
				}
				row = append(row, cell)
			}
			t.Add(row...)
		}
	}
	return t
}

// GRAFVaried returns figure 8, 9, 10 or B.1 to B.6 of the GRAF paper: bias, variance and error against what is varied.
func GRAFVaried(title, x string, records []Record) viz.Chart {
	means := of(MeansByX(records), variedMethods...)
	var panels []viz.Curves
	for _, classes := range []string{"2 classes", "5 classes"} {
		for _, what := range []string{"bias²", "variance", "error"} {
			var measure func(Mean) (float64, float64)
			if what != "error" {
				measure = meanMore(strings.Replace(what, "²", "2", 1))
			}
			c := Curves(classes+": "+what, x, what+", "+classes, means, classes+wekasRows, measure)
			c.LogX = x == "trees"
			for k, s := range c.Series {
				if len(s.X) < 3 { // a line would say what is between
					c.Series[k] = Dots(s.Name, s.X, s.Y)
				}
			}
			panels = append(panels, c)
		}
	}
	return viz.SmallMultiples{Title: title + ", the paper's rows", Columns: 3, Panels: panels}
}

const wekasRows = ", Weka's rows" // ends the names of problems

// GRAFVariedTable returns bias, variance and error where figures 10, B.1 and B.2 meet: 2500 rows, 100 trees, M = 5.
func GRAFVariedTable() nb.Table {
	t := nb.Table{Title: "2500 rows, 100 trees, M = 5; the lowest number is bold",
		Columns: []string{"centroids", "classes"}}
	methods := []string{"GRAF", "OT", "ET", "RF"}
	for _, what := range []string{"bias²", "variance", "error"} {
		for _, method := range methods {
			t.Columns = append(t.Columns, what+"|"+method)
		}
	}
	for i, name := range []string{"graf-fig10", "graf-figB1", "graf-figB2"} {
		at := meansAt(Committed(name))
		for _, classes := range []string{"2 classes", "5 classes"} {
			row := []string{[]string{"10", "20", "50"}[i], classes[:1]}
			for _, measure := range []func(Mean) (float64, float64){meanMore("bias2"), meanMore("variance"), Mean.score} {
				var values []float64
				for _, method := range methods {
					v := math.NaN()
					if m, ok := at[group{classes + wekasRows, method, 2500}]; ok {
						v, _ = measure(m)
					}
					values = append(values, v)
				}
				row = append(row, bold(values, 4, floats.Min)...)
			}
			t.Add(row...)
		}
	}
	return t
}

// decimals formats a number for a table, with a minus sign; NaN is a dash.
func decimals(v float64, places int) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%.*f", places, v), "-", "−", 1)
}

// bold formats numbers for a table of package nb; those that look like the best are bold. NaN is no number.
func bold(values []float64, places int, best func([]float64) float64) (cells []string) {
	numbers := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	for _, v := range values {
		cell := decimals(v, places)
		if len(numbers) > 1 && cell == decimals(best(numbers), places) {
			cell = "*" + cell
		}
		cells = append(cells, cell)
	}
	return cells
}

// A GRAFTable is table D.1 of the GRAF paper, on the sets on which all of our methods have been measured.
type GRAFTable struct {
	cells, published map[string]map[string]Cell // by set and method
	baselines        []PredictionMean
}

// CommittedTableD1 returns table D.1 from docs/results.
func CommittedTableD1() GRAFTable {
	published := nb.Value(ReadTableD1("../testdata/graf/tableD1_kappa_4fold.csv"))
	return GRAFTable{Compare(Means(Committed("graf-tableD1")), published), published,
		PredictionMeans(CommittedPredictions())}
}

var (
	ourD1      = []string{"GRAF", "OT", "ET", "RF"}
	boostingD1 = []string{"GB", "ADA", "XGB"} // of other libraries, without hindsight
)

// of returns the cells of the sets that a method has been measured on.
func (d GRAFTable) of(method string) map[string]map[string]Cell {
	if slices.Contains(ourD1, method) {
		return d.cells
	}
	return WithBaselines(d.cells, d.published, d.baselines, method)
}

// Kappas returns κ of every set and method.
func (d GRAFTable) Kappas() nb.Table {
	t := nb.Table{Title: fmt.Sprintf("Table D.1: κ on %d sets; the highest tuned and the highest printed κ are bold",
		len(d.cells)), Columns: []string{"set"}}
	for _, what := range []string{"here, tuned", "in the paper", "here, in hindsight"} {
		for _, method := range slices.Concat(ourD1, boostingD1) {
			if what != "here, in hindsight" || slices.Contains(ourD1, method) {
				t.Columns = append(t.Columns, what+"|"+method)
			}
		}
	}
	for _, set := range slices.Sorted(maps.Keys(d.cells)) {
		var tuned, printed, hindsight []float64
		for _, method := range ourD1 {
			c := d.cells[set][method]
			tuned, printed, hindsight = append(tuned, c.Tuned), append(printed, c.Published), append(hindsight, c.Hindsight)
		}
		for _, method := range boostingD1 {
			v := math.NaN()
			if c, ok := d.of(method)[set][method]; ok {
				v = c.Tuned
			}
			tuned, printed = append(tuned, v), append(printed, d.published[set][method].Published)
		}
		row := append([]string{set}, bold(tuned, 3, floats.Max)...)
		row = append(row, bold(printed, 3, floats.Max)...)
		for _, v := range hindsight {
			row = append(row, decimals(v, 3))
		}
		t.Add(row...)
	}
	return t
}

// Differences returns the means over sets of our κ less the printed one, and of its absolute value.
func (d GRAFTable) Differences() nb.Table {
	t := nb.Table{Title: "κ here less κ in the paper: mean over sets, and mean of absolute values",
		Columns: []string{"sets", "method", "number of sets", "tuned|mean", "tuned|absolute", "in hindsight|mean",
			"in hindsight|absolute"}}
	sizes := nb.Value(ReadTable("../testdata/graf/tableC1_datasets.csv", "n_samples"))
	for _, part := range []string{"all", "at least 1000 rows", "fewer than 1000 rows"} {
		for _, method := range slices.Concat(ourD1, boostingD1) {
			some := maps.Clone(d.of(method))
			maps.DeleteFunc(some, func(set string, _ map[string]Cell) bool {
				large := sizes[set]["n_samples"] >= 1000
				return large && part == "fewer than 1000 rows" || !large && part == "at least 1000 rows"
			})
			if len(some) == 0 {
				continue
			}
			tuned, hindsight := Difference(some, method)
			t.Add(part, method, fmt.Sprint(len(some)), decimals(tuned[0], 3), decimals(tuned[1], 3),
				decimals(hindsight[0], 3), decimals(hindsight[1], 3))
		}
	}
	return t
}

// Scatter returns κ here against κ in the paper, a panel a method and a point a set.
func (d GRAFTable) Scatter() viz.Chart {
	grid := viz.Grid{Title: "Table D.1: κ here, tuned, against κ in the paper; a point a set", Columns: 4, Width: 250,
		Height: 270}
	for _, method := range slices.Concat(ourD1, boostingD1) {
		cells := d.of(method)
		points := &datasets.Dataset{Columns: make([][]float32, 2),
			Features: []datasets.Feature{{Name: "paper"}, {Name: "here"}}}
		for _, set := range slices.Sorted(maps.Keys(cells)) {
			c := cells[set][method]
			points.Columns[0] = append(points.Columns[0], float32(c.Published))
			points.Columns[1] = append(points.Columns[1], float32(c.Tuned))
		}
		grid.Charts = append(grid.Charts, viz.Scatter{Title: fmt.Sprintf("%s, %d sets", method, len(cells)), Data: points,
			Diagonal: true})
	}
	return grid
}

// Ranks returns figure 11: mean ranks, and p-values of pairs of methods. The table has the same ranks.
func (d GRAFTable) Ranks() (viz.Chart, nb.Table) {
	grid := viz.Grid{Title: "Figure 11: p-values that the column is better than the row", Columns: 2, Width: 560,
		Height: 300}
	seven := []string{"GRAF", "ET", "OT", "GB", "XGB", "RF", "ADA"}
	t := nb.Table{Title: "Mean ranks (1 is best); the best of a row is bold",
		Columns: slices.Concat([]string{"κ", "sets"}, seven, []string{"Friedman χ²", "p"})}
	tuned := func(_ string, c Cell) float64 { return c.Tuned }
	hindsight := func(_ string, c Cell) float64 { return c.Hindsight }
	printed := func(_ string, c Cell) float64 { return c.Published }
	mixed := func(method string, c Cell) float64 {
		if method == "GRAF" || method == "OT" {
			return c.Hindsight
		}
		return c.Tuned
	}
	with := WithBaselines(d.cells, d.published, d.baselines, boostingD1...)
	for _, of := range []struct {
		name    string
		cells   map[string]map[string]Cell
		methods []string
		kappa   func(string, Cell) float64
	}{
		{"here, tuned", d.cells, ourD1, tuned},
		{"paper, same sets", d.cells, ourD1, printed},
		{"here, in hindsight", d.cells, ourD1, hindsight},
		{"here, GRAF and OT in hindsight", d.cells, ourD1, mixed},
		{"here, tuned, with boosting", with, seven, tuned},
		{"paper, same sets", with, seven, printed},
		{"paper, all sets", d.published, seven, printed},
	} {
		scores := Scores(of.cells, of.methods, of.kappa)
		f := eval.FriedmanTest(scores)
		grid.Charts = append(grid.Charts, viz.RankMatrix{Title: fmt.Sprintf("%s (%d)", of.name, len(scores)),
			Methods: of.methods, Ranks: f.Ranks, P: eval.PairwiseWilcoxon(scores)})
		ranks := make([]float64, len(seven))
		for i, method := range seven {
			ranks[i] = math.NaN()
			if k := slices.Index(of.methods, method); k >= 0 {
				ranks[i] = f.Ranks[k]
			}
		}
		row := append([]string{of.name, fmt.Sprint(len(scores))}, bold(ranks, 2, floats.Min)...)
		t.Add(append(row, decimals(f.Statistic, 2), fmt.Sprintf("%.1g", f.P))...)
	}
	return grid, t
}

// Faults returns κ on sets whose published coding is faulty, with that coding and with a clean one.
func (d GRAFTable) Faults() nb.Table {
	t := nb.Table{Title: "κ with a faulty coding and with a clean one; the highest of a row is bold",
		Columns: append([]string{"set", "the coding …", "κ"}, ourD1...)}
	clean := meansAt(Committed("graf-faults"))
	for _, set := range FaultySets {
		var printed, same, mended []float64
		for _, method := range ourD1 {
			c := d.cells[set.Name][method]
			printed, same = append(printed, c.Published), append(same, c.Tuned)
			mended = append(mended, clean[group{set.Name, method, 0}].Mean)
		}
		t.Add(append([]string{set.Name, set.Fault, "paper"}, bold(printed, 3, floats.Max)...)...)
		t.Add(append([]string{"", "", "here, same coding"}, bold(same, 3, floats.Max)...)...)
		t.Add(append([]string{"", "", "here, clean coding"}, bold(mended, 3, floats.Max)...)...)
	}
	return t
}

// GRAFMaps returns figure 12: the sensitivity of rows, and a quarter of them drawn in three ways. The table has the
// shares of rows that lie near a boundary.
func GRAFMaps(ctx context.Context) (viz.Chart, nb.Table) {
	grid := viz.Grid{Title: "Figure 12: 2000 rows, their sensitivity, and a quarter of them", Columns: 4, Width: 280,
		Height: 300}
	t := nb.Table{Title: "Rows within a tenth of the figure's width from a boundary, %",
		Columns: []string{"pattern", "all", "U25%", "P25%", "S25%"}}
	for i, p := range Patterns() {
		train, s, err := Sensitivities(ctx, p, 1)
		nb.Must(err)
		near := func(d *datasets.Dataset) string {
			n := 0
			for i := range d.N() {
				if p.BoundaryDistance(d.Row(nil, i)) <= 0.2 {
					n++
				}
			}
			return fmt.Sprintf("%.0f", 100*float64(n)/float64(d.N()))
		}
		grid.Charts = append(grid.Charts, viz.SensitivityMap{Title: fmt.Sprintf("%c: %s", 'a'+i, p.Name), Data: train,
			Sensitivity: s.Scores})
		row := []string{p.Name, near(train)}
		for k, by := range []inspect.Selection{inspect.Uniformly, inspect.ByProbability, inspect.ByRank} {
			kept := nb.Value(s.Approximate(0.25, by, 1))
			row = append(row, near(kept))
			grid.Charts = append(grid.Charts, viz.Scatter{Title: t.Columns[2+k], Data: train, Rows: kept.Rows, Equal: true})
		}
		t.Add(row...)
	}
	return grid, t
}

// leastLoss is the least loss of figure 13 that its logarithmic axis shows, in percentage points.
const leastLoss = 0.01

// GRAFApproximation returns figure 13 as paired differences: the percentage points of accuracy that are lost where
// learners see a part of the rows, against that part. The table has some of them.
func GRAFApproximation(records []Record) (viz.Chart, nb.Table) {
	losses := grafLosses(records)
	var panels []viz.Curves
	t := nb.Table{Title: "Figure 13: points of accuracy lost ± standard error; the least of three is bold",
		Columns: []string{"pattern", "learner"}}
	var kept []int
	for _, m := range losses {
		if !slices.Contains(kept, m.X) {
			kept = append(kept, m.X)
		}
	}
	kept = slices.DeleteFunc(kept, func(x int) bool { return x > 40 })
	slices.Sort(kept)
	for _, x := range kept {
		for _, by := range []string{"U", "P", "S"} {
			t.Columns = append(t.Columns, fmt.Sprintf("%d %% of the rows|%s", x, by))
		}
	}
	for _, learner := range []string{"GRAF", "RF"} {
		for _, p := range Patterns() {
			some := of(losses, learner+" U", learner+" P", learner+" S")
			for i := range some {
				some[i].Method = strings.TrimPrefix(some[i].Method, learner+" ")
			}
			c := Curves(learner+": "+p.Name, "rows kept, %", "points of accuracy lost", some, p.Name,
				func(m Mean) (float64, float64) {
					if m.Mean-m.StdErr < leastLoss { // a bar would leave the axis
						return max(leastLoss, m.Mean), 0
					}
					return m.Mean, m.StdErr
				})
			c.LogX, c.LogY = true, true
			panels = append(panels, c)
			row := []string{p.Name, learner}
			for _, x := range kept {
				var lost []float64
				var errs []float64
				for _, m := range some {
					if m.Problem == p.Name && m.X == x {
						lost, errs = append(lost, m.Mean), append(errs, m.StdErr)
					}
				}
				for i, cell := range bold(lost, 2, floats.Min) {
					row = append(row, cell+" ± "+decimals(errs[i], 2))
				}
			}
			t.Add(row...)
		}
	}
	title := fmt.Sprintf("Figure 13: accuracy lost by rows left out, 5 repeats (%.2f: that much or less)", leastLoss)
	return viz.SmallMultiples{Title: title, Columns: 3, Panels: panels}, t
}

// grafLosses returns by how many percentage points the accuracy with a part of the rows is below that with all rows, in
// means over repeats of differences within a repeat.
func grafLosses(records []Record) []Mean {
	all := map[identity]float64{}
	for _, r := range records {
		if r.X == 100 {
			id := r.identity()
			id.x = 0
			all[id] = r.Score
		}
	}
	var lost []Record
	for _, r := range records {
		id := r.identity()
		id.x = 0
		if whole, ok := all[id]; ok && r.X < 100 {
			r.Score = 100 * (whole - r.Score)
			lost = append(lost, r)
		}
	}
	return MeansByX(lost)
}

// GRAFSupportTables returns table 2 of the GRAF paper, by set and in means over sets.
func GRAFSupportTables() (bySet, means nb.Table) {
	published := nb.Value(ReadTable("../testdata/graf/table2_support_vectors.csv"))
	here := meansAt(Committed("graf-support"))
	bySet = nb.Table{Title: "Table 2, per cent; the highest overlap and accuracy of those that choose rows are bold",
		Columns: []string{"set (divisions)", "rows chosen by", "size|here", "size|paper", "overlap|here", "overlap|paper",
			"weight", "accuracy|here", "accuracy|paper"}}
	means = nb.Table{Title: "Table 2, means over 13 sets, per cent; loss: accuracy by all rows less that by the chosen",
		Columns: []string{"rows chosen by", "overlap|here", "overlap|paper", "loss|here", "loss|paper"}}
	choosers := []string{"GRAF", "GRAF P", "SVIS", "NPPS", "random"}
	column := func(method, what string) string { return strings.ToLower(method) + what }
	sums := map[string][]float64{}
	for _, set := range SupportSets {
		all, paper := here[group{set, "SVM", 0}], published[set]
		printed := func(column string) float64 {
			if v, ok := paper[column]; ok {
				return v
			}
			return math.NaN()
		}
		var size, overlap, weight, accuracy [2][]float64 // here and in the paper
		for _, method := range append([]string{"SVM"}, choosers...) {
			m := here[group{set, method, 0}]
			sizes := map[string]string{"SVM": "svs_pct", "GRAF": "svs_pct", "SVIS": "svs_pct", "NPPS": "npps_size_pct"}
			overlapped, right := printed(column(method, "_overlap_pct")), printed(column(method, "_accuracy_pct"))
			for i, v := range [][4]float64{{m.More["size"], m.More["overlap"], m.More["weight"], 100 * m.Mean},
				{printed(sizes[method]), overlapped, 0, right}} {
				size[i], overlap[i] = append(size[i], v[0]), append(overlap[i], v[1])
				weight[i], accuracy[i] = append(weight[i], v[2]), append(accuracy[i], v[3])
			}
			if method != "SVM" {
				k := len(overlap[0]) - 1
				sum := []float64{overlap[0][k], overlapped, 100 * (all.Mean - m.Mean), paper["svm_accuracy_pct"] - right}
				if sums[method] != nil {
					floats.Add(sum, sums[method])
				}
				sums[method] = sum
			}
		}
		chosen := func(values []float64) []string { // all rows are no choice
			return append([]string{decimals(values[0], 1)}, bold(values[1:], 1, floats.Max)...)
		}
		cells := [][]string{chosen(overlap[0]), chosen(overlap[1]), chosen(accuracy[0]), chosen(accuracy[1])}
		for k, method := range append([]string{"all rows"}, choosers...) {
			name := ""
			if k == 0 {
				name = fmt.Sprintf("%s (%d)", set, all.Repeats)
			}
			bySet.Add(name, method, decimals(size[0][k], 1), decimals(size[1][k], 1), cells[0][k], cells[1][k],
				decimals(weight[0][k], 1), cells[2][k], cells[3][k])
		}
	}
	for _, method := range choosers {
		row := []string{method}
		for _, sum := range sums[method] {
			row = append(row, decimals(sum/float64(len(SupportSets)), 1))
		}
		means.Add(row...)
	}
	return bySet, means
}

// GRAFSupportVectors returns figure 14: the distributions of the sensitivity of all rows, of support vectors and of the
// most sensitive rows. The table has the means of quarters of the support vectors.
func GRAFSupportVectors() (viz.Chart, nb.Table) {
	picture := viz.SmallMultiples{Title: "Figure 14: distributions of N·p (eq. 33), 5 to 95 % of the rows", Columns: 3}
	t := nb.Table{Title: "Mean N·p of the support vectors, by quarters of their weights α",
		Columns: []string{"set", "smallest α", "second", "third", "largest α"}}
	for _, m := range Means(Committed("graf-support")) {
		if m.Method != "GRAF" {
			continue
		}
		c := viz.Curves{Title: m.Problem, X: "N·p, " + m.Problem, Y: "share of rows, %"}
		for _, group := range [][2]string{{"all", "all rows"}, {"sv", "support vectors"}, {"most", "the most sensitive"}} {
			s := viz.Series{Name: group[1]}
			for percent := 5; percent < 100; percent += 10 {
				s.X, s.Y = append(s.X, m.More[fmt.Sprint(group[0], ".", percent)]), append(s.Y, float64(percent))
			}
			c.Series = append(c.Series, s)
		}
		picture.Panels = append(picture.Panels, c)
		row := []string{m.Problem}
		for _, quarter := range []string{"sv1", "sv2", "sv3", "sv4"} {
			row = append(row, decimals(m.More[quarter], 2))
		}
		t.Add(row...)
	}
	return picture, t
}
