// Package trial does the runs of experiments: it trains and tests, some runs at a time or on a cluster, and adds each
// result to a file when it is there, so that an experiment that takes hours can be interrupted and continued.
//
//   - study.go: how a run is done, and trial.go: a run that is being done
//   - tuned.go: learners that are tuned
//   - data.go: simulations and data sets
//   - execution.go, resultfile.go, merge.go: doing runs and keeping results
//   - remote.go: runs that workers do
//   - commandline.go, queue.go, estimate.go: the program
package trial

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// A Study says how an experiment's runs are done. Unless Do says otherwise, a run loads the problem's rows, prepares
// them by steps that are fitted to the training rows, trains the method, and measures the forest.
type Study struct {
	*paper.Experiment
	Rows    Action            // sets t.Train and t.Test for t.Problem; nil leaves that to Do
	Steps   datasets.Steps    // nil prepares nothing
	Methods map[string]Method // by the names of the experiment's methods
	Measure Action            // sets t.Score; nil means [ErrorRate]
	Do      Action            // instead of preparing, training and measuring; Seconds are what it takes

	// Work returns what a run costs, in any unit, for estimates of the time that is left. Size is that of the problem's
	// set, 0 if the problem isn't a set. Work is 0 where it isn't known; nil knows nothing.
	Work func(c paper.Cell, size Size) float64

	whole string // the hash of all runs, where the study is a part
}

// An Action is a part of a run. It may add to t.Result.
type Action func(ctx context.Context, t *Trial) error

// A Method trains a forest.
type Method struct {
	Fit     Action // sets t.Model
	Raw     bool   // whether it prepares tables itself, so that the study's steps aren't for it
	Measure Action // instead of the study's; nil for the study's
}

// Fitted returns the method that trains the learner that a run asks for, with the run's seed, after steps.
func Fitted(learner func(t *Trial) forest.Learner, steps ...datasets.Step) Method {
	return Method{Fit: func(ctx context.Context, t *Trial) error {
		return t.Fit(ctx, forest.Pipeline(Seeded(t.limited(learner(t)), t.Seed), steps...))
	}}
}

// With returns the method that trains a learner with the run's seed, after steps.
func With(learner forest.Learner, steps ...datasets.Step) Method {
	return Fitted(func(*Trial) forest.Learner { return learner }, steps...)
}

// Seeded returns a copy of a learner with another value of its field Seed, which every learner has.
func Seeded(learner forest.Learner, seed uint64) forest.Learner {
	return changed(learner, func(fields reflect.Value) { fields.FieldByName("Seed").SetUint(seed) })
}

// changed returns a copy of a learner with other values of its fields.
func changed(learner forest.Learner, change func(fields reflect.Value)) forest.Learner {
	fields := reflect.New(reflect.TypeOf(learner)).Elem()
	fields.Set(reflect.ValueOf(learner))
	change(fields)
	return fields.Interface().(forest.Learner)
}

// run does a run, with forests of at most so many trees; 0 is no limit.
func (s Study) run(ctx context.Context, run paper.Run, most int) (paper.Result, error) {
	t := &Trial{Run: run, Result: paper.Result{More: map[string]float64{}}, most: most}
	begun := time.Now()
	err := s.do(ctx, t)
	t.Seconds = cmp.Or(t.Seconds, time.Since(begun).Seconds())
	return t.Result, err
}

func (s Study) do(ctx context.Context, t *Trial) error {
	if s.Rows != nil {
		if err := s.Rows(ctx, t); err != nil {
			return err
		}
	}
	if s.Do != nil {
		return s.Do(ctx, t)
	}
	m, known := s.Methods[t.Method]
	if !known {
		return fmt.Errorf("%s has no method %q", s.Name, t.Method)
	}
	if !m.Raw {
		if err := t.Prepare(ctx, s.Steps); err != nil {
			return err
		}
	}
	begun, processor := time.Now(), ProcessorSeconds()
	if err := m.Fit(ctx, t); err != nil {
		return err
	}
	t.Seconds, t.Processor = time.Since(begun).Seconds(), ProcessorSeconds()-processor
	for _, measure := range []Action{m.Measure, s.Measure} {
		if measure != nil {
			return measure(ctx, t)
		}
	}
	return ErrorRate(ctx, t)
}
