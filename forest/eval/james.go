package eval

// A James splits the 0-1 loss of models trained on different samples into the error of the Bayes
// rule and the effects of bias and of variance; see [JamesDecomposition]. Error is Bayes +
// SystematicEffect + VarianceEffect.
type James struct {
	Bias             float64 // share of rows whose systematic prediction isn't the Bayes rule's
	Variance         float64 // mean share of models that don't make the systematic prediction
	SystematicEffect float64 // what the systematic predictions add to the Bayes error; at least 0
	VarianceEffect   float64 // what deviating from the systematic predictions adds; below 0 where deviating helps
	Bayes            float64 // error of the Bayes rule
	Error            float64 // mean error of the models
}

// JamesDecomposition decomposes the expected 0-1 loss of models on the same rows (James, Variance
// and bias for general loss functions, 2003, section 3; Tomita et al., SPORF, appendix F and figure
// 12). predictions[r][i] is the class that model r, trained on a sample of its own, predicts for
// row i. posterior[i][k] is the probability of class k given the features of row i, as the problems
// of package sim return it; for labels without noise it is 1 for the label's class and 0 for the others.
//
// The systematic prediction h̄ for a row is the commonest one. With h* the Bayes rule, P_Y(k) the
// probability of class k for a row and P_h(k) the share of models that predict it, means over rows are
//
//	Bias             = [h̄ ≠ h*]
//	Variance         = 1 − P_h(h̄)
//	SystematicEffect = P_Y(h*) − P_Y(h̄)
//	VarianceEffect   = P_Y(h̄) − Σ_k P_Y(k)·P_h(k)
//	Bayes            = 1 − P_Y(h*)
//	Error            = 1 − Σ_k P_Y(k)·P_h(k)
//
// SPORF prints Bias with = for ≠. Of classes predicted equally often the first is h̄. Where several
// classes are most probable, each of them counts as h*. The expectation over samples is estimated
// by the mean over the models, and h̄ is the commonest of their own predictions. So with few models
// Variance is too small, and part of the effect of variance is counted as systematic.
//
// All results are NaN without rows or models. JamesDecomposition panics if a model has another
// number of predictions than there are rows, or predicts a class that has no probability.
func JamesDecomposition(predictions [][]int32, posterior [][]float64) James {
	mustPredict(predictions, len(posterior))
	models := float64(len(predictions))
	var sum James
	var votes []float64
	for i, p := range posterior {
		votes = append(votes[:0], make([]float64, len(p))...)
		for _, pred := range predictions {
			probability(posterior, i, pred[i]) // panics if there is none
			votes[pred[i]]++
		}
		best, systematic := 0, 0
		right := 0.0 // Σ_k P_Y(k)·P_h(k)
		for k, q := range p {
			if q > p[best] {
				best = k
			}
			if votes[k] > votes[systematic] {
				systematic = k
			}
			right += q * votes[k] / models
		}
		if p[systematic] < p[best] {
			sum.Bias++
		}
		sum.Variance += 1 - votes[systematic]/models
		sum.SystematicEffect += p[best] - p[systematic]
		sum.VarianceEffect += p[systematic] - right
		sum.Bayes += 1 - p[best]
		sum.Error += 1 - right
	}
	n := float64(len(posterior))
	if models == 0 {
		n = nan
	}
	return James{sum.Bias / n, sum.Variance / n, sum.SystematicEffect / n, sum.VarianceEffect / n,
		sum.Bayes / n, sum.Error / n}
}
