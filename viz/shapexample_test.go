package viz_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/shap"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/viz"
)

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
