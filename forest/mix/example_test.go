package mix_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// Where classes are boxes, a random forest errs less than SPORF; where they are slanted, it errs more. A mix learns
// which sources of candidates to use.
func ExampleLearner() {
	ctx := context.Background()
	boxes, slanted := sim.Orthant{Features: 6}, sim.Trunk{Features: 50}
	train := []*datasets.Dataset{boxes.Sample(400, 1), slanted.Sample(400, 1)}
	test := []*datasets.Dataset{boxes.Sample(2000, 2), slanted.Sample(2000, 2)}
	for i := range train {
		for _, l := range []forest.Learner{rf.Learner{Trees: 100}, sporf.Learner{Trees: 100}, mix.Learner{Trees: 100}} {
			model, err := l.Fit(ctx, train[i])
			if err != nil {
				log.Fatal(err)
			}
			labels, err := model.Predict(ctx, test[i])
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%T: error %.2f\n", l, eval.Error(labels, test[i].Labels))
		}
	}
	// Output:
	// rf.Learner: error 0.07
	// sporf.Learner: error 0.23
	// mix.Learner: error 0.07
	// rf.Learner: error 0.04
	// sporf.Learner: error 0.03
	// mix.Learner: error 0.03
}

// The shares of time that the sources got.
func ExampleShares() {
	ctx := context.Background()
	train := sim.Orthant{Features: 6}.Sample(400, 1)
	model, err := mix.Learner{Trees: 100}.Fit(ctx, train)
	if err != nil {
		log.Fatal(err)
	}
	shares, err := mix.Shares(ctx, model, train)
	if err != nil {
		log.Fatal(err)
	}
	for s, share := range shares {
		fmt.Printf("%.2f %v\n", share, mix.Source(s))
	}
	// Output:
	// 0.85 single features
	// 0.05 sums and differences
	// 0.05 fitted sums of few features
	// 0.05 fitted sums of many features
}
