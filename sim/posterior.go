package sim

import (
	"math"
	"math/rand/v2"
)

// logistic returns 1/(1+exp(−x)).
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// posteriorOf returns the probabilities of the classes "0" and "1", where logOdds
// is ln(P("1")/P("0")).
func posteriorOf(logOdds float64) []float64 {
	return []float64{logistic(-logOdds), logistic(logOdds)}
}

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
	highest := math.Inf(-1)
	for _, v := range logs {
		highest = max(highest, v)
	}
	var sum float64
	for c, v := range logs {
		logs[c] = math.Exp(v - highest)
		sum += logs[c]
	}
	for c := range logs {
		logs[c] /= sum
	}
	return logs
}

// argmax returns the index of the largest number, the first if there are several.
func argmax(v []float64) int32 {
	best := 0
	for c := range v {
		if v[c] > v[best] {
			best = c
		}
	}
	return int32(best)
}

// fairLabels fills labels with independent, equally likely classes.
func fairLabels(labels []int32, classes int32, rng *rand.Rand) {
	for i := range labels {
		labels[i] = rng.Int32N(classes)
	}
}
