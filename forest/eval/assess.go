package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/contest"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// An Assessment says what out-of-bag predictions are worth beside guessing, which says the largest class for every row
// or, for values, their mean. It counts rows alike, whatever their weights.
type Assessment struct {
	Values         bool
	Guess          string  `json:",omitempty"` // the largest class
	Rows           int     // that are out of bag
	Loss, Guessing float64 // the error rates, or mean squared errors, of the predictions and of guessing

	// Gain is Guessing − Loss, and StdErr its standard error, from the differences of the rows or, where they have groups,
	// of the groups. It is 0, and says nothing, for fewer than six rows or groups.
	Gain, StdErr float64

	Half, NineTenths float64     `json:",omitempty"` // of the values are predicted with an error of at most that
	Rare             []RareClass `json:",omitempty"` // at most five, the largest ones
}

// A RareClass is a class of less than 20 % of the rows, and of less than half of what it would have if all classes had
// as many.
type RareClass struct {
	Name              string
	Rows, Said, Found int     // of the class, predicted to be of it, and both
	AUC               float64 // see [AUC]

	// Rows whose probability of the class is Threshold or more are Alarms; of these, Alarmed are of the class. It is the
	// threshold with the largest Youden index: the share of the class that it finds less the share of other rows.
	Threshold       float64
	Alarms, Alarmed int
}

const beyondDoubt = 1.96 // standard errors by which a model must be better than guessing

// Assess compares losses, as [forest.Forest.OutOfBagLosses] returns them, with those of guessing. oob may be nil, which
// saves memory; then nothing is said of Half, NineTenths and Rare. train must be the training data.
// Assess panics if there is no target, or if the numbers of rows differ.
func Assess(train *datasets.Dataset, losses []float64, oob *forest.OutOfBag) *Assessment {
	a := &Assessment{Values: train.Values != nil}
	n, target := train.N(), len(train.Labels)
	predicted, groups := n, n // where there are none
	if a.Values {
		target = len(train.Values)
	}
	switch {
	case oob != nil && a.Values:
		predicted = len(oob.Values)
	case oob != nil:
		predicted = len(oob.Proba)
	}
	if train.Groups != nil {
		groups = len(train.Groups)
	}
	if target != n || len(losses) != n || predicted != n || groups != n {
		panic(fmt.Sprintf("eval: Assess of %d rows: a target of %d, %d losses, predictions of %d, groups of %d", n, target,
			len(losses), predicted, groups))
	}
	guess := make([]float64, len(losses))
	var rows []int32
	for i, loss := range losses {
		if guess[i] = nan; loss == loss {
			rows = append(rows, int32(i))
		}
	}
	if a.Rows = len(rows); a.Rows == 0 {
		return a
	}
	counts := make([]int, len(train.Classes))
	largest, mean, varies := int32(0), 0.0, false
	for _, i := range rows {
		if a.Values {
			mean += train.Values[i] / float64(a.Rows)
			varies = varies || train.Values[i] != train.Values[rows[0]]
		} else {
			counts[train.Labels[i]]++
		}
	}
	if a.Values && !varies {
		mean = train.Values[rows[0]] // that of the sum is rounded
	}
	if !a.Values {
		largest = int32(slices.Index(counts, slices.Max(counts)))
		a.Guess = train.Classes[largest]
	}
	for _, i := range rows {
		if a.Values {
			guess[i] = float64((train.Values[i] - mean) * (train.Values[i] - mean))
		} else if guess[i] = 0; train.Labels[i] != largest {
			guess[i] = 1
		}
	}
	a.Loss, a.Guessing = contest.Mean(losses), contest.Mean(guess)
	gain := contest.Compare(guess, losses, nil, train.Groups)
	a.Gain = a.Guessing - a.Loss
	if gain.Units >= contest.FewestSure {
		a.StdErr = gain.StdErr
	}
	switch {
	case oob == nil:
	case a.Values:
		var off []float64
		for _, i := range rows {
			off = append(off, math.Abs(oob.Values[i]-train.Values[i]))
		}
		slices.Sort(off)
		a.Half, a.NineTenths = off[(len(off)+1)/2-1], off[(9*len(off)+9)/10-1]
	default:
		a.Rare = rareClasses(train, counts, rows, oob)
	}
	return a
}

const (
	rareShare = 0.2
	mostRare  = 5
)

func rareClasses(train *datasets.Dataset, counts []int, rows []int32, oob *forest.OutOfBag) (rare []RareClass) {
	limit := min(rareShare, 0.5/float64(len(counts))) * float64(len(rows))
	for k, n := range counts {
		if n > 0 && float64(n) < limit {
			rare = append(rare, RareClass{Name: train.Classes[k], Rows: n})
		}
	}
	slices.SortStableFunc(rare, func(a, b RareClass) int { return b.Rows - a.Rows })
	rare = rare[:min(len(rare), mostRare)]
	proba, truth := make([][]float64, len(rows)), make([]int32, len(rows))
	for n, i := range rows {
		proba[n], truth[n] = oob.Proba[i], train.Labels[i]
	}
	for c := range rare {
		r := &rare[c]
		k := slices.Index(train.Classes, r.Name)
		for n, i := range rows {
			if oob.Labels[i] == int32(k) {
				r.Said++
				if truth[n] == int32(k) {
					r.Found++
				}
			}
		}
		t := thresholds(proba, truth, k)
		r.AUC = t.area()
		r.setThreshold(t.Points, len(rows))
	}
	return rare
}

// setThreshold finds the threshold among those of a number of rows.
func (r *RareClass) setThreshold(points []Threshold, rows int) {
	best := 0.0
	for n, p := range points {
		below := 0.0
		if n+1 < len(points) {
			below = points[n+1].At
		}
		index := float64(p.Found)/float64(r.Rows) - float64(p.Taken-p.Found)/float64(rows-r.Rows)
		if index > best {
			best = index
			r.Threshold, r.Alarms, r.Alarmed = between(below, p.At), p.Taken, p.Found
		}
	}
}

// between returns the number of fewest decimals that is above low and at most high, a probability.
func between(low, high float64) float64 {
	for unit := 10.0; unit < 1e9; unit *= 10 {
		if v := math.Floor(high*unit) / unit; v > low && v <= high {
			return v
		}
	}
	return high
}

// Better returns 1 if the predictions are better than guessing beyond doubt, that is if Gain is above 1.96 standard
// errors, −1 if they are worse beyond doubt, and 0 if the rows can't tell.
func (a *Assessment) Better() int {
	switch {
	case a.StdErr > 0 && a.Gain > beyondDoubt*a.StdErr:
		return 1
	case a.StdErr > 0 && a.Gain < -beyondDoubt*a.StdErr:
		return -1
	}
	return 0
}

// R2 returns the share of the values' variance that the predictions explain, as [R2] does; that of guessing is 0. It is
// NaN for classes, and for values that don't vary.
func (a *Assessment) R2() float64 {
	if !a.Values || a.Guessing == 0 {
		return nan
	}
	return a.Gain / a.Guessing
}

// String compares the predictions with guessing, and says how far values are off and how rare classes are predicted, a
// sentence or two a line.
func (a *Assessment) String() string {
	if a.Rows == 0 {
		return "No row is out of bag, so nothing says whether the model is better than guessing."
	}
	unit, format, words := 100.0, "%.1f", "points"
	if a.Values {
		unit, format, words = 1/a.Guessing, "%.2f", "of R²"
	}
	guess := fmt.Sprintf("Guessing %q, the largest class, for every row has an error rate of %.1f %%.",
		plain.Name(a.Guess), 100*a.Guessing)
	switch {
	case a.Values && a.Guessing == 0:
		return "All values are the same, so guessing is right."
	case a.Values:
		guess = fmt.Sprintf("Guessing the mean has a root mean squared error of %s and an R² of 0; the model has an R² "+
			"of %s.", plain.Number(math.Sqrt(a.Guessing), 4), signed("%.2f", a.R2()))
	}
	half := float64(beyondDoubt * a.StdErr)
	low, high := a.Gain-half, min(a.Gain+half, a.Guessing) // nothing is better than no error
	size := func(v float64) string { return signed(format, v*unit) }
	const rule = " (1.96 standard errors around the difference)."
	switch {
	case a.Better() > 0:
		guess += fmt.Sprintf(" The model is better beyond doubt, by %s to %s %s", size(low), size(high), words) + rule
	case a.Better() < 0:
		guess += fmt.Sprintf(" The model is worse beyond doubt, by %s to %s %s", size(-high), size(-low), words) + rule
	case !(a.Gain > 0):
		guess += " The model is no better than guessing."
	case a.StdErr == 0: // all rows gain the same, or there are few
		guess += fmt.Sprintf(" The model is better by %s %s, but these rows don't tell how sure that is.",
			size(a.Gain), words)
	default:
		guess += fmt.Sprintf(" Whether the model is better than guessing is in doubt: it may be worse by %s or better "+
			"by %s %s", size(-low), size(high), words) + rule
	}
	lines := []string{guess}
	if a.Half > 0 || a.NineTenths > 0 {
		lines = append(lines, fmt.Sprintf("Half of the predictions are off by at most %s, nine in ten by at most %s.",
			plain.Number(a.Half, 3), plain.Number(a.NineTenths, 3)))
	}
	for _, r := range a.Rare {
		lines = append(lines, r.describe(a.Rows))
	}
	return strings.Join(lines, "\n")
}

// describe says how the class is predicted among the given number of rows.
func (r RareClass) describe(rows int) string {
	s := fmt.Sprintf("%q is rare, %d of %d rows (%.1f %%). ", plain.Name(r.Name), r.Rows, rows,
		100*float64(r.Rows)/float64(rows))
	if r.Said == 0 {
		s += "The model never says so: it finds none of them."
	} else {
		s += fmt.Sprintf("The model says so of %d rows and finds %d: a recall of %.0f %%, with a precision of %.0f %%.",
			r.Said, r.Found, 100*float64(r.Found)/float64(r.Rows), 100*float64(r.Found)/float64(r.Said))
	}
	s += fmt.Sprintf(" The AUC is %.2f, where 0.5 is chance.", r.AUC)
	if r.Alarmed > r.Found {
		s += fmt.Sprintf(" At a threshold of %v of its probability the model finds %d of %d (false alarms: %d).",
			r.Threshold, r.Alarmed, r.Rows, r.Alarms-r.Alarmed)
	}
	return s
}

// signed formats a number with a minus sign that is read as one, and none before 0.
func signed(format string, v float64) string {
	text := fmt.Sprintf(format, v)
	if number, negative := strings.CutPrefix(text, "-"); negative {
		if strings.Trim(number, "0.") == "" {
			return number
		}
		return "−" + number
	}
	return text
}
