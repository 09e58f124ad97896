package trial

import (
	"cmp"
	"context"
	"reflect"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// A Trial is a run that is being done.
type Trial struct {
	paper.Run
	paper.Result

	Train, Test *datasets.Dataset
	Model       *forest.Forest
	Others      []*forest.Forest // what the method has beside the model or in its place
	Left        any              // what Fit leaves for Measure
	Processor   float64          // seconds of training on all cores together; NaN where the system doesn't say

	most int // trees; 0 is no limit
}

// Trees returns a number of trees, or less if the run is of a small version.
func (t *Trial) Trees(n int) int {
	if t.most > 0 {
		return min(n, t.most)
	}
	return n
}

// limited returns the learner with as many trees as a small version has.
func (t *Trial) limited(l forest.Learner) forest.Learner {
	if t.most == 0 || !reflect.ValueOf(l).FieldByName("Trees").IsValid() {
		return l
	}
	return withTrees(l, t.most)
}

// withTrees returns a copy of a learner with another number of trees, but at most as many as it has, if it has a
// number.
func withTrees(l forest.Learner, trees int) forest.Learner {
	return changed(l, func(fields reflect.Value) {
		n := fields.FieldByName("Trees")
		n.SetInt(min(cmp.Or(n.Int(), int64(trees)), int64(trees)))
	})
}

// Fit trains the trial's model.
func (t *Trial) Fit(ctx context.Context, learner forest.Learner) (err error) {
	t.Model, err = learner.Fit(ctx, t.Train)
	return err
}

// Prepare applies steps that are fitted to the training rows.
func (t *Trial) Prepare(ctx context.Context, steps datasets.Steps) (err error) {
	t.Train, t.Test, err = Prepared(ctx, steps, t.Train, t.Test)
	return err
}

// PrepareAll applies steps that are fitted to all rows, which are the training rows.
func (t *Trial) PrepareAll(ctx context.Context, steps datasets.Steps) (err error) {
	t.Train, _, err = Prepared(ctx, steps, t.Train, t.Train)
	return err
}

// Prepared returns two parts of a data set after steps that are fitted to the first.
func Prepared(
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

// ErrorRate is the measure of a study that has none.
var ErrorRate = ByLabels(eval.Error)

// ByLabels returns the measure that compares predicted labels with the test rows'.
func ByLabels(metric func(predicted, labels []int32) float64) Action {
	return func(ctx context.Context, t *Trial) error {
		predicted, err := t.Model.Predict(ctx, t.Test)
		if err != nil {
			return err
		}
		t.Score = metric(predicted, t.Test.Labels)
		return nil
	}
}
