package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// An Evaluation says what a model's predictions of rows are worth. The rows should be new to it.
type Evaluation struct {
	Score                       // of the rows; Train and Fit are 0
	Guessing  *Assessment       // the predictions beside guessing
	Confusion *Confusion        // nil for values
	Data      *datasets.Dataset // the rows

	Labels []int32     // predicted class by row; nil for values
	Proba  [][]float64 // by row and class; nil for values
	Values []float64   // predicted value by row; nil for classes
}

// Evaluate predicts the rows of test and compares what comes out with their target. It returns an error if test has no
// rows or no target, where [datasets.Dataset.Check] or [forest.Forest.Check] does, and ctx's error soon after ctx is
// cancelled.
func Evaluate(ctx context.Context, model *forest.Forest, test *datasets.Dataset) (*Evaluation, error) {
	if test.N() == 0 || test.Labels == nil && test.Values == nil {
		return nil, fmt.Errorf("eval: %d rows, or no target; want rows with a target to compare predictions with", test.N())
	}
	if err := test.Check(); err != nil {
		return nil, err
	}
	if model.Regression() != (test.Values != nil) || !slices.Equal(model.Classes, test.Classes) {
		return nil, fmt.Errorf("eval: the model predicts %s, and the rows have %s",
			targetOf(model.Classes), targetOf(test.Classes))
	}
	e := &Evaluation{Data: test}
	var err error
	if e.Score, err = e.score(ctx, model); err != nil {
		return nil, err
	}
	predicted := &forest.OutOfBag{Labels: e.Labels, Proba: e.Proba, Values: e.Values}
	e.Guessing = Assess(test, e.losses(), predicted)
	if e.Labels != nil {
		e.Confusion = NewConfusion(e.Labels, test.Labels, test.Classes)
	}
	return e, nil
}

// targetOf names a target by its classes.
func targetOf(classes []string) string {
	if classes == nil {
		return "values"
	}
	return fmt.Sprintf("the classes %.60q", classes)
}

// losses returns what each row adds to the error rate or the mean squared error.
func (e *Evaluation) losses() []float64 {
	losses := make([]float64, e.Data.N())
	for i := range losses {
		if e.Values != nil {
			d := e.Values[i] - e.Data.Values[i]
			losses[i] = d * d
		} else if e.Labels[i] != e.Data.Labels[i] {
			losses[i] = 1
		}
	}
	return losses
}

// String says how good the predictions are beside guessing, in a few sentences.
func (e *Evaluation) String() string { return e.Guessing.String() }

// Thresholds says what comes of the thresholds of a class's probability: of taking rows for that class whose
// probability is the threshold or more. Points are by descending threshold, one for each probability that a row has.
type Thresholds struct {
	Class    string
	Rows, Of int // rows, and those that are of the class
	Points   []Threshold
}

// A Threshold of a probability takes Taken rows for a class, and Found of them are of it.
type Threshold struct {
	At           float64
	Taken, Found int
}

// Thresholds returns those of a class. It panics for values, and if there is no such class.
func (e *Evaluation) Thresholds(class int) Thresholds {
	if class < 0 || class >= len(e.Data.Classes) {
		panic(fmt.Sprintf("eval: thresholds of class %d; there are %d classes", class, len(e.Data.Classes)))
	}
	t := thresholds(e.Proba, e.Data.Labels, class)
	t.Class = e.Data.Classes[class]
	return t
}

// thresholds returns the thresholds of a class's probability, without its name.
func thresholds(proba [][]float64, truth []int32, class int) Thresholds {
	t, of := Thresholds{Rows: len(proba)}, make([]float64, len(proba))
	for i := range of {
		of[i] = proba[i][class]
	}
	rows := ascending(of)
	slices.Reverse(rows)
	for n, i := range rows {
		if truth[i] == int32(class) {
			t.Of++
		}
		if n+1 == len(rows) || of[rows[n+1]] < of[i] {
			t.Points = append(t.Points, Threshold{of[i], n + 1, t.Of})
		}
	}
	return t
}

// Cheapest returns the threshold with the least [Thresholds.Cost], and the highest of several. It is infinite, and
// takes no row, if that costs least.
func (t Thresholds) Cheapest(missed float64) Threshold {
	best := Threshold{At: math.Inf(1)}
	for _, p := range t.Points {
		if t.Cost(p, missed) < t.Cost(best, missed) {
			best = p
		}
	}
	return best
}

// Cost returns what the mistakes of a threshold cost: 1 for each row that is taken and isn't of the class, and missed
// for each row of the class that isn't taken.
func (t Thresholds) Cost(p Threshold, missed float64) float64 {
	return float64(p.Taken-p.Found) + float64(missed*float64(t.Of-p.Found))
}

// ROC returns the points of the receiver operating characteristic: the shares of the other rows, and of those of the
// class, that are taken for it. They are NaN if there are none.
func (t Thresholds) ROC() (falsePositive, truePositive []float64) {
	return t.curve(func(p Threshold) (float64, float64) {
		return float64(p.Taken-p.Found) / float64(t.Rows-t.Of), float64(p.Found) / float64(t.Of)
	})
}

// PrecisionRecall returns the points of the precision–recall curve, without one for a recall of 0.
func (t Thresholds) PrecisionRecall() (recall, precision []float64) {
	recall, precision = t.curve(func(p Threshold) (float64, float64) {
		return float64(p.Found) / float64(t.Of), float64(p.Found) / float64(p.Taken)
	})
	return recall[1:], precision[1:]
}

// Gain returns the points of the cumulative gain: the share of the rows that are taken, and the share of the class that
// is found by it.
func (t Thresholds) Gain() (taken, found []float64) {
	return t.curve(func(p Threshold) (float64, float64) {
		return float64(p.Taken) / float64(t.Rows), float64(p.Found) / float64(t.Of)
	})
}

// curve returns the point of no row, which is at 0 and 0, and that of each threshold.
func (t Thresholds) curve(point func(Threshold) (float64, float64)) (x, y []float64) {
	x, y = []float64{0}, []float64{0}
	for _, p := range t.Points {
		a, b := point(p)
		x, y = append(x, a), append(y, b)
	}
	return x, y
}
