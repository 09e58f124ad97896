package tao

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Passes is figures 3 and 4: X is the depth. One run has the errors of fewer passes and fewer trees in it; fits are
// accepted freely, since strict passes belong to the end of a run. More has the mean test error of single trees by
// passes ("tree.80").
var Passes = paper.Experiment{Name: "tao34", File: "tao-fig34-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"letter"}, Methods: []string{"tao-c"}, X: depths[:6]},
	{Problems: []string{"letter"}, Methods: []string{"tao-c", "tao-c unscaled"}, X: depths[6:], Repeats: 5},
	{Problems: []string{"mnist20"}, Methods: []string{"tao-c"}, X: []int{4, 6, 8, 10}},
	{Problems: []string{"letter"}, Methods: []string{"tao-c" + asPaper}, X: depths[:6]},
	{Problems: []string{"letter"}, Methods: []string{"tao-c" + asPaper}, X: depths[6:], Repeats: 5},
	{Problems: []string{"mnist"}, Methods: []string{"tao-c" + asPaper}, X: depths}}}

var depths = []int{4, 6, 8, 9, 10, 11, 12}

// Trees is figure 5: TAO trees of depth 11 with 80 passes, and random forests of X trees.
var Trees = paper.Experiment{Name: "tao5", File: "tao-fig5-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"letter"}, Methods: []string{"tao-c"}},
	{Problems: []string{"letter", "mnist"}, Methods: []string{"rf"}, X: numbers},
	{Problems: []string{"letter", "mnist"}, Methods: []string{"tao-c" + asPaper}},
	{Problems: []string{"letter", "mnist"}, Methods: []string{"rf of depth 25"}, X: numbers}}}

var numbers = []int{1, 2, 5, 10, 20, 40, 60, 80, 100}

// A grid is what panels of figures 3 and 4 have: numbers of trees and passes, depths, and the depth of the last panels.
type grid struct {
	data, method  string
	trees, passes []int
	depths        []int
	depth         int
}

var (
	images  = grid{"mnist20", "tao-c", []int{1, 2, 5, 10}, []int{1, 2, 5, 10, 20}, []int{4, 6, 8, 10}, 8}
	letters = grid{"letter", "tao-c" + asPaper, []int{1, 2, 5, 10, 20, 30}, []int{1, 2, 5, 10, 20, 40, 60, 80}, depths,
		11}
	allImages = grid{"mnist", "tao-c" + asPaper, letters.trees, letters.passes, depths, 8}
)

const (
	passesPlace = "tao#Figures 3 and 4: depth, passes and trees"
	treesPlace  = "tao#Figure 5: how many trees"
)

var passes = []paper.Figure{
	instead(figure3(allImages, paper.Protocol{}),
		figure3(images, paper.Protocol{Trees: 10, Passes: 20, Settings: "20,000 of 60,000 rows, λ = 0.1"})),
	figure4,
	instead(figure5(curves{"MNIST", "mnist", "taoxgb25/mnist", 10_000}), figure5OnImages),
	figure5(curves{"Letter", "letter", "taoxgb/letter", 4000}),
}

// figure3 is figure 3 from a grid.
func figure3(g grid, here paper.Protocol) paper.Figure {
	last := g.passes[len(g.passes)-1]
	return paper.Figure{Name: "Figure 3", Shows: "error by depth, passes and trees, MNIST", Place: passesPlace,
		Paper: paper.Protocol{Trees: 30, Passes: 80}, Here: here, Of: []paper.Part{Passes.On(g.data).By(g.method)},
		Draw: g.draw, Claims: []paper.Claim{{Sign: paper.Below,
			Says: fmt.Sprintf("training error of a tree of depth 10, %d passes less 5, points", last),
			Find: g.change("train", 10, 5, last)}}}
}

var figure4 = paper.Figure{Name: "Figure 4", Shows: "error by depth, passes and trees, Letter", Place: passesPlace,
	Paper: paper.Protocol{Trees: 30, Passes: 80}, Of: []paper.Part{Passes.On("letter").By(letters.method)},
	Draw: letters.draw,
	Note: "a tree's test error still falls from pass 20 to 80; with our penalty it levels off after 40 passes",
	Claims: []paper.Claim{
		{Says: "test error of a tree of depth 12, mean of 30 trees, 80 passes less 20, points", Sign: paper.Above,
			Find: letters.trees12(20, 80).Alone},
		{Says: "test error of a tree of depth 12, mean of 30 trees, 80 passes less 40, points", Sign: paper.Above,
			Find: letters.trees12(40, 80).Alone},
		{Says: "training error of a tree of depth 12, 80 passes less 20, points", Sign: paper.Below,
			Find: letters.change("train", 12, 20, 80)}}}

var figure5OnImages = paper.Figure{Name: "Figure 5, MNIST", Shows: "error against the number of trees",
	Place: treesPlace,
	Paper: paper.Protocol{Trees: 100},
	Here:  paper.Protocol{Trees: 40, Settings: "λ = 1", Methods: "without XGBoost"},
	Of:    []paper.Part{forestsOnImages, Trees.On("mnist").By("rf")}, Draw: drawImageTrees,
	Claims: []paper.Claim{{Says: "TAO's error less RF's, 40 trees, points", Sign: paper.Below,
		Find: func(r *paper.Results) paper.Finding {
			return paper.Found(onTest(taoOnImages(r)(40), rfOnImages(r)(40), 10_000))
		}}}}

// curves are the data of figure 5, XGBoost's name of them, and the number of test rows.
type curves struct {
	title, data, xgb string
	rows             float64
}

// figure5 is figure 5 of some data.
func figure5(c curves) paper.Figure {
	return paper.Figure{Name: "Figure 5, " + c.title, Shows: "error against the number of trees", Place: treesPlace,
		Paper: paper.Protocol{Trees: 100}, Files: []string{boostersFile, paper.PredictionsFile},
		Of:    []paper.Part{Trees.On(c.data).By("tao-c"+asPaper, "rf of depth 25")},
		Whole: c.boosted,
		Note:  "XGBoost's depth and rounds are the paper's, so only its learning rate is tuned",
		Draw:  c.draw,
		Claims: []paper.Claim{
			{Says: "TAO's error less RF's, 100 trees, points", Sign: paper.Below,
				Find: func(r *paper.Results) paper.Finding {
					return paper.Found(onTest(c.ofTAO(r, "test")(100), c.ofRF(r, "test")(100), c.rows))
				}},
			{Says: "TAO's error less XGBoost's, 100 trees of TAO, 100 rounds, points", Sign: paper.Below,
				Find: func(r *paper.Results) paper.Finding {
					return paper.Found(onTest(c.ofTAO(r, "test")(100), ofXGBoost(r, c.xgb, "test")(100), c.rows))
				}},
			{Says: "XGBoost's training error after 100 rounds in percent", Find: func(r *paper.Results) paper.Finding {
				return paper.Against(paper.Exact(ofXGBoost(r, c.xgb, "train")(100)), paper.Number{Rounding: 0.005})
			}}}}
}

// boosted reports whether XGBoost is measured for each number of rounds.
func (c curves) boosted(r *paper.Results) bool {
	var all []booster
	for _, n := range numbers {
		all = append(all, booster{c.xgb, fmt.Sprint("XGB", n), ""})
	}
	return measured(r, all)
}

func (c curves) ofTAO(r *paper.Results, part string) func(trees int) float64 {
	return func(n int) float64 { return Trees.On(c.data).By("tao-c" + asPaper).Of(at(part, n, 80)).Mean(r).Value }
}

func (c curves) ofRF(r *paper.Results, part string) func(trees int) float64 {
	return func(n int) float64 { return Trees.On(c.data).By("rf of depth 25").At(n).Of(ofRF(part)).Mean(r).Value }
}

// trees12 is how the mean test error of single trees of Letter's depth 12 changes between two numbers of passes, in
// points.
func (g grid) trees12(from, to int) paper.Series {
	return Passes.On(g.data).By(g.method).At(12).Of(func(r paper.Record) float64 {
		return 100 * (paper.More(fmt.Sprint("tree.", to))(r) - paper.More(fmt.Sprint("tree.", from))(r))
	})
}

// change finds how an error of one tree changes between two numbers of passes.
func (g grid) change(part string, depth, from, to int) func(r *paper.Results) paper.Finding {
	return Passes.On(g.data).By(g.method).At(depth).Of(func(r paper.Record) float64 {
		return at(part, 1, to)(r) - at(part, 1, from)(r)
	}).Alone
}

// draw draws six panels as the paper has them: error against passes and against trees by depth, and against passes by
// number of trees.
func (g grid) draw(r *paper.Results) paper.Drawing {
	records := r.Records(Passes.On(g.data))
	most, last := g.trees[len(g.trees)-1], g.passes[len(g.passes)-1]
	error := func(part string, depth, trees, passes int) float64 {
		return mean(records, paper.Cell{Problem: g.data, Method: g.method, X: depth}, at(part, trees, passes)).Value
	}
	// panels draws training and test error against x, a line for each of the numbers by.
	panels := func(title, x string, xs []int, letter string, by []int, of func(part string, by, x int) float64,
	) (all []viz.Curves) {
		for _, part := range parts {
			c := panel(part+", "+title, x, part)
			for _, b := range by {
				c.Series = append(c.Series, curve(fmt.Sprint(letter, " = ", b), xs, func(x int) float64 { return of(part, b, x) }))
			}
			all = append(all, c)
		}
		return all
	}
	byDepth := append(
		panels(fmt.Sprint("T = ", most), "passes", g.passes, "Δ", g.depths,
			func(part string, depth, p int) float64 { return error(part, depth, most, p) }),
		panels(fmt.Sprint("I = ", last), "trees", g.trees, "Δ", g.depths,
			func(part string, depth, t int) float64 { return error(part, depth, t, last) })...)
	byTrees := panels(fmt.Sprint("Δ = ", g.depth), "passes", g.passes, "T", g.trees,
		func(part string, t, p int) float64 { return error(part, g.depth, t, p) })
	return paper.Draw(viz.Grid{Columns: 1, Width: 860, Charts: []viz.Chart{
		viz.SmallMultiples{Columns: 2, Panels: byDepth}, viz.SmallMultiples{Columns: 2, Panels: byTrees}}})
}

var parts = []string{"train", "test"}

// panel is an empty panel with logarithmic axes.
func panel(title, x, part string) viz.Curves {
	return viz.Curves{Title: title, X: x, Y: part + " error, %", LogX: true, LogY: true}
}

// curve makes a series of the positive values at some places; a logarithmic axis has no others.
func curve(name string, x []int, of func(x int) float64) viz.Series {
	s := viz.Series{Name: name}
	for _, v := range x {
		y := of(v)
		if y <= 0 {
			y = math.NaN()
		}
		s.X, s.Y = append(s.X, float64(v)), append(s.Y, y)
	}
	return s
}

// draw draws training and test error of TAO, random forests and XGBoost.
func (c curves) draw(r *paper.Results) paper.Drawing {
	all := viz.SmallMultiples{Columns: 2}
	t := viz.Table{Columns: []string{"trees", "train|TAO-c", "train|RF", "train|XGBoost",
		"test|TAO-c", "test|RF", "test|XGBoost"}, Note: "XGBoost's T are rounds, each of a tree for each class."}
	for _, n := range numbers {
		t.Rows = append(t.Rows, []string{fmt.Sprint(n)})
	}
	for _, part := range parts {
		p := panel(part, "trees T", part)
		for _, f := range []struct {
			name string
			of   func(n int) float64
		}{{"TAO-c", c.ofTAO(r, part)}, {"RF", c.ofRF(r, part)}, {"XGBoost", ofXGBoost(r, c.xgb, part)}} {
			p.Series = append(p.Series, curve(f.name, numbers, f.of))
			for i, n := range numbers {
				t.Rows[i] = append(t.Rows[i], paper.Decimals(f.of(n), 2))
			}
		}
		all.Panels = append(all.Panels, p)
	}
	return paper.Draw(all, t)
}

// forestsOnImages are the forests of table 2 that figure 5 has of MNIST: their first trees are smaller forests.
var forestsOnImages = Table2.On("mnist").By("tao-c λ=1")

func taoOnImages(r *paper.Results) func(trees int) float64 {
	return func(trees int) float64 { return forestsOnImages.Of(at("test", trees, 40)).Mean(r).Value }
}

func rfOnImages(r *paper.Results) func(trees int) float64 {
	return func(trees int) float64 { return Trees.On("mnist").By("rf").At(trees).Of(percent).Mean(r).Value }
}

func drawImageTrees(r *paper.Results) paper.Drawing {
	c := panel("MNIST", "trees T", "test")
	c.Series = []viz.Series{curve("TAO-c", []int{1, 10, 20, 40}, taoOnImages(r)), curve("RF", numbers, rfOnImages(r))}
	return paper.Draw(c)
}

// ofRF returns a random forest's training or test error in percent.
func ofRF(part string) paper.Measure {
	if part == "test" {
		return percent
	}
	return func(r paper.Record) float64 { return 100 * paper.More(part)(r) }
}
