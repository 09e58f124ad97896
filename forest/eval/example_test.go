package eval_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/sim"
)

func ExampleCrossValidate() {
	d := sim.Orthant{Features: 2}.Sample(1000, 1)
	scores, err := eval.CrossValidate(context.Background(), rf.Learner{Trees: 20}, d, eval.KFold{K: 5, Stratified: true, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	mean, _ := scores.Loss()
	fmt.Println(len(scores.Folds), mean < 0.02)
	// Output: 5 true
}

func ExampleTune() {
	train := sim.SparseParity{Features: 5, Informative: 2}.Sample(500, 1)
	learners := []forest.Learner{
		rf.Learner{Trees: 50, Growth: forest.Growth{MaxDepth: 1}},
		rf.Learner{Trees: 50},
	}
	tuning, err := eval.Tune(context.Background(), learners, train, nil)
	if err != nil {
		log.Fatal(err)
	}
	test := sim.SparseParity{Features: 5, Informative: 2}.Sample(1000, 2)
	fmt.Println(tuning.Best, eval.Error(tuning.Model.Predict(test), test.Labels) < 0.1)
	// Output: 1 true
}
