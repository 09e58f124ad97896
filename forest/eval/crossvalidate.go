package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// A Splitter divides the rows of a data set into folds of training and test rows. The
// same data must give the same folds every time.
type Splitter interface {
	Folds(d *datasets.Dataset) ([]datasets.Fold, error)
}

type predefined []datasets.Fold

// Predefined returns a splitter with given folds, such as those published with a paper. Its Folds returns an error if
// there are none, or if a fold has no training rows, no test rows, rows that the data don't have, or a row that is in
// both.
func Predefined(folds ...datasets.Fold) Splitter { return predefined(folds) }

func (p predefined) Folds(d *datasets.Dataset) ([]datasets.Fold, error) {
	if len(p) == 0 {
		return nil, errors.New("eval: no predefined folds")
	}
	for f, fold := range p {
		if err := checkFold(fold, d.N()); err != nil {
			return nil, fmt.Errorf("eval: predefined fold %d %w", f+1, err)
		}
	}
	return p, nil
}

func checkFold(fold datasets.Fold, n int) error {
	if len(fold.Train) == 0 || len(fold.Test) == 0 {
		return fmt.Errorf("has %d training and %d test rows; want some of both", len(fold.Train), len(fold.Test))
	}
	trained := make([]bool, n)
	for k, r := range slices.Concat(fold.Train, fold.Test) {
		test := k >= len(fold.Train)
		switch {
		case r < 0 || int(r) >= n:
			return fmt.Errorf("has row %d; the data have %d rows", r, n)
		case test && trained[r]:
			return fmt.Errorf("has row %d among both training and test rows", r)
		}
		trained[r] = !test
	}
	return nil
}

// A Score holds the metrics of one fold's model on the fold's test rows. They are those
// of the functions of the same name. Metrics of regression are NaN for classification,
// and the other way round.
type Score struct {
	Train, Test int // number of rows

	// Classification.
	Error, Kappa, ChanceKappa, F1 float64
	LogLoss, Brier, AUC           float64 // of the model's Proba

	// Regression.
	MAE, MSE, R2 float64

	Fit, Predict time.Duration // wall time of training, and of predicting the test rows with their probabilities

	Oblique bool // whether the model has splits of several features
}

// Scores holds the score of every fold of a cross-validation.
type Scores struct {
	Regression bool
	Folds      []Score
}

// Summary returns the mean of a quantity over folds, and its standard error; see
// [MeanStdErr].
func (s Scores) Summary(of func(Score) float64) (mean, stderr float64) { return MeanStdErr(s.each(of)) }

// each returns a quantity of every fold.
func (s Scores) each(of func(Score) float64) []float64 {
	x := make([]float64, len(s.Folds))
	for f, score := range s.Folds {
		x[f] = of(score)
	}
	return x
}

// Loss returns the mean over folds of the error rate, or for regression of the mean
// squared error, and its standard error.
func (s Scores) Loss() (mean, stderr float64) {
	return MeanStdErr(s.losses())
}

// losses returns the loss of each fold.
func (s Scores) losses() []float64 {
	return s.each(func(f Score) float64 {
		if s.Regression {
			return f.MSE
		}
		return f.Error
	})
}

// String returns a table with a line for each fold, one for the means and one for
// their standard errors. Times are in seconds.
func (s Scores) String() string { return table(tabwriter.AlignRight, s.Table()) }

// Table returns the cells of what String returns, the names of the columns first.
func (s Scores) Table() [][]string {
	rows := [][]string{{"fold"}}
	for f := range s.Folds {
		rows = append(rows, []string{fmt.Sprint(f + 1)})
	}
	rows = append(rows, []string{"mean"}, []string{"s.e."})
	for _, c := range []struct {
		name  string
		shown bool
		of    func(Score) float64
	}{
		{"error", !s.Regression, func(s Score) float64 { return s.Error }},
		{"kappa", !s.Regression, func(s Score) float64 { return s.Kappa }},
		{"F1", !s.Regression, func(s Score) float64 { return s.F1 }},
		{"AUC", !s.Regression, func(s Score) float64 { return s.AUC }},
		{"log loss", !s.Regression, func(s Score) float64 { return s.LogLoss }},
		{"Brier", !s.Regression, func(s Score) float64 { return s.Brier }},
		{"MAE", s.Regression, func(s Score) float64 { return s.MAE }},
		{"RMSE", s.Regression, func(s Score) float64 { return math.Sqrt(s.MSE) }},
		{"R²", s.Regression, func(s Score) float64 { return s.R2 }},
		{"fit s", true, func(s Score) float64 { return s.Fit.Seconds() }},
		{"predict s", true, func(s Score) float64 { return s.Predict.Seconds() }},
	} {
		if !c.shown {
			continue
		}
		mean, stderr := s.Summary(c.of)
		rows[0] = append(rows[0], c.name)
		for i, v := range append(s.each(c.of), mean, stderr) {
			rows[i+1] = append(rows[i+1], fmt.Sprintf("%.4f", v))
		}
	}
	return rows
}

// CrossValidate trains the learner on the training rows of each fold and scores it on
// the test rows. The steps are fitted, one after another, to the training rows only.
// Progress (see [forest.WithProgress]) counts the trees of all folds.
//
// It returns an error if d has no target, where [datasets.Dataset.Check] does, if learner or by is
// nil, if by returns an error, and if a step or the learner does, which is wrapped with the
// number of the fold. It returns ctx's error soon after ctx is cancelled.
func CrossValidate(ctx context.Context, learner forest.Learner, d *datasets.Dataset, by Splitter,
	steps ...datasets.Step) (Scores, error) {
	if err := d.Check(); err != nil {
		return Scores{}, err
	}
	if d.Labels == nil && d.Values == nil {
		return Scores{}, errors.New("eval: cross-validation needs labels or target values")
	}
	if by == nil {
		return Scores{}, errors.New("eval: no splitter to cross-validate by")
	}
	if learner == nil {
		return Scores{}, errors.New("eval: no learner to cross-validate")
	}
	folds, err := by.Folds(d)
	if err != nil {
		return Scores{}, err
	}
	scores := Scores{Regression: d.Values != nil}
	for f, fold := range folds {
		if err := ctx.Err(); err != nil {
			return Scores{}, err
		}
		score, err := scoreFold(foldContext(ctx, f, len(folds)), learner, d, fold, steps)
		if err != nil {
			return Scores{}, fmt.Errorf("eval: fold %d of %d: %w", f+1, len(folds), err)
		}
		scores.Folds = append(scores.Folds, score)
	}
	return scores, nil
}

// foldContext returns a context whose progress is reported as that of part f of several
// equal parts.
func foldContext(ctx context.Context, f, parts int) context.Context {
	report := forest.Progress(ctx)
	return forest.WithProgress(ctx, func(done, total int) { report(f*total+done, parts*total) })
}

func scoreFold(ctx context.Context, learner forest.Learner, d *datasets.Dataset, fold datasets.Fold,
	steps []datasets.Step) (Score, error) {
	train, test := fold.Split(d)
	transform, train, err := datasets.Steps(steps).Fit(ctx, train)
	if err != nil {
		return Score{}, err
	}
	if test, err = transform.Apply(ctx, test); err != nil {
		return Score{}, err
	}
	start := time.Now()
	model, err := learner.Fit(ctx, train)
	if err != nil {
		return Score{}, err
	}
	fit := time.Since(start)
	score, err := (&Evaluation{Data: test}).score(ctx, model)
	score.Train, score.Fit, score.Oblique = train.N(), fit, oblique(model)
	return score, err
}

// oblique reports whether a model has a split of several features.
func oblique(f *forest.Forest) bool {
	return slices.ContainsFunc(f.Trees, func(t forest.Tree) bool {
		return slices.ContainsFunc(t.Nodes, func(n forest.Node) bool {
			if n.IsLeaf() {
				return false
			}
			fn := t.Splits.At(n.Split)
			return len(fn.Features) > 1 || len(fn.Weights) > 1
		})
	})
}

// score predicts the rows and returns the metrics of the predictions.
func (e *Evaluation) score(ctx context.Context, model *forest.Forest) (s Score, err error) {
	s = Score{Test: e.Data.N(), Error: nan, Kappa: nan, ChanceKappa: nan, F1: nan, LogLoss: nan, Brier: nan, AUC: nan,
		MAE: nan, MSE: nan, R2: nan}
	start, truth := time.Now(), e.Data
	if model.Regression() {
		if e.Values, err = model.PredictValues(ctx, truth); err != nil {
			return Score{}, err
		}
		s.Predict = time.Since(start)
		s.MAE, s.MSE, s.R2 = MAE(e.Values, truth.Values), MSE(e.Values, truth.Values), R2(e.Values, truth.Values)
		return s, nil
	}
	if e.Labels, e.Proba, err = model.Classify(ctx, truth); err != nil {
		return Score{}, err
	}
	s.Predict = time.Since(start)
	s.Error, s.Kappa = Error(e.Labels, truth.Labels), Kappa(e.Labels, truth.Labels)
	s.ChanceKappa, s.F1 = ChanceKappa(e.Labels, truth.Labels), F1(e.Labels, truth.Labels)
	s.LogLoss, s.Brier = LogLoss(e.Proba, truth.Labels), Brier(e.Proba, truth.Labels)
	s.AUC = AUC(e.Proba, truth.Labels)
	return s, nil
}
