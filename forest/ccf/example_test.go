package ccf_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// Vehicles told apart by their outlines: a random forest and a canonical correlation forest.
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
	for _, learner := range []forest.Learner{rf.Learner{Trees: 100, Seed: 1}, ccf.Learner{Trees: 100, Seed: 1}} {
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
	// rf  error 0.26
	// ccf error 0.17
}

// The first split of a tree on all features of banknotes is the combination that correlates
// best with whether a note is genuine.
func ExampleLearner_combination() {
	ctx := context.Background()
	notes, err := public.Load(ctx, "banknote")
	if err != nil {
		log.Fatal(err)
	}
	model, err := ccf.Learner{Trees: 1, NodeFeatures: notes.P(), MaxDepth: 1, Sampling: forest.AllRows}.Fit(ctx, notes)
	if err != nil {
		log.Fatal(err)
	}
	tree := &model.Trees[0]
	root := tree.Splits.At(tree.Nodes[0].Split)
	fmt.Println(root.Format(model.Features, 2))
	labels, err := model.Predict(ctx, notes)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("error %.2f\n", eval.Error(labels, notes.Labels))
	// Output:
	// −0.99·variance − 0.54·skewness − 0.71·curtosis − 0.0055·entropy
	// error 0.01
}
