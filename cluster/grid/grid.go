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

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
)

// CrossValidate is [eval.CrossValidate], done by the engine's workers. The learner and the
// steps must be such as [cluster.Fit] can send; the splitter may be any, since the folds are
// made here. Every worker holds all of d. Progress counts folds.
//
// It returns an error where [eval.CrossValidate] and [cluster.Map] do.
func CrossValidate(ctx context.Context, e cluster.Engine, learner forest.Learner, d *datasets.Dataset, by eval.Splitter, steps ...datasets.Step) (eval.Scores, error) {
	if by == nil {
		return eval.Scores{}, errors.New("grid: no splitter to cross-validate by")
	}
	all, err := crossValidate(ctx, e, []forest.Learner{forest.Pipeline(learner, steps...)}, d, by)
	if err != nil {
		return eval.Scores{}, err
	}
	return all[0], nil
}

// Tune is [eval.Tune], done by the engine's workers: all learners, and all their folds, at the
// same time. So learners after one without errors are tried, too, though the result leaves
// them out. The best forest, if the errors are out-of-bag errors, is grown by [cluster.Fit],
// or here if its trees depend on each other. Progress counts folds, or learners.
//
// It returns an error where [eval.Tune] and [cluster.Map] do.
func Tune[L forest.Learner](ctx context.Context, e cluster.Engine, learners []L, d *datasets.Dataset, by eval.Splitter, steps ...datasets.Step) (*eval.Tuning, error) {
	if len(learners) == 0 {
		return nil, errors.New("grid: no learners to choose from")
	}
	whole := make([]forest.Learner, len(learners))
	for i, l := range learners {
		whole[i] = forest.Pipeline(l, steps...)
	}
	all, err := losses(ctx, e, whole, d, by)
	if err != nil {
		return nil, err
	}
	t := &eval.Tuning{}
	for i, l := range all {
		t.Error, t.StdErr = append(t.Error, l.Mean), append(t.StdErr, l.StdErr)
		if l.Mean < t.Error[t.Best] {
			t.Best = i
		}
		if l.Mean == 0 {
			break
		}
	}
	if by != nil {
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
	Learner cluster.Learner
	Data    string // names of files
	Folds   string
	Fold    int
}

// A loss is an error rate or a mean squared error, with its standard error.
type loss struct{ Mean, StdErr float64 }

func init() {
	cluster.Handle("fold", func(ctx context.Context, w *cluster.Worker, q job) (eval.Score, error) {
		learner, d, err := q.load(w)
		if err != nil {
			return eval.Score{}, err
		}
		folds, err := cluster.Load(w, q.Folds, decodeFolds)
		if err != nil {
			return eval.Score{}, err
		}
		scores, err := eval.CrossValidate(ctx, learner, d, folds[q.Fold:q.Fold+1])
		if err != nil {
			return eval.Score{}, cause(err)
		}
		return scores.Folds[0], nil
	})
	cluster.Handle("out of bag", func(ctx context.Context, w *cluster.Worker, q job) (loss, error) {
		learner, d, err := q.load(w)
		if err != nil {
			return loss{}, err
		}
		t, err := eval.Tune(ctx, []forest.Learner{learner}, d, nil)
		if err != nil {
			return loss{}, cause(err)
		}
		return loss{t.Error[0], t.StdErr[0]}, nil
	})
}

// cause removes "fold 1 of 1" from an error: the program knows the number.
func cause(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

func (q job) load(w *cluster.Worker) (forest.Learner, *datasets.Dataset, error) {
	learner, err := q.Learner.Value()
	if err != nil {
		return nil, nil, err
	}
	d, err := w.Data(q.Data)
	return learner, d, err
}

func decodeFolds(b []byte) (folds eval.Predefined, err error) {
	err = gob.NewDecoder(bytes.NewReader(b)).Decode(&folds)
	return folds, err
}

// crossValidate returns the scores of each learner on the same folds.
func crossValidate(ctx context.Context, e cluster.Engine, learners []forest.Learner, d *datasets.Dataset, by eval.Splitter) ([]eval.Scores, error) {
	if d.Labels == nil && d.Values == nil {
		return nil, errors.New("grid: cross-validation needs labels or target values")
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	folds, err := by.Folds(d)
	if err != nil {
		return nil, err
	}
	var encoded bytes.Buffer
	if err := gob.NewEncoder(&encoded).Encode(eval.Predefined(folds)); err != nil {
		return nil, fmt.Errorf("grid: %w", err)
	}
	file := cluster.NewFile(encoded.Bytes())
	var jobs []job
	all := make([]eval.Scores, len(learners))
	for i, l := range learners {
		sent, err := cluster.EncodeLearner(l)
		if err != nil {
			return nil, err
		}
		for f := range folds {
			jobs = append(jobs, job{Learner: sent, Folds: file.Name, Fold: f})
		}
		all[i] = eval.Scores{Regression: d.Values != nil, Folds: make([]eval.Score, len(folds))}
	}
	err = send(ctx, e, "fold", d, []cluster.File{file}, jobs, func(i int, s eval.Score) {
		all[i/len(folds)].Folds[i%len(folds)] = s
	})
	return all, err
}

// losses returns each learner's loss: by the folds of by or, if it is nil, out of bag.
func losses(ctx context.Context, e cluster.Engine, learners []forest.Learner, d *datasets.Dataset, by eval.Splitter) ([]loss, error) {
	found := make([]loss, len(learners))
	if by != nil {
		all, err := crossValidate(ctx, e, learners, d, by)
		for i, s := range all {
			found[i].Mean, found[i].StdErr = s.Loss()
		}
		return found, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	jobs := make([]job, len(learners))
	for i, l := range learners {
		sent, err := cluster.EncodeLearner(l)
		if err != nil {
			return nil, err
		}
		jobs[i].Learner = sent
	}
	err := send(ctx, e, "out of bag", d, nil, jobs, func(i int, l loss) { found[i] = l })
	return found, err
}

// send has the jobs done and reports progress.
func send[A any](ctx context.Context, e cluster.Engine, kind string, d *datasets.Dataset, files []cluster.File, jobs []job, keep func(i int, a A)) error {
	data, err := cluster.DataFile(d)
	if err != nil {
		return err
	}
	for i := range jobs {
		jobs[i].Data = data.Name
	}
	report, done := forest.Progress(ctx), 0
	return cluster.Map(ctx, e, kind, append(files, data), jobs, func(i int, a A) error {
		keep(i, a)
		done++
		report(done, len(jobs))
		return nil
	})
}
