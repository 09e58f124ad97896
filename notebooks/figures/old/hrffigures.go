package old

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

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

const hrfTrees = 100

// The four forests that tell the leaf rule of HRF from its weights: both have both rules.
var leafRules = []method{
	with("rf", rf.Learner{Trees: hrfTrees}),
	with("rf-leaf", rf.Learner{Trees: hrfTrees, Constant: rf.MakeLeaf}),
	with("hrf-on", rf.HRF{Trees: hrfTrees, Constant: rf.DrawOn}),
	with("hrf", rf.HRF{Trees: hrfTrees}),
}

var hrfBagging = with("bagging", rf.Bagging{Trees: hrfTrees})

var hrfMemory = forest.Memory{Alpha: 0.5, Beta: 1}

// A comparison trains contenders on the same rows, repeat by repeat, and compares their test errors. Names of
// contenders hold no blanks.
type comparison struct {
	contenders []method
	rows       action
	steps      datasets.Steps
	measure    func(f *forest.Forest) map[string]float64 // what else is measured; nil for nothing

	// pairs are contenders, by number, that tests compares, by the name of what it finds. With absolute, nothing else is
	// compared, and the score is the first contender's mean error; without it there is what fromFirst says.
	pairs    map[string][2]int
	absolute bool
}

// run does the repeats, as many at once as there are cores. More has each contender's mean error ("err.name") and the
// comparisons.
func (c comparison) run(ctx context.Context, t *trial, repeats int) error {
	errors := make([][]float64, len(c.contenders))
	for m := range errors {
		errors[m] = make([]float64, repeats)
	}
	err := parallel.Errors(repeats, func(r int) error {
		once := trial{Run: Run{Problem: t.Problem, X: t.X, Seed: uint64(r + 1)}, Result: Result{More: map[string]float64{}}}
		if err := c.once(ctx, &once); err != nil {
			return fmt.Errorf("repeat %d: %w", r+1, err)
		}
		for m, of := range c.contenders {
			errors[m][r] = once.More["err."+of.name]
		}
		return nil
	})
	if err != nil {
		return err
	}
	for m, of := range c.contenders {
		t.More["err."+of.name] = eval.Mean(errors[m])
	}
	if t.Score = eval.Mean(errors[0]); !c.absolute {
		c.fromFirst(t, errors)
	}
	for name, pair := range c.pairs {
		tests(t.More, name, errors[pair[0]], errors[pair[1]])
	}
	return nil
}

// once does one repeat, with the trial's seed. More has each contender's error ("err.name") and what else was measured
// ("name.what"); the score is the difference of the last contender's error from the first's.
func (c comparison) once(ctx context.Context, t *trial) (err error) {
	if err = c.rows(ctx, t); err != nil {
		return err
	}
	if t.train, t.test, err = prepared(ctx, c.steps, t.train, t.test); err != nil {
		return err
	}
	for _, of := range c.contenders {
		t.model = nil
		if err = of.fit(ctx, t); err == nil {
			err = errorRate(ctx, t)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", of.name, err)
		}
		t.More["err."+of.name] = t.Score
		if c.measure != nil {
			for what, v := range c.measure(t.model) {
				t.More[of.name+"."+what] = v
			}
		}
	}
	t.Score -= t.More["err."+c.contenders[0].name]
	return nil
}

// fromFirst sets the differences of the errors of all contenders but the first from its ("diff.name") with their
// standard errors ("se.name"). The score is that of the last.
func (c comparison) fromFirst(t *trial, errors [][]float64) {
	for m, of := range c.contenders[1:] {
		difference := floats.SubTo(make([]float64, len(errors[0])), errors[m+1], errors[0])
		t.Score, t.More["se."+of.name] = eval.MeanStdErr(difference)
		t.More["diff."+of.name] = t.Score
	}
}

// each lists a run for each repeat of a comparison, so that their spread can be drawn.
func (c comparison) each(of, by string, x, repeats int) []Run {
	return repeated(of, by, x, repeats, c.once)
}

// runs lists the run that does all repeats of a comparison.
func (c comparison) runs(of, by string, x, repeats int) []Run {
	return repeated(of, by, x, 1, func(ctx context.Context, t *trial) error { return c.run(ctx, t, repeats) })
}

// simulated returns the rows of a simulation: 700 rows for training and 300 for testing, drawn anew for each repeat
// (section 3).
func simulated(p sampler) action {
	return func(_ context.Context, t *trial) (err error) {
		t.train, t.test, err = datasets.Holdout{Test: 0.3, Seed: t.Seed}.Split(p.Sample(1000, t.Seed))
		return err
	}
}

// held takes a fifth of a set for testing, another one for each repeat (section 4).
func held(ctx context.Context, t *trial) error {
	d, err := hrfData(ctx, t.Problem)
	if err == nil {
		t.train, t.test, err = datasets.Holdout{Test: 0.2, Seed: t.Seed}.Split(d)
	}
	return err
}

// hrf3 is figures 3 and 4: the mean depth of each of five features (β = 1) and the
// dissimilarity of trees, by both readings of M* and by the scale-free distance, for
// bagging, random forests and HRF, on the paper's data, with features of equal scale, and
// with a class that depends on nothing.
func hrf3(s size) (runs []Run) {
	for _, problem := range []struct {
		name string
		sim.SelectionBias
	}{{"equal-scale", sim.SelectionBias{EqualScale: true}}, {"null", sim.SelectionBias{Null: true}}, {name: "paper"}} {
		runs = append(runs, comparison{
			contenders: append([]method{hrfBagging}, leafRules...),
			rows:       simulated(problem),
			measure: func(f *forest.Forest) map[string]float64 {
				more := map[string]float64{}
				for j, d := range inspect.MeanFeatureDepths(f, 1) {
					more[fmt.Sprint("d", j+1)] = d
				}
				diversity := inspect.TreeDiversity(f, false)
				more["ds"], more["distance"] = diversity.Dissimilarity, diversity.Distance
				more["ds-split"] = inspect.TreeDiversity(f, true).Dissimilarity
				return more
			},
		}.each(problem.name, "depths", 0, pick(s, 10, 100))...)
	}
	return runs
}

// hrf5 is figure 5: the error of HRF and of SPORF with HRF's memory against bagging,
// random forests and SPORF as more of 30 features are noise. X is their number.
func hrf5(s size) (runs []Run) {
	contenders := []method{leafRules[0], // differences are from the random forest
		with("h-sporf", sporf.Learner{Trees: hrfTrees, Memory: hrfMemory}), hrfBagging,
		with("sporf", sporf.Learner{Trees: hrfTrees})}
	contenders = append(contenders, leafRules[1:]...)
	for noise := 0; noise < 30; noise += 3 {
		c := comparison{contenders: contenders, rows: simulated(sim.NoiseFeatures{Noise: noise})}
		runs = append(runs, c.each("noise", "comparison", noise, pick(s, 5, 100))...)
	}
	return runs
}

// hrfSubspaces gives HRF's memory to GRAF, whose trees draw half of the features each: the
// difference of the errors of GRAF with and without memory, on the data of figure 5 (X
// noise features of 30, in the first runs) and on real sets (80/20 splits).
func hrfSubspaces(s size) (runs []Run) {
	c := comparison{contenders: []method{
		with("graf", graf.Learner{Trees: hrfTrees}), with("graf-memory", graf.Learner{Trees: hrfTrees, Memory: hrfMemory}),
	}}
	for _, noise := range []int{0, 12, 24} {
		c.rows = simulated(sim.NoiseFeatures{Noise: noise})
		runs = append(runs, c.runs("noise", "subspaces", noise, pick(s, 3, 50))...)
	}
	c.steps = append(slices.Clone(hrfSteps), datasets.Standardise{})
	c.rows = held
	for _, set := range []string{"bal", "bld", "gla", "ion", "pks", "snr", "veh", "vow"} {
		runs = append(runs, c.runs(set, "subspaces", 0, pick(s, 3, 50))...)
	}
	return runs
}

// hrfLeafRule divides the difference of HRF from a random forest into the part of the leaf
// rule and that of the weights, on the sets of table 5 with the parameters' defaults: 50
// random splits in the paper's setting, and also 100 for three sets. More has what tests makes of
// the leaf rule in a random forest ("rule"), of the weights in forests that draw on ("weights-on"), and
// of the weights in forests with the leaf rule ("weights-leaf").
func hrfLeafRule(s size) (runs []Run) {
	c := comparison{contenders: leafRules, rows: held, steps: hrfSteps,
		pairs: map[string][2]int{"rule": {1, 0}, "weights-on": {2, 0}, "weights-leaf": {3, 1}}}
	for _, set := range hrfTable5Sets() {
		splits := pick(s, []int{5}, []int{50})
		if s == full && slices.Contains([]string{"bal", "smo", "vow"}, set) {
			splits = append(splits, 100)
		}
		for _, n := range splits {
			runs = append(runs, c.runs(set, "leaf rule", n, n)...)
		}
	}
	return runs
}
