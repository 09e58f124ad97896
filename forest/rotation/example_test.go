package rotation_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
)

// Vehicles told apart by their outlines, which are described by correlated numbers.
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
		{"rotation forest", rotation.Learner{Trees: 50, Seed: 1}},
		{"random rotation", rotation.Random{Trees: 50, Seed: 1}},
	} {
		model, err := c.learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-15s error %.2f\n", c.name, eval.Error(labels, test.Labels))
	}
	// Output:
	// random forest   error 0.24
	// rotation forest error 0.22
	// random rotation error 0.29
}

// A tree keeps each rotated feature once, whatever number of nodes it splits.
func ExampleRandom() {
	ctx := context.Background()
	iris, err := public.Load(ctx, "iris")
	if err != nil {
		log.Fatal(err)
	}
	model, err := rotation.Random{Trees: 1, Seed: 1}.Fit(ctx, iris)
	if err != nil {
		log.Fatal(err)
	}
	tree := &model.Trees[0]
	fmt.Println(tree.Leaves()-1, "splits on", tree.Splits.Len(), "combinations")
	// Output: 6 splits on 3 combinations
}
