package eval

import "fmt"

// KohaviWolpert decomposes the 0-1 loss of R models that were trained on different samples into what they have in
// common, the squared bias, and their disagreement, the variance. predictions[r][i] is what model r predicts for row i.
// With p_ij the share of models that predict class j for row i (Gupta et al., GRAF, equations 26 to 29),
//
//	bias2    = mean over rows of Σ_j ([j is the true class] − p_ij)² − p_ij(1 − p_ij)/(R − 1)
//	variance = 1 − mean over rows of Σ_j p_ij²
//	errors   = mean over models of the error rate
//
// Kohavi and Wolpert (1996) have a factor of ½ before both sums, so that bias² +
// variance is the error, for labels without noise and without the correction for the
// number of models. Without the factors, and with the correction,
//
//	bias2 + variance·R/(R − 1) = 2·errors.
//
// The estimate bias2 is unbiased, so it may be slightly below 0. It is NaN for a single model. KohaviWolpert panics if
// a model has another number of predictions than there are rows.
func KohaviWolpert(predictions [][]int32, truth []int32) (bias2, variance, errors float64) {
	models := float64(len(predictions))
	mustPredict(predictions, len(truth))
	votes := map[int32]float64{}
	for i, y := range truth {
		clear(votes)
		for _, pred := range predictions {
			votes[pred[i]]++
		}
		squares := 0.0 // Σ_j p_ij², times R²
		for _, v := range votes {
			squares += float64(v * v)
		}
		// Σ_j ([j = y] − p_j)² = 1 − 2p_y + Σ_j p_j², and Σ_j p_j(1 − p_j) is
		// the row's variance.
		right := votes[y] / models
		agreement := squares / (models * models)
		variance += 1 - agreement
		bias2 += 1 - 2*right + agreement - (1-agreement)/(models-1)
		errors += 1 - right
	}
	n := float64(len(truth))
	return bias2 / n, variance / n, errors / n
}

func mustPredict(predictions [][]int32, rows int) {
	for r, pred := range predictions {
		if len(pred) != rows {
			panic(fmt.Sprintf("eval: model %d has %d predictions for %d rows", r, len(pred), rows))
		}
	}
}
