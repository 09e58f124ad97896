package ccf

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/dense"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

const (
	// tolerance is the paper's ε (section 2.5): a feature whose part that the features
	// before it don't explain is shorter than ε times the longest feature is left out.
	tolerance = 1e-4

	// leastCorrelation is the correlation below which combinations are left out, as
	// rounding may have made them. Their classes have equal means.
	leastCorrelation = 1e-6
)

// An analysis is the canonical correlation analysis of the rows of a sample.
//
// Let X be the n×m matrix with a row √w·(x − mean)/unit for each row x of weight w, and V the
// n×k matrix with √w/√(weight of the class) in the column of the row's class. V's columns are
// orthonormal. They aren't centred, as the columns of X are, and centring them wouldn't change XᵀV.
//
// The paper decomposes XP = QR with pivoting, leaves out the columns that (5) finds negligible, and takes the
// combinations PR⁻¹U from QᵀV = UΩZᵀ, where Ω holds the correlations (Algorithm 3). Here R is the pivoted Cholesky
// factor of XᵀX, which is the same matrix with the same pivots, and QᵀV is R⁻ᵀXᵀV. So no n×m matrix is decomposed. That
// is stable enough: rounding changes the diagonal elements in the course of the factorisation by some 10⁻¹⁵ of the
// largest, and those that (5) keeps are at least ε² = 10⁻⁸ of it. So correlations are right to about 10⁻⁷.
type analysis struct {
	call    parallel.Call
	m, k    int
	scatter []float64 // XᵀX, its lower triangle, row by row
	cross   []float64 // XᵀV, row by row
	total   []float64 // weight of each class

	rank   int
	pivots []int32   // P
	factor []float64 // Rᵀ, m numbers a row
	rest   []float64 // squared length of the part of each column of X that the pivots don't explain
	coords []float64 // QᵀV, k numbers a row

	gram, basis  []float64 // the smaller of QᵀV(QᵀV)ᵀ and (QᵀV)ᵀQᵀV, and its eigenvectors as rows
	ranking      []int32   // of its eigenvalues, largest first
	combinations int
	score        []float64

	mean  []float64
	roots []float64
	block [][]float64
}

// compute computes the combinations of a source's features over the rows of its sample,
// which has two classes or more. If the call is cancelled, it ends early, and they may be wrong.
func (a *analysis) compute(s *source, call parallel.Call) {
	a.call = call
	a.m, a.k = len(s.Features), len(s.sample.Classes)
	a.sums(s)
	a.factorise()
	a.project()
	a.correlate()
}

// blockRows is how many rows of X are in memory at once.
const blockRows = 256

// sums computes XᵀX and XᵀV, in blocks of rows that stay in cache.
func (a *analysis) sums(s *source) {
	m, k := a.m, a.k
	rows := &s.sample
	a.scatter, a.cross = zeros(a.scatter, m*m), zeros(a.cross, m*k)
	a.weigh(s)
	for len(a.block) < m {
		a.block = append(a.block, make([]float64, blockRows))
	}
	for lo := 0; lo < len(rows.rows) && !parallel.Cancelled(a.call); lo += blockRows {
		hi := min(lo+blockRows, len(rows.rows))
		slots, roots := rows.slots[lo:hi], a.roots[lo:hi]
		for j, feature := range s.Features {
			column, mean, unit := s.Columns[j], a.mean[j], 1/s.units[feature]
			cross := a.cross[j*k:][:k]
			x := a.block[j][:hi-lo]
			for i, row := range rows.rows[lo:hi] {
				x[i] = roots[i] * ((float64(column[row]) - mean) * unit)
				cross[slots[i]] += float64(roots[i] * x[i])
			}
		}
		a.addProducts(hi - lo)
	}
	for j := range m {
		for c, w := range a.total {
			a.cross[j*k+c] /= math.Sqrt(w)
		}
	}
}

// weigh computes the weights of the classes, the square roots of those of the rows, and the
// features' means.
func (a *analysis) weigh(s *source) {
	rows := &s.sample
	a.total, a.mean = zeros(a.total, a.k), zeros(a.mean, a.m)
	a.roots = grow.Sized(a.roots, len(rows.rows))
	var total float64
	for i, w := range rows.weights {
		total += w
		a.total[rows.slots[i]] += w
		a.roots[i] = math.Sqrt(w)
	}
	for j := range a.mean {
		column := s.Columns[j]
		var sum float64
		for i, row := range rows.rows {
			sum += float64(rows.weights[i] * float64(column[row]))
		}
		a.mean[j] = sum / total
	}
}

// addProducts adds the products of the first n rows in the block to the scatter matrix.
func (a *analysis) addProducts(n int) {
	for j := range a.m {
		x, to := a.block[j][:n], a.scatter[j*a.m:]
		for i := 0; i <= j; i += 4 {
			b := a.block[i:min(i+4, a.m)]
			last := len(b) - 1
			sums := kernel.Dot4(x, b[0][:n], b[min(1, last)][:n], b[min(2, last)][:n], b[min(3, last)][:n])
			for c := range min(4, j-i+1) {
				to[i+c] += sums[c]
			}
		}
	}
}

// factorise computes the pivoted Cholesky factor of XᵀX up to the rank that (5) finds.
func (a *analysis) factorise() {
	m := a.m
	a.factor, a.rest = grow.Sized(a.factor, m*m), grow.Sized(a.rest, m)
	a.pivots = a.pivots[:0]
	for j := range m {
		a.pivots = append(a.pivots, int32(j))
		a.rest[j] = a.scatter[j*m+j]
	}
	var first float64
	for a.rank = 0; a.rank < m; a.rank++ {
		r := a.rank
		best := r
		for i := r + 1; i < m; i++ {
			if a.rest[i] > a.rest[best] {
				best = i
			}
		}
		if r == 0 {
			first = a.rest[best]
		}
		if !(a.rest[best] > tolerance*tolerance*first) || parallel.Cancelled(a.call) {
			return
		}
		a.swap(r, best)
		root := math.Sqrt(a.rest[r])
		a.factor[r*m+r] = root
		for i := r + 1; i < m; i++ {
			l := (a.product(i, r) - kernel.Dot(a.factor[i*m:][:r], a.factor[r*m:][:r])) / root
			a.factor[i*m+r] = l
			a.rest[i] -= float64(l * l)
		}
	}
}

// product returns the element of XᵀX for the features that are pivots i and j.
func (a *analysis) product(i, j int) float64 {
	row, column := a.pivots[i], a.pivots[j]
	return a.scatter[int(max(row, column))*a.m+int(min(row, column))]
}

// swap exchanges two pivots.
func (a *analysis) swap(i, j int) {
	if i == j {
		return
	}
	a.pivots[i], a.pivots[j] = a.pivots[j], a.pivots[i]
	a.rest[i], a.rest[j] = a.rest[j], a.rest[i]
	for c := range i {
		a.factor[i*a.m+c], a.factor[j*a.m+c] = a.factor[j*a.m+c], a.factor[i*a.m+c]
	}
}

// project computes QᵀV by forward substitution.
func (a *analysis) project() {
	a.coords = grow.Sized(a.coords, a.rank*a.k)
	for i := range a.rank {
		if parallel.Cancelled(a.call) {
			return
		}
		to := a.coords[i*a.k:][:a.k]
		copy(to, a.cross[int(a.pivots[i])*a.k:])
		for r, l := range a.factor[i*a.m:][:i] {
			for c, v := range a.coords[r*a.k:][:a.k] {
				to[c] -= float64(l * v)
			}
		}
		for c := range to {
			to[c] /= a.factor[i*a.m+i]
		}
	}
}

// correlate computes the singular vectors of QᵀV from the eigenvectors of the smaller of
// its products with itself, whose eigenvalues are the squared correlations.
func (a *analysis) correlate() {
	side := min(a.rank, a.k)
	a.gram = grow.Sized(a.gram, side*side)
	for i := range side {
		if parallel.Cancelled(a.call) {
			a.combinations = 0
			return
		}
		for j := range i + 1 {
			v := a.gramProduct(i, j)
			a.gram[i*side+j], a.gram[j*side+i] = v, v
		}
	}
	a.basis = zeros(a.basis, side*side)
	diagonalise(a.gram, a.basis, side, a.call)
	a.ranking = a.ranking[:0]
	for i := range side {
		a.ranking = append(a.ranking, int32(i))
		for at := i; at > 0 && a.squared(at) > a.squared(at-1); at-- {
			a.ranking[at-1], a.ranking[at] = a.ranking[at], a.ranking[at-1]
		}
	}
	a.combinations = min(a.rank, a.k-1)
	for a.combinations > 0 && !(a.squared(a.combinations-1) > leastCorrelation*leastCorrelation) {
		a.combinations--
	}
}

// gramProduct returns the product of rows or, if there are fewer, columns i and j of QᵀV.
func (a *analysis) gramProduct(i, j int) float64 {
	if a.rank <= a.k {
		return kernel.Dot(a.coords[i*a.k:][:a.k], a.coords[j*a.k:][:a.k])
	}
	var sum float64
	for r := range a.rank {
		sum += float64(a.coords[r*a.k+i] * a.coords[r*a.k+j])
	}
	return sum
}

// squared returns the squared correlation of a combination.
func (a *analysis) squared(number int) float64 {
	side, at := min(a.rank, a.k), int(a.ranking[number])
	return a.gram[at*side+at]
}

// combination writes the weights of the source's features, divided by their units, in a
// combination of any length.
func (a *analysis) combination(weights []float64, number int) {
	side, at := min(a.rank, a.k), int(a.ranking[number])
	a.score = grow.Sized(a.score, a.rank)
	vector := a.basis[at*side:][:side]
	for r := range a.score { // the column of U
		if a.rank <= a.k {
			a.score[r] = vector[r]
			continue
		}
		a.score[r] = 0
		for c, v := range a.coords[r*a.k:][:a.k] {
			a.score[r] += float64(v * vector[c])
		}
	}
	clear(weights)
	for i := a.rank - 1; i >= 0; i-- { // backward substitution
		for j := i + 1; j < a.rank; j++ {
			a.score[i] -= float64(a.factor[j*a.m+i] * a.score[j])
		}
		a.score[i] /= a.factor[i*a.m+i]
		weights[a.pivots[i]] = a.score[i]
	}
}

// maxSweeps is more than Jacobi's method takes; it converges quadratically.
const maxSweeps = 30

// diagonalise makes the symmetric matrix diagonal by Jacobi's rotations, and makes vectors,
// which is 0, its eigenvectors as rows (Golub and Van Loan, Matrix Computations, 8.5). If the call
// is cancelled, it ends early.
func diagonalise(matrix, vectors []float64, side int, call parallel.Call) {
	for i := range side {
		vectors[i*side+i] = 1
	}
	for range maxSweeps {
		var off, trace float64
		for i := range side {
			trace += matrix[i*side+i]
			for j := range i {
				off = max(off, math.Abs(matrix[i*side+j]))
			}
		}
		if off <= 1e-16*trace {
			return
		}
		for p := range side {
			if parallel.Cancelled(call) {
				return
			}
			for q := p + 1; q < side; q++ {
				rotate(matrix, vectors, side, p, q)
			}
		}
	}
}

// rotate makes the element (p, q) of a symmetric matrix 0 by a rotation.
func rotate(matrix, vectors []float64, side, p, q int) {
	apq := matrix[p*side+q]
	if apq == 0 {
		return
	}
	tau := (matrix[q*side+q] - matrix[p*side+p]) / (2 * apq)
	t := 1 / (math.Abs(tau) + math.Sqrt(1+float64(tau*tau)))
	if tau < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(1+float64(t*t))
	s := t * c
	dense.TurnColumns(matrix, side, p, q, c, s)
	dense.TurnRows(matrix, side, p, q, c, s)
	dense.TurnRows(vectors, side, p, q, c, s)
	matrix[p*side+q], matrix[q*side+p] = 0, 0
}

// zeros returns a slice of n zeros, in the memory of s if it suffices.
func zeros(s []float64, n int) []float64 {
	s = grow.Sized(s, n)
	clear(s)
	return s
}
