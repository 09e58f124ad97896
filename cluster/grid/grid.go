// Package grid cross-validates and tunes by the workers of a cluster engine: each fold, and
// each learner whose out-of-bag error is asked for, is a task of its own. What it returns is
// what package eval returns, but for the times, which are the workers'.
package grid

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/contest"
)

// CrossValidate is [eval.CrossValidate], done by the engine's workers. The learner and the
// steps must be such as [cluster.Fit] can send; the splitter may be any, since the folds are
// made here. Every worker holds all of d. Progress counts folds.
//
// It returns an error where [eval.CrossValidate] and [cluster.Map] do.
func CrossValidate(ctx context.Context, e cluster.Engine, learner forest.Learner, d *datasets.Dataset, by eval.Splitter,
	steps ...datasets.Step) (eval.Scores, error) {
	if by == nil {
		return eval.Scores{}, errors.New("grid: no splitter to cross-validate by")
	}
	all, err := measure(ctx, e, []forest.Learner{forest.Pipeline(learner, steps...)}, d, by)
	if err != nil {
		return eval.Scores{}, err
	}
	return scores(d, all), nil
}

// Tune is [eval.Tune], done by the engine's workers: all learners, and all their folds, at the
// same time. So learners after one without errors are tried, too, though the result leaves
// them out. The best forest, if the errors are out-of-bag errors, is grown by [cluster.Fit],
// or here if its trees depend on each other. Progress counts folds, or learners.
//
// It returns an error where [eval.Tune] and [cluster.Map] do.
func Tune[L forest.Learner](ctx context.Context, e cluster.Engine, learners []L, d *datasets.Dataset, by eval.Splitter,
	steps ...datasets.Step) (*eval.Tuning, error) {
	if len(learners) == 0 {
		return nil, errors.New("grid: no learners to choose from")
	}
	whole := make([]forest.Learner, len(learners))
	t := &eval.Tuning{By: contest.Loss(d)}
	for i, l := range learners {
		whole[i] = forest.Pipeline(l, steps...)
		t.Learners = append(t.Learners, l)
	}
	all, err := measure(ctx, e, whole, d, by)
	if err != nil {
		return nil, err
	}
	t.Error = slices.Repeat([]float64{math.NaN()}, len(learners))
	t.StdErr = slices.Clone(t.Error)
	tasks := len(all) / len(learners)
	ranked, err := contest.Contest{Rounds: []int{0}, Perfect: true,
		Measure: func(c *contest.Contestant, _ int) ([]float64, error) {
			i := c.Number
			t.Error[i], t.StdErr[i] = all[i*tasks].Error, all[i*tasks].StdErr
			if by != nil {
				t.Error[i], t.StdErr[i] = scores(d, all[i*tasks:(i+1)*tasks]).Loss()
			}
			return t.Error[i : i+1], nil
		}}.Run(ctx, len(learners))
	if err != nil {
		return nil, err
	}
	if t.Best = ranked[0].Number; by != nil {
		return t, nil
	}
	ctx = forest.WithProgress(ctx, nil)
	t.Model, err = cluster.Fit(ctx, e, whole[t.Best], d)
	if errors.Is(err, forest.ErrWhole) {
		t.Model, err = whole[t.Best].Fit(ctx, d)
	}
	return t, err
}

// A job asks for the scores of a learner on a fold or, without folds, for its out-of-bag error.
type job struct {
	Learner    cluster.Learner
	Data, Fold string // names of files
}

// An answer is the score of a fold, or an out-of-bag error and its standard error.
type answer struct {
	Score         eval.Score
	Error, StdErr float64
}

func init() {
	cluster.Handle("score", func(ctx context.Context, w *cluster.Worker, q job) (a answer, err error) {
		learner, err := q.Learner.Value()
		if err != nil {
			return a, err
		}
		d, err := w.Data(q.Data)
		if err != nil {
			return a, err
		}
		if q.Fold == "" {
			t, err := eval.Tune(ctx, []forest.Learner{learner}, d, nil)
			if err != nil {
				return a, cause(err)
			}
			return answer{Error: t.Error[0], StdErr: t.StdErr[0]}, nil
		}
		fold, err := cluster.Load(w, q.Fold, func(b []byte) (f datasets.Fold, err error) {
			return f, gob.NewDecoder(bytes.NewReader(b)).Decode(&f)
		})
		if err != nil {
			return a, err
		}
		scores, err := eval.CrossValidate(ctx, learner, d, eval.Predefined(fold))
		if err != nil {
			return a, cause(err)
		}
		return answer{Score: scores.Folds[0]}, nil
	})
}

// cause removes "fold 1 of 1" from an error: the program knows the number.
func cause(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// scores returns the answers for the folds of a learner.
func scores(d *datasets.Dataset, folds []answer) eval.Scores {
	s := eval.Scores{Regression: d.Values != nil}
	for _, a := range folds {
		s.Folds = append(s.Folds, a.Score)
	}
	return s
}

// measure returns the answer for each fold of each learner or, if by is nil, for each learner.
func measure(ctx context.Context, e cluster.Engine, learners []forest.Learner, d *datasets.Dataset, by eval.Splitter) (
	[]answer, error) {
	if by != nil && d.Labels == nil && d.Values == nil {
		return nil, errors.New("grid: cross-validation needs labels or target values")
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	data, err := cluster.DataFile(d)
	if err != nil {
		return nil, err
	}
	files, names := []cluster.File{data}, []string{""}
	if by != nil {
		folds, err := by.Folds(d)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, fold := range folds {
			var encoded bytes.Buffer
			if err := gob.NewEncoder(&encoded).Encode(fold); err != nil {
				return nil, fmt.Errorf("grid: %w", err)
			}
			file := cluster.NewFile(encoded.Bytes())
			files, names = append(files, file), append(names, file.Name)
		}
	}
	var jobs []job
	for _, l := range learners {
		sent, err := cluster.EncodeLearner(l)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			jobs = append(jobs, job{sent, data.Name, name})
		}
	}
	answers := make([]answer, len(jobs))
	report, done := forest.Progress(ctx), 0
	return answers, cluster.Map(ctx, e, "score", files, jobs, func(i int, a answer) error {
		answers[i] = a
		done++
		report(done, len(jobs))
		return nil
	})
}
