// Package godtlive has what the thesis's notebook computes while one waits: nodes of trees on samples in a plane, and
// methods on simulations of known Bayes error.
package godtlive

import (
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
	runs "github.com/obliqua-ml/obliqua/tools/experiments/godt"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
	"github.com/obliqua-ml/obliqua/viz"
)

// contenders are the methods that the notebook compares. All but the random forest are tuned. GQDT has our default β or
// that of the thesis's grid.
var contenders = []struct {
	name   string
	choose runs.Chooser
}{
	{"GODT", runs.Tree(godt.Splitting{})},
	{"GODT supervised", runs.Tree(godt.Splitting{Supervised: true})},
	{"GQDT", runs.Tree(godt.Splitting{Divider: godt.SeparateFull, RelativeBeta: 0.01})},
	{"GQDT, printed β", runs.Tree(godt.Splitting{Divider: godt.SeparateFull})},
	{"CART", runs.CART},
	{"random forest", runs.RF},
}

// fit chooses settings on the last fifth of the rows and fits the best to all rows.
func fit(choose runs.Chooser, d *datasets.Dataset) *forest.Forest {
	rows := trial.Spaced(d.N(), d.N())
	cut := d.N() * 4 / 5
	t := &trial.Trial{Run: paper.Run{Seed: 1}}
	learner := nb.Value(choose(nb.Context(), t, d.Subset(rows[:cut]), d.Subset(rows[cut:])))
	return nb.Value(learner.Fit(nb.Context(), d))
}

// Error returns a model's error in percent.
func Error(model *forest.Forest, test *datasets.Dataset) float64 {
	return 100 * eval.Error(nb.Value(model.Predict(nb.Context(), test)), test.Labels)
}

// WithoutLabels compares the methods on three simulations of ten features, whose best rule is known: test errors in
// percent, as means over samples of 400 rows, and leaves.
func WithoutLabels(samples int) viz.Table {
	problems := []struct {
		name string
		p    interface {
			Sample(n int, seed uint64) *datasets.Dataset
			Bayes() sim.Rule
		}
	}{{"equal covariances", sim.Twonorm{Features: 10}}, {"unequal covariances", sim.Ringnorm{Features: 10}},
		{"clusters, not classes", hiddenClass(10)}}
	t := viz.Table{Title: fmt.Sprintf("Test error in percent, mean of %d samples", samples), Columns: []string{"method"}}
	bayes := []string{"Bayes"}
	for _, of := range problems {
		t.Columns = append(t.Columns, of.name+"|error", of.name+"|leaves")
		bayes = append(bayes, paper.Decimals(100*of.p.Bayes().Error(), 1), "")
	}
	t.Add(bayes...)
	for _, c := range contenders {
		row := []string{c.name}
		for _, of := range problems {
			var wrong []float64
			leaves, test := 0, of.p.Sample(10_000, 99)
			for seed := range samples {
				model := fit(c.choose, of.p.Sample(400, uint64(seed+1)))
				wrong = append(wrong, Error(model, test))
				leaves += model.Size().Leaves
			}
			row = append(row, paper.NumberOf(wrong).Text(1), fmt.Sprint((leaves+samples/2)/samples))
		}
		t.Add(row...)
	}
	return t
}

// Regions draws the regions of GODT, GQDT and CART where covariances are unequal, in two features.
func Regions() viz.Grid {
	ring := sim.Ringnorm{Features: 2, Distance: 2.5}
	d, test := ring.Sample(400, 1), ring.Sample(10_000, 99)
	g := viz.Grid{Columns: 3, Width: 310, Height: 310,
		Title: fmt.Sprintf("Unequal covariances in two features: test error (Bayes %.1f %%)", 100*ring.Bayes().Error())}
	for _, i := range []int{0, 2, 4} {
		model := fit(contenders[i].choose, d)
		g.Charts = append(g.Charts, viz.DecisionRegions{Model: model, Data: d, Equal: true,
			Title: fmt.Sprintf("%s: %.1f %%", contenders[i].name, Error(model, test))})
	}
	return g
}

// hiddenClass is a problem whose clusters have nothing to do with the classes: all features but the first form two
// clusters, six standard deviations apart. The first feature, of a smaller spread, makes the class.
func hiddenClass(features int) sim.GaussianClasses {
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

// ThreeClasses is a problem of two features.
var ThreeClasses = sim.GaussianClasses{Components: []sim.Gaussian{
	{Class: 0, Mean: []float64{0, 0}, Covariance: [][]float64{{1.2, 0.5}, {0.5, 0.6}}},
	{Class: 1, Mean: []float64{4, 1}, Covariance: [][]float64{{0.5, -0.3}, {-0.3, 1.2}}},
	{Class: 2, Mean: []float64{1.5, 4.5}, Covariance: [][]float64{{2, 0}, {0, 0.5}}},
}}

// Clouds returns 400 rows of two clouds of the same variances, with means at −centre and centre.
func Clouds(centre, variances [2]float64, seed uint64) *datasets.Dataset {
	var g sim.GaussianClasses
	for class, sign := range []float64{-1, 1} {
		g.Components = append(g.Components, sim.Gaussian{Class: class, Mean: []float64{sign * centre[0], sign * centre[1]},
			Covariance: [][]float64{{variances[0], 0}, {0, variances[1]}}})
	}
	return g.Sample(400, seed)
}

// Clusters draws the two clusters that a splitting finds in data of two features.
func Clusters(title string, d *datasets.Dataset, s godt.Splitting) viz.Mixture {
	m := nb.Value(s.Mixture(d, nil, 0))
	b := viz.Boundary{Name: "boundary", Function: m.Split, Threshold: m.Threshold}
	found := *d
	found.Classes = []string{"cluster 1", "cluster 2"}
	var wrong float64
	found.Labels, wrong = sides(d, b)
	return viz.Mixture{Title: fmt.Sprintf("%s: %.1f %% in the wrong cluster", title, wrong), Data: &found,
		Components: ellipses(m), Boundaries: []viz.Boundary{b}}
}

// sides returns on which side of a boundary rows are, and the share of rows, in percent, that are on the wrong side
// if the data's two classes are the true ones.
func sides(d *datasets.Dataset, b viz.Boundary) (sides []int32, wrong float64) {
	sides = make([]int32, d.N())
	for i := range sides {
		if b.Function.Value(d.Row(nil, i)) > b.Threshold {
			sides[i] = 1
		}
	}
	share := eval.Error(sides, d.Labels)
	return sides, 100 * min(share, 1-share)
}

// ellipses returns the components of a mixture over two features for drawing.
func ellipses(m *godt.Mixture) (g []viz.Gaussian) {
	for k, c := range m.Covariance {
		g = append(g, viz.Gaussian{Mean: [2]float64(m.Mean[k]), Weight: m.Share[k],
			Covariance: [2][2]float64{[2]float64(c[0]), [2]float64(c[1])}})
	}
	return g
}

// Distances draws GODT's boundary, half-way in Mahalanobis distance, and that half-way in Euclidean distance: the
// points with (μ2 − μ1)·x = (μ2 − μ1)·(μ1 + μ2)/2.
func Distances(d *datasets.Dataset) viz.Mixture {
	m := nb.Value(godt.Splitting{}.Mixture(d, nil, 0))
	a, b := m.Mean[0], m.Mean[1]
	all := []viz.Boundary{{Name: "Mahalanobis", Function: m.Split, Threshold: m.Threshold}, {Name: "Euclidean",
		Function:  forest.Linear([]int32{0, 1}, []float32{float32(b[0] - a[0]), float32(b[1] - a[1])}),
		Threshold: float32((b[0]*b[0] - a[0]*a[0] + b[1]*b[1] - a[1]*a[1]) / 2)}}
	for i, boundary := range all {
		_, wrong := sides(d, boundary)
		all[i].Name += fmt.Sprintf(": %.1f %% wrong", wrong)
	}
	return viz.Mixture{Data: d, Components: ellipses(m), Equal: true, Boundaries: all}
}

// Nodes draws the nodes of a tree, each with the mixture that divides it.
func Nodes(model *forest.Forest, tree godt.Tree, d *datasets.Dataset) viz.MixtureSteps {
	steps := viz.NodeMixtures(&model.Trees[0], d)
	for i := range steps {
		m := nb.Value(tree.Splitting.Mixture(d, steps[i].Rows, tree.Seed))
		steps[i].Components, steps[i].Equal = ellipses(m), true
	}
	return viz.MixtureSteps{Steps: steps}
}
