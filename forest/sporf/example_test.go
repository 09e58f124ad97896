package sporf_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
)

// To which side a scale tips depends on all four of its features together. SPORF splits by their
// sums and differences, a random forest by one at a time: errors on five folds, and their standard
// errors.
func ExampleLearner() {
	ctx := context.Background()
	scales, err := public.Load(ctx, "balance-scale")
	if err != nil {
		log.Fatal(err)
	}
	folds := datasets.KFold{K: 5, Stratified: true, Seed: 1}
	for _, learner := range []forest.Learner{
		rf.Learner{Trees: 100, Seed: 1},
		sporf.Learner{Trees: 100, Seed: 1},
	} {
		scores, err := eval.CrossValidate(ctx, learner, scales, folds)
		if err != nil {
			log.Fatal(err)
		}
		mean, stderr := scores.Loss()
		fmt.Printf("%-13T error %.3f ± %.3f\n", learner, mean, stderr)
	}
	// Output:
	// rf.Learner    error 0.174 ± 0.010
	// sporf.Learner error 0.040 ± 0.008
}

// F-RC adds features up with weights in [−1, 1], so it does better if they have one
// scale. CrossValidate fits a step to the training rows of each fold.
func ExampleFRC() {
	ctx := context.Background()
	wine, err := public.Load(ctx, "wine")
	if err != nil {
		log.Fatal(err)
	}
	learner := sporf.FRC{Trees: 100, Seed: 1}
	folds := datasets.KFold{K: 5, Stratified: true, Seed: 1}
	raw, err := eval.CrossValidate(ctx, learner, wine, folds)
	if err != nil {
		log.Fatal(err)
	}
	scaled, err := eval.CrossValidate(ctx, learner, wine, folds, datasets.Standardise{})
	if err != nil {
		log.Fatal(err)
	}
	before, _ := raw.Loss()
	after, _ := scaled.Loss()
	fmt.Printf("error %.3f, standardised %.3f\n", before, after)
	// Output: error 0.045, standardised 0.017
}
