package viz_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/shap"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// Outside of a notebook Show writes a file into the current folder and prints its name.
func ExampleShow() {
	defer inNewFolder()()
	iris, err := public.Load(context.Background(), "iris")
	if err != nil {
		log.Fatal(err)
	}
	viz.Show(viz.Scatter{Title: "Petals of iris", Data: iris, X: 2, Y: 3})
	// Output: petals-of-iris.png
}

// inNewFolder makes a new folder the current one, until the function that it returns is called.
func inNewFolder() (back func()) {
	old, dir := must.Value(os.Getwd()), must.Value(os.MkdirTemp("", "viz"))
	must.Do(os.Chdir(dir))
	return func() {
		must.Do(os.Chdir(old))
		must.Do(os.RemoveAll(dir))
	}
}

// The end of the name says what is written: a .png, a .svg, or a page that is live in a
// browser.
func ExampleFigure_Save() {
	defer inNewFolder()()
	iris, err := public.Load(context.Background(), "iris")
	if err != nil {
		log.Fatal(err)
	}
	figure := viz.Draw(viz.Scatter{Title: "Petals of iris", Data: iris, X: 2, Y: 3})
	figure.Width, figure.Height = 500, 400
	for _, name := range []string{"petals.svg", "petals.html"} {
		if err := figure.Save(name); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(figure.Alt)
	// Output: petal_width (0.1 to 2.5) against petal_length (1 to 6.9) for 150 rows; class Iris-setosa: 50; class Iris-versicolor: 50; class Iris-virginica: 50.
}

// Learners that are given this context show how far they are, and stop at Control-C or when
// the kernel is interrupted.
func ExampleProgress() {
	train := sim.Trunk{}.Sample(500, 1)
	ctx, done := viz.Progress(context.Background(), "growing the forest")
	model, err := sporf.Learner{Trees: 50, Seed: 1}.Fit(ctx, train)
	done()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(model.Trees), "trees")
	// Output: 50 trees
}

// What a forest predicts over two features of iris.
func ExampleDecisionRegions() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	petals := iris.Select(2, 3)
	model, err := sporf.Learner{Trees: 50, Seed: 1}.Fit(ctx, petals)
	if err != nil {
		log.Fatal(err)
	}
	chart := viz.DecisionRegions{Title: "SPORF on the petals of iris", Model: model, Data: petals}
	fmt.Println(viz.Draw(chart).Alt) // in a notebook: viz.Show(chart)
	// Output: Predicted class as share of the area: Iris-setosa 20 %; Iris-versicolor 51 %; Iris-virginica 29 %. petal_width (0.1 to 2.5) against petal_length (1 to 6.9) for 150 rows; class Iris-setosa: 50; class Iris-versicolor: 50; class Iris-virginica: 50.
}

// The splits of a small tree; Alt describes the picture in words.
func ExampleTreeDiagram() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := rf.CART{Growth: forest.Growth{MaxDepth: 2}}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	tree := viz.Draw(viz.TreeDiagram{Title: "Iris", Model: model})
	fmt.Println(strings.ReplaceAll(tree.Alt, "\u00a0", " "))
	// Output: Decision tree of depth 2 with 3 leaves; at the root: petal_length ≤ 2.45. If so: Iris-setosa 50; otherwise: petal_width ≤ 1.75.
}

// The importance of the features of iris.
func ExampleBars() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := rf.Learner{Trees: 100, Seed: 1}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	chart := viz.Bars{
		Title:  "Which features matter",
		X:      "share of the decrease of impurity",
		Names:  model.Features,
		Values: model.Importance(),
	}
	fmt.Println(viz.Draw(chart).Alt)
	// Output: share of the decrease of impurity of 4 bars: sepal_length 0.1031; sepal_width 0.01788; petal_length 0.431; petal_width 0.4481.
}

// Test error against training rows, with the Bayes error to compare with.
func ExampleCurves() {
	ctx := context.Background()
	problem := sim.Trunk{Features: 10}
	test := problem.Sample(2000, 1)
	curve := viz.Series{Name: "SPORF"}
	for _, n := range []int{50, 100, 200, 400} {
		model, err := sporf.Learner{Trees: 50, Seed: 1}.Fit(ctx, problem.Sample(n, 2))
		if err != nil {
			log.Fatal(err)
		}
		curve.X = append(curve.X, float64(n))
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		curve.Y = append(curve.Y, eval.Error(labels, test.Labels))
	}
	chart := viz.Curves{
		Title:  "Trunk, 10 features",
		X:      "training rows",
		Y:      "test error",
		LogX:   true,
		Series: []viz.Series{curve},
		Levels: []viz.Level{{Name: "Bayes error", Y: problem.Bayes().Error()}},
	}
	fmt.Println(viz.Draw(chart).Alt)
	// Output: test error against training rows. SPORF: 0.0695 at 50 to 0.0535 at 400. Level Bayes error: 0.0435.
}

// A confusion matrix.
func ExampleHeatMap() {
	truth := []int32{0, 0, 0, 1, 1, 2}
	pred := []int32{0, 0, 1, 1, 1, 0}
	confusion := eval.NewConfusion(pred, truth, []string{"cat", "dog", "fox"})
	counts := make([][]float64, len(confusion.Counts))
	for t, row := range confusion.Counts {
		for _, n := range row {
			counts[t] = append(counts[t], float64(n))
		}
	}
	chart := viz.HeatMap{
		Title:   "Confusion",
		X:       "predicted",
		Y:       "true",
		Columns: confusion.Classes,
		Rows:    confusion.Classes,
		Values:  counts,
	}
	fmt.Println(viz.Draw(chart).Alt)
	// Output: Heat map of 3 rows and 3 columns: true by predicted; values from 0 (cat, fox) to 2 (cat, cat).
}

// Which of three methods are better than which, over many data sets.
func ExampleRankMatrix() {
	accuracy := [][]float64{ // a row a data set, a column a method
		{0.781, 0.830, 0.947},
		{0.980, 0.990, 0.999},
		{0.931, 0.967, 0.971},
		{0.815, 0.865, 0.864},
		{0.701, 0.804, 0.748},
		{0.706, 0.740, 0.777},
	}
	chart := viz.RankMatrix{
		Title:   "Accuracy",
		Methods: []string{"CART", "random forest", "SPORF"},
		Ranks:   eval.FriedmanTest(accuracy).Ranks,
		P:       eval.PairwiseWilcoxon(accuracy),
	}
	fmt.Println(viz.Draw(chart).Alt)
	// Output: Methods by mean rank: SPORF (1.33), random forest (1.67), CART (3.00). Significantly better: SPORF over CART, 0.031; random forest over CART, 0.031.
}

// Which methods differ, by their mean ranks on six data sets, with the correction for all pairs? Only the first and the
// last.
func ExampleCriticalDifference() {
	ranks := []float64{3, 1.67, 1.33} // as eval.FriedmanTest returns them
	difference := eval.Nemenyi(len(ranks), 6, 0.05)
	chart := viz.CriticalDifference{
		Title:      "Accuracy, Nemenyi's test at level 0.05",
		Methods:    []string{"CART", "random forest", "SPORF"},
		Ranks:      ranks,
		Difference: difference,
		Groups:     eval.Cliques(ranks, difference),
	}
	fmt.Println(viz.Draw(chart).Alt)
	// Output: Methods by mean rank: SPORF (1.33), random forest (1.67), CART (3.00). Critical difference 1.35. No difference between SPORF, random forest. No difference between random forest, CART.
}

// What methods gain over CART, in percentage points.
func ExampleBeeswarm() {
	chart := viz.Beeswarm{
		Title: "Gain over CART on six data sets",
		X:     "difference of accuracies, percentage points",
		Names: []string{"random forest", "SPORF"},
		Values: [][]float64{
			{4.9, 1.0, 3.6, 5.0, 10.3, 3.4},
			{16.6, 1.9, 4.0, 4.9, 4.7, 7.1},
		},
		Points: []string{"balance-scale", "banknote", "breast-cancer-wisc", "credit-approval", "glass", "statlog-vehicle"},
		Limit:  10,
	}
	fmt.Println(viz.Draw(chart).Alt)
	// Output: difference of accuracies, percentage points of 2 groups, with medians: random forest 4.25 of 6; SPORF 4.8 of 6.
}

// The rows that a forest's regions depend on.
func ExampleSensitivityMap() {
	ctx := context.Background()
	train := sim.Circles{Rings: 2}.Sample(1000, 1)
	model, err := graf.Learner{Trees: 20, TreeFeatures: graf.All, Seed: 1}.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	sensitivity, err := inspect.Sensitivity(ctx, model, train)
	if err != nil {
		log.Fatal(err)
	}
	chart := viz.SensitivityMap{Title: "A disk in a ring", Data: train, Sensitivity: sensitivity.Scores}
	fmt.Println(viz.Draw(chart).Alt)
	// Output: Sensitivity of x2 (−0.987 to 0.99) against x1 (−0.998 to 0.992) for 1000 rows; class 0: 245; class 1: 755. One row in 20 has 0.0091 or more.
}

// How a GRAF tree divides the plane.
func ExampleSteps() {
	ctx := context.Background()
	train := sim.XOR{Cells: 2}.Sample(200, 1)
	model, err := graf.Learner{Trees: 1, TreeFeatures: graf.All, Seed: 1}.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(viz.Draw(viz.Steps{Title: "A tree of GRAF", Model: model, Data: train}).Alt)
	// Output:
	// x2 (−0.977 to 0.977) against x1 (−0.992 to 0.989) for 200 rows; class 0: 100; class 1: 100.
	// Step 0: 1 region, 1 impure
	// Step 1 divides 1: 2 regions, 2 impure
	// Step 2 divides 2: 4 regions, 3 impure
	// Step 3 divides 2: 6 regions, 4 impure
	// Step 9 divides 5: 18 regions, 9 impure
	// Step 29 divides 1: 47 regions, 0 impure
}

// How a tree changes from pass to pass of TAO.
func ExampleSnapshots() {
	train := sim.XOR{Cells: 2, Degrees: 30}.Sample(500, 1)
	learner := tao.Learner{Trees: 1, Depth: 4, Passes: 20, Sampling: forest.AllRows}
	var history tao.History
	if _, err := history.Fit(context.Background(), learner, train); err != nil {
		log.Fatal(err)
	}
	chart := viz.Snapshots{Title: "Exclusive or", Data: train}
	for _, p := range history.Passes() {
		chart.Models = append(chart.Models, history.Forest(p.Number))
		chart.Captions = append(chart.Captions, fmt.Sprintf("Pass %d: objective %.1f", p.Number, p.Objective()))
	}
	leaves := chart.Models[19].Size().Leaves
	fmt.Println(len(chart.Models), "trees; the last has fewer than 10 leaves:",
		leaves < 10) // in a notebook: viz.Show(chart)
	// Output:
	// 20 trees; the last has fewer than 10 leaves: true
}

// Two classes whose distributions are known, and the boundary between them. Ellipses need equal units to look as they
// are.
func ExampleMixture() {
	identity := [2][2]float64{{1, 0}, {0, 1}}
	chart := viz.Mixture{
		Title: "Half-way between two means",
		Data:  sim.Trunk{Features: 2}.Sample(200, 1),
		Components: []viz.Gaussian{{Mean: [2]float64{-1, -0.707}, Covariance: identity, Weight: 0.5},
			{Mean: [2]float64{1, 0.707}, Covariance: identity, Weight: 0.5}},
		Boundaries: []viz.Boundary{{Name: "equally far", Function: forest.Linear([]int32{0, 1}, []float32{1, 0.707})}},
		Equal:      true,
	}
	fmt.Println(viz.Draw(chart).Alt) // in a notebook: viz.Show(chart)
	// Output: x2 (−3.22 to 3.12) against x1 (−3.72 to 3.14) for 200 rows; class 0: 100; class 1: 100. Component 1: weight 0.5, mean (−1, −0.707), standard deviations 1 and 1, correlation 0. Component 2: weight 0.5, mean (1, 0.707), standard deviations 1 and 1, correlation 0. Boundary equally far: x1 + 0.707·x2 = 0.
}

// The splits of a tree. Where components have been fitted to the rows of a step, it shows them, too.
func ExampleMixtureSteps() {
	data := sim.Trunk{Features: 2}.Sample(150, 1)
	model, err := sporf.Learner{Trees: 1, Seed: 1, Growth: forest.Growth{MaxDepth: 2},
		Sampling: forest.AllRows}.Fit(context.Background(), data)
	if err != nil {
		log.Fatal(err)
	}
	steps := viz.NodeMixtures(&model.Trees[0], data)
	for _, step := range steps {
		fmt.Println(step.Title)
	}
	chart := viz.MixtureSteps{Title: "Two classes", Steps: steps}
	viz.Draw(chart) // in a notebook: viz.Show(chart)
	// Output:
	// Node 0: 150 rows, purity 0.50
	// Node 1: 69 rows, purity 0.97
	// Node 4: 81 rows, purity 0.90
}

// The splits of a tree on images of 4 × 4 pixels.
func ExampleWeightImages() {
	train := sim.Trunk{Features: 16}.Sample(1000, 1)
	model, err := tao.Learner{Trees: 1, Depth: 2, Sampling: forest.AllRows}.Fit(context.Background(), train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(viz.Draw(viz.WeightImages{Title: "Trunk as images", Model: model}).Alt)
	// Output:
	// Decision tree of depth 2 with 3 leaves, its splits as images of 4 × 4 pixels; at the root: 16 weights.
}

// Panels with the same series share one legend.
func ExampleSmallMultiples() {
	rows := []float64{50, 200, 800}
	panel := func(title string, errors ...float64) viz.Curves {
		return viz.Curves{Title: title, X: "training rows", Y: "error",
			Series: []viz.Series{{Name: "random forest", X: rows, Y: errors}}}
	}
	chart := viz.SmallMultiples{Title: "Test error of Trunk's problem", Panels: []viz.Curves{
		panel("2 features", 0.1285, 0.132, 0.1385), panel("10 features", 0.1, 0.081, 0.067)}}
	fmt.Println(viz.Draw(chart).Alt)
	// Output:
	// 2 features
	// error against training rows. random forest: 0.1285 at 50 to 0.1385 at 800.
	// 10 features
	// error against training rows. random forest: 0.1 at 50 to 0.067 at 800.
}

// Charts of any kind go into one picture.
func ExampleGrid() {
	x := []float64{100, 1000, 10000}
	grid := viz.Grid{Title: "Error and time", Charts: []viz.Chart{
		viz.Curves{Title: "Error", X: "training rows", Y: "test error", LogX: true,
			Series: []viz.Series{{Name: "SPORF", X: x, Y: []float64{0.25, 0.08, 0.02}}},
			Levels: []viz.Level{{Y: 1.0 / 6, Name: "1/6"}}},
		viz.Curves{Title: "Time", X: "training rows", Y: "seconds", LogX: true,
			Series: []viz.Series{{Name: "SPORF", X: x, Y: []float64{0.01, 0.2, 3}}}},
	}}
	fmt.Println(viz.Draw(grid).Alt)
	// Output:
	// Error
	// test error against training rows. SPORF: 0.25 at 100 to 0.02 at 10,000. Level 1/6: 0.1667.
	// Time
	// seconds against training rows. SPORF: 0.01 at 100 to 3 at 10,000.
}

// A slider and a choice above the regions of a forest. In a notebook the cell goes on until it
// is stopped; here, where nobody can move the slider, the chart is drawn once.
func ExampleExplore() {
	defer inNewFolder()()
	train := sim.Circles{Rings: 3}.Sample(200, 1)
	err := viz.Explore([]viz.Control{
		viz.Slider{Name: "trees", Min: 1, Max: 100, Value: 10},
		viz.Choice{Name: "method", Options: []string{"SPORF", "random forest"}},
	}, func(ctx context.Context, values viz.Values) (viz.Chart, error) {
		var learner forest.Learner = sporf.Learner{Trees: values.Int("trees"), Seed: 1}
		if values.Choice("method") == "random forest" {
			learner = rf.Learner{Trees: values.Int("trees"), Seed: 1}
		}
		model, err := learner.Fit(ctx, train)
		if err != nil {
			return nil, err
		}
		return viz.DecisionRegions{Title: values.String(), Model: model, Data: train, Resolution: 100}, nil
	})
	fmt.Println(err)
	// Output:
	// trees-10-method-sporf.png
	// <nil>
}

// How a forest's probability of versicolor depends on the length of petals.
func ExamplePartialDependence() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := rf.CART{Growth: forest.Growth{MaxDepth: 2}}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	const versicolor, petalLength = 1, 2
	p, err := inspect.PartialDependence(ctx, model, iris, versicolor, petalLength, 20)
	if err != nil {
		log.Fatal(err)
	}
	chart := viz.PartialDependence{Title: "Partial dependence", X: "petal length, cm", Y: "probability of versicolor",
		Values: p.Values, Mean: p.Mean, Rows: p.Rows, Cells: iris.Column(nil, petalLength)}
	fmt.Println(viz.Draw(chart).Alt)
	// Output: Mean prediction of probability of versicolor against petal length, cm from 1.3 to 6.1: lowest 0 at 1.3, highest 0.636 at 2.563. Behind it the curves of 100 single rows.
}

// Whether the probabilities of a forest can be taken at their word.
func ExampleCalibrationCurve() {
	train, test := sim.Circles{Rings: 3}.Sample(100, 1), sim.Circles{Rings: 3}.Sample(2000, 2)
	model, err := sporf.Learner{Trees: 100, Seed: 1}.Fit(context.Background(), train)
	if err != nil {
		log.Fatal(err)
	}
	proba, err := model.Proba(context.Background(), test)
	if err != nil {
		log.Fatal(err)
	}
	curve := eval.Calibration(proba, test.Labels, 1, 5, false)
	chart := viz.CalibrationCurve{Title: "Calibration", Class: "class 1",
		Series: []viz.CalibrationSeries{{Name: model.Method, Of: curve}}}
	fmt.Println(viz.Draw(chart).Alt)
	// Output: Observed share of class 1 against its predicted probability. sporf: 5 points, from 0.026 observed at 0.061 predicted to 0.84 at 0.92; furthest from the diagonal: 0.65 at 0.51.
}

// What moves the probability of versicolor, for all flowers.
func ExampleSHAP() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := sporf.Learner{Trees: 100, Seed: 1}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	explainer, err := shap.New(model, iris)
	if err != nil {
		log.Fatal(err)
	}
	x, err := explainer.Values(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	const versicolor = 1
	chart := viz.SHAP{Title: "What moves the prediction", X: "effect on the probability of versicolor", Data: x.Data,
		Values: x.Values[versicolor]}
	fmt.Println(viz.Draw(chart).Alt)
	// Output: effect on the probability of versicolor of 150 rows, by feature. Mean magnitudes: petal_length 0.28, petal_width 0.065, sepal_length 0.057, sepal_width 0.025.
}
