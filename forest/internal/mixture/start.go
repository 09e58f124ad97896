package mixture

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// maxAxisRounds bounds the power iteration of [Rows.FirstAxis].
const maxAxisRounds = 100

// axisTolerance is the change of a coordinate of the first axis, a unit vector, at which the power
// iteration ends. A smaller one costs time and makes trees no better.
const axisTolerance = 1e-4

// FirstAxis writes the first principal axis of the rows to axis: the unit vector with the
// largest Σ weight·(axis·x)². Its largest coordinate in absolute value is positive. It is
// found by power iteration from a fixed direction.
func (r *Rows) FirstAxis(axis []float64) {
	for k, v := range r.variance {
		_, fraction := math.Modf(float64(float64(k+1) * math.Phi))
		axis[k] = float64(math.Sqrt(v) * (fraction - 0.5))
	}
	normalise(axis)
	r.direction = resized(r.direction, r.p)
	next := r.direction
	for range maxAxisRounds {
		if r.cancelled() {
			break
		}
		clear(next)
		for first := 0; first < r.n; first += block {
			t := r.values(first, axis, 0)
			if !r.unit {
				for i := range t {
					t[i] *= r.weight[first+i]
				}
			}
			r.addRows(next, first, t)
		}
		if !normalise(next) {
			break
		}
		change := 0.0
		for k, v := range next {
			change = max(change, math.Abs(v-axis[k]))
		}
		copy(axis, next)
		if change <= axisTolerance {
			break
		}
	}
	orient(axis)
}

// normalise divides v by its length. It returns false if that is 0 or not finite.
func normalise(v []float64) bool {
	squares := kernel.Dot(v, v)
	if !(squares > 1e-200 && squares < 1e200) { // the squares of very small or large numbers aren't exact
		largest := 0.0
		for _, x := range v {
			largest = max(largest, math.Abs(x))
		}
		if !(largest > 0) || math.IsInf(largest, 1) {
			return false
		}
		for k := range v {
			v[k] /= largest
		}
		squares = kernel.Dot(v, v)
	}
	inverse := 1 / math.Sqrt(squares)
	for k := range v {
		v[k] *= inverse
	}
	return true
}

// orient makes the largest coordinate in absolute value positive.
func orient(v []float64) {
	most := 0
	for k, x := range v {
		if math.Abs(x) > math.Abs(v[most]) {
			most = k
		}
	}
	if v[most] < 0 {
		for k := range v {
			v[k] = -v[k]
		}
	}
}

// Centroids writes the means of two groups of rows to c1 and c2: those whose t is above
// at, and the others. It is the start of K-means that Algorithm 6 describes. It returns
// false if a group is empty.
func (r *Rows) Centroids(c1, c2, axis []float64, at float64) bool {
	clear(c1)
	var total float64
	for first := 0; first < r.n; first += block {
		t := r.values(first, axis, at)
		for i, v := range t {
			t[i] = 0
			if v > 0 {
				t[i] = r.weight[first+i]
			}
		}
		total += r.addRows(c1, first, t)
	}
	return r.means(c1, c2, total)
}

// means turns c1, the sum of γx, into the mean of the first group and sets c2 to that of the
// second. Since the rows are centred, the sums of both groups add up to 0.
func (r *Rows) means(c1, c2 []float64, gamma float64) bool {
	if !(gamma > 0 && gamma < r.total) {
		return false
	}
	for k, s := range c1 {
		c1[k], c2[k] = s/gamma, -s/(r.total-gamma)
	}
	return true
}

const maxRounds = 100 // of K-means and of EM, as in the thesis' environment

// KMeans moves two centroids by Lloyd's algorithm until no row changes its group, at most 100
// times. A row at the same distance from both belongs to the first. It returns false if a
// group is empty.
func (r *Rows) KMeans(c1, c2 []float64) bool {
	r.direction, r.first = resized(r.direction, r.p), resized(r.first, r.n)
	clear(r.first)
	for range maxRounds {
		if r.cancelled() {
			return false
		}
		d := Bisector(r.direction, c1, c2)
		clear(c1)
		changed := false
		var total float64
		for first := 0; first < r.n; first += block {
			t := r.values(first, r.direction, d)
			for i, v := range t {
				in := v >= 0
				changed = changed || in != r.first[first+i]
				r.first[first+i] = in
				t[i] = 0
				if in {
					t[i] = r.weight[first+i]
				}
			}
			total += r.addRows(c1, first, t)
		}
		if !r.means(c1, c2, total) {
			return false
		}
		if !changed {
			break
		}
	}
	return true
}

// Bisector sets w to the direction from c2 to c1 and returns the d for which rows with
// w·x ≥ d are those no farther from c1 than from c2.
func Bisector(w, c1, c2 []float64) (d float64) {
	for k := range w {
		w[k] = c1[k] - c2[k]
		d += float64(float64(w[k]*(c1[k]+c2[k])) / 2)
	}
	return d
}
