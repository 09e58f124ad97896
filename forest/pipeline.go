package forest

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Pipeline returns a learner that fits the steps to the training data, in order, and
// grows a forest from the transformed data by the given learner. The forest keeps the
// fitted steps, also in its file, and applies them when it predicts: it takes tables with
// the original columns. Pipelines of equal steps and learners compare as equal.
//
//	forest.Pipeline(rf.Learner{}, datasets.Impute{}, datasets.OneHot{})
func Pipeline(learner Learner, steps ...datasets.Step) Learner {
	for i := len(steps) - 1; i >= 0; i-- {
		if several, ok := steps[i].(datasets.Steps); ok {
			learner = Pipeline(learner, several...)
			continue
		}
		learner = stepThen{steps[i], learner}
	}
	if learner == nil {
		return stepThen{} // Grow says what is missing
	}
	return learner
}

// A stepThen is a learner that applies one step before another learner. Pipelines nest it
// instead of holding a slice of steps, so that they can be compared.
type stepThen struct {
	Step    datasets.Step
	Learner Learner
}

// Fit grows the forest; see [Learner].
func (l stepThen) Fit(ctx context.Context, train *datasets.Dataset) (*Forest, error) {
	return l.Grow(ctx, train, Options{})
}

// Grow passes the options on, but for Prepared: the learner's table is another one each time.
func (l stepThen) Grow(ctx context.Context, train *datasets.Dataset, o Options) (*Forest, error) {
	if l.Step == nil || l.Learner == nil {
		return nil, fmt.Errorf("forest: a pipeline of step %v and learner %v; want both", l.Step, l.Learner)
	}
	transform, prepared, err := l.Step.Fit(ctx, train)
	if err != nil {
		return nil, err
	}
	o.Prepared = nil
	f, err := Grow(ctx, l.Learner, prepared, o)
	if err != nil {
		return nil, err
	}
	g := *f
	g.Columns = train.Features
	g.Steps = transform
	if f.Steps != nil {
		g.Steps = datasets.Then(transform, f.Steps)
	}
	return &g, nil
}

// Unpipe returns the first step of a [Pipeline] and the learner that comes after it, which may be
// a pipeline again. ok is false for other learners.
func Unpipe(learner Learner) (step datasets.Step, next Learner, ok bool) {
	l, ok := learner.(stepThen)
	return l.Step, l.Learner, ok
}

// String returns the steps, in order, and the learner, with their parameters.
func (l stepThen) String() string {
	if next, ok := l.Learner.(stepThen); ok {
		return fmt.Sprintf("%T%+v → %v", l.Step, l.Step, next)
	}
	return fmt.Sprintf("%T%+v → %T%+v", l.Step, l.Step, l.Learner, l.Learner)
}
