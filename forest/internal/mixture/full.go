package mixture

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// FitFull fits a mixture with one full covariance by EM, as [Rows.FitDiagonal] does with a
// diagonal one; ridge is added to every variance. With φ1μ1 + φ2μ2 = 0 the covariance is
// A − φ1φ2δδᵀ, where A is that of all rows plus the ridge, and δ = μ1 − μ2. So A is
// factored once, and its inverse is updated by the formula of Sherman and Morrison.
//
// It uses gonum, so results may differ in their last bits between processors.
func (r *Rows) FitFull(m *Linear, ridge float64, stop Stop) bool {
	m.W, m.Variance = resized(m.W, r.p), nil
	a := covariance{p: r.p}
	r.scatter(&a, nil)
	if !a.invert(r.total, ridge) {
		return false
	}
	traceInverse := 0.0
	for k := range r.p {
		traceInverse += a.inverse[k*r.p+k]
	}
	delta, u := make([]float64, r.p), make([]float64, r.p)
	// boundary sets W and D for the covariance A − c·δδᵀ and returns Σ weight·log(φ2N2).
	boundary := func(c float64) (second float64, ok bool) {
		for k := range delta {
			delta[k] = m.Mean1[k] - m.Mean2[k]
		}
		a.times(u, delta)
		q := dot(delta, u)
		rest := 1 - float64(c*q)
		if !(rest > 0) {
			return 0, false
		}
		var middle, spread float64
		for k, v := range u {
			m.W[k] = v / rest
			middle += float64(float64(m.W[k]*(m.Mean1[k]+m.Mean2[k])) / 2)
			spread += float64(v * v)
		}
		m.D = middle - m.logOdds()
		// Σ weight·(x − μ2)ᵀΣ⁻¹(x − μ2)/total, with S = A − ridge·I the covariance of all rows
		mahalanobis := float64(r.p) - float64(ridge*traceInverse) + float64(c/rest*(q-float64(ridge*spread)))
		a.times(delta, m.Mean2)
		along := dot(u, m.Mean2)
		mahalanobis += dot(delta, m.Mean2) + float64(c/rest*float64(along*along))
		logDeterminant := a.logDeterminant + kernel.Log(rest)
		second = float64(r.total * (kernel.Log(1-m.Share1) - (float64(float64(r.p)*ln2Pi)+logDeterminant+mahalanobis)/2))
		return second, finite(m.D) && finite(second)
	}
	m.Share1 = 0.5
	c, before := 0.0, math.Inf(-1)
	for m.Rounds = 1; m.Rounds <= stop.rounds(); m.Rounds++ {
		second, ok := boundary(c)
		if !ok {
			return false
		}
		softplus, ok := r.step(m)
		if !ok {
			return false
		}
		m.LogLikelihood = softplus + second
		c = float64(m.Share1 * (1 - m.Share1))
		if stop.reached(before, m.LogLikelihood, r.total) {
			break
		}
		before = m.LogLikelihood
	}
	_, ok := boundary(c)
	return ok
}

// A covariance is a symmetric matrix, its inverse and the logarithm of its determinant.
type covariance struct {
	p              int
	sum            []float64 // Σ γ·xxᵀ, the lower triangle, row by row
	inverse        []float64 // p×p
	logDeterminant float64
}

// invert computes the inverse and determinant of sum/total + ridge·I. It returns false if that isn't
// positive definite.
func (c *covariance) invert(total, ridge float64) bool {
	p := c.p
	c.inverse = resized(c.inverse, p*p)
	for i, k := 0, 0; i < p; i++ {
		for j := 0; j <= i; j++ {
			c.inverse[i*p+j] = c.sum[k] / total
			k++
		}
		c.inverse[i*p+i] += ridge
	}
	s := blas64.Symmetric{N: p, Stride: p, Data: c.inverse, Uplo: blas.Lower}
	factor, ok := lapack64.Potrf(s)
	if !ok {
		return false
	}
	c.logDeterminant = 0
	for i := range p {
		d := factor.Data[i*p+i]
		if !(d > 0) || math.IsInf(d, 1) {
			return false
		}
		c.logDeterminant += 2 * kernel.Log(d)
	}
	lapack64.Potri(factor)
	for i := range p {
		for j := range i {
			c.inverse[j*p+i] = c.inverse[i*p+j]
		}
	}
	return true
}

// times sets u to inverse·v.
func (c *covariance) times(u, v []float64) {
	for i := range u {
		u[i] = dot(c.inverse[i*c.p:(i+1)*c.p], v)
	}
}

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
		add4(sum[:i+1], a[:i+1], b[:i+1], c[:i+1], d[:i+1], float64(g[0]*a[i]), float64(g[1]*b[i]), float64(g[2]*c[i]), float64(g[3]*d[i]))
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

// Rotate replaces the rows, if they are fewer than the features, by their coordinates in an
// orthonormal basis of a space that contains them all, and m1 and m2, which lie in this space, by
// theirs. So a full covariance takes n² numbers instead of p². It returns the basis, a p×n matrix
// whose columns are the basis vectors, or nil if it did nothing. Means stay those of the features.
//
// It uses gonum, so results may differ in their last bits between processors.
func (r *Rows) Rotate(m1, m2 *[]float64) (basis []float64) {
	n, p := r.n, r.p
	if n >= p {
		return nil
	}
	basis = make([]float64, p*n) // the transposed rows, then the orthogonal factor of their QR decomposition
	for i := range n {
		for k, v := range r.Row(i) {
			basis[k*n+i] = v
		}
	}
	a := blas64.General{Rows: p, Cols: n, Stride: n, Data: basis}
	tau, work := make([]float64, n), make([]float64, 1)
	lapack64.Geqrf(a, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(a, tau, work, len(work))
	for i := range n { // row i is column i of the triangular factor
		row := r.x[i*n : (i+1)*n]
		clear(row)
		for k := range i + 1 {
			row[k] = basis[k*n+i]
		}
	}
	lapack64.Orgqr(a, tau, work, len(work))
	r.p, r.stride, r.variance = n, n, r.variance[:n]
	r.setVariance()
	for _, m := range []*[]float64{m1, m2} {
		turned := make([]float64, n)
		for k, v := range *m {
			for i := range turned {
				turned[i] += float64(v * basis[k*n+i])
			}
		}
		*m = turned
	}
	return basis
}
