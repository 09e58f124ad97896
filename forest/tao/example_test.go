package tao_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/tao"
)

// Small forests of oblique trees, with constant and with linear leaves. TAO's penalty suits standardised features.
func ExampleLearner() {
	ctx := context.Background()
	vehicles, err := public.Load(ctx, "statlog-vehicle") // four kinds of vehicle by their outlines
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := datasets.Holdout{Stratified: true, Seed: 1}.Split(vehicles)
	if err != nil {
		log.Fatal(err)
	}
	for _, learner := range []tao.Learner{
		{Trees: 3, Depth: 5, Passes: 10, Seed: 1},
		{Trees: 3, Depth: 2, Passes: 10, LinearLeaves: true, Seed: 1},
	} {
		model, err := forest.Pipeline(learner, datasets.Standardise{}).Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("first tree of depth %d with %d leaves, error of three on %d test rows: %.3f\n",
			model.Trees[0].Depth(), model.Trees[0].Leaves(), test.N(), eval.Error(labels, test.Labels))
	}
	// Output:
	// first tree of depth 5 with 16 leaves, error of three on 212 test rows: 0.179
	// first tree of depth 2 with 4 leaves, error of three on 212 test rows: 0.203
}

// Refine improves trees of another method: here a CART tree of eight leaves, whose splits become oblique.
func ExampleLearner_Refine() {
	ctx := context.Background()
	notes, err := public.Load(ctx, "banknote")
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := datasets.Holdout{Stratified: true, Seed: 1}.Split(notes)
	if err != nil {
		log.Fatal(err)
	}
	tree, err := rf.CART{Growth: forest.Growth{MaxDepth: 3}}.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	refined, err := tao.Learner{}.Refine(ctx, tree, train)
	if err != nil {
		log.Fatal(err)
	}
	for _, model := range []*forest.Forest{tree, refined} {
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-4s %d leaves, error %.3f\n",
			model.Method, model.Trees[0].Leaves(), eval.Error(labels, test.Labels))
	}
	// Output:
	// cart 8 leaves, error 0.061
	// tao  4 leaves, error 0.000
}
