package eval

import (
	"context"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// A Choice is what [Bootstrap.Choice] says about the error of a model that was chosen among several.
type Choice struct {
	Chosen   int      // the model that is chosen by all rows
	Apparent float64  // its mean loss over these rows: too low, since it was chosen by them
	Error    float64  // the mean loss to expect on other rows
	Interval Interval // between quantiles of the bootstrap samples; other rows of the same models, not other training data
}

// Choice estimates the error of a model that was chosen among several by the losses that are
// given, losses[model][row], such as those of out-of-bag rows. The lowest of several noisy errors
// is too low. So Choice draws samples of the rows, with replacement; in each it chooses
// a model again, and takes that model's mean loss over the rows that aren't in the sample. Error is the
// mean of these, the bootstrap bias corrected estimate of Tsamardinos, Greasidou and Borboudakis
// (Machine Learning 107, 2018, algorithm 5), but never below Apparent.
//
// choose returns a model's number for rows, which may have duplicates. nil chooses the lowest mean loss,
// the first of equals. Rows with a NaN aren't used. The results are NaN if no row is left;
// Error is Apparent if there is one row or one model.
//
// Choice panics if losses is empty or differ in length, and where PairedEffect does for Samples and
// Level. The default of Samples is 500 here. It returns ctx's error soon after ctx is cancelled, and none otherwise.
func (b Bootstrap) Choice(ctx context.Context, losses [][]float64, choose func(rows []int) int) (Choice, error) {
	b = b.checked(500)
	var rows []int
	for i := range losses[0] {
		known := true
		for _, l := range losses {
			mustMatch(len(l), len(losses[0]))
			known = known && l[i] == l[i]
		}
		if known {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return Choice{Apparent: nan, Error: nan, Interval: Interval{nan, nan}}, nil
	}
	if choose == nil {
		choose = func(rows []int) int { return lowest(losses, rows) }
	}
	c := Choice{Chosen: choose(rows)}
	c.Apparent = meanOf(losses[c.Chosen], rows)
	left, err := b.leftOut(ctx, losses, rows, choose)
	if err != nil {
		return Choice{}, err
	}
	if len(left) == 0 {
		c.Error, c.Interval = c.Apparent, Interval{nan, nan}
		return c, nil
	}
	c.Error = max(Mean(left), c.Apparent)
	if len(losses) == 1 {
		c.Error = c.Apparent
	}
	slices.Sort(left)
	c.Interval = Interval{quantile(left, (1-b.Level)/2), quantile(left, (1+b.Level)/2)}
	return c, nil
}

// leftOut returns, for each sample of rows, the mean loss of the model that is chosen by the sample
// over the rows outside of it. Samples of all rows don't count.
func (b Bootstrap) leftOut(ctx context.Context, losses [][]float64, rows []int,
	choose func(rows []int) int) ([]float64, error) {
	rng := forest.NewRand(b.Seed)
	var means []float64
	sample, drawn := make([]int, len(rows)), make([]bool, len(rows))
	var out []int
	for range b.Samples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(drawn)
		for i := range sample {
			k := rng.Intn(len(rows))
			sample[i], drawn[k] = rows[k], true
		}
		out = out[:0]
		for k, i := range rows {
			if !drawn[k] {
				out = append(out, i)
			}
		}
		if len(out) > 0 {
			means = append(means, meanOf(losses[choose(sample)], out))
		}
	}
	return means, nil
}

// lowest returns the model of lowest mean loss over rows, the first of equals.
func lowest(losses [][]float64, rows []int) int {
	best, least := 0, math.Inf(1)
	for m, l := range losses {
		if v := meanOf(l, rows); v < least {
			best, least = m, v
		}
	}
	return best
}

func meanOf(loss []float64, rows []int) float64 {
	var sum float64
	for _, i := range rows {
		sum += loss[i]
	}
	return sum / float64(len(rows))
}
