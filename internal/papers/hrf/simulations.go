package hrf

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Depths is figures 3 and 4: a run trains all forests on 700 rows. More has the mean depth of each of five features
// with β = 1 ("rf.d1", …), the dissimilarity of trees ("rf.ds", and "rf.ds-split" by the other reading of M*), and
// their scale-free distance ("rf.distance"). Tree depths has one forest of each kind, and in how many of its trees a
// feature has a depth ("rf.d1.0", …).
var Depths = paper.Experiment{Name: "hrf3", File: "hrf-fig3-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"equal-scale", "null", "paper"}, Methods: []string{"depths"}, Repeats: 100},
	{Problems: []string{"paper"}, Methods: []string{"tree depths"}}}}

// Noise is figure 5: the errors of all forests ("err.rf", …) as X of 30 features are noise. Fewer features has those of
// HRF and of bagging whose trees draw 60 or 80 % of the features ("err.bagging-60", …).
var Noise = paper.Experiment{Name: "hrf5", File: "hrf-fig5-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"noise"}, Methods: []string{"comparison", "fewer features"},
		X: []int{0, 3, 6, 9, 12, 15, 18, 21, 24, 27}, Repeats: 100}}}

var (
	hundred      = paper.Protocol{Repeats: 100}
	ofPaper      = Depths.On("paper").By("depths")
	allForests   = Noise.By("comparison")
	subspaces    = Noise.By("fewer features")
	noDifference = []viz.Level{{Y: 0, Name: "no difference"}}
	fiveFeatures = []string{"x1", "x2", "x3", "x4", "x5"}
	threeTypes   = []string{"bagging", "RF", "HRF"} // runs have them in lower case
)

const (
	depthsPlace = "hrf#Figures 3 and 4: features of many values"
	noisePlace  = "hrf#Figure 5: noise features"
)

var simulations = []paper.Figure{
	{Name: "Figure 3", Shows: "depths of five features of many to few values in 100 trees", Place: depthsPlace,
		Paper: paper.Protocol{Trees: 100}, Of: []paper.Part{ofPaper, Depths.By("tree depths")}, Draw: treeDepths,
		Note: "claims are of the forests' mean depths in 100 repeats",
		Claims: []paper.Claim{
			less("depth of the feature of most values, HRF's less RF's", paper.Above, ofPaper, "hrf.d1", "rf.d1", 1),
			less("depth of the feature of most values, RF's less bagging's", paper.Above, ofPaper, "rf.d1", "bagging.d1", 1)}},
	{Name: "Figure 4", Shows: "dissimilarity of the trees (eq. 5) in 100 repeats", Place: depthsPlace,
		Paper: hundred, Of: []paper.Part{ofPaper}, Draw: treesDiffer("ds", "dissimilarity"),
		Claims: []paper.Claim{less("dissimilarity, HRF's less RF's", paper.Above, ofPaper, "hrf.ds", "rf.ds", 1),
			less("dissimilarity, RF's less bagging's", paper.Above, ofPaper, "rf.ds", "bagging.ds", 1)}},
	{Name: "Figure 3, without bias", Shows: "mean depths; features of equal scale, classes of nothing", Place: depthsPlace,
		Ours: true, Of: []paper.Part{Depths.By("depths")}, Draw: featureDepths("paper", "equal-scale", "null")},
	{Name: "Figure 4, scale-free", Shows: "distance of the trees, from 0 (alike) to 1", Place: depthsPlace, Ours: true,
		Of: []paper.Part{ofPaper}, Draw: treesDiffer("distance", "distance")},
	{Name: "Figure 5, HRF and RF", Shows: "gain in accuracy against the share of noise features", Place: noisePlace,
		Paper: hundred, Of: []paper.Part{allForests},
		Draw: gains([2]string{"hrf", "rf"}, [2]string{"hrf", "bagging"}),
		Claims: []paper.Claim{
			gain("HRF's accuracy less RF's below 40 % of noise, points", paper.Above, allForests.At(0, 3, 6, 9), "rf"),
			gain("HRF's accuracy less RF's above 50 % of noise, points", paper.Below, allForests.At(18, 21, 24, 27), "rf")}},
	{Name: "Figure 5, HRF and bagging", Shows: "gain in accuracy against the share of noise features", Place: noisePlace,
		Paper: hundred, Of: []paper.Part{subspaces},
		Draw: gains([2]string{"hrf", "bagging-60"}, [2]string{"hrf", "bagging-80"}),
		Note: "the paper doesn't say how many features the trees of bagging draw; here 60 %, the least of its table 4, " +
			"with which the order turns between 70 and 80 % of noise; the more they draw, the larger is HRF's lead at 70 %",
		Claims: []paper.Claim{
			gain("HRF's accuracy less bagging's below 60 % of noise, points", paper.Above, subspaces.At(0, 3, 6, 9, 12, 15),
				"bagging-60"),
			gain("HRF's accuracy less bagging's with 70 % of noise, points", paper.Below, subspaces.At(21), "bagging-60"),
			gain("HRF's accuracy less bagging's above 60 % of noise, points", paper.Below, subspaces.At(21, 24, 27),
				"bagging-60")}},
	{Name: "Figure 5 with SPORF", Shows: "HRF's memory in SPORF", Place: noisePlace, Ours: true,
		Of: []paper.Part{allForests}, Draw: gains([2]string{"h-sporf", "sporf"})},
}

// minus returns the difference of two measures of the same run, times factor.
func minus(a, b string, factor float64) paper.Measure {
	return func(r paper.Record) float64 { return factor * (paper.More(a)(r) - paper.More(b)(r)) }
}

// less claims the sign of a difference of two measures of the same runs.
func less(says string, sign paper.Sign, of paper.Part, a, b string, factor float64) paper.Claim {
	return paper.Claim{Says: says, Sign: sign, Find: of.Of(minus(a, b, factor)).Alone}
}

// gain claims the sign of HRF's mean gain in accuracy on another method.
func gain(says string, sign paper.Sign, of paper.Part, other string) paper.Claim {
	return less(says, sign, of, "err."+other, "err.hrf", 100)
}

// treeDepths draws figure 3: boxes of the depths of a feature in the trees of one forest.
func treeDepths(r *paper.Results) paper.Drawing {
	boxes := viz.Boxes{X: "feature", Y: "depth in a tree", Groups: fiveFeatures}
	for _, name := range threeTypes {
		s := viz.Sample{Name: name}
		for _, j := range paper.Ints(1, 5) {
			s.Values = append(s.Values, depthsOf(r, fmt.Sprintf("%s.d%d.", strings.ToLower(name), j)))
		}
		boxes.Series = append(boxes.Series, s)
	}
	return paper.Draw(boxes)
}

// depthsOf returns a depth for each tree, of the measures whose names begin with a prefix and end in the depth.
func depthsOf(r *paper.Results, prefix string) (depths []float64) {
	for _, record := range r.Records(Depths.By("tree depths")) {
		for _, depth := range paper.Ints(0, 100) {
			trees := record.More[fmt.Sprint(prefix, depth)]
			for range int(trees) {
				depths = append(depths, float64(depth))
			}
		}
	}
	return depths
}

// featureDepths draws figure 3 for problems.
func featureDepths(problems ...string) func(r *paper.Results) paper.Drawing {
	titles := map[string]string{"paper": "the paper's data", "equal-scale": "equal scale", "null": "class of nothing"}
	return func(r *paper.Results) paper.Drawing {
		g := viz.Grid{Columns: len(problems)}
		t := viz.Table{Columns: []string{"data", "forest", "spread of the mean depths", "test error"}}
		for _, problem := range problems {
			numbers := func(name string) []float64 { return Depths.On(problem).By("depths").Of(paper.More(name)).List(r) }
			boxes := viz.Boxes{Title: titles[problem], X: "feature", Y: "mean depth",
				Groups: fiveFeatures}
			for _, name := range threeTypes {
				s, run := viz.Sample{Name: name}, strings.ToLower(name)
				var means []float64
				for _, j := range paper.Ints(1, 5) {
					depths := numbers(fmt.Sprint(run, ".d", j))
					s.Values, means = append(s.Values, depths), append(means, eval.Mean(depths))
				}
				boxes.Series = append(boxes.Series, s)
				t.Add(titles[problem], name, paper.Decimals(floats.Max(means)-floats.Min(means), 2),
					paper.Decimals(eval.Mean(numbers("err."+run)), 3))
			}
			g.Charts = append(g.Charts, boxes)
		}
		return paper.Draw(panels(g), t)
	}
}

// treesDiffer draws figure 4: a measure of each forest against the number of the repeat.
func treesDiffer(measure, y string) func(r *paper.Results) paper.Drawing {
	return func(r *paper.Results) paper.Drawing {
		c := viz.Curves{X: "repeat", Y: y}
		for _, name := range threeTypes {
			c.Series = append(c.Series, viz.Series{Name: name,
				Y: ofPaper.Of(paper.More(strings.ToLower(name) + "." + measure)).List(r),
				X: ofPaper.Of(func(r paper.Record) float64 { return float64(r.Repeat) }).List(r)})
		}
		return paper.Draw(c)
	}
}

// gains draws figure 5: a panel for each pair of a forest and what it is allForests with.
func gains(pairs ...[2]string) func(r *paper.Results) paper.Drawing {
	names := map[string]string{"hrf": "HRF", "rf": "RF", "bagging": "bagging", "sporf": "SPORF",
		"h-sporf": "SPORF with memory", "bagging-60": "bagging on 60 % of the features",
		"bagging-80": "bagging on 80 % of the features"}
	parts := map[string]paper.Part{"bagging-60": subspaces, "bagging-80": subspaces}
	return func(r *paper.Results) paper.Drawing {
		g := viz.Grid{Columns: len(pairs)}
		for _, p := range pairs {
			title := names[p[0]] + " − " + names[p[1]]
			s := viz.Sample{Name: title}
			boxes := viz.Boxes{Title: title, X: "noise features, %", Y: "gain in accuracy, points", Levels: noDifference}
			of, ok := parts[p[1]]
			if !ok {
				of = allForests
			}
			for _, x := range Noise.Grids[0].X {
				boxes.Groups = append(boxes.Groups, fmt.Sprint(100*x/30))
				s.Values = append(s.Values, of.At(x).Of(minus("err."+p[1], "err."+p[0], 100)).List(r))
			}
			boxes.Series = []viz.Sample{s}
			g.Charts = append(g.Charts, boxes)
		}
		return paper.Draw(panels(g))
	}
}

// panels returns the only chart of a grid, or the grid.
func panels(g viz.Grid) viz.Chart {
	if len(g.Charts) == 1 {
		return g.Charts[0]
	}
	return g
}
