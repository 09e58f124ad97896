package forest

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Pipeline returns a learner that fits the steps to the training data, in order, has
// the learner grow a forest from what they make of them, and gives the forest the fitted
// steps. Such a forest predicts tables as they are, before any step; so does the file
// that it is saved to. Pipelines of equal steps and learners are equal.
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
	return learner
}

// A stepThen is a step and what learns from what it makes of the data. It is not a list of
// steps, so that it can be compared.
type stepThen struct {
	Step    datasets.Step
	Learner Learner
}

// Fit grows the forest; see [Learner].
func (l stepThen) Fit(ctx context.Context, train *datasets.Dataset) (*Forest, error) {
	if l.Step == nil || l.Learner == nil {
		return nil, fmt.Errorf("forest: a pipeline of step %v and learner %v; want both", l.Step, l.Learner)
	}
	transform, err := l.Step.Fit(train)
	if err != nil {
		return nil, err
	}
	prepared, err := datasets.ApplyTraining(transform, train)
	if err != nil {
		return nil, err
	}
	f, err := l.Learner.Fit(ctx, prepared)
	if err != nil {
		return nil, err
	}
	g := *f
	g.Columns = train.Features
	g.Steps = transform
	if f.Steps != nil {
		g.Steps = datasets.Transforms{transform, f.Steps}
	}
	return &g, nil
}

// String writes the steps and the learner as [Pipeline] takes them.
func (l stepThen) String() string { return fmt.Sprintf("%T{} → %+v", l.Step, l.Learner) }
