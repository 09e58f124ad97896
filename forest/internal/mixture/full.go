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
	r.scatter(&m.all, nil)
	if !m.all.invert(r.total, ridge, r.Call) {
		return false
	}
	m.within.reset(p)
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
		copy(m.within.sum, m.all.sum)
		m.within.addSquare(m.delta, -float64(r.total*product))
		if !m.within.invert(r.total, ridge, r.Call) {
			return 0, false
		}
		m.within.times(m.W, m.delta)
		m.within.times(m.solved, m.Mean2)
		second = r.second(&m.Components, &m.within, m.all.sum, kernel.Dot(m.solved, m.Mean2))
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
		trace += m.all.inverse[k*m.all.stride+k]
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

// A covariance is a symmetric matrix, its inverse and the logarithm of its determinant. Of matrices the lower
// triangles are kept, row by row, as [kernel.AddSquares4] has them.
type covariance struct {
	p, stride      int
	sum            []float64 // Σ γ·xxᵀ
	inverse        []float64
	logDeterminant float64
	pivots         []float64 // four columns, of invert
}

// reset makes room for p features.
func (c *covariance) reset(p int) {
	c.p, c.stride = p, kernel.Padded(p)
	c.sum, c.inverse = resized(c.sum, p*c.stride), resized(c.inverse, p*c.stride)
	c.pivots = resized(c.pivots, 4*c.stride)
}

// row returns row i of a lower triangle.
func (c *covariance) row(triangle []float64, i int) []float64 { return triangle[i*c.stride:][:i+1] }

// invert computes the inverse and determinant of A = sum/total + ridge·I. It returns false if that isn't positive
// definite, or the call is cancelled.
//
// Each feature k in turn is swept: with x, column k, and d, element (k, k), the row and column are set to 0, element k
// of x to −1, and −xxᵀ/d is added (Goodnight, A tutorial on the SWEEP operator, The American Statistician 33, 1979).
// This turns −A into A⁻¹; the determinant is the product of all −d. The squares of four features are added at once.
func (c *covariance) invert(total, ridge float64, call parallel.Call) bool {
	for i := range c.p {
		row := c.row(c.inverse, i)
		for j, v := range c.row(c.sum, i) {
			row[j] = -v / total
		}
		row[i] -= ridge
	}
	c.logDeterminant = 0
	determinant := 1.0 // of the features whose logarithm isn't in the sum yet
	for from := 0; from < c.p; from += 4 {
		if parallel.Cancelled(call) {
			return false
		}
		clear(c.pivots)
		var g [4]float64
		for q := range min(4, c.p-from) {
			k, x := from+q, c.pivots[q*c.stride:][:c.p]
			c.take(x, k)
			for m := range q { // whose squares aren't added yet
				before := c.pivots[m*c.stride:][:c.p]
				factor := float64(g[m] * before[k])
				for i, v := range before {
					x[i] += float64(factor * v)
				}
				before[k] = 0
			}
			d := -x[k]
			if !(d > 0) || math.IsInf(d, 1) {
				return false
			}
			if determinant *= d; !(determinant > 1e-140 && determinant < 1e140) {
				c.logDeterminant += portable.Log(determinant)
				determinant = 1
			}
			x[k], g[q] = -1, 1/d
		}
		kernel.AddSquares4(c.inverse, c.p, c.pivots, c.stride, &g)
	}
	c.logDeterminant += portable.Log(determinant)
	return true
}

// take moves column k of the inverse to x, and leaves zeros there.
func (c *covariance) take(x []float64, k int) {
	row := c.row(c.inverse, k)
	copy(x, row)
	clear(row)
	for i := k + 1; i < c.p; i++ {
		at := &c.inverse[i*c.stride+k]
		x[i], *at = *at, 0
	}
}

// times sets u to inverse·v.
func (c *covariance) times(u, v []float64) {
	for i, x := range v {
		sum := 0.0
		for j, a := range c.row(c.inverse, i) {
			sum += float64(a * v[j])
			u[j] += float64(a * x)
		}
		u[i] = sum // over what was added for j = i
	}
}

// product returns Σ inverse·other over all elements of two symmetric matrices.
func (c *covariance) product(other []float64) (sum float64) {
	for i := range c.p {
		a, b := c.row(c.inverse, i), c.row(other, i)
		row := 0.0
		for j, v := range a[:i] {
			row += float64(v * b[j])
		}
		sum += float64(2*row) + float64(a[i]*b[i])
	}
	return sum
}

// addSquare adds g·xxᵀ to sum.
func (c *covariance) addSquare(x []float64, g float64) {
	for i, v := range x {
		v = float64(g * v)
		for j, u := range x[:i+1] {
			c.sum[i*c.stride+j] += float64(v * u)
		}
	}
}

// scatter sets c.sum to Σ γxxᵀ over all rows; a nil γ is the rows' weights. Four rows whose γ are all below 10⁻¹⁸, or
// 10⁻¹⁸ times the mean weight if that is below 1, are left out.
func (r *Rows) scatter(c *covariance, gamma []float64) {
	c.reset(r.p)
	clear(c.sum)
	if gamma == nil {
		gamma = r.weight
	}
	least := 1e-18 * min(1, r.total/float64(r.n))
	for i := 0; i < r.n; i += 4 {
		if i%32 == 28 && r.cancelled() {
			return
		}
		var g [4]float64
		copy(g[:], gamma[i:])
		if max(g[0], g[1], g[2], g[3]) >= least {
			kernel.AddSquares4(c.sum, r.p, r.x[i*r.p:], r.p, &g)
		}
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
