package eval

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/obliqua-ml/obliqua/internal/contest"
)

// A CalibrationCurve says how often an event happened among rows with similar
// predicted probabilities: a reliability diagram. See [Calibration].
type CalibrationCurve struct {
	Bins []CalibrationBin // those with rows, by probability

	// Error is the expected calibration error: the mean over rows of the distance
	// between Predicted and Observed of their bins (Naeini, Cooper and Hauskrecht, 2015).
	// It is 0 for perfect probabilities of infinitely many rows; with few rows a bin, it
	// is larger by chance.
	Error float64

	// Brier is the mean of (p − y)², with y = 1 if the event happened and 0 otherwise. It
	// is in [0, 1]. With two classes it is half of what [Brier] returns.
	Brier float64
}

// A CalibrationBin holds the rows of similar probability.
type CalibrationBin struct {
	Rows      int
	Predicted float64 // mean predicted probability
	Observed  float64 // share of the rows in which the event happened
	Low, High float64 // 95 % confidence interval of Observed (Wilson, 1927)
}

const mostBins = 1 << 20

// Calibration compares the probability that a model gives to one class with how often that class was the true one.
// proba has a slice of class probabilities for each row. The k bins are those of scikit-learn's calibration_curve: (0,
// 1/k], (1/k, 2/k], …, and the first also has 0. With quantiles, the edges are at the quantiles of the probabilities,
// so bins have about equally many rows; equal probabilities are in the same bin.
//
// Calibration panics if bins isn't 1 to 2²⁰, or a row has no such class or a probability outside of [0, 1]. Without
// rows there are no bins.
func Calibration(proba [][]float64, truth []int32, class int32, bins int, quantiles bool) CalibrationCurve {
	mustMatch(len(proba), len(truth))
	if bins < 1 || bins > mostBins {
		panic(fmt.Sprintf("eval: calibration in %d bins; want 1 to %d", bins, mostBins))
	}
	p := make([]float64, len(proba))
	for i := range p {
		if p[i] = probability(proba, i, class); !(p[i] >= 0 && p[i] <= 1) {
			panic(fmt.Sprintf("eval: row %d has a probability of %v", i, p[i]))
		}
	}
	edges := binEdges(p, bins, quantiles)
	all := make([]CalibrationBin, bins)
	c := CalibrationCurve{}
	for i, v := range p {
		b := &all[sort.SearchFloat64s(edges, v)]
		b.Rows++
		b.Predicted += v
		y := 0.0
		if truth[i] == class {
			y = 1
		}
		b.Observed += y
		c.Brier += (v - y) * (v - y) / float64(len(p))
	}
	if len(p) == 0 {
		return CalibrationCurve{Error: nan, Brier: nan}
	}
	for _, b := range all {
		if b.Rows == 0 {
			continue
		}
		n := float64(b.Rows)
		b.Low, b.High = wilsonInterval(b.Observed, n)
		b.Predicted, b.Observed = b.Predicted/n, b.Observed/n
		c.Error += float64(n / float64(len(p)) * math.Abs(b.Observed-b.Predicted))
		c.Bins = append(c.Bins, b)
	}
	return c
}

// binEdges returns the edges between bins. A probability on an edge is in the bin below.
func binEdges(p []float64, bins int, quantiles bool) []float64 {
	edges := make([]float64, bins-1)
	sorted := slices.Sorted(slices.Values(p))
	for i := range edges {
		share := float64(i+1) / float64(bins)
		edges[i] = share
		if quantiles && len(sorted) > 0 {
			edges[i] = contest.Quantile(sorted, share)
		}
	}
	return edges
}

// wilsonInterval returns the 95 % confidence interval of a share of k in n (Wilson,
// 1927).
func wilsonInterval(k, n float64) (low, high float64) {
	const z = 1.959963984540054
	share, z2 := k/n, z*z
	mid := (share + z2/(2*n)) / (1 + z2/n)
	half := float64(z / (1 + z2/n) * math.Sqrt(share*(1-share)/n+z2/(4*n*n)))
	return max(0, mid-half), min(1, mid+half)
}
