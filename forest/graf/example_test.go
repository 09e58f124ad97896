package graf_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/sim"
)

// The parity of a vertex of the cube depends on all six features, and none tells anything
// by itself. GRAF finds it if its trees see all features; a random forest has no first
// split to make.
func ExampleLearner() {
	ctx := context.Background()
	corners := sim.Hypercube{Features: 6, Deviation: 0.1}.Sample(1000, 1)
	train, test, err := datasets.Holdout{Seed: 1}.Split(corners)
	if err != nil {
		log.Fatal(err)
	}
	for _, learner := range []forest.Learner{
		rf.Learner{Trees: 100, Seed: 1},
		graf.Learner{Trees: 100, TreeFeatures: graf.All, Seed: 1},
	} {
		model, err := learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-12T error %.3f\n", learner, eval.Error(labels, test.Labels))
	}
	// Output:
	// rf.Learner   error 0.504
	// graf.Learner error 0.008
}

// A GRAF tree learns from every row, so there is no out-of-bag error: folds choose among
// the settings of the paper.
func ExampleLearner_Grid() {
	ctx := context.Background()
	glass, err := public.Load(ctx, "glass")
	if err != nil {
		log.Fatal(err)
	}
	grid := graf.Learner{Trees: 30, Seed: 1}.Grid(glass)
	folds := datasets.KFold{K: 5, Stratified: true, Seed: 1}
	tuning, err := eval.Tune(ctx, grid, glass, folds, datasets.Standardise{})
	if err != nil {
		log.Fatal(err)
	}
	for i, learner := range grid {
		l := learner.(graf.Learner)
		fmt.Printf("M = %d, MinSplit %d: error %.3f ± %.3f\n",
			l.TreeFeatures, l.MinSplit, tuning.Error[i], tuning.StdErr[i])
	}
	best := grid[tuning.Best].(graf.Learner)
	fmt.Printf("best: M = %d, MinSplit %d\n", best.TreeFeatures, best.MinSplit)
	// Output:
	// M = 3, MinSplit 2: error 0.238 ± 0.022
	// M = 3, MinSplit 5: error 0.238 ± 0.027
	// M = 5, MinSplit 2: error 0.266 ± 0.017
	// M = 5, MinSplit 5: error 0.220 ± 0.010
	// M = 9, MinSplit 2: error 0.317 ± 0.049
	// M = 9, MinSplit 5: error 0.289 ± 0.039
	// best: M = 5, MinSplit 5
}
