package mixture

import (
	"github.com/obliqua-ml/obliqua/forest/internal/dense"
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
	m.first.p, m.second.p = p, p
	r.scatter(&m.first, nil)
	m.all = append(m.all[:0], m.first.sum...)
	if !m.first.invert(r.total, ridge, r.Call) {
		return false
	}
	m.second.sum = append(m.second.sum[:0], m.all...)
	m.second.inverse = append(m.second.inverse[:0], m.first.inverse...)
	m.second.logDeterminant = m.first.logDeterminant
	var second float64
	boundary := func() (sum float64, ok bool) {
		m.fullBoundary()
		second = r.second(&m.Components, &m.second, m.all)
		return second, finite(m.B)
	}
	return r.em(&m.Components, stop, m.gamma, m.values(r), boundary, func() bool {
		return finite(second) && r.maximiseFull(m, ridge)
	})
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
	light.centre(lightMean, weight)
	heavy.centre(heavyMean, r.total-weight)
	return light.invert(weight, ridge, r.Call) && heavy.invert(r.total-weight, ridge, r.Call)
}

// centre makes sum the scatter around a mean.
func (c *covariance) centre(mean []float64, weight float64) {
	k := 0
	for i, v := range mean {
		v = float64(weight * v)
		for _, u := range mean[:i+1] {
			c.sum[k] -= float64(v * u)
			k++
		}
	}
}

// fullBoundary sets Q, W and B, by eq. 5.6 to 5.9.
func (m *Quadratic) fullBoundary() {
	for k, v := range m.first.inverse {
		m.Q[k] = (m.second.inverse[k] - v) / 2
	}
	m.first.times(m.W, m.Mean1)
	b1 := -float64(kernel.Dot(m.W, m.Mean1)/2) - float64(m.first.logDeterminant/2) + portable.Log(m.Share1)
	second := m.solved
	m.second.times(second, m.Mean2)
	b2 := -float64(kernel.Dot(second, m.Mean2)/2) - float64(m.second.logDeterminant/2) + portable.Log(1-m.Share1)
	for k, v := range second {
		m.W[k] -= v
	}
	m.B = b1 - b2
}

// second returns Σ weight·log(φ2N2) over all rows, given the covariance of the second component and Σ weight·xxᵀ.
func (r *Rows) second(m *Components, c *covariance, all []float64) float64 {
	var mahalanobis float64
	k := 0
	for i, u := range m.Mean2 {
		for j, v := range m.Mean2[:i+1] {
			term := float64(c.inverse[i*r.p+j] * (all[k]/r.total + float64(u*v)))
			if j < i {
				term *= 2
			}
			mahalanobis += term
			k++
		}
	}
	half := float64((float64(float64(r.p)*ln2Pi) + c.logDeterminant + mahalanobis) / 2)
	return float64(r.total * (portable.Log(1-m.Share1) - half))
}

// quadratics sets t to xᵀQx + W·x + B for the rows from first on, four at a time.
func (r *Rows) quadratics(t []float64, first int, m *Quadratic) {
	p := r.p
	for ; len(t) > 0; first += 4 {
		var sums [4]float64
		four, rows := t[:min(4, len(t))], r.x[first*p:]
		t = t[len(four):]
		for i := range four {
			four[i] = m.B
		}
		for k, w := range m.W { // Q is symmetric: twice its lower triangle, and the diagonal once
			dense.Dots(sums[:len(four)], rows, p, m.Q[k*p:k*p+k])
			q := m.Q[k*p+k]
			for i := range four {
				v := rows[i*p+k]
				four[i] += float64(v * (w + 2*sums[i] + float64(q*v)))
			}
		}
	}
}

// FitSeparateDiagonal is [Rows.FitSeparate] with diagonal covariances. Q is a diagonal.
func (r *Rows) FitSeparateDiagonal(m *Quadratic, ridge float64, stop Stop) bool {
	p := r.p
	m.Q, m.W, m.gamma = resized(m.Q, p), resized(m.W, p), resized(m.gamma, r.n)
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
	if len(m.Q) == r.p {
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
