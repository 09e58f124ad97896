package datasets_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

const beans = `colour,weight,kind
white,0.25,navy
red,0.75,kidney
white,,navy
black,0.4,turtle
`

// A column of text is categorical: its cells are the codes of the categories. Errors name
// what is nearest.
func ExampleCSV_Read() {
	d, err := datasets.CSV{}.Read(context.Background(), strings.NewReader(beans), "beans")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.N(), "rows of", d.FeatureNames())
	fmt.Println(d.Target, d.Classes, d.Labels)
	fmt.Println(d.Features[0].Categories, d.Column(nil, 0))

	_, err = datasets.CSV{Target: "knd"}.Read(context.Background(), strings.NewReader(beans), "beans")
	fmt.Println(err)
	// Output:
	// 4 rows of [colour weight]
	// kind [kidney navy turtle] [1 0 1 2]
	// [black red white] [2 1 2 0]
	// datasets: beans: target: no column "knd"; the nearest are "kind", "colour", "weight"; set NoTarget if there is none
}

// A file is read like the training data: columns in that order, categories by the same
// codes, and other columns ignored.
func ExampleCSV_Read_like() {
	train, err := datasets.CSV{}.Read(context.Background(), strings.NewReader(beans), "beans")
	if err != nil {
		log.Fatal(err)
	}
	like := datasets.CSV{Like: train.Schema(), NoTarget: true}
	const more = "weight,origin,colour\n0.5,Peru,red\n0.3,Kenya,brown\n"
	d, err := like.Read(context.Background(), strings.NewReader(more), "more")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.FeatureNames(), d.Features[0].Categories)
	for i := range d.N() {
		fmt.Println(d.Row(nil, i))
	}

	_, err = like.Read(context.Background(), strings.NewReader("weight\n0.5\n"), "less")
	fmt.Println("other columns:", errors.Is(err, datasets.ErrSchema))
	// Output:
	// [colour weight] [black red white brown]
	// [1 0.5]
	// [3 0.3]
	// other columns: true
}

// Weka's format declares the kind of each column.
func ExampleARFF_Read() {
	const text = `@relation beans
@attribute colour {white, red, black}
@attribute weight numeric
@attribute price numeric
@data
red, 0.75, 1.2
white, ?, 0.9
`
	d, err := datasets.ARFF{}.Read(context.Background(), strings.NewReader(text), "beans")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.FeatureNames(), d.Features[0].Categories)
	fmt.Println(d.Row(nil, 0), d.Row(nil, 1))
	fmt.Println(d.Target, d.Values)
	// Output:
	// [colour weight] [white red black]
	// [1 0.75] [0 NaN]
	// price [1.2 0.9]
}

// The mean weight and the columns come from the training rows, and the test rows are
// changed by them.
func ExampleSteps() {
	d, err := datasets.CSV{}.Read(context.Background(), strings.NewReader(beans), "beans")
	if err != nil {
		log.Fatal(err)
	}
	train, test := d.Subset([]int32{0, 1}), d.Subset([]int32{2, 3})

	prepare, _, err := datasets.Steps{datasets.Impute{}, datasets.OneHot{}}.Fit(context.Background(), train)
	if err != nil {
		log.Fatal(err)
	}
	out, err := prepare.Apply(context.Background(), test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.FeatureNames())
	for i := range out.N() {
		fmt.Println(out.Row(nil, i))
	}
	// Output:
	// [colour=black colour=red colour=white weight]
	// [0 0 1 0.5]
	// [1 0 0 0.4]
}

// Prepare takes tables as they are: here with a missing weight, and a colour that the
// training rows don't have.
func ExamplePrepare() {
	train, err := datasets.CSV{}.Read(context.Background(), strings.NewReader(beans), "beans")
	if err != nil {
		log.Fatal(err)
	}
	learner := forest.Pipeline(rf.Learner{Trees: 50, Seed: 1}, datasets.Prepare{})
	model, err := learner.Fit(context.Background(), train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(model.Features, ", "))
	table, err := datasets.CSV{Like: model.Schema(), NoTarget: true}.Read(context.Background(),
		strings.NewReader("colour,weight\nblack,\ngreen,0.75\n"), "more beans")
	if err != nil {
		log.Fatal(err)
	}
	labels, err := model.Predict(context.Background(), table)
	if err != nil {
		log.Fatal(err)
	}
	for _, class := range labels {
		fmt.Println(model.Classes[class])
	}
	// Output:
	// colour=black, colour=red, colour=white, weight
	// turtle
	// kidney
}

// Texts and whole numbers are classes, real numbers the values of a regression.
func ExampleFromRows() {
	d, err := datasets.FromRows([][]float64{{1, 2}, {3, 4}}, []string{"b", "a"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.FeatureNames(), d.Classes, d.Labels)

	d, err = datasets.FromRows([][]float64{{1, 2}, {3, 4}}, []float64{0.5, 1.5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.FeatureNames(), d.Values)
	// Output:
	// [x1 x2] [a b] [1 0]
	// [x1 x2] [0.5 1.5]
}

// Any matrix with Dims and At will do, such as gonum's.
func ExampleFromMatrix() {
	m := mat.NewDense(2, 3, []float64{
		1, 2, 3,
		4, 5, 6,
	})
	d, err := datasets.FromMatrix(m, []int{7, 9})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Row(nil, 1), d.Classes[d.Labels[1]])
	// Output: [4 5 6] 9
}

// Each row is tested on once, and each class has its share in every fold.
func ExampleKFold_Folds() {
	glass, err := public.Load(context.Background(), "glass")
	if err != nil {
		log.Fatal(err)
	}
	folds, err := datasets.KFold{K: 3, Stratified: true, Seed: 1}.Folds(glass)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range folds {
		train, test := f.Split(glass)
		fmt.Println(train.N(), "rows to learn from,", test.N(), "to test on:", test.ClassCounts())
	}
	// Output:
	// 142 rows to learn from, 72 to test on: [24 25 6 4 3 10]
	// 143 rows to learn from, 71 to test on: [23 26 5 5 3 9]
	// 143 rows to learn from, 71 to test on: [23 25 6 4 3 10]
}

// Every class has the same share of its rows in both parts.
func ExampleHoldout_Split() {
	glass, err := public.Load(context.Background(), "glass")
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := datasets.Holdout{Test: 0.2, Stratified: true, Seed: 1}.Split(glass)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("all  ", glass.N(), glass.ClassCounts())
	fmt.Println("train", train.N(), train.ClassCounts())
	fmt.Println("test ", test.N(), test.ClassCounts())
	// Output:
	// all   214 [70 76 17 13 9 29]
	// train 171 [56 61 14 10 7 23]
	// test  43 [14 15 3 3 2 6]
}

// Few scales balance (B), and a forest errs least if it never says so. Weights by which all
// classes count alike let it find half of them.
func ExampleDataset_WeightClasses() {
	ctx := context.Background()
	scales, err := public.Load(ctx, "balance-scale")
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := datasets.Holdout{Stratified: true, Seed: 1}.Split(scales)
	if err != nil {
		log.Fatal(err)
	}
	weights := make([]float32, len(train.Classes))
	for c, count := range train.ClassCounts() {
		weights[c] = 1 / float32(count)
	}
	for _, d := range []*datasets.Dataset{train, train.WeightClasses(weights...)} {
		model, err := rf.Learner{Trees: 100, Growth: forest.Growth{MaxDepth: 4}, Seed: 1}.Fit(ctx, d)
		if err != nil {
			log.Fatal(err)
		}
		predicted, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}

		fmt.Printf("mean recall %.2f\n", eval.Recall(predicted, test.Labels))
		fmt.Println(eval.NewConfusion(predicted, test.Labels, test.Classes))
	}
	// Output:
	// mean recall 0.62
	//   truth \ predicted  B   L   R
	//                   B  0   8   4
	//                   L  0  69   3
	//                   R  0   8  64
	//
	// mean recall 0.67
	//   truth \ predicted   B   L   R
	//                   B   6   3   3
	//                   L  15  57   0
	//                   R  19   1  52
}
