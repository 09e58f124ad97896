package sporf

import (
	"context"
	"math"
	"runtime"
	"time"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	learners "github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/papers/sporf"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

var times = []trial.Study{
	{Experiment: &sporf.Scaling, Rows: large, Methods: onCores(largeMethods),
		Measure: func(_ context.Context, t *trial.Trial) error {
			t.Score = t.Seconds / float64(len(t.Model.Trees))
			return nil
		}},
	{Experiment: &sporf.Predictions, Rows: large, Methods: largeMethods, Measure: predictionTimes},
}

// large are the problems of figures 9 and 10. MNIST is the paper's; its pixels stay whole numbers, which trees handle
// faster than fractions.
var large = trial.ByProblem(map[string]trial.Action{
	"mnist": func(ctx context.Context, t *trial.Trial) (err error) {
		if t.Train, err = public.Load(ctx, "mnist"); err == nil {
			t.Test, err = public.Load(ctx, "mnist_test")
		}
		return err
	},
	"like Higgs": likeTrunk(31, 250_000, 50_000),
	"like p53":   likeTrunk(5409, 3_116, 6_000),
})

func likeTrunk(features, train, test int) trial.Action {
	return func(_ context.Context, t *trial.Trial) error {
		p := sim.Trunk{Features: features}
		t.Train, t.Test = p.Sample(train, 2), p.Sample(test, 3)
		return nil
	}
}

// largeMethods have 100 trees and section 6.4.3's settings: d = √p, rounded, and λ = 1/p.
var largeMethods = map[string]trial.Method{
	"RF": trial.WithSetting(func(t *trial.Trial) forest.Learner {
		return rf.Learner{Trees: 100, NodeFeatures: rootOfFeatures(t)}
	}),
	"SPORF": trial.WithSetting(func(t *trial.Trial) forest.Learner {
		return learners.Learner{Trees: 100, Candidates: rootOfFeatures(t), Density: 1 / float64(t.Train.P())}
	}),
}

func rootOfFeatures(t *trial.Trial) int { return int(math.Round(math.Sqrt(float64(t.Train.P())))) }

// onCores returns methods that train on as many cores as X says.
func onCores(methods map[string]trial.Method) map[string]trial.Method {
	limited := map[string]trial.Method{}
	for name, m := range methods {
		limited[name] = trial.Method{Fit: func(ctx context.Context, t *trial.Trial) error {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(t.X))
			return m.Fit(ctx, t)
		}}
	}
	return limited
}

// predictionTimes measures the least seconds of three to predict all rows one at a time, and under "batch" in one
// call, on one core.
func predictionTimes(ctx context.Context, t *trial.Trial) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	predictor := t.Model.Predictor()
	cells := make([][]float32, t.Test.N())
	for i := range cells {
		cells[i] = t.Test.Row(nil, i)
	}
	t.Score, t.More["batch"] = math.Inf(1), math.Inf(1)
	for range 3 { // the first warms up
		start := time.Now()
		for _, x := range cells {
			if _, err := predictor.Label(x); err != nil {
				return err
			}
		}
		t.Score = min(t.Score, time.Since(start).Seconds())
		start = time.Now()
		if _, err := t.Model.Predict(ctx, t.Test); err != nil {
			return err
		}
		t.More["batch"] = min(t.More["batch"], time.Since(start).Seconds())
	}
	return nil
}
