package mixture

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/dense"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// FitFull fits a mixture with one full covariance by EM, as [Rows.FitDiagonal] does with a
// diagonal one; ridge is added to every variance. With φ1μ1 + φ2μ2 = 0 the covariance is
// A − φ1φ2δδᵀ, where A is that of all rows plus the ridge, and δ = μ1 − μ2. So A is
// factored once, and its inverse is updated by the formula of Sherman and Morrison, unless the update
// would lose too many digits.
func (r *Rows) FitFull(m *Linear, ridge float64, stop Stop) bool {
	p := r.p
	m.W, m.Variance, m.delta, m.solved = resized(m.W, p), nil, resized(m.delta, p), resized(m.solved, p)
	m.all.p, m.within.p = p, p
	r.scatter(&m.all, nil)
	m.within.sum = resized(m.within.sum, len(m.all.sum))
	if !m.all.invert(r.total, ridge, r.Call) {
		return false
	}
	product := 0.0 // φ1φ2; at the start the covariance is that of all rows
	boundary := func() (second float64, ok bool) { return r.sharedBoundary(m, product, ridge) }
	return r.em(&m.Components, stop, nil, m.values(r), boundary, func() bool {
		product = float64(m.Share1 * (1 - m.Share1))
		return true
	})
}

// leastRest is the least 1 − φ1φ2δᵀA⁻¹δ for which the inverse of the covariance is found from
// that of A. It is small if the groups lie far apart for their width, as those of few
// rows with many features do; there the difference has too few digits.
const leastRest = 1e-3

// sharedBoundary sets W and D for the covariance A − product·δδᵀ and returns Σ weight·log(φ2N2).
func (r *Rows) sharedBoundary(m *Linear, product, ridge float64) (second float64, ok bool) {
	for k := range m.delta {
		m.delta[k] = m.Mean1[k] - m.Mean2[k]
	}
	m.all.times(m.W, m.delta)
	q := kernel.Dot(m.delta, m.W)
	rest := 1 - float64(product*q)
	if rest < leastRest {
		k := 0
		for i, v := range m.delta {
			v = float64(float64(r.total*product) * v)
			for _, u := range m.delta[:i+1] {
				m.within.sum[k] = m.all.sum[k] - float64(v*u)
				k++
			}
		}
		if !m.within.invert(r.total, ridge, r.Call) {
			return 0, false
		}
		m.within.times(m.W, m.delta)
		second = r.second(&m.Components, &m.within, m.all.sum)
	} else {
		second = r.updatedSecond(m, q, rest, product, ridge)
		for k := range m.W {
			m.W[k] /= rest
		}
	}
	m.D = -m.logOdds()
	for k, v := range m.W {
		m.D += float64(float64(v*(m.Mean1[k]+m.Mean2[k])) / 2)
	}
	return second, finite(m.D) && finite(second)
}

// updatedSecond is [Rows.second] for the covariance A − product·δδᵀ, given W = A⁻¹δ and q = δᵀW.
func (r *Rows) updatedSecond(m *Linear, q, rest, product, ridge float64) float64 {
	var trace float64 // of A⁻¹
	for k := range r.p {
		trace += m.all.inverse[k*r.p+k]
	}
	// Σ weight·xᵀΣ⁻¹x/total, with S = A − ridge·I the covariance of all rows
	mahalanobis := float64(r.p) - float64(ridge*trace) + float64(product/rest*(q-float64(ridge*kernel.Dot(m.W, m.W))))
	// and μ2ᵀΣ⁻¹μ2
	m.all.times(m.solved, m.Mean2)
	along := kernel.Dot(m.W, m.Mean2)
	mahalanobis += kernel.Dot(m.solved, m.Mean2) + float64(product/rest*float64(along*along))
	logDeterminant := m.all.logDeterminant + portable.Log(rest)
	half := float64((float64(float64(r.p)*ln2Pi) + logDeterminant + mahalanobis) / 2)
	return float64(r.total * (portable.Log(1-m.Share1) - half))
}

// A covariance is a symmetric matrix, its inverse and the logarithm of its determinant.
type covariance struct {
	p              int
	sum            []float64 // Σ γ·xxᵀ, the lower triangle, row by row
	factor         []float64 // p×p
	inverse        []float64 // p×p
	logDeterminant float64
}

// invert computes the inverse and determinant of sum/total + ridge·I. It returns false if that isn't
// positive definite, or the call is cancelled.
func (c *covariance) invert(total, ridge float64, call parallel.Call) bool {
	p := c.p
	c.factor, c.inverse = resized(c.factor, p*p), resized(c.inverse, p*p)
	for i, k := 0, 0; i < p; i++ {
		for j := 0; j <= i; j++ {
			c.factor[i*p+j] = c.sum[k] / total
			k++
		}
		c.factor[i*p+i] += ridge
	}
	if parallel.Cancelled(call) || !dense.Factor(c.factor, p, call) {
		return false
	}
	c.logDeterminant = 0
	for i := range p {
		d := c.factor[i*p+i]
		if math.IsInf(d, 1) {
			return false
		}
		c.logDeterminant += float64(2 * portable.Log(d))
	}
	dense.Invert(c.inverse, c.factor, p, call)
	return true
}

// times sets u to inverse·v.
func (c *covariance) times(u, v []float64) { dense.Dots(u, c.inverse, c.p, v) }

// scatter sets c.sum to Σ γxxᵀ over all rows; a nil γ is the rows' weights. Rows whose γ is
// below 10⁻¹⁸ of their weight are left out.
func (r *Rows) scatter(c *covariance, gamma []float64) {
	c.sum = resized(c.sum, r.p*(r.p+1)/2)
	clear(c.sum)
	if gamma == nil {
		gamma = r.weight
	}
	var rows [4][]float64
	var g [4]float64
	filled := 0
	for i, v := range gamma {
		if i%32 == 31 && r.cancelled() {
			return
		}
		if v < float64(1e-18*r.weight[i]) {
			continue
		}
		rows[filled], g[filled] = r.Row(i), v
		if filled++; filled == 4 {
			addSquares4(c.sum, &rows, &g)
			filled = 0
		}
	}
	for k := range filled {
		addSquares(c.sum, rows[k], g[k])
	}
}

// addSquares4 adds Σ g·xxᵀ of four rows to a lower triangle.
func addSquares4(sum []float64, rows *[4][]float64, g *[4]float64) {
	a, b, c, d := rows[0], rows[1], rows[2], rows[3]
	for i := range a {
		factors := [4]float64{float64(g[0] * a[i]), float64(g[1] * b[i]), float64(g[2] * c[i]), float64(g[3] * d[i])}
		kernel.AddRows4(sum[:i+1], a[:i+1], b[:i+1], c[:i+1], d[:i+1], &factors)
		sum = sum[i+1:]
	}
}

func addSquares(sum, x []float64, g float64) {
	for i, v := range x {
		v = float64(g * v)
		for j, u := range x[:i+1] {
			sum[j] += float64(v * u)
		}
		sum = sum[i+1:]
	}
}

// Rotate replaces the rows, if they are fewer than the features, by their coordinates in an orthonormal basis of a
// space that contains them all, and m1 and m2, which lie in this space, by theirs. So a full covariance takes n²
// numbers instead of p². It returns the n basis vectors, one after another, of which some may be 0, or nil if it did
// nothing. Means stay those of the features.
func (r *Rows) Rotate(m1, m2 *[]float64) (basis []float64) {
	n, p := r.n, r.p
	if n >= p {
		return nil
	}
	r.basis, r.direction = resized(r.basis, n*p), resized(r.direction, n)
	basis = r.basis
	for i := range n {
		copy(basis[i*p:], r.Row(i))
	}
	dense.Orthonormalise(basis, n, p, r.x, r.direction, r.Call)
	r.p, r.stride, r.variance = n, n, r.variance[:n]
	r.setVariance()
	for _, m := range []*[]float64{m1, m2} {
		dense.Dots(r.direction, basis, p, *m)
		*m = append((*m)[:0], r.direction...)
	}
	return basis
}
