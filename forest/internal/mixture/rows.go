// Package mixture divides the rows of a node into two groups without looking at labels: by
// their first principal axis, by K-means, and by mixtures of two Gaussians that are fitted by
// expectation maximisation (EM).
//
// All of these alternate between two half-steps: a function t of each row, from which the
// row's share γ in the first group follows, and sums over rows weighted by γ. If t is linear,
// t(x) = w·x − d, both are products of a matrix and a vector, and [Rows] makes them in one
// pass over its cells.
//
// Unless a function says otherwise, sums are made in one order, and no product is fused
// with a sum, so results are the same bits on every processor.
package mixture

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/internal/dense"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// Rows holds the rows of a node: n rows of p features, with weights. The features are
// centred. The zero value is empty; memory is reused.
type Rows struct {
	Call parallel.Call // when it is cancelled, fits fail, or end early with a wrong result

	n, p     int
	stride   int       // p, once all features are added
	x        []float64 // row by row, and zeros for three rows and three cells more, which kernels may read
	weight   []float64 // of rows
	total    float64   // Σ weight
	unit     bool      // whether every weight is 1
	counts   bool      // whether every weight is a whole number up to 16, such as of a bootstrap sample
	mean     []float64 // of the features, before they were centred
	variance []float64 // of the features, Σ weight·x²/total

	// Buffers.
	t, exps   [block]float64
	forms     [block]float64
	direction []float64
	first     []bool // whether a row is in the first group
	sorted    []weighted
	basis     []float64
}

type weighted struct{ t, weight float64 }

// Reset makes room for rows with the given weights and up to p features. The weights must be
// positive; the slice is kept.
func (r *Rows) Reset(weight []float64, p int) {
	r.n, r.p, r.stride, r.weight = len(weight), 0, p, weight
	r.x = resized(r.x, (r.n+3)*p+3)
	clear(r.x[r.n*p:])
	r.mean, r.variance = resized(r.mean, p), resized(r.variance, p)
	r.total, r.unit, r.counts = 0, true, true
	for _, w := range weight {
		r.total += w
		r.unit = r.unit && w == 1
		r.counts = r.counts && w <= 16 && w == math.Trunc(w)
	}
}

// cancelled reports whether nobody wants the result any more. Everything asks once a pass over the
// rows, and what takes p operations for a cell once a block of rows.
func (r *Rows) cancelled() bool { return parallel.Cancelled(r.Call) }

// N returns the number of rows.
func (r *Rows) N() int { return r.n }

// P returns the number of features.
func (r *Rows) P() int { return r.p }

// Mean returns the mean of each feature before it was centred.
func (r *Rows) Mean() []float64 { return r.mean }

// Row returns row i.
func (r *Rows) Row(i int) []float64 { return r.x[i*r.p : (i+1)*r.p] }

// Add adds features, given their columns, and centres them. Memory is written row by row, so several
// at once take less time.
func (r *Rows) Add(columns [][]float32) {
	mean := r.mean[r.p : r.p+len(columns)]
	for k, column := range columns {
		mean[k] = r.average(column)
	}
	for i := range r.n {
		to := r.x[i*r.stride+r.p:][:len(columns)]
		for k, column := range columns {
			to[k] = float64(column[i]) - mean[k]
		}
	}
	r.p += len(columns)
}

// Ready ends adding features.
func (r *Rows) Ready() {
	if r.p < r.stride {
		for i := 1; i < r.n; i++ {
			copy(r.x[i*r.p:(i+1)*r.p], r.x[i*r.stride:])
		}
		r.stride = r.p
	}
	r.mean, r.variance = r.mean[:r.p], r.variance[:r.p]
	r.setVariance()
}

func (r *Rows) setVariance() {
	clear(r.variance)
	for i := range r.n {
		w := r.weight[i]
		for k, v := range r.Row(i) {
			r.variance[k] += float64(w * float64(v*v))
		}
	}
	for k := range r.variance {
		r.variance[k] /= r.total
	}
}

// average returns the weighted mean of a column. The sum is of differences from the first
// cell, so a large offset costs no digits.
func (r *Rows) average(column []float32) float64 {
	first := float64(column[0])
	var sum float64
	for i, v := range column {
		sum += float64(r.weight[i] * (float64(v) - first))
	}
	return first + sum/r.total
}

// Scale multiplies each feature by a positive factor.
func (r *Rows) Scale(factor []float64) {
	for i := range r.n {
		row := r.Row(i)
		for k, f := range factor {
			row[k] *= f
		}
	}
	for k, f := range factor {
		r.mean[k] *= f
		r.variance[k] *= float64(f * f)
	}
}

// block is the number of rows that are turned into γ at once. Everything linear is made of
// passes like this one:
//
//	for first := 0; first < r.n; first += block {
//		t := r.values(first, w, d)
//		// replace t by γ times the row's weight
//		gamma += r.addRows(sum, first, t)
//	}
const block = 32

// values returns w·x − d for the rows of the block that begins with row first.
func (r *Rows) values(first int, w []float64, d float64) []float64 {
	t := r.t[:min(block, r.n-first)]
	r.dots(t, first, w, d)
	return t
}

// dots sets t to w·x − d for the rows from first on.
func (r *Rows) dots(t []float64, first int, w []float64, d float64) {
	dense.Dots(t, r.x[first*r.p:], r.p, w)
	if d != 0 {
		for i := range t {
			t[i] -= d
		}
	}
}

// addRows adds γ times each of the rows from first on to sum, and returns Σ γ.
func (r *Rows) addRows(sum []float64, first int, gamma []float64) (total float64) {
	for _, g := range gamma {
		total += g
	}
	p := r.p
	i := 0
	for ; i+4 <= len(gamma); i += 4 {
		g := (*[4]float64)(gamma[i:])
		if g[0] == 0 && g[1] == 0 && g[2] == 0 && g[3] == 0 {
			continue
		}
		at := r.x[(first+i)*p:]
		kernel.AddRows4(sum, at[:p], at[p:2*p], at[2*p:3*p], at[3*p:4*p], g)
	}
	for ; i < len(gamma); i++ {
		g := gamma[i]
		for k, v := range r.Row(first + i) {
			sum[k] += float64(g * v)
		}
	}
	return total
}

// Project sets t, which has n elements, to w·x of each row.
func (r *Rows) Project(t, w []float64) {
	for first := 0; first < r.n; first += block {
		r.dots(t[first:min(first+block, r.n)], first, w, 0)
	}
}

// Median returns a number that divides the rows at their weighted median of t: half-way
// between the median and the next larger value or, if the median is the largest value, the
// next smaller one. Rows above the number are those above the median, or at it if it is the
// largest. It returns false if all values are equal.
func (r *Rows) Median(t []float64) (at float64, ok bool) {
	if r.cancelled() {
		return 0, false
	}
	r.sorted = resized(r.sorted, len(t))
	for i, v := range t {
		r.sorted[i] = weighted{v, r.weight[i]}
	}
	slices.SortFunc(r.sorted, func(a, b weighted) int {
		switch {
		case a.t < b.t:
			return -1
		case a.t > b.t:
			return 1
		}
		return 0
	})
	k, below := 0, r.sorted[0].weight
	for below < r.total/2 && k+1 < len(r.sorted) {
		k++
		below += r.sorted[k].weight
	}
	median := r.sorted[k].t
	for _, next := range r.sorted[k:] {
		if next.t > median {
			return between(median, next.t), true
		}
	}
	for k--; k >= 0; k-- {
		if before := r.sorted[k].t; before < median {
			return between(before, median), true
		}
	}
	return 0, false
}

// between returns a number from a to less than b, near the middle.
func between(a, b float64) float64 {
	if middle := a + float64((b-a)/2); middle < b {
		return middle
	}
	return a
}

// resized returns a slice of n arbitrary elements, in the memory of s if it suffices.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}

func finite(x float64) bool { return x-x == 0 }

var ln2Pi = portable.Log(2 * math.Pi)
