package graf_test

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/sim"
)

// A forest, the sensitivity of its training rows, and a forest that learns from
// the most sensitive quarter of them.
func Example() {
	rings := sim.Circles{Rings: 2}
	train, test := rings.Sample(2000, 1), rings.Sample(10000, 2)
	learner := graf.Learner{TreeFeatures: graf.All, Seed: 1}
	all, err := learner.Fit(context.Background(), train)
	if err != nil {
		fmt.Println(err)
		return
	}
	sensitivity, err := inspect.Sensitivity(context.Background(), all, train)
	if err != nil {
		fmt.Println(err)
		return
	}
	quarter, err := sensitivity.Approximate(0.25, inspect.ByRank, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	few, err := learner.Fit(context.Background(), quarter)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d rows: accuracy %.2f\n", train.N(), eval.Accuracy(all.Predict(test), test.Labels))
	fmt.Printf("%d rows: accuracy %.2f\n", quarter.N(), eval.Accuracy(few.Predict(test), test.Labels))
	// Output:
	// 2000 rows: accuracy 1.00
	// 500 rows: accuracy 1.00
}
