package mixture

import (
	"cmp"
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// Components are what all mixtures of two Gaussians have. Coordinates are those of centred rows.
type Components struct {
	Mean1, Mean2  []float64
	Share1        float64 // φ1, the weight of the first component; that of the second is 1 − φ1
	LogLikelihood float64 // of the parameters before the last M-step
	Rounds        int     // of EM that were made
}

// A Linear is a mixture of two Gaussians with the same covariance, and the boundary between them.
type Linear struct {
	Components

	// A row belongs to the first component if W·x ≥ D (eq. 3.14 of the thesis), which is the
	// boundary of equal posterior probabilities.
	W []float64
	D float64

	Variance []float64 // the diagonal of the shared covariance, if it is diagonal

	// Of FitFull.
	all    covariance // of all rows
	within covariance // the shared one, if it is factored itself
	delta  []float64  // μ1 − μ2
	solved []float64
}

// tolerance is the relative change of the log-likelihood at which EM ends.
const tolerance = 1e-6

// A Stop says when EM ends. The zero value is the thesis': after 100 rounds, or when the
// log-likelihood changes by less than 10⁻⁶ of itself.
type Stop struct {
	Rounds    int     // 0 means 100
	Tolerance float64 // 0 means 1e-6; negative for all rounds
}

// em makes rounds of EM, from shares of ½. boundary finds the boundary for the current parameters, and returns
// Σ weight·log(φ2N2); values and gamma are those of step; maximise makes the covariances from the new means and γ. The
// boundary is found once more for the last parameters. em returns false where one of them does.
//
// The change of the log-likelihood from one round to the next may be negative, since adding β to variances isn't a step
// of maximum likelihood.
func (r *Rows) em(m *Components, stop Stop, gamma []float64, values func(t []float64, first int),
	boundary func() (second float64, ok bool), maximise func() bool) bool {
	stop.Rounds, stop.Tolerance = cmp.Or(stop.Rounds, maxRounds), cmp.Or(stop.Tolerance, tolerance)
	m.Share1, m.Rounds = 0.5, 0
	for before := math.Inf(-1); m.Rounds < stop.Rounds; before = m.LogLikelihood {
		second, ok := boundary()
		if !ok {
			return false
		}
		softplus, ok := r.step(m, gamma, values)
		if !ok || !maximise() {
			return false
		}
		m.Rounds++
		m.LogLikelihood = softplus + second
		if math.Abs(m.LogLikelihood-before) < float64(stop.Tolerance*max(math.Abs(m.LogLikelihood), r.total)) {
			break
		}
	}
	_, ok := boundary()
	return ok
}

// posterior is the E-step of a block: it replaces t = log(φ1N1/φ2N2) of each row by its
// probability of being in the first component, σ(t), times its weight, and returns
// Σ weight·log(1 + eᵗ). Then Σ weight·log(φ1N1 + φ2N2) is that plus Σ weight·log(φ2N2).
func (r *Rows) posterior(first int, t []float64) (softplus float64) {
	exps := r.exps[:len(t)]
	for i, v := range t {
		exps[i] = -math.Abs(v)
	}
	portable.Exps(exps)
	product := 1.0 // of (1 + eᵗ) to the power of the weights
	for i, v := range t {
		one := 1 + exps[i]
		g := 1 / one
		if v < 0 {
			g = exps[i] / one
		}
		weight := r.weight[first+i]
		if r.counts {
			for c := weight; c > 0; c-- {
				product *= one
			}
			softplus += float64(weight * max(v, 0))
		} else {
			softplus += float64(weight * (max(v, 0) + portable.Log(one)))
		}
		t[i] = float64(weight * g)
	}
	if r.counts {
		softplus += portable.Log(product) // at most 2⁵¹²: 32 rows of weight 16
	}
	return softplus
}

// step is an E-step and the M-step of the share and the means. values sets t of a block of rows to log(φ1N1/φ2N2); γ
// gets the rows' probabilities times their weights, unless it is nil. step returns Σ weight·log(1 + eᵗ). ok is false if
// a component is empty.
func (r *Rows) step(m *Components, gamma []float64, values func(t []float64, first int)) (softplus float64, ok bool) {
	clear(m.Mean1)
	var total float64
	for first := 0; first < r.n; first += block {
		if r.cancelled() {
			return 0, false
		}
		t := r.t[:min(block, r.n-first)]
		if gamma != nil {
			t = gamma[first:][:len(t)]
		}
		values(t, first)
		softplus += r.posterior(first, t)
		total += r.addRows(m.Mean1, first, t)
	}
	m.Share1 = total / r.total
	return softplus, r.means(m.Mean1, m.Mean2, total) && finite(softplus)
}

// logOdds returns log(φ1/φ2).
func (m *Components) logOdds() float64 { return portable.Log(m.Share1) - portable.Log(1-m.Share1) }

// FitDiagonal fits a mixture with one diagonal covariance by EM. It starts from the means
// in m, weights of ½ and the variances of the features. ridge, β, is added to the variances in each
// step. It returns false if a component becomes empty or a variance 0.
func (r *Rows) FitDiagonal(m *Linear, ridge float64, stop Stop) bool {
	m.Variance, m.W = resized(m.Variance, r.p), resized(m.W, r.p)
	for k, v := range r.variance {
		m.Variance[k] = v + ridge
	}
	boundary := func() (second float64, ok bool) {
		m.D = -m.logOdds() // eq. 3.14
		for k, v := range m.Variance {
			m.W[k] = (m.Mean1[k] - m.Mean2[k]) / v
			m.D += float64(float64(m.W[k]*(m.Mean1[k]+m.Mean2[k])) / 2)
		}
		return r.secondDiagonal(&m.Components, m.Variance), finite(m.D) && finite(kernel.Dot(m.W, m.W))
	}
	return r.em(&m.Components, stop, nil, m.values(r), boundary, func() bool {
		for k, v := range r.variance {
			within := v - float64(m.Share1*float64(m.Mean1[k]*m.Mean1[k])) -
				float64((1-m.Share1)*float64(m.Mean2[k]*m.Mean2[k]))
			m.Variance[k] = max(0, within) + ridge
		}
		return true
	})
}

// values returns the function that sets t to W·x − D for the rows from first on.
func (m *Linear) values(r *Rows) func(t []float64, first int) {
	return func(t []float64, first int) { r.dots(t, first, m.W, m.D) }
}

// secondDiagonal returns Σ weight·log(φ2N2) over all rows, given the variances of the second component.
func (r *Rows) secondDiagonal(m *Components, variance []float64) float64 {
	var sum float64
	for k, v := range variance {
		sum += ln2Pi + portable.Log(v) + (r.variance[k]+float64(m.Mean2[k]*m.Mean2[k]))/v
	}
	return float64(r.total * (portable.Log(1-m.Share1) - float64(sum/2)))
}
