package tao

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Pairs is table 6: two classes made of MNIST's digits. X is the depth, a repeat a fold of ten. Methods that
// name their λ have 20 passes where they don't name 40, and a free bias.
var Pairs = paper.Experiment{Name: "tao6", File: "tao-table6-paper.csv", Grids: []paper.Grid{
	{Problems: tasks, Methods: []string{"tao-c λ=0.01", "tao-c λ=1", "tao-c" + asPaper}, X: []int{5}, Repeats: 10},
	{Problems: tasks[:1], Methods: []string{"tao-c λ=0.01, 40 passes"}, X: []int{5}, Repeats: 4}}}

var tasks = []string{"2 against 4", "3 against 8", "even against odd"}

// Features is table 7: each node or each tree has D^α features at random. X is 100·α; with α = 1 both are the same.
var Features = paper.Experiment{Name: "tao7", File: "tao-table7-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"letter"}, Methods: []string{"a node"}, X: []int{100}, Repeats: 5},
	{Problems: []string{"letter"}, Methods: scopes, X: alphas, Repeats: 5, Order: "pmxr"},
	{Problems: []string{"mnist20"}, Methods: []string{"a node"}, X: []int{100}},
	{Problems: []string{"mnist20"}, Methods: scopes, X: alphas},
	{Problems: []string{"mnist"}, Methods: []string{"a node" + asPaper}, X: []int{100}},
	{Problems: []string{"mnist"}, Methods: named(scopes, asPaper), X: alphas}}}

var (
	scopes = []string{"a node", "a tree"}
	alphas = []int{90, 80, 70, 60, 50}
)

// Path is table 8: X trees of a regularisation path from λ = 0.002 to 200, and X trees of bootstrap samples. More has
// each tree of the path ("test.3", "lambda.3", "parameters.3"), and the least test error ("best").
var Path = paper.Experiment{Name: "tao8", File: "tao-table8-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"mnist20"}, Methods: []string{"forest over λ", "bootstrap", "bootstrap λ=0.1"}, X: []int{10, 20}},
	{Problems: []string{"mnist"}, Methods: named([]string{"forest over λ", "bootstrap"}, asPaper), X: []int{10, 20}}}}

// Structures is table 9: random structures of 511 nodes on average. X is 100·Δ1 + Δ2.
var Structures = paper.Experiment{Name: "tao9", File: "tao-table9-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"mnist20"}, Methods: []string{"random structure"}, X: structures()},
	{Problems: []string{"mnist"}, Methods: []string{"random structure" + asPaper}, X: structures()}}}

// structures are the cells of table 9, those first that tell most.
func structures() []int {
	cells := []int{808, 509, 511, 214}
	for first := 2; first <= 7; first++ {
		for second := 9; second <= 14; second++ {
			if x := 100*first + second; x != 509 && x != 511 && x != 214 {
				cells = append(cells, x)
			}
		}
	}
	return cells
}

const (
	place6 = "tao#Table 6: two classes"
	place7 = "tao#Table 7: fewer features"
	place8 = "tao#Table 8: a forest along the regularisation path"
	place9 = "tao#Table 9: random structures"
)

// fewer is what is less for MNIST in tables 7 to 9.
var fewer = paper.Protocol{Passes: 10, Settings: "20,000 of 60,000 rows, λ = 0.1"}

var variants = []paper.Figure{
	pair("Table 6, digits 2 and 4", tasks[0], drawPairs), pair("Table 6, digits 3 and 8", tasks[1], nil),
	pair("Table 6, even and odd", tasks[2], nil),
	{Name: "Table 6, digits 2 and 4, λ and passes", Shows: "test error of four folds", Ours: true, Place: place6,
		Of: []paper.Part{fortyPasses}, Claims: []paper.Claim{{Says: "error in percent, λ = 0.01, 40 passes, a free bias",
			Find: ofPair(fortyPasses, tasks[0])}}},
	instead(table7("mnist", asPaper, paper.Protocol{Passes: 40}), table7("mnist20", "", fewer)),
	instead(table8("mnist", asPaper, paper.Protocol{}), table8("mnist20", "", fewer)),
	instead(table9("mnist", asPaper, paper.Protocol{}), table9("mnist20", "",
		paper.Protocol{Trees: 20, Passes: fewer.Passes, Settings: fewer.Settings})),
}

var fortyPasses = Pairs.On(tasks[0]).By("tao-c λ=0.01, 40 passes")

// ofPair finds the difference of our errors from TAO-c's printed one.
func ofPair(part paper.Part, task string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		return paper.Series{Part: part, Measure: percent}.Printed(r.Printed("tao_table6.csv").At(task, "TAO-c"))(r)
	}
}

// pair is an item of table 6.
func pair(name, task string, draw func(r *paper.Results) paper.Drawing) paper.Figure {
	of := func(method string, here paper.Protocol) paper.Figure {
		part := Pairs.On(task).By(method)
		return paper.Figure{Name: name, Shows: "test error of two classes, ten folds", Place: place6,
			Paper: paper.Protocol{Repeats: 10, Trees: 30, Passes: 40}, Here: here, Of: []paper.Part{part}, Draw: draw,
			Claims: []paper.Claim{{Says: "error in percent", Find: ofPair(part, task)}}}
	}
	less := of("tao-c λ=1", paper.Protocol{Passes: 20, Settings: "λ = 1"})
	if task == tasks[0] {
		less.Note = "with the paper's λ and passes the error is lower still (Table 6, digits 2 and 4, λ and passes)"
	}
	return instead(of("tao-c"+asPaper, paper.Protocol{}), less)
}

// table7 is table 7 from methods whose names have an end.
func table7(data, end string, here paper.Protocol) paper.Figure {
	f := paper.Figure{Name: "Table 7", Shows: "test error with fewer features a node or a tree", Place: place7,
		Paper: paper.Protocol{Trees: 20, Passes: 40}, Here: here,
		Of:   []paper.Part{Features.On(data).By(named(scopes, end)...)},
		Draw: func(r *paper.Results) paper.Drawing { return drawFeatures(r, data, end, here.Passes) }}
	for _, scope := range scopes {
		f.Claims = append(f.Claims, paper.Claim{Sign: paper.Above,
			Says: fmt.Sprintf("error with D^0.5 features of %s less that with all, points", scope),
			Find: single(f.Of[0], paper.Cell{Problem: data, Method: scope + end, X: 50},
				paper.Cell{Problem: data, Method: "a node" + end, X: 100})})
	}
	return f
}

// table8 is table 8 from methods whose names have an end.
func table8(data, end string, here paper.Protocol) paper.Figure {
	return paper.Figure{Name: "Table 8", Shows: "a forest along the regularisation path", Place: place8,
		Paper: paper.Protocol{Trees: 20, Passes: 40}, Here: here,
		Of:   []paper.Part{Path.On(data).By("forest over λ"+end, "bootstrap"+end)},
		Draw: func(r *paper.Results) paper.Drawing { return drawPath(r, data, end) },
		Claims: []paper.Claim{
			{Says: "the path's error less that of its best tree, points, 20 trees", Sign: paper.Below,
				Find: func(r *paper.Results) paper.Finding {
					path := Path.On(data).By("forest over λ" + end).At(20)
					best := func(r paper.Record) float64 { return 100 * r.More["best"] }
					return paper.Found(onTest(path.Of(percent).Mean(r).Value, path.Of(best).Mean(r).Value, 10_000))
				}},
			{Says: "the path's error less that of bootstrap samples, points, 20 trees", Sign: paper.Above,
				Find: single(Path.On(data), paper.Cell{Problem: data, Method: "forest over λ" + end, X: 20},
					paper.Cell{Problem: data, Method: "bootstrap" + end, X: 20})}}}
}

// table9 is table 9 from methods whose names have an end.
func table9(data, end string, here paper.Protocol) paper.Figure {
	method := "random structure" + end
	less8 := func(structure int) func(r *paper.Results) paper.Finding {
		return single(Structures.On(data), paper.Cell{Problem: data, Method: method, X: structure},
			paper.Cell{Problem: data, Method: method, X: 808})
	}
	return paper.Figure{Name: "Table 9", Shows: "test error of random structures", Place: place9,
		Paper: paper.Protocol{Trees: 100, Passes: 40}, Here: here, Of: []paper.Part{Structures.On(data).By(method)},
		Draw: func(r *paper.Results) paper.Drawing { return drawStructures(r, data, method) },
		Claims: []paper.Claim{
			{Says: "error at (5, 9), the paper's best, less that at (8, 8), points", Sign: paper.Below, Find: less8(509)},
			{Says: "error at (2, 14), the paper's worst, less that at (8, 8), points", Sign: paper.Above, Find: less8(214)}}}
}

// single finds the difference of two single runs on 10,000 test rows.
func single(of paper.Part, first, second paper.Cell) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		records := r.Records(of)
		return paper.Found(onTest(mean(records, first, percent).Value, mean(records, second, percent).Value, 10_000))
	}
}

func drawPairs(r *paper.Results) paper.Drawing {
	printed, records := r.Printed("tao_table6.csv"), r.Records(Pairs.On())
	t := viz.Table{Columns: []string{"test error, %"},
		Note: "The paper quotes all methods but TAO-c from the paper on oblique random forests (oRF)."}
	for _, method := range printed.Columns {
		t.Columns = append(t.Columns, "paper|"+method)
	}
	t.Columns = append(t.Columns, "here|λ = 0.01, 20 passes", "here|λ = 1, 20 passes", "here|as the paper")
	for _, task := range tasks {
		row := []string{task}
		for _, method := range printed.Columns {
			row = append(row, printed.At(task, method).Text(1))
		}
		for _, method := range Pairs.Grids[0].Methods {
			row = append(row, mean(records, paper.Cell{Problem: task, Method: method, X: 5}, percent).Text(2))
		}
		t.Add(row...)
	}
	return paper.Draw(nil, t)
}

// drawFeatures draws table 7: the paper's MNIST, ours, and Letter.
func drawFeatures(r *paper.Results, data, end string, passes int) paper.Drawing {
	printed, records := r.Printed("tao_table7.csv"), r.Records(Features.On())
	all := viz.SmallMultiples{Columns: 3}
	t := viz.Table{Columns: []string{"features", "the paper, MNIST|T = 10", "the paper, MNIST|T = 20",
		"here, " + titles[data] + "|T = 10", "here, " + titles[data] + "|T = 20",
		"here, Letter|T = 10", "here, Letter|T = 20"},
		Note: "Test error in percent. α = 1 is all features. Letter has 16 features, depth 11, 20 passes and five repeats."}
	panels := []viz.Curves{{Title: "the paper: MNIST"}, {Title: "here: " + titles[data]}, {Title: "here: Letter"}}
	for _, scope := range scopes {
		series := slices.Repeat([]viz.Series{{Name: "features of " + scope}}, len(panels))
		for _, alpha := range append([]int{100}, alphas...) {
			by := scope
			if alpha == 100 {
				by = "a node" // the same
			}
			name := fmt.Sprint(by, " ", alpha)
			row := []string{fmt.Sprintf("%s, α = %.1f", scope, float64(alpha)/100), printed.At(name, "test10").Text(2),
				printed.At(name, "test20").Text(2)}
			points := []paper.Number{printed.At(name, "test20")}
			for _, of := range []struct {
				problem, method string
				passes          int
			}{{data, by + end, passes}, {"letter", by, 20}} {
				for _, trees := range []int{10, 20} {
					e := mean(records, paper.Cell{Problem: of.problem, Method: of.method, X: alpha}, at("test", trees, of.passes))
					if row = append(row, e.Text(2)); trees == 20 {
						points = append(points, e)
					}
				}
			}
			t.Add(row...)
			for k, n := range points {
				series[k].X, series[k].Y = append(series[k].X, float64(alpha)/100), append(series[k].Y, n.Value)
			}
		}
		for k := range panels {
			panels[k].X, panels[k].Y = "α", "test error, T = 20, %"
			panels[k].Series = append(panels[k].Series, series[k])
		}
	}
	all.Panels = panels
	return paper.Draw(all, t)
}

// drawPath draws the path of 20 trees, and table 8.
func drawPath(r *paper.Results, data, end string) paper.Drawing {
	printed, means := r.Printed("tao_table8.csv"), r.Means(Path.On(data))
	t := viz.Table{Columns: []string{"test error, %", "the paper|T = 10", "the paper|T = 20",
		"here, " + titles[data] + "|T = 10",
		"here, " + titles[data] + "|T = 20"}}
	for _, name := range []string{"forest over λ", "best tree", "bootstrap", "bootstrap λ=0.1"} {
		row := []string{name, printed.At(name, "test10").Text(2), printed.At(name, "test20").Text(2)}
		for _, trees := range []int{10, 20} {
			m := means.At(data, name+end, trees)
			v := m.Score.Value
			if name == "best tree" {
				v = means.At(data, "forest over λ"+end, trees).Measure("best")
			}
			row = append(row, paper.Decimals(100*v, 2))
		}
		t.Add(row...)
	}
	path := means.At(data, "forest over λ"+end, 20)
	var x, errors, sizes []float64
	for k := range 20 {
		x = append(x, path.Measure(fmt.Sprintf("lambda.%d", k)))
		errors = append(errors, 100*path.Measure(fmt.Sprintf("test.%d", k)))
		sizes = append(sizes, path.Measure(fmt.Sprintf("parameters.%d", k)))
	}
	if math.IsNaN(floats.Sum(x)) {
		return paper.Draw(nil, t)
	}
	return paper.Drawing{Tables: []viz.Table{t}, Chart: viz.Grid{Columns: 2, Charts: []viz.Chart{
		viz.Curves{Title: "error", X: "λ", Y: "test error, %", LogX: true,
			Series: []viz.Series{{Name: "a tree of the path", X: x, Y: errors}},
			Levels: []viz.Level{{Y: 100 * path.Score.Value, Name: "forest of these trees"}}},
		viz.Curves{Title: "size", X: "λ", Y: "parameters", LogX: true,
			Series: []viz.Series{{Name: "a tree of the path", X: x, Y: sizes}}}}}}
}

// titles name the problems of tables 7 and 8.
var titles = map[string]string{"mnist20": "MNIST, 20,000 rows", "mnist": "MNIST"}

// treeError is the mean error of single trees after the last pass: the 40th or, with fewer images, the tenth.
func treeError(m paper.Mean) float64 {
	if e := m.Measure("tree.40"); !math.IsNaN(e) {
		return e
	}
	return m.Measure("tree.10")
}

// drawStructures draws the printed cells of table 9 as a heat map, and sets ours beside them.
func drawStructures(r *paper.Results, data, method string) paper.Drawing {
	printed, means := r.Printed("tao_table9.csv"), r.Means(Structures.On(data))
	at := func(first, second int) float64 { return printed.At(fmt.Sprintf("%d/%d", first, second), "error").Value }
	h := viz.HeatMap{X: "largest depth Δ2", Y: "complete to depth Δ1", Format: "%.2f",
		Columns: []string{"9", "10", "11", "12", "13", "14"}, Rows: []string{"2", "3", "4", "5", "6", "7"},
		Key: "the paper's error, %, less that of (8, 8), where every tree is complete"}
	h = paper.Filled(h, func(i, j int) (float64, string) {
		v := at(2+i, 9+j)
		return v - at(8, 8), paper.Decimals(v, 2)
	})
	t := viz.Table{Columns: []string{"(Δ1, Δ2)", "paper, %", "here, %", "a tree by itself, %"}}
	for _, x := range []int{808, 509, 511, 214} {
		m := means.At(data, method, x)
		t.Add(fmt.Sprintf("(%d, %d)", x/100, x%100), paper.Decimals(at(x/100, x%100), 2),
			paper.Decimals(100*m.Score.Value, 2), paper.Decimals(100*treeError(m), 1))
	}
	return paper.Draw(h, t)
}
