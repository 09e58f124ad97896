package mixture

import (
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A Quadratic is a mixture of two Gaussians with covariances of their own, and the boundary between them.
type Quadratic struct {
	Components

	// A row belongs to the first component if xᵀQx + W·x + B ≥ 0 (eq. 5.6 to 5.9 of the
	// thesis). Q is symmetric, p×p, or its diagonal if the covariances are diagonal.
	Q, W []float64
	B    float64

	gamma         []float64
	form          []float64  // 2Q below the diagonal, Q on it and 0 above, as [kernel.Quadratics4] has it
	first, second covariance // the components' covariances
	all           []float64  // Σ weight·xxᵀ
	solved        []float64

	// Of FitSeparateDiagonal.
	variance1, variance2 []float64
}

// FitSeparate fits a mixture of Gaussians with two full covariances by EM. It starts from the
// means in m, weights of ½ and the covariance of all rows for both. ridge is added to all
// variances. It returns false if a component becomes empty or a covariance singular.
func (r *Rows) FitSeparate(m *Quadratic, ridge float64, stop Stop) bool {
	p := r.p
	m.Q, m.W, m.gamma, m.solved = resized(m.Q, p*p), resized(m.W, p), resized(m.gamma, r.n), resized(m.solved, p)
	r.scatter(&m.first, nil)
	m.all = append(m.all[:0], m.first.sum...)
	if !m.first.invert(r.total, ridge, r.Call) {
		return false
	}
	m.second.reset(p)
	copy(m.second.inverse, m.first.inverse)
	m.second.logDeterminant = m.first.logDeterminant
	m.form = resized(m.form, len(m.all))
	clear(m.form)
	var second float64
	boundary := func() (sum float64, ok bool) {
		second = r.second(&m.Components, &m.second, m.all, m.fullBoundary())
		return second, finite(m.B)
	}
	return r.em(&m.Components, stop, m.gamma, m.values(r), boundary, func() bool {
		return finite(second) && r.maximiseFull(m, ridge)
	}) && m.fillQ()
}

// maximiseFull computes both covariances from γ. The scatter of the lighter component is
// summed; the other's is the rest, which loses few digits.
func (r *Rows) maximiseFull(m *Quadratic, ridge float64) bool {
	light, heavy := &m.first, &m.second
	lightMean, heavyMean, share := m.Mean1, m.Mean2, m.Share1
	if share > 0.5 {
		light, heavy, lightMean, heavyMean, share = heavy, light, heavyMean, lightMean, 1-share
		for i, g := range m.gamma {
			m.gamma[i] = r.weight[i] - g
		}
	}
	r.scatter(light, m.gamma)
	for k, v := range light.sum {
		heavy.sum[k] = m.all[k] - v
	}
	weight := float64(share * r.total)
	light.addSquare(lightMean, -weight)
	heavy.addSquare(heavyMean, weight-r.total)
	return light.invert(weight, ridge, r.Call) && heavy.invert(r.total-weight, ridge, r.Call)
}

// fullBoundary sets form, W and B, by eq. 5.6 to 5.9. It returns μ2ᵀΣ2⁻¹μ2.
func (m *Quadratic) fullBoundary() (along2 float64) {
	for i := range m.first.p {
		a, b, to := m.first.row(m.first.inverse, i), m.second.row(m.second.inverse, i), m.first.row(m.form, i)
		for j, v := range a {
			to[j] = b[j] - v
		}
		to[i] /= 2
	}
	m.first.times(m.W, m.Mean1)
	along1 := kernel.Dot(m.W, m.Mean1)
	second := m.solved
	m.second.times(second, m.Mean2)
	along2 = kernel.Dot(second, m.Mean2)
	for k, v := range second {
		m.W[k] -= v
	}
	m.B = m.logOdds() + float64((along2-along1+m.second.logDeterminant-m.first.logDeterminant)/2)
	return along2
}

// fillQ sets Q to what form has. It returns true.
func (m *Quadratic) fillQ() bool {
	p := m.first.p
	for i := range p {
		for j, v := range m.first.row(m.form, i) {
			m.Q[i*p+j], m.Q[j*p+i] = v/2, v/2
		}
		m.Q[i*p+i] *= 2
	}
	return true
}

// second returns Σ weight·log(φ2N2) over all rows, given the covariance of the second component, Σ weight·xxᵀ and
// μ2ᵀΣ2⁻¹μ2.
func (r *Rows) second(m *Components, c *covariance, all []float64, along float64) float64 {
	mahalanobis := c.product(all)/r.total + along
	half := float64((float64(float64(r.p)*ln2Pi) + c.logDeterminant + mahalanobis) / 2)
	return float64(r.total * (portable.Log(1-m.Share1) - half))
}

// quadratics sets t to xᵀQx + W·x + B for the rows from first on.
func (r *Rows) quadratics(t []float64, first int, m *Quadratic) {
	kernel.Quadratics(r.forms[:kernel.Padded(len(t))], m.form, m.W, r.p, r.x[first*r.p:])
	for i := range t {
		t[i] = r.forms[i] + m.B
	}
}

// FitSeparateDiagonal is [Rows.FitSeparate] with diagonal covariances. Q is a diagonal.
func (r *Rows) FitSeparateDiagonal(m *Quadratic, ridge float64, stop Stop) bool {
	p := r.p
	m.Q, m.W, m.gamma, m.form = resized(m.Q, p), resized(m.W, p), resized(m.gamma, r.n), nil
	m.variance1, m.variance2 = resized(m.variance1, p), resized(m.variance2, p)
	for k, v := range r.variance {
		m.variance1[k], m.variance2[k] = v+ridge, v+ridge
	}
	boundary := func() (second float64, ok bool) {
		return r.secondDiagonal(&m.Components, m.variance2), m.diagonalBoundary()
	}
	return r.em(&m.Components, stop, m.gamma, m.values(r), boundary, func() bool {
		r.maximiseDiagonal(m, ridge)
		return true
	})
}

// values returns the function that sets t to xᵀQx + W·x + B for the rows from first on.
func (m *Quadratic) values(r *Rows) func(t []float64, first int) {
	if m.form == nil {
		return func(t []float64, first int) { r.diagonalQuadratics(t, first, m) }
	}
	return func(t []float64, first int) { r.quadratics(t, first, m) }
}

// maximiseDiagonal computes both components' variances from γ. Both are summed, since the
// difference from the sum of all would lose the digits of a light component.
func (r *Rows) maximiseDiagonal(m *Quadratic, ridge float64) {
	v1, v2 := m.variance1, m.variance2
	clear(v1)
	clear(v2)
	for i, g := range m.gamma {
		rest := r.weight[i] - g
		for k, v := range r.Row(i) {
			a, b := v-m.Mean1[k], v-m.Mean2[k]
			v1[k] += float64(g * float64(a*a))
			v2[k] += float64(rest * float64(b*b))
		}
	}
	for k := range v1 {
		v1[k] = v1[k]/float64(m.Share1*r.total) + ridge
		v2[k] = v2[k]/float64((1-m.Share1)*r.total) + ridge
	}
}

// diagonalBoundary sets Q, W and B for diagonal covariances.
func (m *Quadratic) diagonalBoundary() bool {
	v1, v2 := m.variance1, m.variance2
	m.B = m.logOdds()
	for k := range v1 {
		a, b := m.Mean1[k]/v1[k], m.Mean2[k]/v2[k]
		m.Q[k] = (1/v2[k] - 1/v1[k]) / 2
		m.W[k] = a - b
		m.B += float64((float64(b*m.Mean2[k]) - float64(a*m.Mean1[k]) + portable.Log(v2[k]) - portable.Log(v1[k])) / 2)
	}
	return finite(m.B) && finite(kernel.Dot(m.W, m.W)) && finite(kernel.Dot(m.Q, m.Q))
}

// diagonalQuadratics sets t to Σ Qx² + W·x + B for the rows from first on.
func (r *Rows) diagonalQuadratics(t []float64, first int, m *Quadratic) {
	for i := range t {
		sum := m.B
		for k, v := range r.Row(first + i) {
			sum += float64(v * (m.W[k] + float64(m.Q[k]*v)))
		}
		t[i] = sum
	}
}
