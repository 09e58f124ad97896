package eval

import (
	"fmt"
	"math"
)

// clip is the least probability that [LogLoss] tells from 0: the distance from
// 1 to the next float64, as in scikit-learn.
const clip = 0x1p-52

// LogLoss returns the mean of −ln of the probability given to the true class.
// proba has a row of class probabilities for each row of truth. Probabilities
// are clipped to [2⁻⁵², 1 − 2⁻⁵²], so that one certain mistake costs 36, not
// infinity.
func LogLoss(proba [][]float64, truth []int32) float64 {
	mustMatch(len(proba), len(truth))
	var sum float64
	for i, y := range truth {
		sum -= math.Log(min(max(probability(proba, i, y), clip), 1-clip))
	}
	return sum / float64(len(truth))
}

// Brier returns the mean over rows of Σ_c (p_c − [c is the true class])², the
// score that Brier (1950) gives for any number of classes. It is in [0, 2];
// with two classes it is twice the squared error of the probability of one.
func Brier(proba [][]float64, truth []int32) float64 {
	mustMatch(len(proba), len(truth))
	var sum float64
	for i, y := range truth {
		right := probability(proba, i, y)
		sum += 1 - 2*right
		for _, p := range proba[i] {
			sum += p * p
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
