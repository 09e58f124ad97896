package oblique_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// Vehicles told apart by their outlines: a random forest, and forests whose nodes fit a
// linear model to half of the features.
func ExampleLearner() {
	ctx := context.Background()
	vehicles, err := public.Load(ctx, "statlog-vehicle")
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := datasets.Holdout{Test: 0.5, Stratified: true, Seed: 3}.Split(vehicles)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		learner forest.Learner
	}{
		{"random forest", rf.Learner{Trees: 50, Seed: 1}},
		{"ridge", oblique.Learner{Trees: 50, NodeFeatures: 9, Seed: 1}},
		{"LDA", oblique.Learner{Trees: 50, NodeFeatures: 9, LDA: true, Seed: 1}},
	} {
		model, err := c.learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-13s error %.2f\n", c.name, eval.Error(labels, test.Labels))
	}
	// Output:
	// random forest error 0.24
	// ridge         error 0.21
	// LDA           error 0.19
}
