package exercise

import (
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

func leftOut() solution {
	const n = 10
	p := math.Pow(1-1.0/n, n) // it isn't drawn for any place of the sample
	return solution{
		p, 0.001,
		fmt.Sprintf("Each of ten draws misses the row with probability 9/10, independently: 0.9¹⁰ = %.4f.", p),
		[]mistake{
			{1 - p, "That is the probability that the row is in the sample."},
			{1 / math.E, "That is 1/e, the limit for many rows. With ten rows the probability is a little smaller."},
			{1.0 / n, "That is the probability that a single draw takes the row."},
			{1 - 1.0/n, "That is the probability that a single draw misses the row. There are ten draws."},
		},
		"A sample has ten draws with replacement. With which probability does one of them miss the row, and with " +
			"which probability do all ten?",
	}
}

func averaged() solution {
	const trees, correlation = 50, 0.3
	// The variance of the mean is the sum of all covariances, divided by the square of the number of trees.
	variance := (trees + trees*(trees-1)*correlation) / (trees * trees)
	return solution{
		variance, 0.0005,
		fmt.Sprintf("It is ρ + (1 − ρ)/B = %.3f. More trees would bring it down to %.1f, but no further: only a lower "+
			"correlation does.", variance, correlation),
		[]mistake{
			{1.0 / trees, "That holds for independent trees. These are correlated."},
			{correlation, "That is the limit for infinitely many trees. There are 50."},
			{(1 - correlation) / trees, "That is the part that more trees can remove. What does the correlation leave?"},
			{math.Sqrt(variance), "That is the standard deviation."},
		},
		"The variance of a sum is the sum of all covariances: 50 variances, and 50·49 covariances of different trees. " +
			"The mean is the sum divided by 50.",
	}
}

// OutOfBagError judges a function that returns the out-of-bag error of a forest.
// votes[t][i] is the class for which tree t votes in row i, inBag[t][i] says whether row i
// was in the sample of tree t, and labels[i] is the true class. Each row is predicted by
// the majority of the trees that were grown without it. Rows that all trees were grown
// with don't count. The function is tried on forests of which no row has a tie.
func OutOfBagError(f func(votes [][]int32, inBag [][]bool, labels []int32) float64) Judgement {
	type rule struct {
		hint string
		by   func(bagged) float64
	}
	rules := []rule{ // that all answers follow so far
		{"", func(b bagged) float64 { return b.error(false, false) }},
		{
			"That is the error by the votes of all trees. Those that were grown with a row know its label, so this is " +
				"the error on the training rows.",
			func(b bagged) float64 { return b.error(true, false) },
		},
		{
			"You count rows that every tree was grown with. They have no out-of-bag vote, so they can't be right or wrong.",
			func(b bagged) float64 { return b.error(false, true) },
		},
		{
			"That is the mean error of single trees on their own out-of-bag rows. Count the votes for each row first.",
			bagged.singleError,
		},
	}
	for seed := range uint64(50) {
		b := randomVotes(seed)
		got := f(b.votes, b.inBag, b.labels)
		if math.IsNaN(got) {
			if seed == 0 {
				return Judgement{}
			}
			return wrong("For one of the forests it returns no number. Are there rows without any out-of-bag vote?")
		}
		rules = slices.DeleteFunc(rules, func(r rule) bool { return math.Abs(got-r.by(b)) > 1e-9 })
	}
	switch {
	case len(rules) == 0:
		return wrong("For each row, count the votes of the trees with inBag[t][i] false, take the class with most votes, " +
			"and compare it with labels[i]. Divide by the number of rows that had any vote.")
	case rules[0].hint == "":
		return right("It is the out-of-bag error of 50 small forests, none of them trained on the rows that it predicts.")
	}
	return wrong("%s", rules[0].hint)
}

// bagged are the votes of a forest for its training rows.
type bagged struct {
	votes  [][]int32 // by tree and row
	inBag  [][]bool
	labels []int32
}

// randomVotes returns the votes of seven trees for 20 rows of three classes. Three rows
// are in every tree's sample, and row 3 + t isn't in that of tree t. No row has a tie, neither
// in all votes nor out of bag.
func randomVotes(seed uint64) bagged {
	rng := forest.NewRand(2, seed)
	const trees, rows = 7, 20
	b := bagged{make([][]int32, trees), make([][]bool, trees), make([]int32, rows)}
	for t := range trees {
		b.votes[t], b.inBag[t] = make([]int32, rows), make([]bool, rows)
	}
	for i := range rows {
		for {
			b.labels[i] = int32(rng.Intn(3))
			for t := range trees {
				b.votes[t][i] = int32(rng.Intn(3))
				b.inBag[t][i] = i < 3 || i != 3+t && rng.Intn(3) > 0
				if b.inBag[t][i] && rng.Intn(4) > 0 {
					b.votes[t][i] = b.labels[i] // a tree usually knows the rows it was grown with
				}
			}
			if b.clear(i, true) && b.clear(i, false) {
				break
			}
		}
	}
	return b
}

// count returns the votes of a row by class, of all trees or of those grown without it.
func (b bagged) count(row int, all bool) []int {
	counts := make([]int, 3)
	for t := range b.votes {
		if all || !b.inBag[t][row] {
			counts[b.votes[t][row]]++
		}
	}
	return counts
}

// clear reports whether one class has most votes in a row, or the row has no vote.
func (b bagged) clear(row int, all bool) bool {
	counts := slices.Sorted(slices.Values(b.count(row, all)))
	return counts[2] > counts[1] || counts[2] == 0
}

// error returns the error by the majority of the votes, of all trees or out of bag. With
// empty, rows without votes count as rows that are right.
func (b bagged) error(all, empty bool) float64 {
	failures, rows := 0.0, 0.0
	for i, label := range b.labels {
		counts := b.count(i, all)
		most := slices.Max(counts)
		if most == 0 {
			if empty {
				rows++
			}
			continue
		}
		rows++
		if counts[label] < most {
			failures++
		}
	}
	return failures / rows
}

// singleError returns the mean over trees of the error on the tree's out-of-bag rows.
func (b bagged) singleError() float64 {
	mean := 0.0
	for t := range b.votes {
		failures, rows := 0.0, 0.0
		for i, label := range b.labels {
			if b.inBag[t][i] {
				continue
			}
			rows++
			if b.votes[t][i] != label {
				failures++
			}
		}
		mean += failures / rows / float64(len(b.votes))
	}
	return mean
}
