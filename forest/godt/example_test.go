package godt_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// The first split of irises is found without their labels: it is the boundary between two
// Gaussians. Nodes with a share of 0.95 of one species aren't split.
func ExampleTree() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := godt.Tree{Splitting: godt.Splitting{Purity: 0.95}}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(model.TreeString(&model.Trees[0], 2))
	// Output:
	// −0.140726·sepal_length + 0.161523·sepal_width − 0.274107·petal_length − 0.423644·petal_width ≤ −1.5437
	// ├ −0.154362·sepal_length − 0.165276·sepal_width − 0.217965·petal_length − 0.462398·petal_width ≤ −3.39838
	// │ ├ Iris-versicolor 1, Iris-virginica 36
	// │ └ … 8 leaves
	// └ Iris-setosa 50
}

// Errors of ten folds: a tree with one covariance for both components, one with a covariance for each,
// and forests of such trees. The features have different units, which matters to K-means,
// so they are standardised.
func ExampleLearner() {
	ctx := context.Background()
	wine, err := public.Load(ctx, "wine")
	if err != nil {
		log.Fatal(err)
	}
	quadratic := godt.Splitting{Divider: godt.SeparateFull}
	for _, method := range []struct {
		name    string
		learner forest.Learner
	}{
		{"CART", rf.CART{}},
		{"GODT", godt.Tree{}},
		{"GQDT", godt.Tree{Splitting: quadratic}},
		{"GORF", godt.Learner{Trees: 50}},
		{"GQRF", godt.Learner{Trees: 50, Splitting: quadratic}},
	} {
		scores, err := eval.CrossValidate(ctx, method.learner, wine, datasets.KFold{K: 10, Stratified: true},
			datasets.Standardise{})
		if err != nil {
			log.Fatal(err)
		}
		mean, _ := scores.Loss()
		fmt.Printf("%s %.3f\n", method.name, mean)
	}
	// Output:
	// CART 0.084
	// GODT 0.039
	// GQDT 0.011
	// GORF 0.028
	// GQRF 0.011
}
