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

// A Splitter divides the rows of a data set into folds of training and test rows. The
// same data must give the same folds every time.
type Splitter interface {
	Folds(d *datasets.Dataset) ([]datasets.Fold, error)
}

// KFold is [datasets.KFold], the usual splitter.
type KFold = datasets.KFold

// Predefined is a splitter with given folds, such as those published with a paper.
type Predefined []datasets.Fold

// Folds returns the given folds. It returns an error if there are none, or if a fold
// has no training rows, no test rows, rows that d doesn't have, or a row that is in
// both.
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

// A Score holds the metrics of one fold's model on the fold's test rows. They are those
// of the functions of the same name. Metrics of regression are NaN for classification,
// and the other way round.
type Score struct {
	Train, Test int // number of rows

	// Classification.
	Error, Kappa, ChanceKappa, F1 float64
	LogLoss, Brier                float64 // of the model's Proba

	// Regression.
	MAE, MSE float64

	Fit, Predict time.Duration // wall time of training, and of predicting the test rows
}

// Scores holds the score of every fold of a cross-validation.
type Scores struct {
	Regression bool
	Folds      []Score
}

// Summary returns the mean of a quantity over folds, and its standard error; see
// [MeanStdErr].
func (s Scores) Summary(of func(Score) float64) (mean, stderr float64) {
	x := make([]float64, len(s.Folds))
	for f, score := range s.Folds {
		x[f] = of(score)
	}
	return MeanStdErr(x)
}

// Loss returns the mean over folds of the error rate, or for regression of the mean
// squared error, and its standard error.
func (s Scores) Loss() (mean, stderr float64) {
	if s.Regression {
		return s.Summary(func(f Score) float64 { return f.MSE })
	}
	return s.Summary(func(f Score) float64 { return f.Error })
}

// A scoreColumn is a column of the table that [Scores.String] returns.
type scoreColumn struct {
	name string
	of   func(Score) float64
}

var classColumns = []scoreColumn{
	{"error", func(s Score) float64 { return s.Error }},
	{"kappa", func(s Score) float64 { return s.Kappa }},
	{"F1", func(s Score) float64 { return s.F1 }},
	{"log loss", func(s Score) float64 { return s.LogLoss }},
	{"Brier", func(s Score) float64 { return s.Brier }},
}

var valueColumns = []scoreColumn{
	{"MAE", func(s Score) float64 { return s.MAE }},
	{"MSE", func(s Score) float64 { return s.MSE }},
}

var timeColumns = []scoreColumn{
	{"fit s", func(s Score) float64 { return s.Fit.Seconds() }},
	{"predict s", func(s Score) float64 { return s.Predict.Seconds() }},
}

// String returns a table with a line for each fold, one for the means and one for
// their standard errors. Times are in seconds.
func (s Scores) String() string {
	columns := classColumns
	if s.Regression {
		columns = valueColumns
	}
	columns = append(columns[:len(columns):len(columns)], timeColumns...)

	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(head string, cell func(scoreColumn) string) {
		fmt.Fprintf(w, "%s\t", head)
		for _, c := range columns {
			fmt.Fprintf(w, "%s\t", cell(c))
		}
		fmt.Fprintln(w)
	}
	number := func(v float64) string { return fmt.Sprintf("%.4f", v) }
	line("fold", func(c scoreColumn) string { return c.name })
	for f, score := range s.Folds {
		line(fmt.Sprint(f+1), func(c scoreColumn) string { return number(c.of(score)) })
	}
	line("mean", func(c scoreColumn) string { mean, _ := s.Summary(c.of); return number(mean) })
	line("s.e.", func(c scoreColumn) string { _, stderr := s.Summary(c.of); return number(stderr) })
	w.Flush()
	return text.String()
}

// CrossValidate trains the learner on the training rows of each fold and scores it on
// the test rows. The steps are fitted, one after another, to the training rows only.
// Progress (see [forest.WithProgress]) counts the trees of all folds.
//
// It returns an error if d has no target, where [datasets.Dataset.Check] does, if by is
// nil or returns an error, and if a step or the learner does, which is wrapped with the
// number of the fold. It returns ctx's error soon after ctx is cancelled.
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

func scoreFold(ctx context.Context, learner forest.Learner, d *datasets.Dataset, fold datasets.Fold, steps []datasets.Step) (Score, error) {
	train, test := fold.Split(d)
	transform, err := datasets.Steps(steps).Fit(ctx, train)
	if err != nil {
		return Score{}, err
	}
	if train, err = datasets.ApplyTraining(ctx, transform, train); err != nil {
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
