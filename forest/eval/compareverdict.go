package eval

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/obliqua-ml/obliqua/internal/plain"
)

// A Verdict answers whether oblique splits are better than axis-parallel ones on a data set.
type Verdict uint8

const (
	CannotTell Verdict = iota // the data can't tell
	Pays                      // oblique splits pay
	DoesNotPay                // they don't pay
)

// Verdict says whether oblique splits pay, with a sentence that explains the answer.
//
//   - [Pays]: an oblique contender has a lower loss than every axis-parallel one, and Holm's
//     p-value of each of these differences is at most 1 − Level.
//   - [DoesNotPay]: what the oblique contenders can gain over some axis-parallel one is too
//     little to matter. The interval of each leaves a gain of less than Margin times the loss
//     of the axis-parallel method.
//   - [CannotTell]: anything else, such as an interval that holds both 0 and a gain that matters,
//     or differences that are the same in all splits, from which nothing can be inferred.
//
// The probability of a wrong Pays is at most 1 − Level if no oblique contender is better than
// the baseline and the baseline is axis-parallel. Further axis-parallel contenders make Pays rarer.
// Differences with the baseline are those of c.Differences. For another axis-parallel contender
// Holm's adjustment is for the oblique contenders.
//
// If there are no oblique or no axis-parallel contenders, the verdict is CannotTell.
func (c *Comparison) Verdict() (Verdict, string) {
	axis, oblique := c.kinds()
	if len(axis) == 0 || len(oblique) == 0 {
		return CannotTell, "No oblique method was compared with an axis-parallel one."
	}
	duels := c.duels(axis, oblique)
	if o := c.winner(duels, oblique); o >= 0 {
		return Pays, "Oblique splits pay here: " + c.duel(duels, o, c.best(axis))
	}
	for _, a := range axis {
		if hopeful, none := c.nothingToGain(duels, a, oblique); none {
			return DoesNotPay, "Oblique splits don't pay here: " + c.duel(duels, hopeful, a)
		}
	}
	o := c.best(oblique)
	a := axis[0] // the one that o has least shown to be worse
	for _, other := range axis {
		if duels[o][other].Interval.High > duels[o][a].Interval.High {
			a = other
		}
	}
	d := duels[o][a]
	text := "The data can't tell whether oblique splits pay: " + c.duel(duels, o, a)
	if half := (d.Interval.High - d.Interval.Low) / 2; half > 0 {
		text += fmt.Sprintf(" A difference would have to be about %s to show with %d rows.", c.amount(half), c.Rows)
	}
	return CannotTell, text
}

// kinds returns the axis-parallel and the oblique contenders.
func (c *Comparison) kinds() (axis, oblique []int) {
	for i, m := range c.Contenders {
		if m.Oblique {
			oblique = append(oblique, i)
		} else {
			axis = append(axis, i)
		}
	}
	return axis, oblique
}

// duels compares each oblique contender with each axis-parallel one.
func (c *Comparison) duels(axis, oblique []int) map[int]map[int]Difference {
	duels := map[int]map[int]Difference{}
	for _, o := range oblique {
		duels[o] = map[int]Difference{}
	}
	for _, a := range axis {
		for i, d := range c.against(a, oblique) {
			if a == 0 {
				d = c.Differences[oblique[i]]
			}
			duels[oblique[i]][a] = d
		}
	}
	return duels
}

// winner returns the oblique contender of lowest loss that is better than all axis-parallel
// ones, or −1.
func (c *Comparison) winner(duels map[int]map[int]Difference, oblique []int) int {
	winner := -1
	for _, o := range oblique {
		better := true
		for _, d := range duels[o] {
			better = better && d.Interval.High < 0 && d.StdErr > 0
		}
		if better && (winner < 0 || Mean(c.Loss[o]) < Mean(c.Loss[winner])) {
			winner = o
		}
	}
	return winner
}

// nothingToGain reports whether no oblique contender can be much better than axis-parallel
// contender a, and returns the one that could be most.
func (c *Comparison) nothingToGain(duels map[int]map[int]Difference, a int, oblique []int) (hopeful int, none bool) {
	hopeful = oblique[0]
	matters := c.Margin * Mean(c.Loss[a])
	none = true
	for _, o := range oblique {
		d := duels[o][a]
		if d.Interval.Low < duels[hopeful][a].Interval.Low {
			hopeful = o
		}
		none = none && -d.Interval.Low < matters && d.StdErr > 0
	}
	return hopeful, none
}

// best returns the method of lowest mean loss, the first of equals.
func (c *Comparison) best(methods []int) int {
	best := methods[0]
	for _, m := range methods[1:] {
		if Mean(c.Loss[m]) < Mean(c.Loss[best]) {
			best = m
		}
	}
	return best
}

// losses says what the losses of two methods are.
func (c *Comparison) losses(m, other int) string {
	x, y := Mean(c.Loss[m]), Mean(c.Loss[other])
	one, two := plain.Text(c.Contenders[m].Name), plain.Text(c.Contenders[other].Name)
	if c.Regression {
		return fmt.Sprintf("the root mean squared error of %s is %s, that of %s %s", one, number(x), two, number(y))
	}
	return fmt.Sprintf("%s errs on %.1f %% of the rows it hasn't seen, %s on %.1f %%", one, 100*x, two, 100*y)
}

// duel says what the losses of an oblique and of an axis-parallel contender are, and how
// large their difference is.
func (c *Comparison) duel(duels map[int]map[int]Difference, o, a int) string {
	comparisons := len(duels)
	if a == 0 {
		comparisons = len(c.Contenders) - 1
	}
	return c.losses(o, a) + ". " + c.extent(duels[o][a], comparisons)
}

// extent says how large a difference is, and in what interval.
func (c *Comparison) extent(d Difference, comparisons int) string {
	if d.StdErr == 0 {
		return "The difference is the same in all splits, so there is no interval."
	}
	adjusted := ""
	if comparisons > 1 {
		adjusted = fmt.Sprintf(", allowing for %d comparisons", comparisons)
	}
	level := fmt.Sprintf("%g %%", math.Round(1000*c.Level)/10)
	low, high := d.Interval.Low, d.Interval.High
	switch {
	case high < 0:
		return fmt.Sprintf("That is %s less (%s interval: %s to %s less%s).", c.amount(-d.Difference), level, c.bare(-high), c.amount(-low), adjusted)
	case low > 0:
		return fmt.Sprintf("That is %s more (%s interval: %s to %s more%s).", c.amount(d.Difference), level, c.bare(low), c.amount(high), adjusted)
	}
	return fmt.Sprintf("The difference is between %s less and %s more (%s interval%s).", c.bare(-low), c.amount(high), level, adjusted)
}

// amount formats a size of differences with its unit, and bare without.
func (c *Comparison) amount(size float64) string {
	if c.Regression {
		return c.bare(size)
	}
	return c.bare(size) + " percentage points"
}

func (c *Comparison) bare(size float64) string {
	if c.Regression {
		return number(size)
	}
	if size < 0.001 {
		return fmt.Sprintf("%.2f", 100*size)
	}
	return fmt.Sprintf("%.1f", 100*size)
}

// number formats v with three significant digits.
func number(v float64) string { return fmt.Sprintf("%.3g", v) }

// String returns a table with a line for each contender: its loss and log loss or, for
// regression, the mean of R2 over the splits where it is a number ("–" if there are none), and its
// difference from the baseline with interval, P and Holm. Error rates
// are in percent. The last column is the time of training, in seconds of all splits.
func (c *Comparison) String() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	first, second := "error %", "log loss"
	if c.Regression {
		first, second = "RMSE", "R²"
	}
	fmt.Fprintf(w, "\t%s\t%s\tdifference\t%g %% interval\tp\tp, Holm\ttraining s\n", first, second, math.Round(1000*c.Level)/10)
	for i, m := range c.Contenders {
		unit, other := 100.0, func(f int) float64 { return c.Scores[i].Folds[f].LogLoss }
		format, signed := "%.2f", "%+.2f"
		if c.Regression {
			unit, other = 1, func(f int) float64 { return c.R2[i][f] }
			format, signed = "%.4g", "%+.3g"
		}
		var extra []float64
		var seconds float64
		for f, s := range c.Scores[i].Folds {
			if v := other(f); v == v {
				extra = append(extra, v)
			}
			seconds += s.Fit.Seconds()
		}
		mean := "–"
		if len(extra) > 0 {
			mean = fmt.Sprintf("%.3f", Mean(extra))
		}
		fmt.Fprintf(w, "%s\t"+format+"\t%s\t", plain.Text(m.Name), unit*Mean(c.Loss[i]), mean)
		if d := c.Differences[i]; i > 0 {
			fmt.Fprintf(w, signed+"\t"+signed+" to "+signed+"\t%.3f\t%.3f\t", unit*d.Difference, unit*d.Interval.Low, unit*d.Interval.High, d.P, d.Holm)
		} else {
			fmt.Fprint(w, "\t\t\t\t")
		}
		fmt.Fprintf(w, "%.1f\n", seconds)
	}
	w.Flush()
	return text.String()
}
