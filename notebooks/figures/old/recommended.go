package old

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// This file has the experiments on the learners that this library recommends, mix and auto. No paper has them.

// mixByDefaults compares mix with other methods by their defaults, but for the number of trees; ridge nodes have up to
// 16 features. The score is the error on five stratified folds, features standardised on the training rows. A record's
// repeat is its fold. More has "processor", the processor seconds of training, and "predict", those of predicting the
// test rows; they are of this process, so do one run at a time where they matter. The slow setting has 35 sets and 100
// trees, the fast one three sets and 50 trees.
func mixByDefaults(s size) []Run {
	trees, standardise := pick(s, 50, 100), datasets.Standardise{}
	return study{
		problems: problems(pick(s, mixSets[5:8], mixSets), collectionFold),
		methods: []method{
			with("RF", rf.Learner{Trees: trees}, standardise),
			with("ET", rf.ExtraTrees{Trees: trees}, standardise),
			with("SPORF", sporf.Learner{Trees: trees}, standardise),
			fitted("ridge", func(t *trial) forest.Learner {
				return oblique.Learner{Trees: trees, NodeFeatures: min(t.train.P(), 16)}
			}, standardise),
			with("mix", mix.Learner{Trees: trees}, standardise),
		},
		repeats: 5, seed: 1, measure: inProcessorTime(errorRate),
	}.runs()
}

// inProcessorTime returns a measure that also sets Seconds and "processor" to the processor seconds of training, and
// "predict" to those of measuring.
func inProcessorTime(measure action) action {
	return func(ctx context.Context, t *trial) error {
		begun := processorSeconds()
		err := measure(ctx, t)
		t.Seconds, t.More["processor"], t.More["predict"] = t.processor, t.processor, processorSeconds()-begun
		return err
	}
}

// relativeLoss returns the measure that is the error rate of classes, and of values the mean squared error divided by
// unit.
func relativeLoss(unit func(t *trial) float64) action {
	return func(ctx context.Context, t *trial) error {
		if !t.model.Regression() {
			return errorRate(ctx, t)
		}
		predicted, err := t.model.PredictValues(ctx, t.test)
		if err != nil {
			return err
		}
		t.Score = eval.MSE(predicted, t.test.Values) / unit(t)
		return nil
	}
}

// preparations compares preparations of raw tables, three by hand and [datasets.Prepare], each with mix and with a
// random forest: the error of classes, or the mean squared error of values divided by that of the training mean, on
// five folds, stratified for classes. A record's method is learner + preparation, and its repeat the fold; More is as
// for mixByDefaults. The slow setting has all sets and 100 trees, the fast one two sets and 20 trees.
func preparations(s size) []Run {
	trees := pick(s, 20, 100)
	var methods []method
	for _, l := range []struct {
		name    string
		learner forest.Learner
	}{{"mix", mix.Learner{Trees: trees}}, {"RF", rf.Learner{Trees: trees}}} {
		methods = append(methods,
			with(l.name+" + one-hot", l.learner, oneHotSteps),
			with(l.name+" + ordinal", l.learner, datasets.Impute{}, datasets.Ordinal{}, datasets.Standardise{}),
			with(l.name+" + target", l.learner, datasets.Impute{}, datasets.TargetEncoding{}, datasets.Standardise{}),
			with(l.name+" + Prepare", l.learner, datasets.Prepare{}))
	}
	return study{
		problems: problems(pick(s, rawSets[2:4], rawSets), rawFold), methods: methods, repeats: 5, seed: 1,
		measure: inProcessorTime(relativeLoss(func(t *trial) float64 {
			mean := slices.Repeat([]float64{eval.Mean(t.train.Values)}, t.test.N())
			return eval.MSE(mean, t.test.Values)
		})),
	}.runs()
}

// autoByDefaults compares auto with other methods, all with their defaults, on the five folds of three partitions,
// stratified for classes, each with its own seed. The score is the error rate or, for values, the mean squared error
// divided by the variance of the training rows' values. A record's repeat is its fold, 1 to 15. Missing cells are
// filled, categories become indicators, and features are standardised on the training rows, but for auto, which
// prepares them itself. More has "processor" and "predict" as in mixByDefaults, and for auto the report's "trees",
// out-of-bag error "oob", the same "corrected" for choosing, its interval "low" and "high", and what slanted splits
// gain as "slanted", "slanted.low" and "slanted.high". The slow setting has mixSets, 12 sets of values and, with the
// first partition only, nine larger ones of classes; the fast one has a set of each of the first two.
func autoByDefaults(s size) []Run {
	forClasses := []method{
		with("RF", rf.Learner{}, oneHotSteps), with("ET", rf.ExtraTrees{}, oneHotSteps),
		with("SPORF", sporf.Learner{}, oneHotSteps), with("GRAF", graf.Learner{}, oneHotSteps),
		with("CCF", ccf.Learner{}, oneHotSteps), with("rotation forest", rotation.Learner{}, oneHotSteps),
		with("mix", mix.Learner{}, oneHotSteps), with("auto", auto.Learner{}),
	}
	forValues := slices.Concat(forClasses[:3], forClasses[6:])
	of := func(p []problem, methods []method, folds int) []Run {
		runs := study{problems: p, methods: methods, repeats: folds, measure: autoReport}.runs()
		for i, r := range runs {
			runs[i].Seed = 1 + uint64(r.Repeat-1)/5
		}
		return runs
	}
	runs := of(problems(pick(s, mixSets[6:7], mixSets), collectionFold), forClasses, autoFolds)
	runs = append(runs, of(problems(pick(s, autoValueSets[3:4], autoValueSets), valueFold), forValues, autoFolds)...)
	if s == full {
		runs = append(runs, of(problems(autoLargeSets, collectionFold), forClasses, 5)...)
	}
	return runs
}

// autoFolds are five folds of each of three partitions of the rows.
const autoFolds = 15

// autoReport is the measure of autoByDefaults.
func autoReport(ctx context.Context, t *trial) error {
	variance := func(t *trial) float64 { return stat.PopVariance(t.train.Values, nil) }
	err := inProcessorTime(relativeLoss(variance))(ctx, t)
	if t.Method != "auto" || err != nil {
		return err
	}
	report, err := auto.Read(t.model)
	unit := 1.0
	if report.Values {
		unit = variance(t)
	}
	for name, v := range map[string]float64{
		"oob": report.Error, "corrected": report.Corrected, "low": report.Interval.Low, "high": report.Interval.High,
		"slanted": report.Slanted, "slanted.low": report.SlantedInterval.Low, "slanted.high": report.SlantedInterval.High,
	} {
		t.More[name] = v / unit
	}
	t.More["trees"], t.Setting = float64(report.Trees), report.Chosen
	return err
}

// autoTunedLast are the sets of autoByDefaults on which tuning takes longest, in the order of their times.
var autoTunedLast = []string{"thyroid", "contrac", "wine-quality-red", "bank", "page-blocks", "wine-quality-white"}

// autoBesideTuned puts tuned methods beside autoByDefaults, on its sets of classes but the nine larger ones, and the
// five folds of its first partition, with seed 1 and 500 trees. Features are prepared as there for the methods that
// don't by themselves. Random forests, SPORF and CCF are tuned over the grids of the paper on SPORF, as in its table 1,
// and extremely randomised trees over the random forest's. A record's repeat is its fold. More has "processor", the
// processor seconds of tuning, training and prediction together; they are of this process, so do one run at a time
// where they matter. The slow setting has mixSets, the fast one a set.
func autoBesideTuned(s size) []Run {
	quick := slices.DeleteFunc(slices.Clone(mixSets), func(set string) bool { return slices.Contains(autoTunedLast, set) })
	return study{
		problems: problems(pick(s, mixSets[6:7], append(quick, autoTunedLast...)), collectionFold),
		methods:  append(tuned(sporfTrees, sporfTrees, familyRF, familyET, familyCCF), raced(sporfTrees, familySPORF)),
		repeats:  5, seed: 1, order: "mpxr", steps: oneHotSteps, measure: tuningTime,
	}.runs()
}

// tuningTime is the measure of autoBesideTuned.
func tuningTime(ctx context.Context, t *trial) error {
	begun := processorSeconds()
	err := errorRate(ctx, t)
	t.More["processor"] = t.processor + processorSeconds() - begun
	return err
}

// autoBesideSimpler compares auto with its defaults and ten simpler methods of 200 trees (ridge: 100), on 29 sets: the
// error on five stratified folds with seed 1. Features are standardised on the training rows, but for auto, which
// prepares them itself. A record's repeat is its fold. The slow setting has all sets, the fast one wine and 50 trees.
func autoBesideSimpler(s size) []Run {
	trees := pick(s, 50, 200)
	random, extra := rf.Learner{Trees: trees, Seed: 1}, rf.ExtraTrees{Trees: trees, Seed: 1}
	sparse, planes := sporf.Learner{Trees: trees, Seed: 1}, graf.Learner{Trees: trees, Seed: 1}
	sparser := func(candidates int) func(t *trial) forest.Learner {
		return func(t *trial) forest.Learner {
			p := t.train.P()
			return sporf.Learner{Trees: trees, Candidates: candidates * p, Density: 2 / float64(p)}
		}
	}
	return study{
		problems: problems(pick(s, []string{"wine"}, trialSets), collectionFold),
		methods: []method{
			with("RF", random), with("ET", extra), with("SPORF", sparse),
			fitted("SPORF, λ 2/p", sparser(0)), fitted("SPORF, d 3p, λ 2/p", sparser(3)), with("GRAF", planes),
			fitted("ridge", func(t *trial) forest.Learner {
				return oblique.Learner{Trees: trees / 2, NodeFeatures: min(t.train.P(), 16)}
			}),
			averaged("RF and SPORF averaged", random, sparse),
			averaged("RF, SPORF, GRAF and ET averaged", random, sparse, planes, extra),
			better("RF or SPORF", random, sparse),
			{name: "auto", fit: with("auto", auto.Learner{}).fit, raw: true, measure: autoReport},
		},
		repeats: 5, seed: 1, steps: oneHotSteps,
		measure: func(_ context.Context, t *trial) error {
			t.Seconds = t.processor
			t.Score = eval.Error(classesOf(append(t.others, t.model), t.test), t.test.Labels)
			return nil
		},
	}.runs()
}

// averaged returns the method that averages the probabilities of forests.
func averaged(name string, learners ...forest.Learner) method {
	return method{name: name, fit: func(ctx context.Context, t *trial) error {
		for _, l := range learners {
			if t.model != nil {
				t.others = append(t.others, t.model)
			}
			if err := t.fit(ctx, l); err != nil {
				return err
			}
		}
		return nil
	}}
}

// better returns the method that takes the forest of the lowest out-of-bag error.
func better(name string, learners ...forest.Learner) method {
	return method{name: name, fit: func(ctx context.Context, t *trial) error {
		tuning, err := eval.Tune(ctx, learners, t.train, nil)
		if err != nil {
			return err
		}
		t.model = tuning.Model
		return nil
	}}
}

// classesOf returns the classes that models predict by the sum of their probabilities.
func classesOf(models []*forest.Forest, d *datasets.Dataset) []int32 {
	if len(models) == 1 {
		return must.Value(models[0].Predict(context.Background(), d))
	}
	sums := must.Value(models[0].Proba(context.Background(), d))
	for _, m := range models[1:] {
		for i, proba := range must.Value(m.Proba(context.Background(), d)) {
			floats.Add(sums[i], proba)
		}
	}
	classes := make([]int32, d.N())
	for i, sum := range sums {
		classes[i] = int32(floats.MaxIdx(sum))
	}
	return classes
}
