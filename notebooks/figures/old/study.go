package old

import (
	"cmp"
	"context"
	"reflect"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/tao"
)

// A size is how much of an experiment is done.
type size bool

const (
	fast size = false // a part that takes minutes at most
	full size = true  // the whole experiment; docs/reproduction.md says where that is less than the paper's size
)

// suffix returns how the names of files with results end.
func (s size) suffix() string { return pick(s, "-fast", "-paper") }

// pick returns the value for a size.
func pick[T any](s size, inFast, inFull T) T {
	if s == full {
		return inFull
	}
	return inFast
}

// A study is an experiment as data: a run for each combination of problems, methods, xs and repeats. Unless do says
// otherwise, a run loads the problem's rows, prepares them by steps that are fitted to the training rows, trains the
// method, and measures the forest.
type study struct {
	problems []problem
	methods  []method
	xs       []int  // none means that X is 0
	repeats  int    // 0 means 1
	order    string // of the loops over problems, methods, xs and repeats, outermost first; "" means "pmxr"
	seed     uint64 // of all runs; 0 means that a run has its repeat's number

	steps   datasets.Steps
	measure action // sets t.Score; nil means errorRate
	do      action // instead of preparing, training and measuring; Seconds are those that it takes
}

// An action is a part of a run. It may add to t.Result.
type action func(ctx context.Context, t *trial) error

// A problem has training and test rows.
type problem struct {
	name string
	rows action // sets t.train and t.test; nil leaves that to the study's do
}

// problems returns a problem for each of some data sets.
func problems(names []string, rows action) (all []problem) {
	for _, name := range names {
		all = append(all, problem{name, rows})
	}
	return all
}

// A method trains a forest.
type method struct {
	name    string
	fit     action // sets t.model
	raw     bool   // whether it prepares tables itself, so that the study's steps aren't for it
	measure action // instead of the study's, if it isn't nil
}

// fitted returns the method that trains the learner that a run asks for, with the run's seed, after steps.
func fitted(name string, learner func(t *trial) forest.Learner, steps ...datasets.Step) method {
	return method{name: name, fit: func(ctx context.Context, t *trial) error {
		return t.fit(ctx, forest.Pipeline(seeded(learner(t), t.Seed), steps...))
	}}
}

// with returns the method that trains a learner with the run's seed, after steps.
func with(name string, learner forest.Learner, steps ...datasets.Step) method {
	return fitted(name, func(*trial) forest.Learner { return learner }, steps...)
}

// seeded returns a copy of a learner with another value of its field Seed, which every learner has.
func seeded(learner forest.Learner, seed uint64) forest.Learner {
	return changed(learner, func(fields reflect.Value) { fields.FieldByName("Seed").SetUint(seed) })
}

// changed returns a copy of a learner with other values of its fields.
func changed(learner forest.Learner, change func(fields reflect.Value)) forest.Learner {
	fields := reflect.New(reflect.TypeOf(learner)).Elem()
	fields.Set(reflect.ValueOf(learner))
	change(fields)
	return fields.Interface().(forest.Learner)
}

// A trial is a run that is being done.
type trial struct {
	Run
	Result
	problem problem
	method  method

	train, test *datasets.Dataset
	model       *forest.Forest
	history     tao.History      // of the model, where the method keeps it
	others      []*forest.Forest // what the method has beside the model or in its place
	processor   float64          // seconds of training on all cores together
}

// fit trains the trial's forest.
func (t *trial) fit(ctx context.Context, learner forest.Learner) (err error) {
	t.model, err = learner.Fit(ctx, t.train)
	return err
}

// runs lists the study's runs.
func (s study) runs() []Run {
	order := cmp.Or(s.order, "pmxr")
	counts := map[byte]int{'p': len(s.problems), 'm': len(s.methods), 'x': max(1, len(s.xs)), 'r': max(1, s.repeats)}
	runs := make([]Run, counts['p']*counts['m']*counts['x']*counts['r'])
	for i := range runs {
		at, rest := map[byte]int{}, i
		for k := len(order) - 1; k >= 0; k-- {
			at[order[k]], rest = rest%counts[order[k]], rest/counts[order[k]]
		}
		p, m, repeat := s.problems[at['p']], s.methods[at['m']], at['r']+1
		run := Run{Problem: p.name, Method: m.name, Repeat: repeat, Seed: cmp.Or(s.seed, uint64(repeat))}
		if len(s.xs) > 0 {
			run.X = s.xs[at['x']]
		}
		run.Do = func(ctx context.Context, run Run) (Result, error) {
			t := &trial{Run: run, Result: Result{More: map[string]float64{}}, problem: p, method: m}
			begun := time.Now()
			err := s.run(ctx, t)
			t.Seconds = cmp.Or(t.Seconds, time.Since(begun).Seconds())
			return t.Result, err
		}
		runs[i] = run
	}
	return runs
}

// repeated lists the runs of do for one problem, method and X.
func repeated(of, by string, x, repeats int, do action) []Run {
	return study{problems: []problem{{name: of}}, methods: []method{{name: by}}, xs: []int{x}, repeats: repeats,
		do: do}.runs()
}

// run does a run.
func (s study) run(ctx context.Context, t *trial) (err error) {
	if t.problem.rows != nil {
		if err = t.problem.rows(ctx, t); err != nil {
			return err
		}
	}
	if s.do != nil {
		return s.do(ctx, t)
	}
	if !t.method.raw {
		if t.train, t.test, err = prepared(ctx, s.steps, t.train, t.test); err != nil {
			return err
		}
	}
	begun, processor := time.Now(), processorSeconds()
	if err = t.method.fit(ctx, t); err != nil {
		return err
	}
	t.Seconds, t.processor = time.Since(begun).Seconds(), processorSeconds()-processor
	for _, measure := range []action{t.method.measure, s.measure} {
		if measure != nil {
			return measure(ctx, t)
		}
	}
	return errorRate(ctx, t)
}

// prepared returns two parts of a data set after steps that are fitted to the first.
func prepared(
	ctx context.Context, steps datasets.Steps, train, test *datasets.Dataset,
) (_, _ *datasets.Dataset, err error) {
	if len(steps) == 0 {
		return train, test, nil
	}
	fitted, train, err := steps.Fit(ctx, train)
	if err != nil {
		return nil, nil, err
	}
	test, err = fitted.Apply(ctx, test)
	return train, test, err
}

// errorRate is the measure of a study that has none.
var errorRate = byLabels(eval.Error)

// byLabels returns the measure that compares predicted labels with those of the test rows.
func byLabels(metric func(predicted, labels []int32) float64) action {
	return func(ctx context.Context, t *trial) error {
		predicted, err := t.model.Predict(ctx, t.test)
		if err != nil {
			return err
		}
		t.Score = metric(predicted, t.test.Labels)
		return nil
	}
}

// ints returns the numbers from first to last.
func ints(first, last int) (all []int) {
	for n := first; n <= last; n++ {
		all = append(all, n)
	}
	return all
}

// from returns the numbers of rows from begin to just before end.
func from(begin, end int32) []int32 {
	rows := make([]int32, 0, end-begin)
	for r := begin; r < end; r++ {
		rows = append(rows, r)
	}
	return rows
}
