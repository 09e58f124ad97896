package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// A Splitter divides a data set into training and test rows, some number of
// times. The same data give the same folds every time.
type Splitter interface {
	Folds(d *datasets.Dataset) ([]datasets.Fold, error)
}

// KFold is [datasets.KFold], the usual splitter.
type KFold = datasets.KFold

// Predefined is the splitter into given folds, such as those that a paper
// published. Folds returns an error if there are none, if one has no training
// or no test rows or rows that the data don't have, or if a test row is a
// training row.
type Predefined []datasets.Fold

// Folds returns the folds themselves.
func (p Predefined) Folds(d *datasets.Dataset) ([]datasets.Fold, error) {
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
	for _, r := range fold.Train {
		if r < 0 || int(r) >= n {
			return fmt.Errorf("has training row %d; the data have %d rows", r, n)
		}
		trained[r] = true
	}
	for _, r := range fold.Test {
		if r < 0 || int(r) >= n {
			return fmt.Errorf("has test row %d; the data have %d rows", r, n)
		}
		if trained[r] {
			return fmt.Errorf("has row %d among both training and test rows", r)
		}
	}
	return nil
}

// A Score is what a model trained on one fold scores on its test rows. The
// metrics are those of the functions of the same name; the ones of the other
// task are NaN.
type Score struct {
	Train, Test int // number of rows

	// Classification.
	Error, Kappa, ChanceKappa, F1 float64
	LogLoss, Brier                float64 // of the model's Proba

	// Regression.
	MAE, MSE float64

	Fit, Predict time.Duration // wall time of the learner, and of the test rows' predictions
}

// Scores holds the score of every fold of a cross-validation.
type Scores struct {
	Regression bool
	Folds      []Score
}

// Summary returns the mean of a quantity over folds and its standard error;
// see [MeanStdErr].
func (s Scores) Summary(of func(Score) float64) (mean, stderr float64) {
	x := make([]float64, len(s.Folds))
	for f, score := range s.Folds {
		x[f] = of(score)
	}
	return MeanStdErr(x)
}

// Loss returns the mean over folds, and its standard error, of the error for
// classification and of the mean squared error for regression.
func (s Scores) Loss() (mean, stderr float64) {
	if s.Regression {
		return s.Summary(func(f Score) float64 { return f.MSE })
	}
	return s.Summary(func(f Score) float64 { return f.Error })
}

type column struct {
	name string
	of   func(Score) float64
}

var classColumns = []column{
	{"error", func(s Score) float64 { return s.Error }},
	{"kappa", func(s Score) float64 { return s.Kappa }},
	{"F1", func(s Score) float64 { return s.F1 }},
	{"log loss", func(s Score) float64 { return s.LogLoss }},
	{"Brier", func(s Score) float64 { return s.Brier }},
}

var valueColumns = []column{
	{"MAE", func(s Score) float64 { return s.MAE }},
	{"MSE", func(s Score) float64 { return s.MSE }},
}

var timeColumns = []column{
	{"fit s", func(s Score) float64 { return s.Fit.Seconds() }},
	{"predict s", func(s Score) float64 { return s.Predict.Seconds() }},
}

// String returns a table: a line for each fold, their mean, and its standard
// error. Times are in seconds.
func (s Scores) String() string {
	columns := classColumns
	if s.Regression {
		columns = valueColumns
	}
	columns = append(columns[:len(columns):len(columns)], timeColumns...)

	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(head string, cell func(column) string) {
		fmt.Fprintf(w, "%s\t", head)
		for _, c := range columns {
			fmt.Fprintf(w, "%s\t", cell(c))
		}
		fmt.Fprintln(w)
	}
	number := func(v float64) string { return fmt.Sprintf("%.4f", v) }
	line("fold", func(c column) string { return c.name })
	for f, score := range s.Folds {
		line(fmt.Sprint(f+1), func(c column) string { return number(c.of(score)) })
	}
	line("mean", func(c column) string { mean, _ := s.Summary(c.of); return number(mean) })
	line("s.e.", func(c column) string { _, stderr := s.Summary(c.of); return number(stderr) })
	w.Flush()
	return text.String()
}

// CrossValidate trains the learner on each fold's training rows and scores it
// on the test rows. The steps are fitted, one after another, to the training
// rows only. Progress (see [forest.WithProgress]) counts the trees of all
// folds.
//
// It returns an error if d has no target, where [datasets.Dataset.Check] does, if by is
// nil or returns one, one that names the fold if a step or the learner returns one, and
// ctx's error soon after ctx is cancelled.
func CrossValidate(ctx context.Context, learner forest.Learner, d *datasets.Dataset, by Splitter, steps ...datasets.Step) (Scores, error) {
	if d.Labels == nil && d.Values == nil {
		return Scores{}, errors.New("eval: cross-validation needs labels or target values")
	}
	if err := d.Check(); err != nil {
		return Scores{}, err
	}
	if by == nil {
		return Scores{}, errors.New("eval: no splitter to cross-validate by")
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
		score, err := scoreFold(partOf(ctx, f, len(folds)), learner, d, fold, steps)
		if err != nil {
			return Scores{}, fmt.Errorf("eval: fold %d of %d: %w", f+1, len(folds), err)
		}
		scores.Folds = append(scores.Folds, score)
	}
	return scores, nil
}

// partOf returns a context whose progress is that of part f of several equal
// ones.
func partOf(ctx context.Context, f, parts int) context.Context {
	report := forest.Progress(ctx)
	return forest.WithProgress(ctx, func(done, total int) { report(f*total+done, parts*total) })
}

func scoreFold(ctx context.Context, learner forest.Learner, d *datasets.Dataset, fold datasets.Fold, steps []datasets.Step) (Score, error) {
	train, test := fold.Split(d)
	transform, err := datasets.Steps(steps).Fit(train)
	if err != nil {
		return Score{}, err
	}
	if train, err = datasets.ApplyTraining(transform, train); err != nil {
		return Score{}, err
	}
	if test, err = transform.Apply(test); err != nil {
		return Score{}, err
	}
	start := time.Now()
	model, err := learner.Fit(ctx, train)
	if err != nil {
		return Score{}, err
	}
	fit := time.Since(start)
	score, err := scoreModel(ctx, model, test)
	score.Train, score.Fit = train.N(), fit
	return score, err
}

func scoreModel(ctx context.Context, model *forest.Forest, test *datasets.Dataset) (Score, error) {
	s := Score{
		Test: test.N(), Error: nan, Kappa: nan, ChanceKappa: nan, F1: nan, LogLoss: nan, Brier: nan, MAE: nan, MSE: nan,
	}
	start := time.Now()
	if model.Regression() {
		values, err := model.PredictValuesContext(ctx, test)
		if err != nil {
			return Score{}, err
		}
		s.Predict = time.Since(start)
		s.MAE, s.MSE = MAE(values, test.Values), MSE(values, test.Values)
		return s, nil
	}
	labels, err := model.PredictContext(ctx, test)
	if err != nil {
		return Score{}, err
	}
	s.Predict = time.Since(start)
	s.Error, s.Kappa = Error(labels, test.Labels), Kappa(labels, test.Labels)
	s.ChanceKappa, s.F1 = ChanceKappa(labels, test.Labels), F1(labels, test.Labels)
	proba, err := model.ProbaContext(ctx, test)
	if err != nil {
		return Score{}, err
	}
	s.LogLoss, s.Brier = LogLoss(proba, test.Labels), Brier(proba, test.Labels)
	return s, nil
}
