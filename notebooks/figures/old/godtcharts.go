package old

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// A Contender is a method that the notebook on the thesis compares on simulations.
type Contender struct {
	Name   string
	choose chooser
}

// GODTContenders are the methods in the order of the notebook's table. All but the random forest are tuned.
func GODTContenders() []Contender {
	separate := godt.Splitting{Divider: godt.SeparateFull}
	relative := godt.Splitting{Divider: godt.SeparateFull, RelativeBeta: 0.01}
	return []Contender{
		{"GODT", tunedTree(godt.Splitting{})},
		{"GODT supervised", tunedTree(godt.Splitting{Supervised: true})},
		{"GQDT", tunedTree(relative)},
		{"GQDT, printed β", tunedTree(separate)},
		{"CART", tunedCART},
		{"random forest", godtRF},
	}
}

// Fit chooses settings on the last fifth of the rows, the validation rows, and fits the best to all rows.
func (c Contender) Fit(ctx context.Context, d *datasets.Dataset) (*forest.Forest, error) {
	rows := from(0, int32(d.N()))
	cut := d.N() * 4 / 5
	learner, err := c.choose(ctx, &trial{Run: Run{Seed: 1}}, d.Subset(rows[:cut]), d.Subset(rows[cut:]))
	if err != nil {
		return nil, err
	}
	return learner.Fit(ctx, d)
}

// HiddenClass is a problem whose clusters have nothing to do with the classes: all features but the first form two
// clusters, six standard deviations apart. The first feature, of a smaller spread, makes the class.
func HiddenClass(features int) sim.GaussianClasses {
	var g sim.GaussianClasses
	for class := range 2 {
		for _, centre := range []float64{-3, 3} {
			c := sim.Gaussian{Class: class, Mean: slices.Repeat([]float64{centre}, features)}
			for j := range features {
				c.Covariance = append(c.Covariance, make([]float64, features))
				c.Covariance[j][j] = 1
			}
			c.Mean[0], c.Covariance[0][0] = float64(class)-0.5, 0.25*0.25
			g.Components = append(g.Components, c)
		}
	}
	return g
}

// Ellipses returns the components of a mixture over two features for drawing.
func Ellipses(m *godt.Mixture) (g []viz.Gaussian) {
	for k, c := range m.Covariance {
		g = append(g, viz.Gaussian{Mean: [2]float64(m.Mean[k]), Weight: m.Share[k],
			Covariance: [2][2]float64{[2]float64(c[0]), [2]float64(c[1])}})
	}
	return g
}

// Sides returns the data with the sides of a boundary as classes, and the share of rows, in percent, that are on the
// wrong side if the data's two classes are the true ones.
func Sides(d *datasets.Dataset, b viz.Boundary) (sides *datasets.Dataset, wrong float64) {
	c := *d
	c.Classes, c.Labels = []string{"cluster 1", "cluster 2"}, make([]int32, d.N())
	for i := range c.Labels {
		if b.Function.Value(d.Row(nil, i)) > b.Threshold {
			c.Labels[i] = 1
		}
	}
	share := eval.Error(c.Labels, d.Labels)
	return &c, 100 * min(share, 1-share)
}

// NodeMixtures returns a step for each node of the model's first tree, with the mixture that divides it.
func NodeMixtures(ctx context.Context, model *forest.Forest, tree godt.Tree, d *datasets.Dataset) (
	steps []viz.Mixture, err error,
) {
	steps = viz.NodeMixtures(&model.Trees[0], d)
	for i := range steps {
		m, err := tree.Splitting.Mixture(d, steps[i].Rows, tree.Seed)
		if err != nil {
			return nil, err
		}
		steps[i].Components, steps[i].Equal = Ellipses(m), true
	}
	return steps, nil
}

// noData ends the cell, with words why, if OBLIQUA_DATA is unset.
func noData() {
	if os.Getenv("OBLIQUA_DATA") == "" {
		fmt.Println("No data at hand: OBLIQUA_DATA is unset; it names the folder of the data sets")
		os.Exit(0)
	}
}

// SetsTable is table 3.1, or table 3.8 for values: what it prints beside the data as we read them. Ours is bold where
// it differs. It loads all sets, and ends the cell if OBLIQUA_DATA is unset.
func (t Thesis) SetsTable(number string) nb.Table {
	noData()
	table := nb.Table{Title: "Table " + number + ": the data sets", Columns: []string{"set", "features|printed",
		"features|ours", "classes|printed", "classes|ours", "rows|printed", "rows|ours", "test rows|printed",
		"test rows|ours", "our reading"}}
	if number == "3.8" {
		table.Columns = slices.Delete(table.Columns, 3, 5)
	}
	printed := t.Printed[number]
	for _, s := range t.sets {
		if p := printed[s.Name]; p != nil {
			table.Add(s.line(p, nb.Value(s.Load(nb.Context())))...)
		}
	}
	var missing []string
	for name := range printed {
		if !slices.ContainsFunc(t.sets, func(s GODTSet) bool { return s.Name == name }) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	table.Note = "Not at hand: " + strings.Join(missing, ", ") + "."
	return table
}

// line returns a set's line of [Thesis.SetsTable].
func (s GODTSet) line(printed map[string]float64, d *datasets.Dataset) []string {
	cells := []string{s.Name}
	add := func(printed float64, ours int) {
		mark := ""
		if int(printed) != ours {
			mark = "*"
		}
		cells = append(cells, fmt.Sprintf("%.0f", printed), mark+fmt.Sprint(ours))
	}
	add(printed["features"], d.P())
	if d.Values == nil {
		add(printed["classes"], len(d.Classes))
	}
	add(printed["training"]+printed["testing"], d.N())
	add(printed["testing"], s.Test)
	return append(cells, s.Reading)
}

// ChosenOnTest shows what GODT would have on small sets if its settings were chosen by the accuracy on the test rows,
// over the first splits. It computes that column, and ends the cell if OBLIQUA_DATA is unset.
func (t Thesis) ChosenOnTest(splits int) nb.Table {
	noData()
	table := nb.Table{Title: fmt.Sprintf("GODT, accuracy in percent, mean of the first %d splits", splits),
		Columns: []string{"set", "printed", "ours, chosen on|validation rows", "ours, chosen on|test rows"}}
	c := t.column("3.2 GODT")
	var sums [3]float64
	small := t.On(func(s GODTSet) bool { return s.N <= 1000 && s.Classes > 0 })
	for _, s := range small.sets {
		d := nb.Value(s.Load(nb.Context()))
		line := [3]float64{t.Printed["3.2"][s.Name]["GODT"], eval.Mean(t.values(c, s.Name)[:splits])}
		for repeat := range splits {
			line[2] += nb.Value(bestOnTest(nb.Context(), s, d, uint64(repeat+1))) / float64(splits)
		}
		for k, v := range line {
			sums[k] += v / float64(len(small.sets))
		}
		table.Add(s.Name, c.format(line[0]), c.format(line[1]), c.format(line[2]))
	}
	table.Add("mean", c.format(sums[0]), c.format(sums[1]), c.format(sums[2]))
	return table
}

// bestOnTest returns the best accuracy of the thesis's grid on the test rows of a split, in percent.
func bestOnTest(ctx context.Context, s GODTSet, d *datasets.Dataset, split uint64) (float64, error) {
	train, validation, test := s.Split(d.N(), split)
	both := slices.Sorted(slices.Values(slices.Concat(train, validation)))
	a, b, err := prepared(ctx, GODTSteps, d.Subset(both), d.Subset(test))
	if err != nil {
		return 0, err
	}
	tuning, err := godt.Tune(ctx, godt.Tree{}.Grid(a), a, b)
	if err != nil {
		return 0, err
	}
	return 100 * (1 - tuning.Error[tuning.Best]), nil
}

// FirstTrees returns a record for each number of trees of the records of godtensembles.
func FirstTrees(records []Record) (all []Record) {
	for _, n := range ensembleTrees {
		for _, r := range records {
			r.X, r.Score = n, r.More[fmt.Sprint("accuracy.", n)]
			all = append(all, r)
		}
	}
	return all
}

// ByTreesTable is a table of accuracies by number of trees, such as A.18 of Madelon: ours beside the printed ones.
func (t Thesis) ByTreesTable(number, set string, records []Record) nb.Table {
	table := nb.Table{Title: fmt.Sprintf("Table %s: accuracy in percent, %s", number, set),
		Columns: []string{"forest", "trees", "ours", "printed|GORF", "printed|RF"}}
	for _, m := range MeansByX(records) {
		if m.Problem == set && m.X > 0 {
			printed := t.Printed[number][fmt.Sprint(m.X)]
			table.Add(m.Method, fmt.Sprint(m.X), decimals(100*m.Mean, 2), decimals(printed["GORF"], 2),
				decimals(printed["RF"], 2))
		}
	}
	return table
}

// ByTrees draws a table of accuracies by number of trees, such as A.18 of Madelon, beside ours.
func (t Thesis) ByTrees(number, set string, records []Record) viz.Curves {
	means := slices.DeleteFunc(SPORFMeans(records), func(m Mean) bool { return m.Problem != set || m.X == 0 })
	repeats := 0
	for i, m := range means {
		means[i].Method, repeats = "ours, "+m.Method, max(repeats, m.Repeats)
	}
	runs := fmt.Sprintf("%d runs", repeats)
	if repeats == 1 {
		runs = "one run"
	}
	chart := Curves(fmt.Sprintf("Table %s: %s by number of trees, %s of ours", number, set, runs), "trees",
		"accuracy, %", means, set, func(m Mean) (float64, float64) {
			score, stdErr := m.score()
			return 100 * score, 100 * stdErr
		})
	chart.LogX = true
	printed := t.Printed[number]
	trees := make([]int, 0, len(printed))
	for text := range printed {
		trees = append(trees, must.Value(strconv.Atoi(text)))
	}
	slices.Sort(trees)
	for _, method := range []string{"GORF", "RF"} {
		s := viz.Series{Name: "printed, " + method}
		for _, n := range trees {
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, printed[fmt.Sprint(n)][method])
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}

// BetaCharts draws the accuracy of GQDT by β, a panel a set, with β up to 1/3: beyond, accuracies fall far. The table
// has the best β of each kind, and the accuracies at 10⁻⁴, which is in the thesis's grid, and at 1.
func (t Thesis) BetaCharts(records []Record) (panels []viz.Curves, table nb.Table) {
	table = nb.Table{Title: "Accuracy of GQDT in percent, fully grown", Columns: []string{"set", "printed",
		"relative β|best", "relative β|at β", "relative β|at 10⁻⁴", "relative β|at 1", "absolute β|best", "absolute β|at β",
		"absolute β|at 10⁻⁴", "absolute β|at 1"}}
	means := MeansByX(records)
	for _, set := range t.sets {
		printed := t.Printed["5.1"][set.Name]["GQDT"]
		c := viz.Curves{X: "β", Y: set.Name + ": accuracy, %", LogX: true,
			Levels: []viz.Level{{Y: printed, Name: "printed"}}}
		line := []string{set.Name, fmt.Sprintf("%.1f", printed)}
		for _, by := range []string{"relative", "absolute"} {
			s := viz.Series{Name: by + " β"}
			at := map[int]float64{}
			best := Mean{Mean: -1}
			for _, m := range means {
				if m.Problem != set.Name || m.Method != by {
					continue
				}
				if m.X < -400 {
					s.X, s.Y = append(s.X, betaAt(m.X)), append(s.Y, 100*m.Mean)
				}
				if m.Mean > best.Mean {
					best = m
				}
				at[m.X] = 100 * m.Mean
				c.Title = fmt.Sprintf("%s, %d splits", set.Name, m.Repeats)
			}
			if best.Mean < 0 {
				continue
			}
			c.Series = append(c.Series, s)
			line = append(line, fmt.Sprintf("%.1f", 100*best.Mean), fmt.Sprintf("%.1g", betaAt(best.X)),
				fmt.Sprintf("%.1f", at[-4000]), fmt.Sprintf("%.1f", at[0]))
		}
		if len(c.Series) == 2 {
			panels = append(panels, c)
			table.Add(line...)
		}
	}
	return panels, table
}

// Ablation draws the accuracies of the ways to divide a node, on features as they are and standardised. Colour is the
// error minus that of the diagonal mixture: blue is better. The table compares K-means alone with the mixture.
func (t Thesis) Ablation(records []Record) (charts []viz.HeatMap, table nb.Table) {
	const base = "mixture, diagonal"
	table = nb.Table{Title: "K-means alone against the mixture, mean accuracy in percent", Columns: []string{"features",
		"K-means", "mixture", "sets|K-means is better", "sets|of", "two-sided Wilcoxon p"}}
	means := Means(records)
	for x, features := range []string{"as they are", "standardised"} {
		accuracy := map[string][]float64{} // by method, of each set
		h := viz.HeatMap{Limit: 12}
		splits := 0
		for _, m := range means {
			if m.X != x {
				continue
			}
			if len(accuracy[m.Method]) == 0 {
				h.Rows = append(h.Rows, m.Method)
			}
			if m.Method == base {
				h.Columns = append(h.Columns, m.Problem)
			}
			accuracy[m.Method], splits = append(accuracy[m.Method], 100*m.Mean), m.Repeats
		}
		if len(h.Rows) == 0 {
			continue
		}
		h.Title = fmt.Sprintf("Features %s: accuracy, %%, %d splits (blue: better than %s)", features, splits, base)
		sets := len(h.Columns)
		h.Columns = append(h.Columns, "mean")
		for _, method := range h.Rows {
			own, of := accuracy[method], accuracy[base]
			own, of = append(own[:sets:sets], eval.Mean(own)), append(of[:sets:sets], eval.Mean(of))
			var values []float64
			var cells []string
			for i, v := range own {
				values, cells = append(values, of[i]-v), append(cells, fmt.Sprintf("%.1f", v))
			}
			h.Values, h.Text = append(h.Values, values), append(h.Text, cells)
		}
		charts = append(charts, h)
		k, m, better := accuracy["K-means"], accuracy[base], 0
		for i := range k {
			if k[i] > m[i] {
				better++
			}
		}
		pair := []column{{measure: measure{better: 1}}, {measure: measure{better: 1}}}
		both := marked(pair, []float64{eval.Mean(k), eval.Mean(m)})
		table.Add(features, both[0], both[1], fmt.Sprint(better), fmt.Sprint(sets), fmt.Sprintf("%.2g", twoSided(k, m)))
	}
	return charts, table
}

// GODTTimes draws the seconds of training as rows, features or trees grow, a panel each, both axes logarithmic. The
// table is table 5.5: the printed complexities, and the exponents that fit the seconds.
func GODTTimes(records []Record) (panels []viz.Chart, table nb.Table) {
	table = nb.Table{Title: "Table 5.5: complexity of training", Columns: []string{"model", "printed",
		"measured exponent of|rows", "measured exponent of|features", "measured exponent of|trees"}}
	printed := [][2]string{{"CART", "N·p·log N"}, {"RF", "T·N·m·log N"}, {"GODT", "N·p²·log N + I·N·p·log N"},
		{"GORF", "T·N·m²·log N + T·I·N·m·log N"}, {"GQDT", "N·p²·log N + I·N·p²·log N"},
		{"GQRF", "T·N·m²·log N + T·I·N·m²·log N"}}
	means := MeansByX(records)
	lines := make([][]string, len(printed))
	for i, model := range printed {
		lines[i] = model[:]
	}
	for _, what := range []string{"rows", "features", "trees"} {
		panel := viz.Curves{Title: what, X: what, Y: "seconds to train", LogX: true, LogY: true}
		for i, model := range printed {
			s, fitted := viz.Series{Name: model[0]}, "–"
			for _, m := range means {
				if m.Method == what && m.Problem == model[0] {
					s.X, s.Y = append(s.X, float64(m.X)), append(s.Y, m.Mean)
				}
			}
			if len(s.X) > 1 {
				panel.Series, fitted = append(panel.Series, s), fmt.Sprintf("%.2f", exponent(s.X, s.Y))
			}
			lines[i] = append(lines[i], fitted)
		}
		if panel.Series != nil {
			panels = append(panels, panel)
		}
	}
	for _, line := range lines {
		table.Add(line...)
	}
	return panels, table
}

// exponent returns the slope of the least-squares line through the logarithms.
func exponent(x, y []float64) float64 {
	logs := func(v []float64) (logs []float64) {
		for _, v := range v {
			logs = append(logs, math.Log(v))
		}
		return logs
	}
	_, slope := stat.LinearRegression(logs(x), logs(y), nil, false)
	return slope
}

// Recomputed computes the fast settings of experiments and compares them with the same runs in docs/results. It ends
// the cell if OBLIQUA_DATA is unset.
func Recomputed(experiments ...string) nb.Table {
	noData()
	table := nb.Table{Title: "Scores computed now and those of the same runs in docs/results",
		Columns: []string{"experiment", "set", "method", "x", "split", "now", "committed", "same"},
		Note:    "x is the number of trees, or 1000·log₁₀ of β; 0 elsewhere."}
	for _, name := range experiments {
		committed := map[identity]Record{}
		for _, r := range Committed(registered[name].file) {
			committed[r.identity()] = r
		}
		for _, r := range Compute(name, false) {
			known, same := "–", "–"
			if c, ok := committed[r.identity()]; ok {
				known, same = formatScore(c), "no"
				if known == formatScore(r) {
					same = "yes"
				}
			}
			table.Add(name, r.Problem, r.Method, fmt.Sprint(r.X), fmt.Sprint(r.Repeat), formatScore(r), known, same)
		}
	}
	return table
}
