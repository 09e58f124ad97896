package figures

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// taoValueSets are the regression sets of the TAO authors' ICML 2020 paper that are at
// hand, and one more.
var taoValueSets = []string{"abalone-rings", "ailerons", "energy_heating"}

// TAOValues compares forests of values: the root mean squared error on a fifth of the rows,
// divided by the standard deviation of the target there. The FODS paper has no regression, so
// nothing is published to compare with.
func TAOValues(paper bool) Experiment {
	e := Experiment{Name: "tao-values-fast"}
	sets, repeats, trees := taoValueSets[2:], 1, 10
	if paper {
		e.Name = "tao-values-paper"
		sets, repeats, trees = taoValueSets, 5, 30
	}
	contenders := []contender{
		{"rf", func(seed uint64) forest.Learner { return rf.Learner{Trees: 10 * trees, Seed: seed} }},
		{"sporf", func(seed uint64) forest.Learner { return sporf.Learner{Trees: 10 * trees, Seed: seed} }},
		{"tao-c", func(seed uint64) forest.Learner { return tao.Learner{Trees: trees, Seed: seed} }},
		{"tao-l", func(seed uint64) forest.Learner {
			return tao.Learner{Trees: trees, LinearLeaves: true, Seed: seed}
		}},
	}
	for _, set := range sets {
		for repeat := 1; repeat <= repeats; repeat++ {
			for _, c := range contenders {
				seed := uint64(repeat)
				e.Runs = append(e.Runs, Run{Problem: set, Method: c.name, X: trees, Repeat: repeat, Seed: seed, Do: func(ctx context.Context) (Result, error) {
					d, err := public.Load(ctx, set)
					if err != nil {
						return Result{}, err
					}
					train, test, err := datasets.Holdout{Test: 0.2, Seed: seed}.Split(d)
					if err != nil {
						return Result{}, err
					}
					return relativeError(ctx, forest.Pipeline(c.learner(seed), datasets.OneHot{}), train, test)
				}})
			}
		}
	}
	return e
}

// relativeError trains and tests a forest of values. The score is √(Σ(f−y)²/Σ(y−ȳ)²).
func relativeError(ctx context.Context, l forest.Learner, train, test *datasets.Dataset) (Result, error) {
	begin := time.Now()
	f, err := l.Fit(ctx, train)
	if err != nil {
		return Result{}, err
	}
	seconds := time.Since(begin).Seconds()
	var mean, residual, total float64
	for _, y := range test.Values {
		mean += y / float64(test.N())
	}
	for i, v := range must.Value(f.PredictValues(ctx, test)) {
		residual += (v - test.Values[i]) * (v - test.Values[i])
		total += (test.Values[i] - mean) * (test.Values[i] - mean)
	}
	size := f.Size()
	return Result{Score: math.Sqrt(residual / total), Seconds: seconds,
		More: map[string]float64{"parameters": float64(size.Parameters), "bytes": float64(size.Bytes)}}, nil
}

// TAOLambda compares λ, and λ of linear leaves (X is 1000 times it, 0 for constant
// leaves), on a fifth of the training rows. The test rows aren't used. Table 2 has the λ
// that this prefers beside the paper's 0.01.
func TAOLambda(paper bool) Experiment {
	e := Experiment{Name: "tao-lambda-fast"}
	add := func(d taoData, l tao.Learner, lambdas, leaf []float64) {
		held := taoData{d.name, func(ctx context.Context, repeat int) (train, test *datasets.Dataset, err error) {
			all, _, err := d.load(ctx, repeat)
			if err != nil {
				return nil, nil, err
			}
			return datasets.Holdout{Test: 0.2, Seed: 1}.Split(all)
		}}
		for _, l.Lambda = range lambdas {
			for _, l.LeafLambda = range leaf {
				method := "tao-c"
				if l.LinearLeaves {
					method = "tao-l"
				}
				e.Runs = append(e.Runs, taoRun{data: held, method: fmt.Sprintf("%s λ=%v", method, l.Lambda), x: int(1000 * l.LeafLambda), learner: l, trees: []int{1}}.runs(1)...)
			}
		}
	}
	if !paper {
		add(taoLetter, tao.Learner{Trees: 1, Depth: 8, Passes: 5}, []float64{0.1, 1}, []float64{0})
		return e
	}
	e.Name = "tao-lambda-paper"
	lambdas := []float64{0.01, 0.1, 1, 10}
	add(taoLetter, tao.Learner{Trees: 3, Depth: 11, Passes: 20}, lambdas, []float64{0})
	add(taoLetter, tao.Learner{Trees: 3, Depth: 6, Passes: 20, LinearLeaves: true}, lambdas, []float64{0.1, 0.5, 2})
	add(mnist60, tao.Learner{Trees: 2, Depth: 8, Passes: 20, Unscaled: true}, lambdas, []float64{0})
	add(mnist20, tao.Learner{Trees: 1, Depth: 5, Passes: 10, LinearLeaves: true, Unscaled: true}, lambdas[1:], []float64{0.5, 5})
	return e
}

// TAOTime is the time of training one tree (the score, in seconds), as one of rows,
// features, depth and passes (the method) grows (X) and the others stay at 8,000, 16, 8
// and 10.
func TAOTime(paper bool) Experiment {
	e := Experiment{Name: "tao-time-fast"}
	repeats, growth := 1, map[string][]int{"rows": {1000, 2000}, "passes": {5, 10}}
	if paper {
		e.Name = "tao-time-paper"
		repeats = 3
		growth = map[string][]int{
			"rows": {1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000}, "features": {4, 8, 16, 32, 64, 128, 256, 512},
			"depth": {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, "passes": {5, 10, 20, 40, 80},
		}
	}
	for repeat := 1; repeat <= repeats; repeat++ {
		for _, what := range []string{"rows", "features", "depth", "passes"} {
			for _, x := range growth[what] {
				at := map[string]int{"rows": 8000, "features": 16, "depth": 8, "passes": 10}
				at[what] = x
				seed := uint64(repeat)
				e.Runs = append(e.Runs, Run{Problem: "ten classes", Method: what, X: x, Repeat: repeat, Seed: seed, Do: func(ctx context.Context) (Result, error) {
					train := sim.RandomRBF{Features: at["features"], Classes: 10}.Sample(at["rows"], seed)
					begin := time.Now()
					_, err := tao.Learner{Trees: 1, Depth: at["depth"], Passes: at["passes"], Seed: seed}.Fit(ctx, train)
					seconds := time.Since(begin).Seconds()
					return Result{Score: seconds, Seconds: seconds}, err
				}})
			}
		}
	}
	return e
}
