package sim

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A Rule is the Bayes rule of a problem: the best classifier there is, which knows the distribution of the rows.
type Rule struct {
	class     func(x []float32) int32
	posterior func(x []float32) []float64
	err       func() float64
}

// Class returns the index of the likeliest class at x, the first of several. It is −1 where the problem has no rows.
func (r Rule) Class(x []float32) int32 { return r.class(x) }

// Posterior returns the probabilities of the classes at x. Where the problem has no rows, they may all be 0.
func (r Rule) Posterior(x []float32) []float64 { return r.posterior(x) }

// Error returns the Bayes error: the share of the rows that the rule errs on. No classifier has a lower one.
func (r Rule) Error() float64 { return r.err() }

// withoutOverlap returns the rule of a problem whose rows determine their class.
func withoutOverlap(classes int, class func(x []float32) int32) Rule {
	posterior := func(x []float32) []float64 {
		probabilities := make([]float64, classes)
		if c := class(x); c >= 0 {
			probabilities[c] = 1
		}
		return probabilities
	}
	return Rule{class, posterior, func() float64 { return 0 }}
}

// ofLogOdds returns the rule of a problem of the classes "0" and "1", where logOdds returns ln(P("1")/P("0")) at x.
func ofLogOdds(logOdds func(x []float32) float64, err func() float64) Rule {
	class := func(x []float32) int32 { return likelier(logOdds(x)) }
	posterior := func(x []float32) []float64 {
		v := logOdds(x)
		return []float64{logistic(-v), logistic(v)}
	}
	return Rule{class, posterior, err}
}

// ofPosterior returns the rule of a problem with these probabilities of classes.
func ofPosterior(posterior func(x []float32) []float64, err func() float64) Rule {
	class := func(x []float32) int32 {
		probabilities := posterior(x)
		return int32(slices.Index(probabilities, slices.Max(probabilities)))
	}
	return Rule{class, posterior, err}
}

// logistic returns 1/(1+exp(−x)).
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// likelier returns class 1 where the log odds are above 0, else class 0.
func likelier(logOdds float64) int32 {
	if logOdds > 0 {
		return 1
	}
	return 0
}

// softmax replaces the log densities of the classes at a row by their posterior
// probabilities under equal priors, and returns logs.
func softmax(logs []float64) []float64 {
	highest, sum := slices.Max(logs), 0.0
	for c, v := range logs {
		logs[c] = math.Exp(v - highest)
		sum += logs[c]
	}
	for c := range logs {
		logs[c] /= sum
	}
	return logs
}

// fairLabels fills labels with independent, equally likely classes.
func fairLabels(labels []int32, classes int32, rng *rand.Rand) {
	for i := range labels {
		labels[i] = rng.Int32N(classes)
	}
}
