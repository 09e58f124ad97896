package oblique

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/dense"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// penalties are those that a ridge regression chooses from, in units of the mean of the scatter matrix's
// diagonal. The largest comes first, so that it wins ties.
var penalties = [...]float64{1e5, 1e4, 1e3, 1e2, 1e1, 1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5}

// ldaPenalty is the linear discriminant's penalty in the same units. It keeps eigenvalues that are 0 but for
// rounding from dominating the solution.
const ldaPenalty = 1e-9

// A regression is weighted least squares with a penalty λ on the coefficients but
// not on the intercept.
//
// Let X be the n×m matrix with a row √w·(x − mean) for each of the node's rows x of weight
// w, and y the vector of √w·(target − mean). The coefficients are (XᵀX + λI)⁻¹Xᵀy or,
// equivalently, Xᵀ(XXᵀ + λI)⁻¹y. The smaller of XᵀX and XXᵀ is decomposed, once for all λ.
type regression struct {
	call parallel.Call // when it is cancelled, fits fail

	n, m int
	grow.Centring
	x []float64 // Xᵀ, feature after feature
	y []float64

	scale   float64                   // the mean of XᵀX's diagonal
	vectors []float64                 // the lower triangle of the matrix that is decomposed, then its eigenvectors as rows
	values  []float64                 // its eigenvalues
	rhs     []float64                 // Xᵀy or y
	along   []float64                 // coordinates of rhs in the basis of eigenvectors
	row     []float64                 // of X
	score   []float64                 // its coordinates in that basis
	gains   [][len(penalties)]float64 // by eigenvalue and penalty: factor in fitted values and leverages
	w       []float64                 // the coefficients
	work    []float64
}

// begin starts a node with rows of the given weights, to which at most m features will
// be added. It keeps a reference to weights and doesn't change them.
func (r *regression) begin(weights []float64, m int) {
	r.n, r.m = len(weights), 0
	r.SetWeights(weights)
	r.x, r.y = grow.Sized(r.x, r.n*m), grow.Sized(r.y, r.n)
}

// clear removes all features.
func (r *regression) clear() { r.m = 0 }

// add adds a feature unless it is constant, and reports whether it did.
func (r *regression) add(cells []float32) bool {
	if grow.Constant(cells) {
		return false
	}
	grow.Centre(&r.Centring, r.x[r.m*r.n:][:r.n], cells)
	r.m++
	return true
}

// setTarget sets the target, one number a row.
func (r *regression) setTarget(target []float64) { grow.Centre(&r.Centring, r.y, target) }

// coefficients returns the coefficients of the model, scaled to length 1, or false if they
// are all 0 or can't be computed. The slice is r's memory.
func (r *regression) coefficients(lda bool) (w []float64, ok bool) {
	if !r.decompose() {
		return nil, false
	}
	penalty := ldaPenalty
	if !lda {
		penalty = r.choosePenalty()
	}
	r.solve(penalty * r.scale)
	length := math.Sqrt(kernel.Dot(r.w, r.w))
	if !(length > 0) || math.IsInf(length, 0) {
		return nil, false
	}
	for k := range r.w {
		r.w[k] /= length
	}
	return r.w, true
}

// wide reports whether XXᵀ is smaller than XᵀX, and so is the one decomposed.
func (r *regression) wide() bool { return r.n < r.m }

// decompose computes the eigenvectors and eigenvalues, and the coordinates of rhs in their
// basis. It reports whether that succeeded.
func (r *regression) decompose() bool {
	side := min(r.n, r.m)
	r.vectors, r.values, r.work = grow.Sized(r.vectors, side*side), grow.Sized(r.values, side), grow.Sized(r.work, side)
	r.rhs, r.along = grow.Sized(r.rhs, side), grow.Sized(r.along, side)
	clear(r.vectors)
	if r.wide() {
		r.products()
		copy(r.rhs, r.y)
	} else {
		r.scatter()
		dense.Dots(r.rhs, r.x, r.n, r.y)
	}
	if parallel.Cancelled(r.call) {
		return false
	}
	r.scale = 0
	for k := range side {
		r.scale += r.vectors[k*side+k] / float64(r.m)
	}
	if !dense.Eigen(r.vectors, r.values, r.work, r.call) {
		return false
	}
	for k, v := range r.values {
		r.values[k] = max(0, v)
	}
	dense.Dots(r.along, r.vectors, side, r.rhs)
	return true
}

// products computes XXᵀ, of four features at a time.
func (r *regression) products() {
	var factors [4]float64
	for f := 0; f < r.m; f += 4 {
		next := min(f+4, r.m)
		for i := range r.n {
			for k := f; k < next; k++ {
				factors[k-f] = r.x[k*r.n+i]
			}
			dense.AddRows(r.vectors[i*r.n:][:i+1], r.x[f*r.n:], r.n, factors[:next-f])
		}
	}
}

// scatter computes XᵀX, in blocks of rows that stay in cache.
func (r *regression) scatter() {
	const block = 1 << 10
	for lo := 0; lo < r.n && !parallel.Cancelled(r.call); lo += block {
		for k := range r.m {
			sums := r.work[:k+1]
			dense.Dots(sums, r.x[lo:], r.n, r.x[k*r.n+lo:][:min(block, r.n-lo)])
			for j, v := range sums {
				r.vectors[k*r.m+j] += v
			}
		}
	}
}

// choosePenalty returns the penalty with the least leave-one-out error.
func (r *regression) choosePenalty() float64 {
	best, least := 0, math.Inf(1)
	for l, e := range r.leaveOneOut() {
		if e < least {
			best, least = l, e
		}
	}
	return penalties[best]
}

// leaveOneOut returns, for each penalty, the weighted squared error of predicting each row
// from the others (Allen, Technometrics 16, 1974). The leave-one-out residual of a row is
// its residual in the fit to all rows divided by 1 − h, with the leverage
// h = w/Σw + x(XᵀX + λI)⁻¹xᵀ, where w is the weight of the row and x its row of X.
func (r *regression) leaveOneOut() (errors [len(penalties)]float64) {
	r.gains = grow.Sized(r.gains, len(r.values))
	for k, v := range r.values {
		numerator := 1.0
		if r.wide() {
			numerator = v
		}
		for l, penalty := range penalties {
			r.gains[k][l] = numerator / (v + float64(penalty*r.scale))
		}
	}
	for i, y := range r.y {
		if i%1024 == 0 && parallel.Cancelled(r.call) {
			break
		}
		var fitted, leverage [len(penalties)]float64
		for k, s := range r.scores(i) {
			square, product := s*s, s*r.along[k]
			for l, g := range &r.gains[k] {
				leverage[l] += float64(square * g)
				fitted[l] += float64(product * g)
			}
		}
		rest := 1 - r.Weights[i]/r.Total
		for l := range penalties {
			e := (y - fitted[l]) / (rest - leverage[l])
			errors[l] += float64(e * e)
		}
	}
	return errors
}

// scores returns the coordinates of row i of X in the basis of eigenvectors of XᵀX. If
// XXᵀ was decomposed, they are divided by the square roots of the eigenvalues.
func (r *regression) scores(i int) []float64 {
	r.score = grow.Sized(r.score, len(r.values))
	if r.wide() {
		for k := range r.score {
			r.score[k] = r.vectors[k*r.n+i]
		}
		return r.score
	}
	r.row = grow.Sized(r.row, r.m)
	for k := range r.row {
		r.row[k] = r.x[k*r.n+i]
	}
	dense.Dots(r.score, r.vectors, r.m, r.row)
	return r.score
}

// solve computes the coefficients for λ and overwrites r.along and r.rhs.
func (r *regression) solve(lambda float64) {
	for k, v := range r.values {
		r.along[k] /= v + lambda
	}
	clear(r.rhs)
	dense.AddRows(r.rhs, r.vectors, len(r.values), r.along)
	r.w = grow.Sized(r.w, r.m)
	if r.wide() {
		dense.Dots(r.w, r.x, r.n, r.rhs)
	} else {
		copy(r.w, r.rhs)
	}
}
