package rf_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// A random forest learns from three quarters of the rows and is tested on the others.
func ExampleLearner() {
	ctx := context.Background()
	vehicles, err := public.Load(ctx, "statlog-vehicle") // four kinds of vehicle by their outlines
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := datasets.Holdout{Stratified: true, Seed: 1}.Split(vehicles)
	if err != nil {
		log.Fatal(err)
	}
	model, err := rf.Learner{Trees: 100, Seed: 1}.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	predicted, err := model.Predict(ctx, test)
	if err != nil {
		log.Fatal(err)
	}

	fmt.Printf("error on %d test rows: %.3f\n", test.N(), eval.Error(predicted, test.Labels))
	fmt.Println(eval.NewConfusion(predicted, test.Labels, test.Classes))
	// Output:
	// error on 212 test rows: 0.245
	//   truth \ predicted  bus  opel  saab  van
	//                 bus   52     0     0    2
	//                opel    3    27    23    0
	//                saab    1    18    33    3
	//                 van    0     1     1   48
}

// How many features to draw at a node: Tune compares the settings of the grid by their
// out-of-bag errors. Fields that are not tuned, here Trees and Seed, stay.
func ExampleLearner_Grid() {
	ctx := context.Background()
	vehicles, err := public.Load(ctx, "statlog-vehicle")
	if err != nil {
		log.Fatal(err)
	}
	grid := rf.Learner{Trees: 50, Seed: 1}.Grid(vehicles)
	tuning, err := eval.Tune(ctx, grid, vehicles, nil)
	if err != nil {
		log.Fatal(err)
	}
	for i, learner := range grid {
		fmt.Printf("%-2d features: error %.3f ± %.3f\n", learner.(rf.Learner).NodeFeatures, tuning.Error[i], tuning.StdErr[i])
	}
	fmt.Println("best with", grid[tuning.Best].(rf.Learner).NodeFeatures)
	// Output:
	// 2  features: error 0.252 ± 0.015
	// 4  features: error 0.238 ± 0.015
	// 9  features: error 0.259 ± 0.015
	// 18 features: error 0.245 ± 0.015
	// best with 4
}

// A small tree can be read: under each split first the branch where it holds.
func ExampleCART() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := rf.CART{Growth: forest.Growth{MaxDepth: 2}}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(model.TreeString(&model.Trees[0], 0))
	// Output:
	// petal_length ≤ 2.45
	// ├ Iris-setosa 50
	// └ petal_width ≤ 1.75
	//   ├ Iris-versicolor 49, Iris-virginica 5
	//   └ Iris-versicolor 1, Iris-virginica 45
}

// The heating loads of buildings, predicted by a single regression tree and by fifty.
func ExampleBagging() {
	ctx := context.Background()
	buildings, err := public.Load(ctx, "energy_heating")
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := datasets.Holdout{Seed: 1}.Split(buildings)
	if err != nil {
		log.Fatal(err)
	}
	for _, learner := range []forest.Learner{
		rf.CART{},
		rf.Bagging{Trees: 50, Seed: 1},
	} {
		model, err := learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		values, err := model.PredictValues(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-7s RMSE %.2f\n", model.Method, math.Sqrt(eval.MSE(values, test.Values)))
	}
	// Output:
	// cart    RMSE 0.56
	// bagging RMSE 0.52
}

// Random thresholds may do better than the best ones: errors on five folds, and their
// standard errors.
func ExampleExtraTrees() {
	ctx := context.Background()
	banknotes, err := public.Load(ctx, "banknote")
	if err != nil {
		log.Fatal(err)
	}
	folds := datasets.KFold{K: 5, Stratified: true, Seed: 1}
	for _, learner := range []forest.Learner{
		rf.Learner{Trees: 50, Seed: 1},
		rf.ExtraTrees{Trees: 50, Seed: 1},
	} {
		scores, err := eval.CrossValidate(ctx, learner, banknotes, folds)
		if err != nil {
			log.Fatal(err)
		}
		mean, stderr := scores.Loss()
		fmt.Printf("%-13T %.4f ± %.4f\n", learner, mean, stderr)
	}
	// Output:
	// rf.Learner    0.0080 ± 0.0041
	// rf.ExtraTrees 0.0015 ± 0.0015
}

// Trees avoid the features that the trees before them split by near their roots, so the
// forest depends less on the strongest of them. Errors are out of bag.
func ExampleHRF() {
	ctx := context.Background()
	tumours, err := public.Load(ctx, "breast-cancer-wisc")
	if err != nil {
		log.Fatal(err)
	}
	for _, learner := range []forest.Learner{
		rf.Learner{Trees: 100, Seed: 1},
		rf.HRF{Trees: 100, Seed: 1},
	} {
		model, err := forest.Pipeline(learner, datasets.Impute{}).Fit(ctx, tumours)
		if err != nil {
			log.Fatal(err)
		}
		outOfBag, err := model.OutOfBag(ctx, tumours)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-11T error %.3f, importance of %s %.2f\n",
			learner, outOfBag.Error(), model.Features[1], model.Importance()[1])
	}
	// Output:
	// rf.Learner  error 0.036, importance of size_uniformity 0.31
	// rf.HRF      error 0.030, importance of size_uniformity 0.21
}
