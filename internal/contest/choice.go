package contest

import (
	"context"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// A Choice is what [Choose] says about the loss of the contestant that it chose.
type Choice struct {
	Chosen    int     // its number
	Apparent  float64 // its mean loss
	Optimism  float64 // by how much choosing makes Apparent too low
	Low, High float64 // hold the mean loss on other rows, by the same forests, with a probability of 95 % or more
}

const choiceSamples = 500

// Choose chooses a contestant by a rule, and says between what limits its loss on other rows is, from
// losses[contestant][row]. It draws 500 samples of the rows, with replacement; in each it applies the rule again, and
// takes the chosen contestant's mean loss over the rows that aren't in the sample (Tsamardinos, Greasidou and
// Borboudakis, Machine Learning 107, 2018, algorithm 5). High is the 97.5 % quantile of these means, so it has what
// choosing the lowest of several noisy losses makes that look too low. Optimism is the mean of these means less the
// apparent loss, if that is positive. Low is the 2.5 % quantile less Optimism.
//
// rule returns a contestant's number for rows, which may repeat. Rows where a loss is NaN aren't used.
// The results are NaN if no row is left; Low and High are if only one is.
//
// If rows have groups, which are nil otherwise, groups are drawn instead, and only one group is as one row. The rows of
// a group then come together and ascending, once for each time that it is drawn, as [Compare] wants them.
//
// Choose returns ctx's error soon after ctx is cancelled, and none otherwise.
func Choose(ctx context.Context, losses [][]float64, groups []int32, rule func(rows []int) int) (Choice, error) {
	var rows []int
	for i := range losses[0] {
		if !slices.ContainsFunc(losses, func(l []float64) bool { return math.IsNaN(l[i]) }) {
			rows = append(rows, i)
		}
	}
	nan := math.NaN()
	c := Choice{Apparent: nan, Low: nan, High: nan}
	if len(rows) == 0 {
		return c, nil
	}
	begins := byGroup(rows, groups)
	c.Chosen = rule(rows)
	c.Apparent = meanOf(losses[c.Chosen], rows)
	left, err := leftOut(ctx, losses, rows, begins, rule)
	if err != nil || len(left) == 0 {
		return c, err
	}
	slices.Sort(left)
	level := 0.95
	c.Low, c.High = Quantile(left, (1-level)/2), Quantile(left, (1+level)/2)
	if len(losses) > 1 {
		c.Optimism = max(0, Mean(left)-c.Apparent)
		c.Low -= c.Optimism
	}
	return c, nil
}

// leftOut returns, for each sample of the units of rows that begin at begins, the mean loss of the contestant that is
// chosen by the sample over the rows outside of it. Samples of all rows don't count.
func leftOut(ctx context.Context, losses [][]float64, rows, begins []int, rule func(rows []int) int) (
	[]float64, error) {
	rng := forest.NewRand(0)
	var means []float64
	n := len(begins) - 1
	drawn, sample := make([]bool, n), make([]int, 0, len(rows))
	var out []int
	for range choiceSamples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(drawn)
		sample, out = sample[:0], out[:0]
		for range n {
			k := rng.Intn(n)
			drawn[k] = true
			sample = append(sample, rows[begins[k]:begins[k+1]]...)
		}
		for k, in := range drawn {
			if !in {
				out = append(out, rows[begins[k]:begins[k+1]]...)
			}
		}
		if len(out) > 0 {
			means = append(means, meanOf(losses[rule(sample)], out))
		}
	}
	return means, nil
}

func meanOf(loss []float64, rows []int) float64 {
	var sum float64
	for _, i := range rows {
		sum += loss[i]
	}
	return sum / float64(len(rows))
}

// Quantile returns the p-quantile of sorted numbers, interpolated linearly between order statistics (type 7 of Hyndman
// and Fan, 1996). It is NaN if p is.
func Quantile(sorted []float64, p float64) float64 {
	if math.IsNaN(p) {
		return p
	}
	at := float64(p * float64(len(sorted)-1))
	lo := int(at)
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + float64((at-float64(lo))*(sorted[hi]-sorted[lo]))
}
