package old

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// sporf8 is figure 8: training time and error on sparse parity with 20 features. Of the problem "rows" X is the number
// of training rows, and each method has the setting that tuning mostly chooses; of the problem "directions" X is d,
// with 5000 rows. The score is the error, Seconds the training time on all cores. SPORF has λ = 3/p and F-RC L = 3. The
// full size has three repeats, the fast one 20 trees, one repeat, and no more than 5000 rows.
func sporf8(s size) []Run {
	trees := pick(s, 20, sporfTrees)
	d := func(t *trial) int {
		if t.Problem == "rows" {
			return 400
		}
		return t.X
	}
	methods := []method{
		withSetting("RF", func(t *trial) forest.Learner { return rf.Learner{Trees: trees, NodeFeatures: min(d(t), 20)} }),
		withSetting("SPORF", func(t *trial) forest.Learner {
			return sporf.Learner{Trees: trees, Candidates: d(t), Density: 3.0 / 20}
		}),
		withSetting("F-RC", func(t *trial) forest.Learner {
			return sporf.FRC{Trees: trees, Candidates: d(t), Combined: 3}
		}),
	}
	of := func(p problem, methods []method, xs []int) []Run {
		return study{problems: []problem{p}, methods: methods, xs: xs, repeats: pick(s, 1, 3), order: "pxmr"}.runs()
	}
	directions := drawn("directions", sparseParity, 5000)
	return byRepeat(slices.Concat(
		of(drawn("rows", sparseParity, 0), methods, pick(s, []int{1000, 5000}, []int{1000, 2000, 5000, 10000})),
		of(directions, methods, pick(s, []int{4, 20}, []int{2, 4, 9, 20})),
		of(directions, methods[1:], pick(s, []int{400}, []int{50, 100, 400})))) // the random forest has no more features
}

// byRepeat puts all first repeats first, and so on.
func byRepeat(runs []Run) []Run {
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Compare(a.Repeat, b.Repeat) })
	return runs
}

// largeProblems are those of figures 9 and 10. MNIST is the paper's; its pixels stay whole numbers, which trees handle
// faster than fractions. Higgs and p53 aren't at hand: in their places are samples of trunk that have Higgs's shape,
// and p53's number of features with a tenth of its rows.
var largeProblems = []problem{
	{"mnist", func(ctx context.Context, t *trial) (err error) {
		t.train, t.test, err = two(ctx, "mnist", "mnist_test")
		return err
	}},
	wideTrunk("like Higgs", 31, 250_000, 50_000),
	wideTrunk("like p53", 5409, 3_116, 6_000),
}

func wideTrunk(name string, features, train, test int) problem {
	return problem{name, func(_ context.Context, t *trial) error {
		p := sim.Trunk{Features: features}
		t.train, t.test = p.Sample(train, 2), p.Sample(test, 3)
		return nil
	}}
}

// two loads two data sets.
func two(ctx context.Context, first, second string) (a, b *datasets.Dataset, err error) {
	if a, err = public.Load(ctx, first); err != nil {
		return nil, nil, err
	}
	b, err = public.Load(ctx, second)
	return a, b, err
}

// largeMethods have section 6.4.3's settings: d = √p, rounded, and λ = 1/p.
func largeMethods(trees int) []method {
	d := func(t *trial) int { return int(math.Round(math.Sqrt(float64(t.train.P())))) }
	return []method{
		withSetting("RF", func(t *trial) forest.Learner { return rf.Learner{Trees: trees, NodeFeatures: d(t)} }),
		withSetting("SPORF", func(t *trial) forest.Learner {
			return sporf.Learner{Trees: trees, Candidates: d(t), Density: 1 / float64(t.train.P())}
		}),
	}
}

// sporf9 is figure 9: training time a tree (the score) of the random forest and SPORF on large data against X, the
// cores used, from 1 to those at hand. The paper has up to 48 cores; the full size here has three repeats, the fast one
// five trees and one repeat of MNIST.
func sporf9(s size) []Run {
	trees := pick(s, 5, 100)
	methods := largeMethods(trees)
	for i, m := range methods {
		methods[i].fit = func(ctx context.Context, t *trial) error {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(t.X))
			return m.fit(ctx, t)
		}
	}
	return study{
		problems: pick(s, largeProblems[:1], largeProblems), methods: methods,
		xs: ints(1, runtime.NumCPU()), repeats: pick(s, 1, 3), order: "pmrx",
		measure: func(_ context.Context, t *trial) error {
			t.Score = t.Seconds / float64(trees)
			return nil
		},
	}.runs()
}

// sporf10 is figure 10: the time to predict a large test set (the score, in seconds) on one core with forests of 100
// trees, row by row with [forest.Predictor] and all rows in one call. X is the number of test rows. The fast setting
// has ten trees and MNIST alone.
func sporf10(s size) (runs []Run) {
	testRows := []int{10_000, 50_000, 6_000}
	for i, p := range pick(s, largeProblems[:1], largeProblems) {
		runs = append(runs, study{
			problems: []problem{p}, methods: largeMethods(pick(s, 10, 100)),
			xs: testRows[i : i+1], repeats: pick(s, 1, 3), measure: predictionTimes,
		}.runs()...)
	}
	return runs
}

// predictionTimes measures the seconds to predict all rows one at a time, and under "batch" in one call, on one core.
func predictionTimes(ctx context.Context, t *trial) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	predictor := t.model.Predictor()
	cells := make([][]float32, t.test.N())
	for i := range cells {
		cells[i] = t.test.Row(nil, i)
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
		if _, err := t.model.Predict(ctx, t.test); err != nil {
			return err
		}
		t.More["batch"] = min(t.More["batch"], time.Since(start).Seconds())
	}
	return nil
}
