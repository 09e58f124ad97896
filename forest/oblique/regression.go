package oblique

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// penalties are those that Ridge chooses from, in units of the mean of the scatter matrix's
// diagonal. The largest comes first, so that it wins ties.
var penalties = [...]float64{1e5, 1e4, 1e3, 1e2, 1e1, 1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5}

// ldaPenalty is LDA's penalty in the same units. It keeps eigenvalues that are 0 but for
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

	n, m    int
	weights []float64 // w
	total   float64   // Σ w
	roots   []float64 // √w
	x       []float64 // Xᵀ, feature after feature
	y       []float64

	scale   float64                   // the mean of XᵀX's diagonal
	vectors []float64                 // the matrix that is decomposed, then its eigenvectors as columns
	values  []float64                 // its eigenvalues
	rhs     []float64                 // Xᵀy or y
	along   []float64                 // coordinates of rhs in the basis of eigenvectors
	score   []float64                 // coordinates of a row of X in that basis
	gains   [][len(penalties)]float64 // by eigenvalue and penalty: factor in fitted values and leverages
	w       []float64                 // the coefficients
	work    []float64
}

// begin starts a node with rows of the given weights, to which at most m features will
// be added. It keeps a reference to weights and doesn't change them.
func (r *regression) begin(weights []float64, m int) {
	r.n, r.m, r.weights, r.total = len(weights), 0, weights, 0
	r.roots, r.y = sized(r.roots, r.n), sized(r.y, r.n)
	r.x = sized(r.x, r.n*m)
	for i, w := range weights {
		r.total += w
		r.roots[i] = math.Sqrt(w)
	}
}

// clear removes all features.
func (r *regression) clear() { r.m = 0 }

// add adds a feature unless it is constant, and reports whether it did.
func (r *regression) add(cells []float32) bool {
	constant := true
	var sum float64
	for i, v := range cells {
		constant = constant && v == cells[0]
		sum += float64(r.weights[i] * float64(v))
	}
	if constant {
		return false
	}
	mean := sum / r.total
	for i, v := range cells {
		r.x[r.m*r.n+i] = r.roots[i] * (float64(v) - mean)
	}
	r.m++
	return true
}

// setTarget sets the target, one number a row.
func (r *regression) setTarget(target []float64) {
	var sum float64
	for i, v := range target {
		sum += float64(r.weights[i] * v)
	}
	mean := sum / r.total
	for i, v := range target {
		r.y[i] = r.roots[i] * (v - mean)
	}
}

// coefficients returns the coefficients of the model, scaled to length 1, or false if they
// are all 0 or can't be computed. The slice is r's memory.
func (r *regression) coefficients(model NodeModel) (w []float64, ok bool) {
	if !r.decompose() {
		return nil, false
	}
	penalty := ldaPenalty
	if model == Ridge {
		penalty = r.choosePenalty()
	}
	r.solve(penalty * r.scale)
	length := blas64.Nrm2(vector(r.w))
	if !(length > 0) || math.IsInf(length, 0) {
		return nil, false
	}
	blas64.Scal(1/length, vector(r.w))
	return r.w, true
}

func vector(s []float64) blas64.Vector { return blas64.Vector{N: len(s), Data: s, Inc: 1} }

// wide reports whether XXᵀ is smaller than XᵀX, and so is the one decomposed.
func (r *regression) wide() bool { return r.n < r.m }

func (r *regression) transposed() blas64.General {
	return blas64.General{Rows: r.m, Cols: r.n, Stride: r.n, Data: r.x}
}

func (r *regression) eigenvectors() blas64.General {
	side := len(r.values)
	return blas64.General{Rows: side, Cols: side, Stride: side, Data: r.vectors}
}

// decompose computes the eigenvectors and eigenvalues, and the coordinates of rhs in their
// basis. It reports whether that succeeded.
func (r *regression) decompose() bool {
	side := min(r.n, r.m)
	r.vectors, r.values = sized(r.vectors, side*side), sized(r.values, side)
	r.rhs, r.along = sized(r.rhs, side), sized(r.along, side)
	matrix := blas64.Symmetric{N: side, Stride: side, Data: r.vectors, Uplo: blas.Upper}
	if r.wide() {
		blas64.Syrk(blas.Trans, 1, r.transposed(), 0, matrix)
		copy(r.rhs, r.y)
	} else {
		r.scatter(matrix)
		blas64.Gemv(blas.NoTrans, 1, r.transposed(), vector(r.y), 0, vector(r.rhs))
	}
	if parallel.Cancelled(r.call) {
		return false
	}
	r.scale = 0
	for k := range side {
		r.scale += r.vectors[k*side+k] / float64(r.m)
	}
	r.work = sized(r.work, 1)
	lapack64.Syev(lapack.EVCompute, matrix, r.values, r.work, -1)
	r.work = sized(r.work, int(r.work[0]))
	if !lapack64.Syev(lapack.EVCompute, matrix, r.values, r.work, len(r.work)) {
		return false
	}
	for k, v := range r.values {
		r.values[k] = max(0, v)
	}
	blas64.Gemv(blas.Trans, 1, r.eigenvectors(), vector(r.rhs), 0, vector(r.along))
	return true
}

// scatter computes XᵀX, in blocks of rows that stay in cache.
func (r *regression) scatter(to blas64.Symmetric) {
	clear(to.Data)
	const block = 1 << 10
	for lo := 0; lo < r.n && !parallel.Cancelled(r.call); lo += block {
		part := r.transposed()
		part.Data, part.Cols = part.Data[lo:], min(block, r.n-lo)
		blas64.Syrk(blas.NoTrans, 1, part, 1, to)
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
	r.gains = sized(r.gains, len(r.values))
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
		rest := 1 - r.weights[i]/r.total
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
	if r.wide() {
		return r.vectors[i*r.n:][:r.n]
	}
	r.score = sized(r.score, r.m)
	row := blas64.Vector{N: r.m, Data: r.x[i:], Inc: r.n}
	blas64.Gemv(blas.Trans, 1, r.eigenvectors(), row, 0, vector(r.score))
	return r.score
}

// solve computes the coefficients for λ and overwrites r.along.
func (r *regression) solve(lambda float64) {
	for k, v := range r.values {
		r.along[k] /= v + lambda
	}
	r.w = sized(r.w, r.m)
	if !r.wide() {
		blas64.Gemv(blas.NoTrans, 1, r.eigenvectors(), vector(r.along), 0, vector(r.w))
		return
	}
	blas64.Gemv(blas.NoTrans, 1, r.eigenvectors(), vector(r.along), 0, vector(r.rhs))
	blas64.Gemv(blas.NoTrans, 1, r.transposed(), vector(r.rhs), 0, vector(r.w))
}
