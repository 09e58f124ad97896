package auto

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// A Report says what a [Learner] chose, and why. Errors are out of bag: error rates or, for values, mean squared errors.
type Report struct {
	Values  bool     // whether the target is a value
	Rows    int      // of the training data
	Chosen  string   // the kind of forest
	Race    []Forest // the forests that were compared, by their scores (see [Learner]), not by these errors
	Trees   int      // of the model
	Settled bool     // whether the number of trees was left to Fit and more would change little

	// Error is the model's out-of-bag error, and Corrected what to expect on new rows: the same, plus what choosing the best of several
	// forests makes the error look lower than it is (see [eval.Bootstrap.Choice]). Interval holds the error of
	// new rows with a probability of 95 %.
	Error, Corrected float64
	Interval         eval.Interval

	// Slanted is the error of the random forest less that of the mix of lowest score, at the end of the race: what slanted splits
	// gain. SlantedInterval holds it with a probability of 95 %, for these forests and new rows.
	Slanted         float64
	SlantedInterval eval.Interval

	// Shares says how much of the time of the nodes each [mix.Source] of directions got; all are 0 if
	// the random forest was chosen or the trees are too few to learn them.
	Shares [mix.Sources]float64

	// Doubts says what in the table may be a mistake, a sentence each: columns that don't vary, that hold dates, that
	// have a category for nearly every row or that count the rows, and a target of many numbers read as classes.
	Doubts []string `json:",omitempty"`
}

// A Forest is a forest in the race.
type Forest struct {
	Name  string
	Error float64
	Trees int // when it was compared
}

// Read returns the report of a model that [Learner.Fit] made. It returns an error for other models.
func Read(model *forest.Forest) (*Report, error) {
	if model.Report == "" {
		return nil, errors.New("auto: the model has no report; it wasn't grown by auto.Learner")
	}
	r := new(Report)
	if err := json.Unmarshal([]byte(model.Report), r); err != nil {
		return nil, fmt.Errorf("auto: the model's report: %w", err)
	}
	return r, nil
}

// shares returns the model's [Report.Shares].
func (r *race) shares(ctx context.Context, model *forest.Forest, train *datasets.Dataset) (none [mix.Sources]float64, err error) {
	if r.winner == r.axis || len(model.Trees) <= mix.Pilots {
		return none, nil
	}
	return mix.Shares(ctx, model, train)
}

// report returns the report of a model with the given out-of-bag error, as JSON.
func (r *race) report(model *forest.Forest, err float64, shares [mix.Sources]float64, doubts []string) (string, error) {
	slanted := r.mixes[lowest(scoresOf(r.mixes), nil)]
	gain, noise := difference(r.axis.loss, slanted.loss, nil)
	shift := err - r.choice.Apparent // the model may have more trees than there were in the race
	report := Report{
		Values: model.Regression(), Rows: model.Rows, Chosen: r.winner.name, Trees: len(model.Trees), Settled: r.settled,
		Error: err, Corrected: max(0, r.choice.Error+shift),
		Interval: eval.Interval{Low: max(0, r.choice.Interval.Low+shift), High: max(0, r.choice.Interval.High+shift)},
		Slanted:  gain, SlantedInterval: eval.Interval{Low: gain - float64(1.96*noise), High: gain + float64(1.96*noise)},
		Shares: shares, Doubts: doubts,
	}
	if !report.Values && err == 0 { // Clopper and Pearson: no error in so many rows
		report.Interval.High = max(report.Interval.High, 1-math.Pow(0.025, 1/float64(model.Rows)))
	}
	for _, c := range r.all() {
		report.Race = append(report.Race, Forest{c.name, mean(c.loss), len(c.model.Trees)})
	}
	b, e := json.Marshal(report)
	return string(b), e
}

// String returns the report in a few sentences, one a line.
func (r *Report) String() string {
	what := "an error rate of " + r.amount(r.Corrected) + " %"
	if r.Values {
		what = "a mean squared error of " + r.amount(r.Corrected)
	}
	lines := []string{
		fmt.Sprintf("The model is a %s. It has %d trees and learned from %d rows.",
			plain.Text(r.Chosen), r.Trees, r.Rows),
		fmt.Sprintf("On new rows expect %s (95 %% interval %s to %s).", what, r.amount(r.Interval.Low), r.amount(r.Interval.High)),
		r.verdict(),
	}
	if r.Shares != ([mix.Sources]float64{}) {
		var parts []string
		for s, share := range r.Shares {
			parts = append(parts, fmt.Sprintf("%.0f %% %v", 100*share, mix.Source(s)))
		}
		lines = append(lines, "Time of the nodes: "+strings.Join(parts, ", ")+".")
	}
	if !r.Settled && r.Trees == most {
		lines = append(lines, "More trees may still help a little.")
	}
	for _, doubt := range r.Doubts {
		lines = append(lines, plain.Text(doubt))
	}
	return strings.Join(lines, "\n")
}

// amount returns an error rate in points, or a mean squared error.
func (r *Report) amount(v float64) string {
	text := fmt.Sprintf("%.1f", 100*v)
	if r.Values {
		text = fmt.Sprintf("%.3g", v)
	}
	if text == "-0.0" {
		text = "0.0"
	}
	return strings.Replace(text, "-", "−", 1)
}

// verdict says whether slanted splits paid.
func (r *Report) verdict() string {
	low, high := r.SlantedInterval.Low, r.SlantedInterval.High
	unit := " points"
	if r.Values {
		unit = ""
	}
	switch {
	case low == 0 && high == 0:
		return "Slanted splits make no difference here: a random forest is right and wrong on the same rows."
	case low > 0:
		return fmt.Sprintf("Slanted splits pay here: they lower the error of a random forest by %s%s (95 %% interval %s to %s).",
			r.amount(r.Slanted), unit, r.amount(low), r.amount(high))
	case high < 0:
		return fmt.Sprintf("Slanted splits don't pay here: they raise the error of a random forest by %s%s (95 %% interval %s to %s).",
			r.amount(-r.Slanted), unit, r.amount(-high), r.amount(-low))
	}
	return fmt.Sprintf("The data can't tell whether slanted splits pay: they change the error of a random forest by %s to %s%s.",
		r.amount(-high), r.amount(-low), unit)
}

// mean returns the mean of the losses or scores that are known, NaN if none is.
func mean(loss []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range loss {
		if v == v {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}
