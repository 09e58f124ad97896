package oc1_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// One oblique split of four features tells banknotes apart better than a tree of single features.
func ExampleTree() {
	ctx := context.Background()
	notes, err := public.Load(ctx, "banknote")
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := datasets.Holdout{Test: 0.5, Stratified: true, Seed: 1}.Split(notes)
	if err != nil {
		log.Fatal(err)
	}
	for _, learner := range []forest.Learner{rf.CART{}, oc1.Tree{}} {
		model, err := learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-4s %2d leaves, error %.3f\n", model.Method, model.Trees[0].Leaves(),
			eval.Error(labels, test.Labels))
	}
	// Output:
	// cart 18 leaves, error 0.029
	// oc1   2 leaves, error 0.012
}

// Vehicles told apart by their outlines: a random forest and a forest of OC1 trees.
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
	for _, learner := range []forest.Learner{rf.Learner{Trees: 20, Seed: 1}, oc1.Learner{Trees: 20, Seed: 1}} {
		model, err := learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-3s error %.2f\n", model.Method, eval.Error(labels, test.Labels))
	}
	// Output:
	// rf  error 0.24
	// oc1 error 0.22
}
