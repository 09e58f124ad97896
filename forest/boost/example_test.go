package boost_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/eval"
)

// Vehicles told apart by their outlines: boosting with signed sums of features, and on single features.
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
	for _, learner := range []boost.Learner{{Rate: 0.2, Seed: 1}, {Rate: 0.2, Sums: -1, Seed: 1}} {
		model, err := learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		proba, err := model.Proba(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("log-loss %.2f\n", eval.LogLoss(proba, test.Labels))
	}
	// Output:
	// log-loss 0.42
	// log-loss 0.49
}
