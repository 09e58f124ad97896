// Package dense does linear algebra with small matrices, with the same bits on every processor: its sums are those of
// package kernel. Matrices are given row by row.
//
// What takes time in proportion to the cube of a matrix's side is given a call. If that is cancelled, it ends early,
// and the result may be wrong. It looks at the call once every few rows.
package dense

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// often is the number of rows between looks at the call.
const often = 8

// Dots sets to[k] to the product of x with row k of a matrix whose rows have n elements. Elements of a row beyond x's
// length don't count.
func Dots(to, rows []float64, n int, x []float64) {
	m, k := len(x), 0
	for ; k+4 <= len(to); k += 4 {
		four := rows[k*n:]
		sums := kernel.Dot4(x, four[:m], four[n:][:m], four[2*n:][:m], four[3*n:][:m])
		copy(to[k:], sums[:])
	}
	for ; k < len(to); k++ {
		to[k] = kernel.Dot(x, rows[k*n:][:m])
	}
}

// AddRows adds to sum row k of a matrix, whose rows have n elements, times factors[k], for all k.
func AddRows(sum, rows []float64, n int, factors []float64) {
	m, k := len(sum), 0
	for ; k+4 <= len(factors); k += 4 {
		four := rows[k*n:]
		kernel.AddRows4(sum, four[:m], four[n:][:m], four[2*n:][:m], four[3*n:][:m], (*[4]float64)(factors[k:]))
	}
	for ; k < len(factors); k++ {
		add(sum, rows[k*n:], factors[k])
	}
}

func add(sum, x []float64, factor float64) {
	for j, v := range x[:len(sum)] {
		sum[j] += float64(factor * v)
	}
}

// Factor overwrites the lower triangle of a symmetric n×n matrix with its Cholesky factor L. It neither reads nor
// writes the rest. It returns false if the matrix isn't positive definite, or the call is cancelled.
func Factor(a []float64, n int, call parallel.Call) bool {
	var sums [4]float64
	for i := range n {
		if i%often == often-1 && parallel.Cancelled(call) {
			return false
		}
		row := a[i*n:][:i+1]
		for j := 0; j < i; j += 4 {
			next := min(j+4, i)
			Dots(sums[:next-j], a[j*n:], n, row[:j])
			for k := j; k < next; k++ {
				other, sum := a[k*n:], sums[k-j]
				for l := j; l < k; l++ {
					sum += float64(row[l] * other[l])
				}
				row[k] = (row[k] - sum) / other[k]
			}
		}
		d := row[i] - kernel.Dot(row[:i], row[:i])
		if !(d > 0) {
			return false
		}
		row[i] = math.Sqrt(d)
	}
	return true
}

// Solve overwrites b with the solution x of LLᵀx = b.
func Solve(l, b []float64) {
	n := len(b)
	for i := range b {
		b[i] = (b[i] - kernel.Dot(l[i*n:][:i], b[:i])) / l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		b[i] /= l[i*n+i]
		for j := range i {
			b[j] -= float64(l[i*n+j] * b[i])
		}
	}
}

// Orthonormalise replaces the n rows of a matrix, each of p elements, by orthonormal ones, and writes the
// coordinates of row i in their basis to row i of coordinates, an n×n matrix that is 0 above the diagonal. A row
// that depends on those before it, but for rounding, is replaced by zeros. work has room for n numbers.
//
// It is the method of Gram and Schmidt, each step done twice, which is enough (Giraud, Langou and Rozložník,
// Computers and Mathematics with Applications 50, 2005).
func Orthonormalise(rows []float64, n, p int, coordinates, work []float64, call parallel.Call) {
	for i := range n {
		if i%often == often-1 && parallel.Cancelled(call) {
			return
		}
		along := work[:i]
		x, to := rows[i*p:][:p], coordinates[i*n:][:n]
		clear(to)
		before := kernel.Dot(x, x)
		for range 2 {
			Dots(along, rows, p, x)
			for j, v := range along {
				to[j] += v
				along[j] = -v
			}
			AddRows(x, rows, p, along)
		}
		length := math.Sqrt(kernel.Dot(x, x))
		if !(length > 1e-13*math.Sqrt(before)) {
			clear(x)
			continue
		}
		to[i] = length
		for k := range x {
			x[k] /= length
		}
	}
}
