package mixture

// Posterior sets gamma, which has n elements, to the probability that each row is in the first
// component, times the row's weight.
func (m *Linear) Posterior(r *Rows, gamma []float64) { r.posteriors(gamma, m.values(r)) }

// Posterior is [Linear.Posterior] for mixtures with separate covariances.
func (m *Quadratic) Posterior(r *Rows, gamma []float64) { r.posteriors(gamma, m.values(r)) }

func (r *Rows) posteriors(gamma []float64, values func(t []float64, first int)) {
	for first := 0; first < r.n; first += block {
		t := gamma[first:min(first+block, r.n)]
		values(t, first)
		r.posterior(first, t)
	}
}
