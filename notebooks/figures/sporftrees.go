package figures

import (
	"context"
	"time"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// SPORFStrength returns figure 11: strength and correlation of the trees ("strength",
// "correlation") of the random forest, SPORF and F-RC on four problems, measured on 10,000 test
// rows; the score is the error. X is the number of training rows. Sparse parity has ten features,
// as the figure's caption says. The paper's setting has ten repeats and 500 trees; settings
// are compared with 100. The fast one has three repeats, 100 trees and the small grid, on trunk alone.
func SPORFStrength(paper bool) Experiment {
	type setting struct {
		name     string
		problem  problem
		features int
		n        int
	}
	settings := []setting{
		{"trunk", sim.Trunk{Features: 10}, 10, 10},
		{"trunk", sim.Trunk{Features: 10}, 10, 100},
		{"orthant", sim.Orthant{Features: 6}, 6, 400},
		{"sparse parity", sim.SparseParity{Features: 10, Informative: 3}, 10, 1000},
	}
	e := Experiment{Name: "sporf-fig11-fast"}
	methods, repeats, compare, trees := []method{tunedRF, fastSPORF, fastFRC}, 3, 100, 100
	if paper {
		e.Name = "sporf-fig11-paper"
		methods, repeats, compare, trees = []method{tunedRF, tunedSPORF, tunedFRC}, 10, 100, 500
	} else {
		settings = settings[:2]
	}
	for _, s := range settings {
		for _, m := range methods {
			for repeat := 1; repeat <= repeats; repeat++ {
				seed := uint64(repeat)
				e.Runs = append(e.Runs, Run{Problem: s.name, Method: m.name, X: s.n, Repeat: repeat, Seed: seed,
					Do: func(ctx context.Context) (Result, error) {
						train, test := s.problem.Sample(s.n, 2*seed), s.problem.Sample(testRows, 2*seed+1)
						start := time.Now()
						model, chosen, err := m.fit(ctx, train, compare, trees, seed)
						if err != nil {
							return Result{}, err
						}
						r := Result{Seconds: time.Since(start).Seconds(), Setting: chosen}
						r.Score = eval.Error(must.Value(model.Predict(ctx, test)), test.Labels)
						trees, err := inspect.StrengthCorrelation(ctx, model, test)
						r.More = map[string]float64{"strength": trees.Strength, "correlation": trees.Correlation}
						return r, err
					}})
			}
		}
	}
	return e
}

// SPORFBiasVariance returns figure 12: James's bias, variance and variance effect ("bias", "variance", "effect")
// of the random forest, SPORF and F-RC on sparse parity with 20 features; the score is the error
// and X the number of training rows. A run trains forests on many samples and tests them on
// the same 10,000 rows; its setting is tuned on the first sample. The paper has 100 samples
// and 500 trees; the paper's setting here has 25 and 100, the fast one five and 20 with at most 1000 rows and without F-RC.
func SPORFBiasVariance(paper bool) Experiment {
	e := Experiment{Name: "sporf-fig12-fast"}
	methods, sizes, samples, trees := []method{tunedRF, fastSPORF}, []int{500, 1000}, 5, 20
	if paper {
		e.Name = "sporf-fig12-paper"
		methods, sizes, samples, trees = []method{tunedRF, tunedSPORF, tunedFRC}, []int{500, 1000, 2000, 3000}, 25, 100
	}
	p := sim.SparseParity{Features: 20, Informative: 3}
	for _, n := range sizes {
		for _, m := range methods {
			e.Runs = append(e.Runs, Run{Problem: "sparse parity", Method: m.name, X: n, Repeat: 1, Seed: 1,
				Do: func(ctx context.Context) (Result, error) {
					return jamesOfSamples(ctx, m, p, n, samples, trees)
				}})
		}
	}
	return e
}

// jamesOfSamples trains forests on samples of n rows, and decomposes their error by James.
func jamesOfSamples(ctx context.Context, m method, p problem, n, samples, trees int) (Result, error) {
	start := time.Now()
	grid := func(seed uint64) []forest.Learner { return m.grid(20, n, trees, seed) }
	tuning, err := eval.Tune(ctx, grid(1), p.Sample(n, 2), nil)
	if err != nil {
		return Result{}, err
	}
	test := p.Sample(testRows, 1)
	predictions := make([][]int32, samples)
	for i := range predictions {
		seed := uint64(i + 1)
		model, err := grid(seed)[tuning.Best].Fit(ctx, p.Sample(n, 2*seed))
		if err != nil {
			return Result{}, err
		}
		predictions[i] = must.Value(model.Predict(ctx, test))
	}
	posterior := make([][]float64, test.N()) // labels have no noise
	for i, y := range test.Labels {
		posterior[i] = make([]float64, len(test.Classes))
		posterior[i][y] = 1
	}
	j := eval.JamesDecomposition(predictions, posterior)
	more := map[string]float64{
		"bias": j.Bias, "variance": j.Variance, "effect": j.VarianceEffect, "samples": float64(samples),
	}
	setting := setting(grid(1)[tuning.Best], test.P())
	return Result{Seconds: time.Since(start).Seconds(), Score: j.Error, Setting: setting, More: more}, nil
}
