package hrf_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/hrf"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// Trees avoid the features that the trees before them split by near their roots, so the
// forest depends less on the strongest of them. Errors are out of bag.
func ExampleLearner() {
	ctx := context.Background()
	tumours, err := datasets.Load(ctx, "breast-cancer-wisc")
	if err != nil {
		log.Fatal(err)
	}
	for _, learner := range []forest.Learner{
		rf.Learner{Trees: 100, Seed: 1},
		hrf.Learner{Trees: 100, Seed: 1},
	} {
		model, err := forest.Pipeline(learner, datasets.Impute{}).Fit(ctx, tumours)
		if err != nil {
			log.Fatal(err)
		}
		outOfBag, err := model.OutOfBag(ctx, tumours)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-11T error %.3f, importance of %s %.2f\n",
			learner, outOfBag.Error(), model.Features[1], model.Importance()[1])
	}
	// Output:
	// rf.Learner  error 0.036, importance of size_uniformity 0.31
	// hrf.Learner error 0.030, importance of size_uniformity 0.21
}

// Tune chooses α and β by the out-of-bag error.
func ExampleLearner_Grid() {
	ctx := context.Background()
	glass, err := datasets.Load(ctx, "glass")
	if err != nil {
		log.Fatal(err)
	}
	grid := hrf.Learner{Trees: 50, Seed: 1}.Grid(glass.P())
	tuning, err := eval.Tune(ctx, grid, glass, nil)
	if err != nil {
		log.Fatal(err)
	}
	best := grid[tuning.Best].Memory
	fmt.Printf("best of %d settings: α = %g, β = %d\n", len(grid), best.Alpha, best.Beta)
	fmt.Printf("error %.3f ± %.3f\n", tuning.Error[tuning.Best], tuning.StdErr[tuning.Best])
	// Output:
	// best of 15 settings: α = 0.9, β = 6
	// error 0.201 ± 0.027
}
