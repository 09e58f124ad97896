package old

import (
	"context"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/sim"
)

// sporf11 is figure 11: strength and correlation of the trees ("strength", "correlation") of the random forest, SPORF
// and F-RC on four problems, measured on 10,000 test rows; the score is the error. X is the number of training rows.
// Sparse parity has ten features, as the figure's caption says. The paper's setting has ten repeats and 500 trees;
// settings are compared with 100. The fast one has three repeats, 100 trees and the small grid, on trunk alone.
func sporf11(s size) []Run {
	families := pick(s, []family{familyRF, fastSPORF, fastFRC}, []family{familyRF, familySPORF, familyFRC})
	of := func(name string, p sampler, rows ...int) []Run {
		return study{
			problems: []problem{drawn(name, p, 0)}, methods: tuned(100, pick(s, 100, 500), families...),
			xs: rows, repeats: pick(s, 3, 10), order: "pxmr",
			measure: func(ctx context.Context, t *trial) error {
				trees, err := inspect.StrengthCorrelation(ctx, t.model, t.test)
				t.More["strength"], t.More["correlation"] = trees.Strength, trees.Correlation
				if err != nil {
					return err
				}
				return errorRate(ctx, t)
			},
		}.runs()
	}
	if s == fast {
		return of("trunk", trunk, 10, 100)
	}
	return slices.Concat(of("trunk", trunk, 10, 100), of("orthant", orthant, 400),
		of("sparse parity", sim.SparseParity{Features: 10, Informative: 3}, 1000))
}

// sporf12 is figure 12: James's bias, variance and variance effect ("bias", "variance", "effect") of the random forest,
// SPORF and F-RC on sparse parity with 20 features; the score is the error and X the number of training rows. A run
// trains forests on many samples and tests them on the same 10,000 rows; its setting is tuned on the first sample. The
// paper has 100 samples and 500 trees; the full size here has 25 and 100, the fast one five and 20 with at most 1000
// rows and without F-RC.
func sporf12(s size) []Run { return biasAndVariance(s, 25, 100) }

// sporf12Whole is figure 12 with the paper's samples and trees.
func sporf12Whole(s size) []Run { return biasAndVariance(s, 100, sporfTrees) }

func biasAndVariance(s size, samples, trees int) (runs []Run) {
	for _, f := range pick(s, []family{familyRF, fastSPORF}, []family{familyRF, familySPORF, familyFRC}) {
		for _, n := range pick(s, []int{500, 1000}, []int{500, 1000, 2000, 3000}) {
			runs = append(runs, repeated("sparse parity", f.name, n, 1, func(ctx context.Context, t *trial) error {
				return james(ctx, t, f, pick(s, 5, samples), pick(s, 20, trees))
			})...)
		}
	}
	slices.SortStableFunc(runs, func(a, b Run) int { return a.X - b.X })
	return runs
}

// james trains forests on samples of X rows of sparse parity, and decomposes their error by James.
func james(ctx context.Context, t *trial, f family, samples, trees int) error {
	train := func(seed uint64) *trial {
		return &trial{Run: Run{Seed: seed}, train: sparseParity.Sample(t.X, 2*seed)}
	}
	first := train(1)
	grid := f.settings(first, trees)
	tuning, err := eval.Tune(ctx, grid, first.train, nil)
	if err != nil {
		return err
	}
	test := sparseParity.Sample(testRows, 1)
	predictions := make([][]int32, samples)
	for i := range predictions {
		of := train(uint64(i + 1))
		if err := of.fit(ctx, f.settings(of, trees)[tuning.Best]); err != nil {
			return err
		}
		if predictions[i], err = of.model.Predict(ctx, test); err != nil {
			return err
		}
	}
	posterior := make([][]float64, test.N()) // labels have no noise
	for i, y := range test.Labels {
		posterior[i] = make([]float64, len(test.Classes))
		posterior[i][y] = 1
	}
	j := eval.JamesDecomposition(predictions, posterior)
	t.Score, t.Setting = j.Error, setting(grid[tuning.Best], test.P())
	t.More["bias"], t.More["variance"], t.More["effect"] = j.Bias, j.Variance, j.VarianceEffect
	t.More["samples"] = float64(samples)
	return nil
}
