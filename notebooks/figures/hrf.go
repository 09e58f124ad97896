package figures

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/sim"
)

// A contender is a learner with the name of its numbers in results. Names hold no blanks.
type contender struct {
	name    string
	learner func(seed uint64) forest.Learner
}

const hrfTrees = 100

// The four forests that tell the leaf rule of HRF from its weights: both have both rules.
var leafRules = []contender{
	{"rf", func(seed uint64) forest.Learner { return rf.Learner{Trees: hrfTrees, Seed: seed} }},
	{"rf-leaf", func(seed uint64) forest.Learner {
		return rf.Learner{Trees: hrfTrees, Constant: forest.MakeLeaf, Seed: seed}
	}},
	{"hrf-on", func(seed uint64) forest.Learner {
		return rf.HRF{Trees: hrfTrees, Constant: forest.DrawOn, Seed: seed}
	}},
	{"hrf", func(seed uint64) forest.Learner { return rf.HRF{Trees: hrfTrees, Seed: seed} }},
}

var hrfBagging = contender{"bagging", func(seed uint64) forest.Learner { return rf.Bagging{Trees: hrfTrees, Seed: seed} }}

var hrfMemory = forest.Memory{Alpha: 0.5, Beta: 1}

// A comparison trains contenders on the same rows, repeat by repeat, and measures paired
// differences of the test error from the first one's.
type comparison struct {
	contenders []contender
	data       func(ctx context.Context, repeat int) (train, test *datasets.Dataset, err error)
	steps      []datasets.Step
	measure    func(f *forest.Forest) map[string]float64 // what else is measured; nil for nothing

	// compare adds comparisons of the errors, by contender and repeat; nil for none.
	compare func(errors [][]float64, more map[string]float64)
}

// run does the repeats, as many at once as there are cores. The result's score is the mean
// difference of the last contender from the first. More has each contender's mean error
// ("err.name"), its difference from the first ("diff.name") with standard error
// ("se.name"), the means of what else was measured ("name.what"), and what compare adds.
func (c comparison) run(ctx context.Context, repeats int) (Result, error) {
	begin := time.Now()
	errors := make([][]float64, len(c.contenders)) // by contender and repeat
	for m := range errors {
		errors[m] = make([]float64, repeats)
	}
	measured := make([]map[string]float64, repeats)
	err := parallel.Errors(repeats, func(r int) error {
		train, test, err := c.data(ctx, r+1)
		if err != nil {
			return err
		}
		measured[r] = map[string]float64{}
		for m, of := range c.contenders {
			f, err := forest.Pipeline(of.learner(uint64(r+1)), c.steps...).Fit(ctx, train)
			if err != nil {
				return fmt.Errorf("%s, repeat %d: %w", of.name, r+1, err)
			}
			labels, err := f.Predict(ctx, test)
			if err != nil {
				return fmt.Errorf("%s, repeat %d: %w", of.name, r+1, err)
			}
			errors[m][r] = eval.Error(labels, test.Labels)
			if c.measure != nil {
				for what, v := range c.measure(f) {
					measured[r][of.name+"."+what] = v
				}
			}
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	result := Result{Seconds: time.Since(begin).Seconds(), More: map[string]float64{}}
	for m, of := range c.contenders {
		result.More["err."+of.name], _ = eval.MeanStdErr(errors[m])
		if m > 0 {
			result.Score, result.More["se."+of.name] = eval.MeanStdErr(differences(errors[m], errors[0]))
			result.More["diff."+of.name] = result.Score
		}
	}
	for _, values := range measured {
		for what, v := range values {
			result.More[what] += v / float64(repeats)
		}
	}
	if c.compare != nil {
		c.compare(errors, result.More)
	}
	return result, nil
}

// simulated returns the data of a simulation: 700 rows for training and 300 for testing,
// drawn anew for each repeat (section 3).
func simulated(sample func(n int, seed uint64) *datasets.Dataset) func(context.Context, int) (train, test *datasets.Dataset, err error) {
	return func(_ context.Context, repeat int) (train, test *datasets.Dataset, err error) {
		return datasets.Holdout{Test: 0.3, Seed: uint64(repeat)}.Split(sample(1000, uint64(repeat)))
	}
}

// HRFDepths is figures 3 and 4: the mean depth of each of five features (β = 1) and the
// dissimilarity of trees, by both readings of M* and by the scale-free distance, for
// bagging, random forests and HRF, on the paper's data, with features of equal scale, and
// with a class that depends on nothing.
func HRFDepths(paper bool) Experiment {
	e := Experiment{Name: "hrf-fig3-fast"}
	repeats := 10
	if paper {
		e.Name, repeats = "hrf-fig3-paper", 100
	}
	for _, problem := range []struct {
		name string
		sim.SelectionBias
	}{{"equal-scale", sim.SelectionBias{EqualScale: true}}, {"null", sim.SelectionBias{Null: true}}, {"paper", sim.SelectionBias{}}} {
		c := comparison{
			contenders: append([]contender{hrfBagging}, leafRules...),
			data:       simulated(problem.Sample),
			measure: func(f *forest.Forest) map[string]float64 {
				more := map[string]float64{}
				for j, d := range inspect.MeanFeatureDepths(f, 1) {
					more[fmt.Sprint("d", j+1)] = d
				}
				diversity := inspect.TreeDiversity(f, inspect.DeepestFeature)
				more["ds"], more["distance"] = diversity.Dissimilarity, diversity.Distance
				more["ds-split"] = inspect.TreeDiversity(f, inspect.DeepestSplit).Dissimilarity
				return more
			},
		}
		e.Runs = append(e.Runs, Run{Problem: problem.name, Method: "depths", X: repeats, Repeat: 1, Seed: 1,
			Do: func(ctx context.Context) (Result, error) { return c.run(ctx, repeats) }})
	}
	return e
}

// HRFNoise is figure 5: the error of HRF and of SPORF with HRF's memory against bagging,
// random forests and SPORF as more of 30 features are noise. X is their number.
func HRFNoise(paper bool) Experiment {
	e := Experiment{Name: "hrf-fig5-fast"}
	repeats := 5
	if paper {
		e.Name, repeats = "hrf-fig5-paper", 100
	}
	contenders := append([]contender{{"sporf", func(seed uint64) forest.Learner {
		return sporf.Learner{Trees: hrfTrees, Seed: seed}
	}}, {"h-sporf", func(seed uint64) forest.Learner {
		return sporf.Learner{Trees: hrfTrees, Memory: hrfMemory, Seed: seed}
	}}, hrfBagging}, leafRules...)
	contenders[0], contenders[3] = contenders[3], contenders[0] // differences are from the random forest
	for noise := 0; noise < 30; noise += 3 {
		c := comparison{contenders: contenders, data: simulated(sim.NoiseFeatures{Noise: noise}.Sample)}
		e.Runs = append(e.Runs, Run{Problem: "noise", Method: "comparison", X: noise, Repeat: 1, Seed: 1,
			Do: func(ctx context.Context) (Result, error) { return c.run(ctx, repeats) }})
	}
	return e
}

// HRFSubspaces gives HRF's memory to GRAF, whose trees draw half of the features each: the
// difference of the errors of GRAF with and without memory, on the data of figure 5 (X
// noise features of 30, in the first runs) and on real sets (80/20 splits).
func HRFSubspaces(paper bool) Experiment {
	e := Experiment{Name: settingName("hrf-subspaces", paper)}
	repeats := 3
	if paper {
		repeats = 50
	}
	c := comparison{contenders: []contender{
		{"graf", func(seed uint64) forest.Learner { return graf.Learner{Trees: hrfTrees, Seed: seed} }},
		{"graf-memory", func(seed uint64) forest.Learner {
			return graf.Learner{Trees: hrfTrees, Memory: hrfMemory, Seed: seed}
		}},
	}}
	for _, noise := range []int{0, 12, 24} {
		c.data = simulated(sim.NoiseFeatures{Noise: noise}.Sample)
		of := c
		e.Runs = append(e.Runs, Run{Problem: "noise", Method: "subspaces", X: noise, Repeat: 1, Seed: 1,
			Do: func(ctx context.Context) (Result, error) { return of.run(ctx, repeats) }})
	}
	for _, short := range []string{"bal", "bld", "gla", "ion", "pks", "snr", "veh", "vow"} {
		of := c
		of.steps = append(slices.Clone(hrfSteps), datasets.Standardise{})
		of.data = func(ctx context.Context, repeat int) (train, test *datasets.Dataset, err error) {
			d, err := hrfData(ctx, short)
			if err != nil {
				return nil, nil, err
			}
			return datasets.Holdout{Test: 0.2, Seed: uint64(repeat)}.Split(d)
		}
		e.Runs = append(e.Runs, Run{Problem: short, Method: "subspaces", Repeat: 1, Seed: 1,
			Do: func(ctx context.Context) (Result, error) { return of.run(ctx, repeats) }})
	}
	return e
}
