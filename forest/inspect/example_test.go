package inspect_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// The rows that matter most to a forest lie near the boundary, here the edge of a disk in a
// ring.
func ExampleSensitivity() {
	ctx := context.Background()
	rings := sim.Circles{Rings: 2}
	train := rings.Sample(2000, 1)
	model, err := rf.Learner{Trees: 100, Seed: 1}.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	scores, err := inspect.Sensitivity(ctx, model, train)
	if err != nil {
		log.Fatal(err)
	}
	near := func(by inspect.Selection) (share float64) {
		rows, err := scores.Approximate(0.25, by, 1)
		if err != nil {
			log.Fatal(err)
		}
		for i := range rows.N() {
			if rings.BoundaryDistance(rows.Row(nil, i)) <= 0.1 {
				share += 1 / float64(rows.N())
			}
		}
		return share
	}
	fmt.Printf("near the boundary: %.2f of the most sensitive quarter\n", near(inspect.ByRank))
	fmt.Printf("                   %.2f of a random one\n", near(inspect.Uniformly))
	// Output:
	// near the boundary: 0.50 of the most sensitive quarter
	//                    0.20 of a random one
}

// The means of the two classes are 2/√j apart in feature j.
func ExamplePermutationImportance() {
	ctx := context.Background()
	problem := sim.Trunk{Features: 5}
	train, test := problem.Sample(1000, 1), problem.Sample(1000, 2)
	model, err := rf.Learner{Trees: 100, Seed: 1}.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	importance, err := inspect.PermutationImportance(ctx, model, test, nil, 5, 1)
	if err != nil {
		log.Fatal(err)
	}
	for j, mean := range importance.Mean {
		fmt.Printf("%s: error up by %.3f ± %.3f\n", test.Features[j].Name, mean, importance.StdErr[j])
	}
	// Output:
	// x1: error up by 0.174 ± 0.004
	// x2: error up by 0.042 ± 0.003
	// x3: error up by 0.038 ± 0.003
	// x4: error up by 0.020 ± 0.004
	// x5: error up by 0.015 ± 0.002
}

// How many numbers three methods take to tell banknotes apart.
func ExampleModelSize() {
	ctx := context.Background()
	notes, err := public.Load(ctx, "banknote")
	if err != nil {
		log.Fatal(err)
	}
	for _, learner := range []forest.Learner{
		rf.Learner{Trees: 50, Seed: 1},
		sporf.Learner{Trees: 50, Seed: 1},
		graf.Learner{Trees: 50, TreeFeatures: graf.All, Seed: 1},
	} {
		model, err := learner.Fit(ctx, notes)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-5s %5d leaves, %6d numbers\n", model.Method, model.Size().Leaves, inspect.ModelSize(model))
	}
	// Output:
	// rf     1410 leaves,   6850 numbers
	// sporf   664 leaves,   4381 numbers
	// graf   2585 leaves,  15650 numbers
}

// The setting of figure 11A of the SPORF paper: its trees are stronger and more alike.
func ExampleStrengthCorrelation() {
	ctx := context.Background()
	problem := sim.SparseParity{Features: 10}
	train, test := problem.Sample(1000, 1), problem.Sample(2000, 2)
	for _, learner := range []forest.Learner{rf.Learner{Trees: 100, Seed: 1}, sporf.Learner{Trees: 100, Seed: 1}} {
		model, err := learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		trees, err := inspect.StrengthCorrelation(ctx, model, test)
		if err != nil {
			log.Fatal(err)
		}
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-5s strength %.3f, correlation %.3f, error %.3f\n", model.Method, trees.Strength, trees.Correlation,
			eval.Error(labels, test.Labels))
	}
	// Output:
	// rf    strength 0.094, correlation 0.024, error 0.308
	// sporf strength 0.175, correlation 0.039, error 0.217
}

// In the second table one of five features has moved by half a standard deviation.
func ExampleDrift() {
	ctx := context.Background()
	problem := sim.Trunk{Features: 5}
	train, same, moved := problem.Sample(1000, 1), problem.Sample(300, 2), problem.Sample(300, 3)
	for i := range moved.Columns[1] {
		moved.Columns[1][i] += 0.5
	}
	model, err := rf.Learner{Trees: 100, Seed: 1}.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range []*datasets.Dataset{same, moved} {
		p, err := inspect.Drift(ctx, model, train, d)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("p = %.3f\n", p)
	}
	// Output:
	// p = 0.569
	// p = 0.001
}
