package hrf

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/hrf"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// A contender is a method in a comparison. Its name holds no blanks.
type contender struct {
	name string
	trial.Method
}

// A comparison trains contenders on the same rows, and compares their test errors.
type comparison struct {
	contenders []contender
	rows       trial.Action // nil if the study has set them
	steps      datasets.Steps
	measure    func(f *forest.Forest) map[string]float64 // what else is measured; nil for nothing

	// pairs are contenders, by number, that hrf.Compare compares, by the name of what it finds. With absolute, nothing
	// else is compared, and the score is the first contender's mean error; without it there is what fromFirst says.
	pairs    map[string][2]int
	absolute bool
}

// run does X repeats, as many at once as there are cores. More has each contender's mean error ("err.name") and the
// comparisons.
func (c comparison) run(ctx context.Context, t *trial.Trial) error {
	errors := make([][]float64, len(c.contenders))
	for m := range errors {
		errors[m] = make([]float64, t.X)
	}
	err := parallel.Errors(t.X, func(r int) error {
		once := *t
		once.Seed, once.Result = uint64(r+1), paper.Result{More: map[string]float64{}}
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
		hrf.Compare(t.More, name, errors[pair[0]], errors[pair[1]])
	}
	return nil
}

// once does one repeat, with the trial's seed. More has each contender's error ("err.name") and what else was measured
// ("name.what"); the score is the difference of the last contender's error from the first's.
func (c comparison) once(ctx context.Context, t *trial.Trial) (err error) {
	if c.rows != nil {
		if err = c.rows(ctx, t); err != nil {
			return err
		}
	}
	if err = t.Prepare(ctx, c.steps); err != nil {
		return err
	}
	for _, of := range c.contenders {
		t.Model = nil
		if err = of.Fit(ctx, t); err == nil {
			err = trial.ErrorRate(ctx, t)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", of.name, err)
		}
		t.More["err."+of.name] = t.Score
		if c.measure != nil {
			for what, v := range c.measure(t.Model) {
				t.More[of.name+"."+what] = v
			}
		}
	}
	t.Score -= t.More["err."+c.contenders[0].name]
	return nil
}

// fromFirst sets the differences of the errors of all contenders but the first from its ("diff.name") with their
// standard errors ("se.name"). The score is that of the last.
func (c comparison) fromFirst(t *trial.Trial, errors [][]float64) {
	for m, of := range c.contenders[1:] {
		difference := floats.SubTo(make([]float64, len(errors[0])), errors[m+1], errors[0])
		t.Score, t.More["se."+of.name] = eval.MeanStdErr(difference)
		t.More["diff."+of.name] = t.Score
	}
}
