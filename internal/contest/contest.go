// Package contest compares forests that grow: contestants are measured in rounds by the loss of each row, a rule says
// who leaves after a round, and the lowest mean loss is first. Tuning, racing and package auto's choice are contests.
package contest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/groups"
)

// A Contestant is one of several forests that are compared.
type Contestant struct {
	Number int       // from 0
	Trees  int       // of its forest when it was measured last; 0 before
	Losses []float64 // then, by row; NaN where a row's loss isn't known
	Mean   float64   // of the losses that are known
	Model  *forest.Forest
}

// A Contest says how contestants are compared.
type Contest struct {
	// Rounds are the numbers of trees at which contestants are compared, in ascending order.
	Rounds []int

	// Measure grows a contestant to a number of trees and returns its losses. It may set c.Model.
	Measure func(c *Contestant, trees int) ([]float64, error)

	// Stay returns who goes on after a round, in the same order: at least the first. Contestants come by ascending
	// mean loss, equals by number. If Stay is nil, everyone goes on, without losses, and only the first has a model.
	Stay func(running []*Contestant) []*Contestant

	// Perfect says that nobody can be better than a contestant without loss: it wins at once.
	Perfect bool
}

// Run holds the contest between n contestants and returns those who went on after the last round, by ascending mean
// loss. Contestants are measured in order. As soon as one is alone, it grows to the last number of trees.
// Run returns the first error of Measure, and ctx's error soon after ctx is cancelled.
func (c Contest) Run(ctx context.Context, n int) (running []*Contestant, err error) {
	for i := range n {
		running = append(running, &Contestant{Number: i, Mean: math.NaN()})
	}
	last := c.Rounds[len(c.Rounds)-1]
	for _, trees := range c.Rounds {
		if len(running) == 1 {
			trees = last
		}
		if running, err = c.round(ctx, running, trees); err != nil {
			return nil, err
		}
		if len(running) == 1 && running[0].Trees == last {
			break
		}
	}
	return running, nil
}

// round measures contestants and returns those who go on.
func (c Contest) round(ctx context.Context, running []*Contestant, trees int) ([]*Contestant, error) {
	slices.SortFunc(running, func(a, b *Contestant) int { return a.Number - b.Number })
	first := running[0]
	for _, r := range running {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		losses, err := c.Measure(r, trees)
		if err != nil {
			return nil, err
		}
		r.Trees, r.Losses, r.Mean = trees, losses, Mean(losses)
		if c.Perfect && r.Mean == 0 {
			return []*Contestant{r}, nil
		}
		if c.Stay != nil {
			continue
		}
		r.Losses = nil
		if byMean(r, first) < 0 {
			first.Model, first = nil, r
		} else if r != first {
			r.Model = nil
		}
	}
	slices.SortStableFunc(running, byMean)
	if c.Stay == nil {
		return running, nil
	}
	return c.Stay(running), nil
}

func byMean(a, b *Contestant) int { return cmp.Compare(a.Mean, b.Mean) }

// Doubling returns the rounds first, 2·first, 4·first … below last, and last.
func Doubling(first, last int) (rounds []int) {
	for n := first; n < last; n *= 2 {
		rounds = append(rounds, n)
	}
	return append(rounds, last)
}

// Loss returns the name of a task's loss: of labels or, if d has them, of values.
func Loss(d *datasets.Dataset) string {
	if d.Values != nil {
		return "mean squared error"
	}
	return "error rate"
}

// Mean returns the mean of the losses that are known, NaN if none is.
func Mean(losses []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range losses {
		if v == v {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// FewestSure is the least number of units whose difference can be beyond doubt: of five that gain or lose by chance,
// all do the same in 2·2⁻⁵ = 6 % of cases.
const FewestSure = 6

// A Difference compares two contestants over the rows where the losses of both are known. Units are rows or, where rows
// have groups, groups.
type Difference struct {
	Units, Higher, Lower int     // how many there are, and where the first has the higher or the lower loss
	Mean, StdErr         float64 // of the first's loss of a row less the second's; 0 for fewer than two units
}

// Compare compares losses a with losses b over some rows, which may repeat; nil means all. The rows are taken for a
// sample of the rows of interest: StdErr doesn't include that other training data would give other forests. If rows
// have groups, which are nil otherwise, groups are the sample, and given rows are in the order of [Choose].
func Compare(a, b []float64, rows []int, groups []int32) (d Difference) {
	if groups != nil {
		return compareGroups(a, b, rows, groups)
	}
	var sum, squares float64
	add := func(i int) {
		v := a[i] - b[i]
		if v != v {
			return
		}
		d.count(v)
		sum += v
		squares += float64(v * v)
	}
	for _, i := range rows {
		add(i)
	}
	if rows == nil {
		for i := range a {
			add(i)
		}
	}
	if d.Units < 2 {
		return d
	}
	n := float64(d.Units)
	d.Mean = sum / n
	d.StdErr = math.Sqrt(max(0, squares/n-float64(d.Mean*d.Mean)) / (n - 1))
	return d
}

// count counts a unit whose losses differ by v.
func (d *Difference) count(v float64) {
	d.Units++
	if v > 0 {
		d.Higher++
	} else if v < 0 {
		d.Lower++
	}
}

// compareGroups is Compare for groups. The mean over rows is a ratio of two sums over groups, whose standard error is
// that of the linearised ratio (Cochran, Sampling Techniques, 1977, equation 6.13).
func compareGroups(a, b []float64, rows []int, groups []int32) (d Difference) {
	if rows == nil {
		for i := range a {
			rows = append(rows, i)
		}
		byGroup(rows, groups)
	}
	var sums, sizes []float64 // by group
	last := -1
	for _, i := range rows {
		v := a[i] - b[i]
		if v != v {
			continue
		}
		if last < 0 || groups[i] != groups[last] || i <= last {
			sums, sizes = append(sums, 0), append(sizes, 0)
		}
		last = i
		sums[len(sums)-1] += v
		sizes[len(sizes)-1]++
	}
	var sum, n float64
	for g, v := range sums {
		d.count(v)
		sum += v
		n += sizes[g]
	}
	if d.Units < 2 {
		return d
	}
	d.Mean = sum / n
	squares, count := 0.0, float64(d.Units)
	for g, v := range sums {
		rest := v - float64(d.Mean*sizes[g])
		squares += float64(rest * rest)
	}
	d.StdErr = math.Sqrt(squares*count/(count-1)) / n
	return d
}

// byGroup puts the rows of a group together, in ascending order, and returns where each group begins, and the end.
// Groups come in the order of their first rows. Without groups each row is one.
func byGroup(rows []int, of []int32) (begins []int) {
	if of != nil {
		of, _ = groups.Number(of, len(of))
		slices.SortFunc(rows, func(i, j int) int { return cmp.Or(cmp.Compare(of[i], of[j]), i-j) })
	}
	for k, i := range rows {
		if k == 0 || of == nil || of[i] != of[rows[k-1]] {
			begins = append(begins, k)
		}
	}
	return append(begins, len(rows))
}

// Z returns by how many standard errors the first is worse: 0 if the means are equal or fewer than two units are known,
// and infinite if all rows differ by the same.
func (d Difference) Z() float64 {
	if d.Mean == 0 {
		return 0
	}
	return d.Mean / d.StdErr
}

// Pays returns the beginning of a sentence on whether slanted splits are worth their while: 1 if they are, −1 if they
// aren't and 0 if the data can't tell.
func Pays(pays int) string {
	switch {
	case pays > 0:
		return "Slanted splits pay here: "
	case pays < 0:
		return "Slanted splits don't pay here: "
	}
	return "The data can't tell whether slanted splits pay: "
}
