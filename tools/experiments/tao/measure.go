package tao

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// settings are a TAO learner, and where its forest is measured beside the end: at the first trees, and after passes.
type settings struct {
	learner       tao.Learner
	trees, passes []int
}

// A state is what training leaves for measuring.
type state struct {
	settings
	history tao.History // empty unless passes are measured
}

// taoForest returns the method that trains a TAO forest. The score is its test error. More has test and training error,
// parameters and FLOPs by number of trees and of passes ("test.30.40"), and the mean test error of single trees by
// passes ("tree.40").
func taoForest(of func(t *trial.Trial) settings) trial.Method {
	return trial.Method{
		Fit: func(ctx context.Context, t *trial.Trial) (err error) {
			s := &state{settings: of(t)}
			s.learner.Trees = t.Trees(cmp.Or(s.learner.Trees, 30))
			s.learner.Seed = t.Seed
			t.Setting, t.Left = fmt.Sprintf("λ=%v", cmp.Or(s.learner.Lambda, 0.01)), s
			if len(s.passes) == 0 {
				return t.Fit(ctx, s.learner)
			}
			t.Model, err = s.history.Fit(ctx, s.learner, t.Train)
			return err
		},
		Measure: func(ctx context.Context, t *trial.Trial) error { return t.Left.(*state).measure(ctx, t) },
	}
}

func (s *state) measure(ctx context.Context, t *trial.Trial) error {
	last := cmp.Or(s.learner.Passes, 40)
	for _, passes := range append(slices.Clip(s.passes), last) {
		at := t.Model
		if passes != last {
			at = s.history.Forest(passes)
		}
		for _, trees := range append(slices.Clip(s.trees), len(t.Model.Trees)) {
			part := *at
			part.Trees = at.Trees[:min(trees, len(at.Trees))]
			name := fmt.Sprintf(".%d.%d", trees, passes)
			test, err := errorOn(ctx, &part, t.Test)
			if err != nil {
				return err
			}
			if t.More["train"+name], err = errorOn(ctx, &part, t.Train); err != nil {
				return err
			}
			t.Score, t.More["test"+name] = test, test
			size := part.Size()
			t.More["parameters"+name], t.More["flops"+name] = float64(size.Parameters), size.FLOPs
		}
		var err error
		if t.More[fmt.Sprintf("tree.%d", passes)], err = meanTreeError(ctx, at, t.Test); err != nil {
			return err
		}
	}
	t.More["bytes"] = float64(t.Model.Size().Bytes)
	return nil
}

// size measures forests of other learners than TAO.
func size(ctx context.Context, t *trial.Trial) (err error) {
	if t.More["train"], err = errorOn(ctx, t.Model, t.Train); err != nil {
		return err
	}
	size := t.Model.Size()
	t.More["parameters"], t.More["flops"], t.More["bytes"] = float64(size.Parameters), size.FLOPs, float64(size.Bytes)
	return trial.ErrorRate(ctx, t)
}

// errorOn returns the error rate of a forest.
func errorOn(ctx context.Context, f *forest.Forest, d *datasets.Dataset) (float64, error) {
	predicted, err := f.Predict(ctx, d)
	if err != nil {
		return 0, err
	}
	return eval.Error(predicted, d.Labels), nil
}

// meanTreeError returns the mean test error of a forest's trees, each by itself.
func meanTreeError(ctx context.Context, f *forest.Forest, test *datasets.Dataset) (mean float64, err error) {
	for i := range f.Trees {
		one := *f
		one.Trees = f.Trees[i : i+1]
		e, err := errorOn(ctx, &one, test)
		if err != nil {
			return 0, err
		}
		mean += e
	}
	return mean / float64(len(f.Trees)), nil
}
