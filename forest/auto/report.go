package auto

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/internal/contest"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A Report says what a [Learner] chose, and why. Errors are out of bag: error rates or, for values, mean squared
// errors.
type Report struct {
	Values bool   // whether the target is a value
	Rows   int    // of the training data
	Chosen string // the kind of forest

	// Sample is the number of rows that raced, if these were a sample. Short says that there was too little time until
	// the context's deadline for the whole race or for as many trees or as small steps as without one.
	Sample int  `json:",omitempty"`
	Short  bool `json:",omitempty"`

	// Race has the forests that were compared, by their scores (see [Learner]), not by these errors.
	Race []struct {
		Name  string
		Error float64
		Trees int // when it was compared
	}

	Trees   int  // of the model
	Settled bool // whether the number of trees was left to Fit and more would change little, or it was left to boosting

	// Error is the error to expect on new rows: the model's out-of-bag error, lowered by the share of the squared error or
	// Brier score that averaging gains beyond one standard error (see [forest.Forest.AveragingGains]), and raised by
	// Optimism, which is by how much the out-of-bag error of the best of several forests looks too low (Tsamardinos,
	// Greasidou and Borboudakis 2018). Interval holds the error of new rows with a probability of 95 %.
	Error, Optimism float64
	Interval        eval.Interval

	// Guessing compares the model with guessing.
	Guessing *eval.Assessment `json:",omitempty"`

	// Slanted is the gain of slanted splits: the random forest's error minus the error of the mix of lowest score, at the
	// end of the race. SlantedInterval holds it with a probability of 95 %, for these forests and new rows.
	Slanted         float64
	SlantedInterval eval.Interval

	// Shares says how much of the time of the nodes each [mix.Source] of directions got; all are 0 if
	// no mix was chosen or the trees are too few to learn them.
	Shares [mix.Sources]float64

	// Doubts says what in the table may be a mistake, a sentence each: columns that don't vary, that hold dates, that
	// have a category for nearly every row, that count the rows or look like clocks or groups of rows, a target of
	// many numbers read as classes, and classes of fewer than ten rows.
	Doubts []string `json:",omitempty"`

	// Directions are those that the model splits along, the largest shares first. [Read] finds them in the model.
	//
	// Two fitted directions are hardly ever equal. So they count as the same direction if they have the same main
	// features, with the same signs. These are the features with the largest weights, at most four, and none with less
	// than half of the largest. Words ends in "…" if more features reach that half. Opposite directions are the same.
	//
	// Main features count as standardised ones, by their standard deviations. Words are in units of the columns, such as
	// "age + 0.0005·income", and say "score of income" where a column is scored by its ranks (see [forest.Question]).
	// Shares sum to 1 unless a split is quadratic; see [forest.Projection].
	Directions []Direction `json:"-"`
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
	r.Directions = Directions(model)
	return r, nil
}

// report returns the report of a model with the given out-of-bag predictions, as JSON.
func (r *race) report(model *forest.Forest, guessing *eval.Assessment, shares [mix.Sources]float64, doubts []string) (
	string, error) {
	err := guessing.Loss
	slanted := r.contestants[r.bestMix(nil)]
	gain := contest.Compare(r.axis().loss, slanted.loss, nil, r.groups)
	if len(slanted.model.Trees) < len(r.axis().model.Trees) { // time was short
		gain.Mean, gain.StdErr = 0, 0
	}
	shift := err - r.choice.Optimism - r.choice.Apparent // the model may have more trees than there were in the race
	interval := func(low, high float64) eval.Interval { return eval.Interval{Low: low, High: high} }
	half := float64(1.96 * gain.StdErr)
	report := Report{
		Values: model.Regression(), Rows: model.Rows, Chosen: r.winner.name, Trees: len(model.Trees),
		Settled: r.settled && !r.short, Short: r.short, Sample: r.sampled,
		Error: err, Optimism: r.choice.Optimism, Interval: interval(max(0, r.choice.Low+shift), max(0, r.choice.High+shift)),
		Slanted: gain.Mean, SlantedInterval: interval(gain.Mean-half, gain.Mean+half),
		Shares: shares, Doubts: doubts,
	}
	i := &report.Interval
	if !report.Values { // Clopper and Pearson: no error, or nothing right, in so many rows or groups
		chance := portable.Exp(portable.Log(0.025) / float64(cmp.Or(model.Groups, model.Rows)))
		if err == r.choice.Optimism {
			i.High = max(i.High, 1-chance)
		}
		if r.choice.Apparent == 1 {
			i.Low = min(i.Low, chance)
		}
		i.High = min(i.High, 1)
	}
	// A few samples of rows may have a mean error beyond that of 97.5 % of them.
	i.Low, i.High = min(i.Low, err), max(i.High, err)
	if s := &report.SlantedInterval; gain.Units < contest.FewestSure {
		s.Low, s.High = min(s.Low, 0), max(s.High, 0)
	}
	report.Guessing = guessing
	for _, c := range r.all() {
		report.Race = append(report.Race, struct {
			Name  string
			Error float64
			Trees int
		}{c.name, contest.Mean(c.loss), len(c.model.Trees)})
	}
	b, e := json.Marshal(report)
	return string(b), e
}

// String returns the report in a few sentences, one a line.
func (r *Report) String() string {
	what := "an error rate of " + r.amount(r.Error) + " %"
	if r.Values {
		what = "a root mean squared error of " + r.amount(r.Error)
	}
	lines := []string{
		fmt.Sprintf("The model is a %s. It has %d trees and learned from %d rows.",
			plain.Text(r.Chosen), r.Trees, r.Rows),
		fmt.Sprintf("On new rows expect %s (95 %% interval %s to %s).",
			what, r.amount(r.Interval.Low), r.amount(r.Interval.High)),
	}
	if r.Guessing != nil {
		lines = append(lines, r.Guessing.String())
	}
	lines = append(lines, r.verdict())
	if r.Sample > 0 {
		lines[0] += fmt.Sprintf(" It was chosen on a sample of %d rows.", r.Sample)
	}
	if r.Short {
		lines[0] += " Time was short: with more of it, it may be better."
	}
	if r.Shares != ([mix.Sources]float64{}) {
		var parts []string
		for s, share := range r.Shares {
			parts = append(parts, fmt.Sprintf("%.0f %% %v", 100*share, mix.Source(s)))
		}
		lines = append(lines, "Where nodes sought directions: "+strings.Join(parts, ", ")+".")
	}
	if !r.Settled && r.Trees == most {
		lines = append(lines, "More trees may still help a little.")
	}
	for _, doubt := range r.Doubts {
		lines = append(lines, plain.Text(doubt))
	}
	return strings.Join(lines, "\n")
}

// amount returns an error rate in percent, or the root of a mean squared error.
func (r *Report) amount(v float64) string {
	if r.Values {
		return plain.Number(math.Sqrt(v), 4)
	}
	return points(v)
}

// points returns an error rate, or a difference, in percent.
func points(v float64) string {
	text := fmt.Sprintf("%.1f", 100*v)
	if text == "-0.0" {
		text = "0.0"
	}
	return strings.Replace(text, "-", "−", 1)
}

// gain returns by how much a random forest's error is lowered or, for values, the root of its mean squared error.
func (r *Report) gain(lowered float64) float64 {
	for _, c := range r.Race {
		if r.Values && c.Name == axisName {
			return math.Sqrt(c.Error) - math.Sqrt(max(0, c.Error-lowered))
		}
	}
	return lowered
}

// verdict says whether slanted splits paid.
func (r *Report) verdict() string {
	gain, low, high := r.gain(r.Slanted), r.gain(r.SlantedInterval.Low), r.gain(r.SlantedInterval.High)
	what, unit, size := "error", " points", points
	if r.Values {
		what, unit, size = "root mean squared error", "", func(v float64) string { return plain.Number(v, 3) }
	}
	pays, verb := 1, "lower"
	if high < 0 {
		pays, verb, gain, low, high = -1, "raise", -gain, -high, -low
	}
	switch {
	case r.Short && low == 0 && high == 0: // the mixes have fewer trees, if any raced
		return "There was no time to see whether slanted splits pay."
	case low == 0 && high == 0:
		same := "is right and wrong on the same rows"
		if r.Values {
			same = "has the same errors"
		}
		return fmt.Sprintf("Slanted splits make no difference here: a random forest %s.", same)
	case low > 0:
		return contest.Pays(pays) + fmt.Sprintf("they %s the %s of a random forest by %s%s "+
			"(95 %% interval %s to %s).", verb, what, size(gain), unit, size(low), size(high))
	}
	return contest.Pays(0) + fmt.Sprintf("they change the %s of a random forest by %s to %s%s.",
		what, size(-high), size(-low), unit)
}
