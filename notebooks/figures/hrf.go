package figures

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/hrf"
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
		return hrf.Learner{Trees: hrfTrees, Constant: forest.DrawOn, Seed: seed}
	}},
	{"hrf", func(seed uint64) forest.Learner { return hrf.Learner{Trees: hrfTrees, Seed: seed} }},
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
}

// run does the repeats, as many at once as there are cores. The result's score is the mean
// difference of the last contender from the first. More has each contender's mean error
// ("err.name"), its difference from the first ("diff.name") with standard error
// ("se.name"), and the means of what else was measured ("name.what").
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
			labels, err := f.PredictContext(ctx, test)
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
	difference := make([]float64, repeats)
	for m, of := range c.contenders {
		result.More["err."+of.name], _ = eval.MeanStdErr(errors[m])
		if m == 0 {
			continue
		}
		for r := range difference {
			difference[r] = errors[m][r] - errors[0][r]
		}
		result.More["diff."+of.name], result.More["se."+of.name] = eval.MeanStdErr(difference)
		result.Score = result.More["diff."+of.name]
	}
	for _, values := range measured {
		for what, v := range values {
			result.More[what] += v / float64(repeats)
		}
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
	for name, problem := range inOrder(map[string]sim.SelectionBias{"paper": {}, "equal-scale": {EqualScale: true}, "null": {Null: true}}) {
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
		e.Runs = append(e.Runs, Run{Problem: name, Method: "depths", X: repeats, Repeat: 1, Seed: 1,
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

// inOrder gives the elements of a map in the order of their keys.
func inOrder[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// hrfSets are data sets of the paper's Table 3 that are at hand as the paper has them, by
// its names.
var hrfSets = map[string]string{
	"aus": "statlog-australian-credit", "bal": "balance-scale", "ban": "banknote", "bld": "bupa",
	"blo": "blood", "bod": "bodydims", "bre": "breast-cancer-wisc", "bos": "boston_3class", "cmc": "contrac", "cre": "credit-approval", "der": "dermatology",
	"dia": "pima", "dna": "molec-biol-splice", "ger": "statlog-german-credit", "gla": "glass", "hea": "statlog-heart",
	"hil": "hill-valley", "imp": "autos", "ion": "ionosphere", "iri": "iris", "lib": "libras", "mam": "mammographic",
	"pid": "pima_ripley", "pks": "parkinsons", "sat": "satimage_full", "seg": "statlog-image", "smo": "smoking",
	"snr": "conn-bench-sonar-mines-rocks", "spa": "spambase", "spe": "spectf_full", "tae": "teaching", "veh": "statlog-vehicle",
	"vot": "congressional-voting", "vow": "vowel_full", "zoo": "zoo",
}

// hrfData loads a data set of the paper's tables: one of hrfSets, one that is made of
// others, or a sample of a simulated problem.
func hrfData(ctx context.Context, short string) (*datasets.Dataset, error) {
	switch short {
	case "bcw": // without the rows that lack a cell
		d, err := datasets.Load(ctx, hrfSets["bre"])
		if err != nil {
			return nil, err
		}
		var whole []int32
		for i := range d.N() {
			if !slices.ContainsFunc(d.Row(nil, i), func(v float32) bool { return v != v }) {
				whole = append(whole, int32(i))
			}
		}
		return d.Subset(whole), nil
	case "thy":
		return stacked(ctx, "thyroid", "thyroid_test")
	case "cir":
		return sim.Ball{}.Sample(1000, 1), nil
	case "trn":
		return sim.Threenorm{}.Sample(1000, 1), nil
	case "twn":
		return sim.Twonorm{}.Sample(1000, 1), nil
	case "rng":
		return sim.Ringnorm{}.Sample(1000, 1), nil
	case "led":
		return sim.LED{}.Sample(6000, 1), nil
	case "wav":
		return sim.Waveform{}.Sample(3600, 1), nil
	}
	return datasets.Load(ctx, hrfSets[short])
}

// stacked loads two parts of a data set as one. Their columns and classes must be the same.
func stacked(ctx context.Context, first, second string) (*datasets.Dataset, error) {
	a, err := datasets.Load(ctx, first)
	if err != nil {
		return nil, err
	}
	b, err := datasets.Load(ctx, second)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(a.Features, b.Features) || !slices.Equal(a.Classes, b.Classes) {
		return nil, fmt.Errorf("figures: %s and %s have other columns or classes", first, second)
	}
	both := *a
	both.Columns, both.Labels = nil, slices.Concat(a.Labels, b.Labels)
	for j := range a.Columns {
		both.Columns = append(both.Columns, slices.Concat(a.Column(nil, j), b.Column(nil, j)))
	}
	return &both, nil
}

// hrfTable5Sets are the sets of Table 5 at hand, by the paper's names.
func hrfTable5Sets() []string {
	sets := append(slices.Collect(maps.Keys(hrfSets)), "bcw", "thy", "cir", "trn", "twn", "rng", "led", "wav")
	slices.Sort(sets)
	return sets
}

// HRFTable5 is the part of table 5 whose sets are at hand: random forests and HRF, tuned out
// of bag (m in {√p, log2 p, p}; α in {0.2, 0.5, 0.7, 0.9} and β in {1, 3, 6, 10}, and as α = 0
// of the authors' program the leaf rule without weights), and bagging and extremely randomised
// trees with their defaults. 50 random splits in the paper's setting. More has the mean
// errors, the mean difference of HRF's error from each other's, the p-values of HRF being better and
// worse by the signed-rank test, and the two-sided one of the corrected resampled t-test of
// Nadeau and Bengio (Machine Learning 52, 2003), which allows for the splits' overlap.
func HRFTable5(paper bool) Experiment {
	e := Experiment{Name: "hrf-table5-fast"}
	splits := 3
	if paper {
		e.Name, splits = "hrf-table5-paper", 50
	}
	for _, short := range hrfTable5Sets() {
		e.Runs = append(e.Runs, Run{Problem: short, Method: "table 5", X: splits, Repeat: 1, Seed: 1,
			Do: func(ctx context.Context) (Result, error) { return hrfTable5(ctx, short, splits) }})
	}
	return e
}

func hrfTable5(ctx context.Context, short string, splits int) (Result, error) {
	begin := time.Now()
	d, err := hrfData(ctx, short)
	if err != nil {
		return Result{}, err
	}
	names := []string{"hrf", "rf", "bagging", "et"}
	errors := make([][]float64, len(names))
	for m := range errors {
		errors[m] = make([]float64, splits)
	}
	err = parallel.Errors(splits, func(r int) error {
		train, test, err := datasets.Holdout{Test: 0.2, Seed: uint64(r + 1)}.Split(d)
		if err != nil {
			return err
		}
		steps, err := datasets.Steps{datasets.Impute{}, datasets.TargetEncoding{Folds: 1}}.Fit(train)
		if err != nil {
			return err
		}
		if train, err = steps.Apply(train); err != nil {
			return err
		}
		if test, err = steps.Apply(test); err != nil {
			return err
		}
		for m, grid := range hrfGrids(train.P(), uint64(r+1)) {
			model, err := fitBest(ctx, grid, train)
			if err != nil {
				return fmt.Errorf("%s, split %d: %w", names[m], r+1, err)
			}
			errors[m][r] = eval.Error(model.Predict(test), test.Labels)
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	result := Result{Seconds: time.Since(begin).Seconds(), More: map[string]float64{}}
	for m, name := range names {
		result.More["err."+name], _ = eval.MeanStdErr(errors[m])
		if m > 0 {
			result.More["diff."+name], _ = eval.MeanStdErr(differences(errors[0], errors[m]))
			result.More["better-p."+name] = eval.Wilcoxon(errors[m], errors[0])
			result.More["worse-p."+name] = eval.Wilcoxon(errors[0], errors[m])
			result.More["t-p."+name] = resampledT(differences(errors[0], errors[m]), 0.25)
		}
	}
	result.Score = result.More["err.hrf"]
	return result, nil
}

// hrfGrids returns the settings of each method, in the order of hrfTable5's names.
func hrfGrids(p int, seed uint64) [][]forest.Learner {
	grids := [][]forest.Learner{{rf.Learner{Trees: hrfTrees, Constant: forest.MakeLeaf, Seed: seed}}, nil,
		{rf.Bagging{Trees: hrfTrees, Seed: seed}}, {rf.ExtraTrees{Trees: hrfTrees, Seed: seed}}}
	for _, l := range (hrf.Learner{Trees: hrfTrees, Seed: seed}).Grid(p) {
		if l.Memory.Alpha > 0 {
			grids[0] = append(grids[0], l)
		}
	}
	for _, m := range []float64{math.Sqrt(float64(p)), math.Log2(float64(p)), float64(p)} {
		grids[1] = append(grids[1], rf.Learner{Trees: hrfTrees, NodeFeatures: max(1, int(m)), Seed: seed})
	}
	return grids
}

// fitBest tunes out of bag, if there is something to tune.
func fitBest(ctx context.Context, grid []forest.Learner, train *datasets.Dataset) (*forest.Forest, error) {
	if len(grid) == 1 {
		return grid[0].Fit(ctx, train)
	}
	tuning, err := eval.Tune(ctx, grid, train, nil)
	if err != nil {
		return nil, err
	}
	return tuning.Model, nil
}

func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

// resampledT returns the two-sided p-value of the corrected resampled t-test for paired
// differences over random splits, of which the test part is the given multiple of the
// training part.
func resampledT(difference []float64, testToTrain float64) float64 {
	mean, variance := stat.MeanVariance(difference, nil)
	n := float64(len(difference))
	t := mean / math.Sqrt((1/n+testToTrain)*variance)
	if variance == 0 {
		return 1
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.CDF(-math.Abs(t))
}

// HRFLeafRule divides the difference of HRF from a random forest into the part of the leaf
// rule and that of the weights, on real data with the parameters' defaults: random splits
// into 80 % training and 20 % test rows, 50 in the paper's setting (section 4). Missing
// cells and categories are treated as in the paper, but fitted to training rows only.
func HRFLeafRule(paper bool) Experiment {
	e := Experiment{Name: "hrf-leafrule-fast"}
	splits := 5
	if paper {
		e.Name, splits = "hrf-leafrule-paper", 50
	}
	for short, name := range inOrder(hrfSets) {
		e.Runs = append(e.Runs, Run{Problem: short, Method: "leaf rule", X: splits, Repeat: 1, Seed: 1,
			Do: func(ctx context.Context) (Result, error) {
				d, err := datasets.Load(ctx, name)
				if err != nil {
					return Result{}, err
				}
				return comparison{
					contenders: leafRules,
					steps:      []datasets.Step{datasets.Impute{}, datasets.TargetEncoding{Folds: 1}},
					data: func(_ context.Context, repeat int) (train, test *datasets.Dataset, err error) {
						return datasets.Holdout{Test: 0.2, Seed: uint64(repeat)}.Split(d)
					},
				}.run(ctx, splits)
			}})
	}
	return e
}
