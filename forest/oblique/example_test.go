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

// Tune compares any learners of one type, here by how many features a node combines and
// by their out-of-bag errors.
func ExampleLearner_tune() {
	ctx := context.Background()
	vehicles, err := public.Load(ctx, "statlog-vehicle")
	if err != nil {
		log.Fatal(err)
	}
	var learners []oblique.Learner
	for _, m := range []int{2, 6, 12} {
		learners = append(learners, oblique.Learner{Trees: 40, NodeFeatures: m, LDA: true, Seed: 1})
	}
	tuning, err := eval.Tune(ctx, learners, vehicles, nil)
	if err != nil {
		log.Fatal(err)
	}
	for i, learner := range learners {
		fmt.Printf("%d features a node: error %.2f\n", learner.NodeFeatures, tuning.Error[i])
	}
	// Output:
	// 2 features a node: error 0.24
	// 6 features a node: error 0.20
	// 12 features a node: error 0.17
}

// The discriminant of all features that genuine and forged banknotes are told apart by at
// the root of a tree, and the error of the tree that has no other split.
func ExampleLearner_lda() {
	ctx := context.Background()
	notes, err := public.Load(ctx, "banknote")
	if err != nil {
		log.Fatal(err)
	}
	model, err := oblique.Learner{
		Trees:        1,
		NodeFeatures: notes.P(),
		LDA:          true,
		Growth:       forest.Growth{MaxDepth: 1},
		Sampling:     forest.AllRows,
	}.Fit(ctx, notes)
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
	// 0.74·variance + 0.41·skewness + 0.53·curtosis + 0.0042·entropy
	// error 0.01
}
