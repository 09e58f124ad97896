package figures

import (
	"context"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
)

// autoTunedMethods are tuned as in table 1 of the SPORF paper, the cheap ones first; see [sporfMethods].
var autoTunedMethods = []struct {
	method
	tuning
}{
	{tunedRF, tuneAll},
	{tunedET, tuneFolds},
	{tunedCCF, tuneFolds},
	{tunedSPORF, tuneRace},
}

// autoTunedLast are the sets of [Auto] on which tuning takes longest, in the order of their times.
var autoTunedLast = []string{"thyroid", "contrac", "wine-quality-red", "bank", "page-blocks", "wine-quality-white"}

// AutoTuned returns the runs that put tuned methods beside [Auto], on its sets of classes but the nine larger ones, and the five folds of its first
// partition, with seed 1 and 500 trees. Features are prepared as Auto prepares them for the methods that don't by themselves. Random forests, SPORF and
// CCF are tuned over the grids of the paper on SPORF, as in [SPORFTable1], and extremely randomised trees over the random
// forest's. A record's repeat is its fold. More has "processor", the processor seconds of tuning, training and prediction
// together; they are of this process, so do one run at a time where they matter. The paper's setting (there is no paper: it is the slow one) has
// the 35 sets of [Mix], the fast one a set.
func AutoTuned(paper bool) Experiment {
	e := Experiment{Name: "autotuned-fast"}
	sets := mixSets[6:7]
	if paper {
		e.Name = "autotuned-paper"
		sets = slices.DeleteFunc(slices.Clone(mixSets), func(set string) bool { return slices.Contains(autoTunedLast, set) })
		sets = append(sets, autoTunedLast...)
	}
	for _, m := range autoTunedMethods {
		for _, set := range sets {
			for fold := range 5 {
				e.Runs = append(e.Runs, Run{Problem: set, Method: m.name, Repeat: fold + 1, Seed: 1,
					Do: func(ctx context.Context) (Result, error) {
						train, test, err := mixFold(ctx, set, fold)
						if err != nil {
							return Result{}, err
						}
						return autoTunedRun(ctx, m.method, m.tuning, train, test)
					}})
			}
		}
	}
	return e
}

// autoTunedRun tunes a method on the training rows and measures it on the test rows.
func autoTunedRun(ctx context.Context, m method, by tuning, train, test *datasets.Dataset) (Result, error) {
	train, test, err := prepared(ctx, train, test)
	if err != nil {
		return Result{}, err
	}
	begun := processorSeconds()
	r, err := m.tuned(ctx, by, train, test, 1)
	if err != nil {
		return Result{}, err
	}
	if r.More == nil {
		r.More = map[string]float64{}
	}
	r.More["processor"] = processorSeconds() - begun
	return r, nil
}

// prepared returns a fold after [oneHotSteps], fitted to its training rows.
func prepared(ctx context.Context, train, test *datasets.Dataset) (_, _ *datasets.Dataset, err error) {
	steps, err := oneHotSteps.Fit(ctx, train)
	if err != nil {
		return nil, nil, err
	}
	if train, err = steps.Apply(ctx, train); err != nil {
		return nil, nil, err
	}
	test, err = steps.Apply(ctx, test)
	return train, test, err
}
