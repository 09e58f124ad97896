package boost_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/sim"
)

// Vehicles told apart by their outlines: boosting with sums of features, and on single features.
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
	// log-loss 0.38
	// log-loss 0.50
}

// Counts that are three times as high where a feature is positive. Out of bag each row is predicted by a member that
// hasn't seen it.
func ExampleLearner_counts() {
	ctx := context.Background()
	visits := sim.Trunk{Features: 3}.Sample(1000, 1)
	visits.Labels, visits.Classes, visits.Target = nil, nil, "visits"
	for i := range visits.N() {
		n := float64(1 + i%3) // 2 on average
		if visits.At(i, 0) > 0 {
			n *= 3
		}
		visits.Values = append(visits.Values, n)
	}
	model, err := boost.Learner{Loss: boost.Poisson, Seed: 1}.Fit(ctx, visits)
	if err != nil {
		log.Fatal(err)
	}
	oob, err := model.OutOfBag(ctx, visits)
	if err != nil {
		log.Fatal(err)
	}
	var mean, rows [2]float64
	for i, v := range oob.Values {
		k := 0
		if visits.At(i, 0) > 0 {
			k = 1
		}
		mean[k] += v
		rows[k]++
	}
	fmt.Printf("%.1f and %.1f visits\n", mean[0]/rows[0], mean[1]/rows[1])
	fmt.Printf("root mean squared error %.1f\n", math.Sqrt(oob.Error()))
	// Output:
	// 2.1 and 5.7 visits
	// root mean squared error 1.9
}
