package shap_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/shap"
	"github.com/obliqua-ml/obliqua/forest/sporf"
)

// What moved the probability of versicolor for one flower away from the mean over the training data.
func Example() {
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
	const versicolor = 1
	flower := iris.Subset([]int32{77})
	x, err := explainer.Values(ctx, flower)
	if err != nil {
		log.Fatal(err)
	}
	sum := x.Base[versicolor]
	fmt.Printf("%-14s %5.2f\n", "mean", sum)
	for j, v := range x.Values[versicolor][0] {
		sum += v
		fmt.Printf("%-14s %+5.2f\n", x.Features[j], v)
	}
	proba, err := model.Proba(ctx, flower)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%-14s %5.2f\n%-14s %5.2f\n", "sum", sum, "prediction", proba[0][versicolor])
	// Output:
	// mean            0.33
	// sepal_length   +0.04
	// sepal_width    +0.01
	// petal_length   +0.24
	// petal_width    +0.05
	// sum             0.68
	// prediction      0.68
}
