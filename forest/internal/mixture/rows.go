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
)

// Rows holds the rows of a node: n rows of p features, with weights. The features are
// centred. The zero value is empty; memory is reused.
type Rows struct {
	n, p     int
	stride   int       // p, once all features are added
	x        []float64 // row by row
	weight   []float64 // of rows
	total    float64   // Σ weight
	unit     bool      // whether every weight is 1
	mean     []float64 // of the features, before they were centred
	variance []float64 // of the features, Σ weight·x²/total

	t []float64 // buffer of sweep
}

// Reset makes room for rows with the given weights and up to p features. The weights must be
// positive; the slice is kept.
func (r *Rows) Reset(weight []float64, p int) {
	r.n, r.p, r.stride, r.weight = len(weight), 0, p, weight
	r.x = resized(r.x, r.n*p)
	r.mean, r.variance = resized(r.mean, p), resized(r.variance, p)
	r.total, r.unit = 0, true
	for _, w := range weight {
		r.total += w
		r.unit = r.unit && w == 1
	}
}

// N returns the number of rows.
func (r *Rows) N() int { return r.n }

// P returns the number of features.
func (r *Rows) P() int { return r.p }

// Total returns the sum of the rows' weights.
func (r *Rows) Total() float64 { return r.total }

// Mean returns the mean of each feature before it was centred.
func (r *Rows) Mean() []float64 { return r.mean }

// Variance returns the variance of each feature.
func (r *Rows) Variance() []float64 { return r.variance }

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

// block is the number of rows that sweep turns into γ at once.
const block = 32

// sweep is the pass that everything linear is made of. It computes t = w·x − d for blocks of
// rows, lets share replace t by γ times the row's weight, and adds up γ and γ·x. The rows of
// the block are first, first+1, …. It writes Σ γx to sum and returns Σ γ.
func (r *Rows) sweep(w []float64, d float64, sum []float64, share func(first int, t []float64)) (gamma float64) {
	clear(sum)
	r.t = resized(r.t, block)
	for first := 0; first < r.n; first += block {
		t := r.t[:min(block, r.n-first)]
		r.dots(t, first, w, d)
		share(first, t)
		for _, g := range t {
			gamma += g
		}
		r.addRows(sum, first, t)
	}
	return gamma
}

// dots sets t to w·x − d for the rows from first on.
func (r *Rows) dots(t []float64, first int, w []float64, d float64) {
	p := r.p
	w = w[:p]
	i := 0
	for ; i+4 <= len(t); i += 4 {
		at := r.x[(first+i)*p:]
		t[i], t[i+1], t[i+2], t[i+3] = dot4(w, at[:p], at[p:2*p], at[2*p:3*p], at[3*p:4*p])
	}
	for ; i < len(t); i++ {
		var sum float64
		for k, v := range r.Row(first + i) {
			sum += float64(w[k] * v)
		}
		t[i] = sum
	}
	if d != 0 {
		for i := range t {
			t[i] -= d
		}
	}
}

//go:noinline
func dot4(w, a, b, c, d []float64) (ta, tb, tc, td float64) {
	a, b, c, d = a[:len(w)], b[:len(w)], c[:len(w)], d[:len(w)]
	for k, v := range w {
		ta += float64(v * a[k])
		tb += float64(v * b[k])
		tc += float64(v * c[k])
		td += float64(v * d[k])
	}
	return ta, tb, tc, td
}

// addRows adds γ times each of the rows from first on to sum.
func (r *Rows) addRows(sum []float64, first int, gamma []float64) {
	p := r.p
	i := 0
	for ; i+4 <= len(gamma); i += 4 {
		g := gamma[i : i+4]
		if g[0] == 0 && g[1] == 0 && g[2] == 0 && g[3] == 0 {
			continue
		}
		at := r.x[(first+i)*p:]
		add4(sum, at[:p], at[p:2*p], at[2*p:3*p], at[3*p:4*p], g[0], g[1], g[2], g[3])
	}
	for ; i < len(gamma); i++ {
		g := gamma[i]
		for k, v := range r.Row(first + i) {
			sum[k] += float64(g * v)
		}
	}
}

//go:noinline
func add4(sum, a, b, c, d []float64, ga, gb, gc, gd float64) {
	sum = sum[:len(a)]
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	for k, v := range a {
		sum[k] += (float64(ga*v) + float64(gb*b[k])) + (float64(gc*c[k]) + float64(gd*d[k]))
	}
}

// Project sets t, which has n elements, to w·x of each row.
func (r *Rows) Project(t, w []float64) {
	for first := 0; first < r.n; first += block {
		r.dots(t[first:min(first+block, r.n)], first, w, 0)
	}
}

// Median returns a number that divides the rows at their weighted median of t: half-way
// between the median and the next larger value or, if the median is the largest value, the
// next smaller one. It returns false if all values are equal. It sorts t's values in its own
// memory.
func (r *Rows) Median(t []float64) (at float64, ok bool) {
	type value struct{ t, weight float64 }
	sorted := make([]value, len(t))
	for i, v := range t {
		sorted[i] = value{v, r.weight[i]}
	}
	slices.SortFunc(sorted, func(a, b value) int {
		switch {
		case a.t < b.t:
			return -1
		case a.t > b.t:
			return 1
		}
		return 0
	})
	k, below := 0, sorted[0].weight
	for below < r.total/2 && k+1 < len(sorted) {
		k++
		below += sorted[k].weight
	}
	median := sorted[k].t
	for _, next := range sorted[k:] {
		if next.t > median {
			return median + (next.t-median)/2, true
		}
	}
	for k--; k >= 0; k-- {
		if before := sorted[k].t; before < median {
			return before + (median-before)/2, true
		}
	}
	return 0, false
}

// resized returns a slice of n arbitrary elements, in the memory of s if it suffices.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}

func dot(a, b []float64) float64 {
	var sum float64
	for k, v := range a {
		sum += float64(v * b[k])
	}
	return sum
}

func finite(x float64) bool { return x-x == 0 }

var ln2Pi = math.Log(2 * math.Pi)
