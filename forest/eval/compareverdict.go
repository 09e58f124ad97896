package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/obliqua-ml/obliqua/internal/contest"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// leastGain is the share of a loss below which a gain doesn't matter.
const leastGain = 0.05

// Verdict says whether oblique splits pay: 1 if they do, −1 if they don't and 0 if the data can't tell. A sentence
// explains the answer.
//
//   - They pay if an oblique contender has a lower loss than every axis-parallel one, and Holm's
//     p-value of each of these differences is at most 1 − Level.
//   - They don't pay if what the oblique contenders can gain over some axis-parallel one is too
//     little to matter. The interval of each leaves a gain of less than 5 % of the loss of the axis-parallel method.
//   - The data can't tell otherwise, such as if an interval holds both 0 and a gain that matters,
//     or if differences are the same in all splits, from which nothing can be inferred.
//
// Suppose that the baseline is axis-parallel and no oblique contender is really better. Then the probability that the
// verdict is 1 is at most 1 − Level. Further axis-parallel contenders make it smaller. Differences with the baseline
// are those of c.Differences. For another axis-parallel contender Holm's adjustment is for the oblique contenders.
//
// If there are no oblique or no axis-parallel contenders, the verdict is 0.
func (c *Comparison) Verdict() (pays int, why string) {
	var axis, oblique []int
	for i, m := range c.Contenders {
		if m.Oblique {
			oblique = append(oblique, i)
		} else {
			axis = append(axis, i)
		}
	}
	if len(axis) == 0 || len(oblique) == 0 {
		return 0, "No method of slanted splits was compared with one of axis-parallel splits."
	}
	duels := map[[2]int]Difference{} // by oblique and axis-parallel contender
	for _, a := range axis {
		for i, d := range c.against(a, oblique) {
			if a == 0 {
				d = c.Differences[oblique[i]]
			}
			duels[[2]int{oblique[i], a}] = d
		}
	}
	say := func(pays, o, a int) string {
		comparisons := len(oblique)
		if a == 0 {
			comparisons = len(c.Contenders) - 1
		}
		return contest.Pays(pays) + c.losses(o, a) + ". " + c.extent(duels[[2]int{o, a}], comparisons)
	}
	byLoss := func(i, j int) int { return cmp.Compare(Mean(c.Loss[i]), Mean(c.Loss[j])) }
	best := slices.SortedStableFunc(slices.Values(oblique), byLoss)
	for _, o := range best {
		unproved := func(a int) bool {
			d := duels[[2]int{o, a}]
			return !(d.Interval.High < 0 && d.StdErr > 0)
		}
		if !slices.ContainsFunc(axis, unproved) {
			return 1, say(1, o, slices.MinFunc(axis, byLoss))
		}
	}
	for _, a := range axis {
		matters := leastGain * Mean(c.Loss[a])
		hope := func(o int) bool {
			d := duels[[2]int{o, a}]
			return !(-d.Interval.Low < matters && d.StdErr > 0)
		}
		if !slices.ContainsFunc(oblique, hope) {
			hopeful := slices.MinFunc(oblique, func(i, j int) int {
				return cmp.Compare(duels[[2]int{i, a}].Interval.Low, duels[[2]int{j, a}].Interval.Low)
			})
			return -1, say(-1, hopeful, a)
		}
	}
	o := best[0]
	a := slices.MaxFunc(axis, func(i, j int) int { // the one that o has least shown to be worse
		return cmp.Compare(duels[[2]int{o, i}].Interval.High, duels[[2]int{o, j}].Interval.High)
	})
	why = say(0, o, a)
	if d := duels[[2]int{o, a}].Interval; d.High > d.Low {
		why += fmt.Sprintf(" A difference would have to be about %s to show with %d rows.",
			c.amount((d.High-d.Low)/2), c.Rows)
	}
	return 0, why
}

// losses says what the losses of two methods are.
func (c *Comparison) losses(m, other int) string {
	x, y := Mean(c.Loss[m]), Mean(c.Loss[other])
	one, two := plain.Text(c.Contenders[m].Name), plain.Text(c.Contenders[other].Name)
	if c.Regression {
		return fmt.Sprintf("the root mean squared error of %s is %.3g, that of %s %.3g", one, x, two, y)
	}
	return fmt.Sprintf("%s errs on %.1f %% of the rows it hasn't seen, %s on %.1f %%", one, 100*x, two, 100*y)
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
	level, low, high := c.level(), d.Interval.Low, d.Interval.High
	word := "more"
	if high < 0 {
		word, d.Difference, low, high = "less", -d.Difference, -high, -low
	}
	if low > 0 {
		return fmt.Sprintf("That is %s %s (%s interval: %s to %s %s%s).",
			c.amount(d.Difference), word, level, c.bare(low), c.amount(high), word, adjusted)
	}
	return fmt.Sprintf("The difference is between %s less and %s more (%s interval%s).",
		c.bare(-low), c.amount(high), level, adjusted)
}

func (c *Comparison) level() string { return fmt.Sprintf("%g %%", math.Round(1000*c.Level)/10) }

// amount formats a size of differences with its unit, and bare without.
func (c *Comparison) amount(size float64) string {
	if c.Regression {
		return c.bare(size)
	}
	return c.bare(size) + " percentage points"
}

func (c *Comparison) bare(size float64) string {
	switch {
	case c.Regression:
		return fmt.Sprintf("%.3g", size)
	case size < 0.001:
		return fmt.Sprintf("%.2f", 100*size)
	}
	return fmt.Sprintf("%.1f", 100*size)
}

// String returns a table with a line for each contender: its loss and log loss or, for
// regression, the mean of R2 over the splits where it is a number ("–" if there are none), and its
// difference from the baseline with interval, P and Holm. Error rates
// are in percent. The last column is the time of training, in seconds of all splits.
func (c *Comparison) String() string { return table(0, c.Table()) }

// Table returns the cells of what String returns, the names of the columns first.
func (c *Comparison) Table() [][]string {
	first, second, unit, format, signed := "error %", "log loss", 100.0, "%.2f", "%+.2f"
	if c.Regression {
		first, second, unit, format, signed = "RMSE", "R²", 1, "%.4g", "%+.3g"
	}
	rows := [][]string{{"", first, second, "difference", c.level() + " interval", "p", "p, Holm", "training s"}}
	for i, m := range c.Contenders {
		extra := c.Scores[i].each(func(s Score) float64 { return s.LogLoss })
		if c.Regression {
			extra = slices.DeleteFunc(slices.Clone(c.R2[i]), math.IsNaN)
		}
		row := []string{plain.Text(m.Name), fmt.Sprintf(format, unit*Mean(c.Loss[i])), "–", "", "", "", "", ""}
		if len(extra) > 0 {
			row[2] = fmt.Sprintf("%.3f", Mean(extra))
		}
		if d := c.Differences[i]; i > 0 {
			row[3] = fmt.Sprintf(signed, unit*d.Difference)
			row[4] = fmt.Sprintf(signed+" to "+signed, unit*d.Interval.Low, unit*d.Interval.High)
			row[5], row[6] = fmt.Sprintf("%.3f", d.P), fmt.Sprintf("%.3f", d.Holm)
		}
		seconds := 0.0
		for _, s := range c.Scores[i].Folds {
			seconds += s.Fit.Seconds()
		}
		row[7] = fmt.Sprintf("%.1f", seconds)
		rows = append(rows, row)
	}
	return rows
}

// table formats rows of cells. flags are those of package tabwriter.
func table(flags uint, rows [][]string) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', flags)
	for _, row := range rows {
		if flags == tabwriter.AlignRight {
			row = append(row, "") // ends the last cell
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
	return text.String()
}
