package dense

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// Eigen sets values to the eigenvalues of a symmetric matrix, in no particular order, and overwrites the matrix with
// its orthonormal eigenvectors, row by row. Only the lower triangle is read. work has room for as many numbers as
// values. It returns false if a number isn't finite, if the call is cancelled or, which hasn't been seen, if the
// method doesn't converge.
//
// The matrix is made tridiagonal by reflections, and this one diagonal by implicit QL (Golub and Van Loan, Matrix
// Computations, sections 8.3.1 and 8.3.3; Martin, Reinsch and Wilkinson, Numerische Mathematik 11, 1968).
func Eigen(a, values, work []float64, call parallel.Call) bool {
	return tridiagonalise(a, values, work, call) && diagonalise(a, values, work, call)
}

// tridiagonalise overwrites a with Qᵀ, where a = QTQᵀ, and sets d to T's diagonal and e[1:] to its other one. It
// returns false if the call is cancelled.
func tridiagonalise(a, d, e []float64, call parallel.Call) bool {
	n := len(d)
	for i := n - 1; i > 0; i-- {
		if i%often == 0 && parallel.Cancelled(call) {
			return false
		}
		u := a[i*n:][:i]
		scale := 0.0
		for _, v := range u[:i-1] {
			scale = max(scale, math.Abs(v))
		}
		if scale == 0 { // nothing to be done
			d[i], e[i] = 0, u[i-1]
			continue
		}
		scale = max(scale, math.Abs(u[i-1]))
		for k := range u {
			u[k] /= scale
		}
		h := kernel.Dot(u, u)
		g := -math.Copysign(math.Sqrt(h), u[i-1])
		h -= float64(u[i-1] * g)
		u[i-1] -= g // a reflection: 1 − uuᵀ/h
		p := e[:i]
		clear(p)
		for j, v := range u {
			row := a[j*n:][:j]
			p[j] = kernel.Dot(row, u[:j]) + float64(a[j*n+j]*v)
			add(p[:j], row, v)
		}
		half := kernel.Dot(u, p) / (2 * h)
		for k := range p {
			p[k] = (p[k] - float64(half*u[k])) / h
		}
		for j, v := range u {
			w, row := p[j], a[j*n:][:j+1]
			for k := range row {
				row[k] -= float64(v*p[k]) + float64(w*u[k])
			}
		}
		d[i], e[i] = h, float64(scale*g)
	}
	for i := range n { // Qᵀ, whose part before row i is known
		if i%often == often-1 && parallel.Cancelled(call) {
			return false
		}
		u := a[i*n:][:i]
		if h := d[i]; i > 0 && h != 0 {
			for j := range i {
				row := a[j*n:][:i]
				add(row, u, -kernel.Dot(row, u)/h)
			}
		}
		clear(u)
		for j := range i {
			a[j*n+i] = 0
		}
		d[i], a[i*n+i] = a[i*n+i], 1
	}
	return true
}

// diagonalise sets d to the eigenvalues of the tridiagonal matrix of d and e[1:], and turns the rows of q along.
func diagonalise(q, d, e []float64, call parallel.Call) bool {
	n := len(d)
	copy(e, e[1:])
	e[n-1] = 0
	for l := range n {
		if l%often == often-1 && parallel.Cancelled(call) {
			return false
		}
		for round := 0; ; round++ {
			m := l
			for m < n-1 && !(math.Abs(e[m]) <= 0x1p-53*(math.Abs(d[m])+math.Abs(d[m+1]))) {
				m++
			}
			if m == l {
				break
			}
			if round == 50 {
				return false
			}
			g := (d[l+1] - d[l]) / (2 * e[l])
			r := math.Sqrt(float64(g*g) + 1)
			g = d[m] - d[l] + e[l]/(g+math.Copysign(r, g))
			s, c, p := 1.0, 1.0, 0.0
			for i := m - 1; i >= l; i-- {
				f, b := float64(s*e[i]), float64(c*e[i])
				r = math.Sqrt(float64(f*f) + float64(g*g))
				e[i+1] = r
				if r == 0 { // split in two
					d[i+1] -= p
					e[m] = 0
					break
				}
				s, c = f/r, g/r
				g = d[i+1] - p
				r = float64((d[i]-g)*s) + float64(float64(2*c)*b)
				p = float64(s * r)
				d[i+1] = g + p
				g = float64(c*r) - b
				TurnRows(q, n, i, i+1, c, s)
			}
			if r != 0 {
				d[l] -= p
				e[l], e[m] = g, 0
			}
		}
		if d[l]-d[l] != 0 {
			return false
		}
	}
	return true
}

// TurnRows replaces rows i and j of a matrix, whose rows have n elements, by c·i − s·j and s·i + c·j.
func TurnRows(a []float64, n, i, j int, c, s float64) {
	x := a[i*n:][:n]
	y := a[j*n:][:len(x)]
	for k, v := range x {
		w := y[k]
		x[k] = float64(c*v) - float64(s*w)
		y[k] = float64(s*v) + float64(c*w)
	}
}

// TurnColumns is TurnRows for columns.
func TurnColumns(a []float64, n, i, j int, c, s float64) {
	for ; len(a) > 0; a = a[n:] {
		x, y := a[i], a[j]
		a[i] = float64(c*x) - float64(s*y)
		a[j] = float64(s*x) + float64(c*y)
	}
}
