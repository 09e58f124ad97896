package forest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// A whole task: load data with missing cells, set rows aside, train, test, and save the
// model.
func Example() {
	ctx := context.Background()
	tumours, err := public.Load(ctx, "breast-cancer-wisc")
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := datasets.Holdout{Stratified: true, Seed: 1}.Split(tumours)
	if err != nil {
		log.Fatal(err)
	}
	learner := forest.Pipeline(sporf.Learner{Trees: 100, Seed: 1}, datasets.Impute{})
	model, err := learner.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model)
	predicted, err := model.Predict(ctx, test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("error %.3f, kappa %.3f\n", eval.Error(predicted, test.Labels), eval.Kappa(predicted, test.Labels))

	dir, err := os.MkdirTemp("", "forest")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tumours.forest")
	if err := model.Save(path); err != nil {
		log.Fatal(err)
	}
	fmt.Println("saved as", filepath.Base(path))
	// Output:
	// sporf: 100 trees for class (2 classes) from 9 features
	// 3360 nodes, mean depth 3.7, at most 11, 121.7 kB
	// error 0.029, kappa 0.936
	// saved as tumours.forest
}

// A model that was saved with its steps predicts a table as it comes: here with a missing
// cell and with a category, zz, that the training data don't have.
func ExamplePipeline() {
	ctx := context.Background()
	applications, err := public.Load(ctx, "credit-approval")
	if err != nil {
		log.Fatal(err)
	}
	learner := forest.Pipeline(rf.Learner{Trees: 100, Seed: 1}, datasets.Impute{}, datasets.OneHot{})
	trained, err := learner.Fit(ctx, applications)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "forest")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "credit.forest")
	if err := trained.Save(path); err != nil {
		log.Fatal(err)
	}

	model, err := forest.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	const raw = `A1,A2,A3,A4,A5,A6,A7,A8,A9,A10,A11,A12,A13,A14,A15
b,30.83,0,u,g,w,v,1.25,t,t,1,f,g,202,0
a,?,1.5,y,p,zz,v,0.1,f,f,0,f,g,120,0
`
	table, err := datasets.CSV{Like: model.Schema(), NoTarget: true}.Read(ctx, strings.NewReader(raw), "new")
	if err != nil {
		log.Fatal(err)
	}
	proba, err := model.Proba(ctx, table)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range proba {
		fmt.Printf("%s %.2f, %s %.2f\n", model.Classes[0], p[0], model.Classes[1], p[1])
	}
	// Output:
	// + 0.86, - 0.14
	// + 0.00, - 1.00
}

// Each row is predicted by the trees that didn't see it, so no rows have to be set aside.
func ExampleForest_OutOfBag() {
	ctx := context.Background()
	problem := sim.Trunk{Features: 10}
	train, test := problem.Sample(1000, 1), problem.Sample(10000, 2)
	model, err := rf.Learner{Trees: 200, Seed: 1}.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	outOfBag, err := model.OutOfBag(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := model.Predict(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("training rows %.3f\n", eval.Error(labels, train.Labels))
	fmt.Printf("out of bag    %.3f\n", outOfBag.Error())
	predicted, err := model.Predict(ctx, test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("new rows      %.3f\n", eval.Error(predicted, test.Labels))
	// Output:
	// training rows 0.000
	// out of bag    0.058
	// new rows      0.060
}

// The combinations of features that a SPORF splits by most. A scale tips to the left where
// left_weight·left_distance is above right_weight·right_distance; the first projection
// comes near that.
func ExampleForest_Projections() {
	ctx := context.Background()
	scales, err := public.Load(ctx, "balance-scale")
	if err != nil {
		log.Fatal(err)
	}
	model, err := sporf.Learner{Trees: 100, Seed: 1}.Fit(ctx, scales)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range model.Projections()[:3] {
		fmt.Printf("%.2f  %s\n", p.Importance, p.Format(model.Features))
	}
	// Output:
	// 0.23  left_weight + left_distance − right_weight − right_distance
	// 0.08  left_weight − right_weight − right_distance
	// 0.08  left_weight + left_distance − right_weight
}

// Each feature's share in the decrease of impurity.
func ExampleForest_Importance() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := rf.Learner{Trees: 100, Seed: 1}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	for j, importance := range model.Importance() {
		fmt.Printf("%-12s %.2f\n", model.Features[j], importance)
	}
	// Output:
	// sepal_length 0.10
	// sepal_width  0.02
	// petal_length 0.43
	// petal_width  0.45
}

// A predictor answers for one row at a time, as a service does. What is wrong with a row is
// an error.
func ExampleForest_Predictor() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := rf.Learner{Trees: 100, Seed: 1}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	predictor := model.Predictor()
	flower := []float32{6.1, 2.8, 4.8, 1.7} // in the order of model.Features
	label, err := predictor.Label(flower)
	if err != nil {
		log.Fatal(err)
	}
	proba, err := predictor.Proba(nil, flower)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, probability %.2f\n", model.Classes[label], proba[label])

	_, err = predictor.Label(flower[:3])
	fmt.Println("other columns:", errors.Is(err, datasets.ErrSchema))
	// Output:
	// Iris-versicolor, probability 0.56
	// other columns: true
}

// A predictor of a regression forest answers with values.
func ExamplePredictor_Value() {
	ctx := context.Background()
	buildings, err := public.Load(ctx, "energy_heating")
	if err != nil {
		log.Fatal(err)
	}
	model, err := rf.Learner{Trees: 50, Seed: 1}.Fit(ctx, buildings)
	if err != nil {
		log.Fatal(err)
	}
	value, err := model.Predictor().Value(buildings.Row(nil, 0))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("predicted %.1f, measured %.1f\n", value, buildings.Values[0])
	// Output: predicted 16.5, measured 15.6
}

// Errors say what is wrong with the data, for people and for programs.
func ExampleForest_PredictNames() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := rf.Learner{Trees: 10, Seed: 1}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{
		"sepal_length,sepal_width,petal_length,petal_width\n5.1,3.5,1.4,0.2\n",
		"sepal_length,sepal_width,petal_length,petal_width\n6.1,2.8,?,1.7\n",
		"length,width\n1.4,0.2\n",
	} {
		table, err := datasets.CSV{NoTarget: true}.Read(ctx, strings.NewReader(text), "flowers")
		if err != nil {
			log.Fatal(err)
		}
		names, err := model.PredictNames(ctx, table)
		switch {
		case err == nil:
			fmt.Println(names[0])
		case errors.Is(err, datasets.ErrMissing):
			fmt.Println("a cell is missing")
		case errors.Is(err, datasets.ErrSchema):
			fmt.Println("these are other columns")
		default:
			log.Fatal(err)
		}
	}
	// Output:
	// Iris-setosa
	// a cell is missing
	// these are other columns
}

// The heating loads of buildings, in kWh/m².
func ExampleForest_PredictValues() {
	ctx := context.Background()
	buildings, err := public.Load(ctx, "energy_heating")
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := datasets.Holdout{Seed: 1}.Split(buildings)
	if err != nil {
		log.Fatal(err)
	}
	model, err := sporf.Learner{Trees: 50, Seed: 1}.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	predicted, err := model.PredictValues(ctx, test)
	if err != nil {
		log.Fatal(err)
	}

	for i := range 3 {
		fmt.Printf("predicted %.1f, measured %.1f\n", predicted[i], test.Values[i])
	}
	fmt.Printf("RMSE %.2f, R² %.3f\n", math.Sqrt(eval.MSE(predicted, test.Values)), eval.R2(predicted, test.Values))
	// Output:
	// predicted 16.2, measured 15.6
	// predicted 21.0, measured 20.7
	// predicted 20.1, measured 19.9
	// RMSE 0.55, R² 0.997
}

// Slanted splits need fewer leaves to tell banknotes apart.
func ExampleForest_Size() {
	ctx := context.Background()
	notes, err := public.Load(ctx, "banknote")
	if err != nil {
		log.Fatal(err)
	}
	for _, learner := range []forest.Learner{
		rf.Learner{Trees: 50, Seed: 1},
		sporf.Learner{Trees: 50, Seed: 1},
	} {
		model, err := learner.Fit(ctx, notes)
		if err != nil {
			log.Fatal(err)
		}
		size := model.Size()
		fmt.Printf("%-5s %d leaves, mean depth %.1f, %d parameters\n",
			model.Method, size.Leaves, size.MeanDepth, size.Parameters)
	}
	// Output:
	// rf    1410 leaves, mean depth 4.7, 4130 parameters
	// sporf 664 leaves, mean depth 3.7, 3153 parameters
}

// The learner reports each tree that is done.
func ExampleWithProgress() {
	ctx := forest.WithProgress(context.Background(), func(done, total int) {
		if done%50 == 0 {
			fmt.Printf("%d of %d trees\n", done, total)
		}
	})
	train := sim.Trunk{}.Sample(500, 1)
	if _, err := (rf.Learner{Trees: 100}).Fit(ctx, train); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 50 of 100 trees
	// 100 of 100 trees
}

// A file that is no sound forest is told from one that isn't there.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "forest")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "wine.forest")
	if err := os.WriteFile(path, []byte("a text"), 0o600); err != nil {
		log.Fatal(err)
	}
	_, err = forest.Load(path)
	fmt.Println("damaged:", errors.Is(err, forest.ErrDamaged))
	_, err = forest.Load(filepath.Join(dir, "beer.forest"))
	fmt.Println("not there:", errors.Is(err, fs.ErrNotExist))
	// Output:
	// damaged: true
	// not there: true
}

// A leaf with two classes of iris is replaced by a slanted split, whose leaves say one class
// each. Reweigh counts the rows in them.
func ExampleMutable_Grow() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := rf.CART{Growth: forest.Growth{MaxDepth: 1}}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.TreeString(&model.Trees[0], 0))

	tree := forest.NewMutable(&model.Trees[0])
	_, right := tree.Children(0)
	sum := forest.Linear([]int32{2, 3}, []float32{1, 1}) // petal_length + petal_width
	tree.Grow(right, sum, 6.5,
		forest.Leaf{Kind: forest.LeafClass, Class: 1},
		forest.Leaf{Kind: forest.LeafClass, Class: 2})
	tree.Reweigh(iris, nil)
	model.Trees[0] = tree.Tree()
	fmt.Print(model.TreeString(&model.Trees[0], 0))
	labels, err := model.Predict(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("error %.3f\n", eval.Error(labels, iris.Labels))
	// Output:
	// petal_length ≤ 2.45
	// ├ Iris-setosa 50
	// └ Iris-versicolor 50, Iris-virginica 50
	//
	// petal_length ≤ 2.45
	// ├ Iris-setosa 50
	// └ petal_length + petal_width ≤ 6.5
	//   ├ Iris-versicolor 49
	//   └ Iris-virginica 51
	// error 0.033
}

// A split function of a row (height, weight, width).
func ExampleLinear() {
	fn := forest.Linear([]int32{0, 2}, []float32{1, -0.5})
	fmt.Println(fn.Format([]string{"height", "weight", "width"}, 0))
	fmt.Println(fn.Value([]float32{2, 70, 1}))
	// Output:
	// height − 0.5·width
	// 1.5
}
