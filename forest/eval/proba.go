package eval

import (
	"fmt"
	"math"
)

// minProbability is what [LogLoss] takes for smaller probabilities: the distance from 1
// to the next float64, as in scikit-learn.
const minProbability = 0x1p-52

// LogLoss returns the mean of −ln p, with p the probability given to the true class.
// proba has a slice of class probabilities for each row. Probabilities are clipped to
// [2⁻⁵², 1 − 2⁻⁵²], so a certain mistake costs 36, not infinity. LogLoss panics if a
// row's class has no probability.
func LogLoss(proba [][]float64, truth []int32) float64 {
	mustMatch(len(proba), len(truth))
	var sum float64
	for i, y := range truth {
		sum -= math.Log(min(max(probability(proba, i, y), minProbability), 1-minProbability))
	}
	return sum / float64(len(truth))
}

// Brier returns the mean over rows of Σ_c (p_c − [c is the true class])², the
// score that Brier (1950) defines for any number of classes. It is in [0, 2]. With two
// classes it is twice the mean squared error of the probability of one of them. It
// panics where [LogLoss] does.
func Brier(proba [][]float64, truth []int32) float64 {
	mustMatch(len(proba), len(truth))
	var sum float64
	for i, y := range truth {
		right := probability(proba, i, y)
		sum += 1 - 2*right
		for _, p := range proba[i] {
			sum += float64(p * p)
		}
	}
	return sum / float64(len(truth))
}

func probability(proba [][]float64, row int, class int32) float64 {
	if class < 0 || int(class) >= len(proba[row]) {
		panic(fmt.Sprintf("eval: row %d has class %d, but %d probabilities", row, class, len(proba[row])))
	}
	return proba[row][class]
}
