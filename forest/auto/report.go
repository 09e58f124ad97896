package auto

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
)

// A Report says what a [Learner] chose, and why. Errors are out of bag: error rates or, for values, mean squared errors.
type Report struct {
	Values  bool     // whether the target is a value
	Rows    int      // of the training data
	Chosen  string   // the kind of forest
	Others  []Forest // all forests in the race
	Trees   int      // of the model
	Settled bool     // whether the number of trees was left to Fit and more would change little

	// Error is the model's out-of-bag error, and Corrected what to expect on new rows: the same, plus what choosing the best of several
	// forests makes the error look lower than it is (see [eval.Bootstrap.Choice]). Interval holds the error of
	// new rows with a probability of 95 %.
	Error, Corrected float64
	Interval         eval.Interval

	// Slanted is the error of the random forest less that of the better mix, both with as many trees: what slanted
	// splits gain. SlantedInterval holds it with a probability of 95 %, for these forests and new rows.
	Slanted         float64
	SlantedInterval eval.Interval

	// Shares says how much of the time of the nodes each [mix.Source] of directions got; all 0 if
	// the random forest was chosen or there are too few trees to learn it.
	Shares [mix.Sources]float64
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

// shares returns the shares of a mix's sources, or zeros.
func shares(ctx context.Context, model *forest.Forest, train *datasets.Dataset) [mix.Sources]float64 {
	s, err := mix.Shares(ctx, model, train)
	if err != nil { // a random forest, or too few trees
		return [mix.Sources]float64{}
	}
	return s
}

// report returns the report of a model with the given out-of-bag error, as JSON.
func (r *race) report(model *forest.Forest, err float64, shares [mix.Sources]float64) (string, error) {
	slanted := r.mixes[0]
	for _, c := range r.mixes {
		if worse(slanted.loss, c.loss, nil) > 0 {
			slanted = c
		}
	}
	d := difference(r.axis.loss, slanted.loss, nil)
	shift := err - r.choice.Apparent // the model may have more trees than there were in the race
	report := Report{
		Values: model.Regression(), Rows: model.Rows, Chosen: r.winner.name, Trees: len(model.Trees), Settled: r.settled,
		Error: err, Corrected: max(0, r.choice.Error+shift),
		Interval: eval.Interval{Low: max(0, r.choice.Interval.Low+shift), High: max(0, r.choice.Interval.High+shift)},
		Slanted:  d.Mean, SlantedInterval: eval.Interval{Low: d.Mean - 1.96*d.Error, High: d.Mean + 1.96*d.Error},
		Shares: shares,
	}
	for _, c := range r.all() {
		report.Others = append(report.Others, Forest{c.name, mean(c.loss), len(c.model.Trees)})
	}
	b, e := json.Marshal(report)
	return string(b), e
}

// String returns the report in a few sentences.
func (r *Report) String() string {
	var b strings.Builder
	amount := func(v float64) string {
		if r.Values {
			return fmt.Sprintf("%.3g", v)
		}
		return fmt.Sprintf("%.1f", 100*v)
	}
	what, unit := "an error rate", " %"
	if r.Values {
		what, unit = "a mean squared error", ""
	}
	fmt.Fprintf(&b, "A %s of %d trees, learned from %d rows. ", r.Chosen, r.Trees, r.Rows)
	fmt.Fprintf(&b, "On new rows expect %s of %s%s (95 %% interval %s to %s).\n", what, amount(r.Corrected), unit, amount(r.Interval.Low), amount(r.Interval.High))
	b.WriteString(r.verdict(amount, unit))
	if r.Shares != ([mix.Sources]float64{}) {
		b.WriteString(" Nodes spent")
		for s, share := range r.Shares {
			sep := ","
			if s == 0 {
				sep = ""
			} else if s == len(r.Shares)-1 {
				sep = " and"
			}
			fmt.Fprintf(&b, "%s %.0f %% of their time on %v", sep, 100*share, mix.Source(s))
		}
		b.WriteString(".")
	}
	if !r.Settled && r.Trees == most {
		b.WriteString(" More trees may still help a little.")
	}
	return b.String()
}

// verdict says whether slanted splits paid.
func (r *Report) verdict(amount func(float64) string, unit string) string {
	low, high := r.SlantedInterval.Low, r.SlantedInterval.High
	if !r.Values {
		unit = " points"
	}
	switch {
	case low > 0:
		return fmt.Sprintf("Slanted splits pay here: they lower the error of a random forest by %s%s (95 %% interval %s to %s).",
			amount(r.Slanted), unit, amount(low), amount(high))
	case high < 0:
		return fmt.Sprintf("Slanted splits don't pay here: they raise the error of a random forest by %s%s (95 %% interval %s to %s).",
			amount(-r.Slanted), unit, amount(-high), amount(-low))
	}
	return fmt.Sprintf("The data can't tell whether slanted splits pay: they change the error of a random forest by something between %s and %s%s.",
		amount(-high), amount(-low), unit)
}

// mean returns the mean of the losses that are known.
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
