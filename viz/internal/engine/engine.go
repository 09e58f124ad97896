// Package engine does what the playground's page asks for: it draws points, trains the
// methods of the library and looks into what they have grown. It runs in the page as
// WebAssembly, and natively in tests, where the same request gives the same model, byte
// for byte.
package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
)

// A Training is a request to train a method on points.
type Training struct {
	Points
	Method string             `json:"method"` // such as "sporf.Learner"
	Fields map[string]float64 `json:"fields"`
	Test   *Sample            `json:"test"` // whose test rows the model is tested on; nil for none
}

// A Model is a trained forest and the points that it was trained on.
type Model struct {
	Forest  *forest.Forest
	train   *datasets.Dataset
	learner forest.Learner
	used    []int32 // classes that have points
}

// A Result is what the page shows of a model. Errors are rates; a negative one is unknown.
type Result struct {
	Code       string    `json:"code"` // the learner as Go source
	Seconds    float64   `json:"seconds"`
	Train      float64   `json:"train"`
	OutOfBag   float64   `json:"outOfBag"`
	Test       float64   `json:"test"`
	Trees      int       `json:"trees"`
	Leaves     int       `json:"leaves"`
	Splits     int       `json:"splits"`    // nodes that are split
	Functions  int       `json:"functions"` // distinct split functions, such as the planes of GRAF
	Parameters int       `json:"parameters"`
	Depth      int       `json:"depth"`
	Bytes      int       `json:"bytes"`
	SHA256     string    `json:"sha256"`
	Rose       []float64 `json:"rose"`
	Curved     float64   `json:"curved"`
}

const unknown = -1

// Train trains the method. Result has no Rose; see [Model.Rose].
func (t Training) Train(ctx context.Context) (*Model, *Result, error) {
	learner, code, err := NewLearner(t.Method, t.Fields)
	if err != nil {
		return nil, nil, err
	}
	d, used, err := t.dataset()
	if err != nil {
		return nil, nil, err
	}
	began := time.Now()
	f, err := learner.Fit(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	r := &Result{Code: code, Seconds: time.Since(began).Seconds(), Test: unknown, OutOfBag: unknown}
	m := &Model{Forest: f, train: d, learner: learner, used: used}
	if err := m.measure(ctx, r, t.Test); err != nil {
		return nil, nil, err
	}
	return m, r, nil
}

// measure sets errors and sizes.
func (m *Model) measure(ctx context.Context, r *Result, test *Sample) error {
	bytes, err := m.Forest.MarshalBinary()
	if err != nil {
		return err
	}
	size := m.Forest.Size()
	r.Trees, r.Leaves, r.Splits, r.Functions = size.Trees, size.Leaves, size.Nodes-size.Leaves, size.Splits
	r.Parameters, r.Depth = size.Parameters, size.Depth
	r.Bytes, r.SHA256 = len(bytes), fmt.Sprintf("%x", sha256.Sum256(bytes))
	if r.Train, err = errorRate(ctx, m, m.train, nil); err != nil {
		return err
	}
	if test != nil {
		_, rows, _, err := test.Draw()
		if err != nil {
			return err
		}
		if r.Test, err = errorRate(ctx, m, rows, m.used); err != nil {
			return err
		}
	}
	// If all rows are in every sample there is an error, which the page needn't show. The rows
	// that a single tree of OC1 leaves out have chosen it, so they can't test it.
	if oob, err := m.Forest.OutOfBag(ctx, m.train); err == nil && size.Trees > 1 {
		if e := oob.Error(); !math.IsNaN(e) {
			r.OutOfBag = e
		}
	}
	return nil
}

// errorRate returns the share of rows with another class than predicted. used[k] is the
// label of the model's class k; nil means k.
func errorRate(ctx context.Context, m *Model, d *datasets.Dataset, used []int32) (float64, error) {
	predicted, err := m.Forest.Predict(ctx, d)
	if err != nil {
		return 0, err
	}
	if used != nil {
		for i, k := range predicted {
			predicted[i] = used[k]
		}
	}
	return eval.Error(predicted, d.Labels), nil
}

// FoldError returns the error rate of the method over five folds of the points, for methods
// that have no rows out of bag.
func (m *Model) FoldError(ctx context.Context) (float64, error) {
	scores, err := eval.CrossValidate(ctx, m.learner, m.train, datasets.KFold{Stratified: true, Seed: 1})
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, fold := range scores.Folds {
		sum += fold.Error * float64(fold.Test) / float64(m.train.N())
	}
	return sum, nil
}

// Sensitivity returns the sensitivity of each point; see [inspect.Sensitivity].
func (m *Model) Sensitivity(ctx context.Context) ([]float64, error) {
	s, err := inspect.Sensitivity(ctx, m.Forest, m.train)
	if err != nil {
		return nil, err
	}
	return s.Scores, nil
}
