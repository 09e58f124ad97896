package oc1

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// rows are a node's rows with their classes, for searches in one dimension. Rows of equal features, which are
// always on the same side, are one point. Whole weights have sums that don't depend on the order of
// rows; if there are others, every row is a point of its own.
type rows struct {
	starts  []int32   // of each point: the place of its first row; then the number of rows
	slots   []int32   // class of each row, numbered from 0 in the node
	weights []float64 // of each row, above 0
	classes []float64 // weight of each class
	shares  []float64 // the same, divided by total
	total   float64

	left, right []float64 // weight of each class on either side
	keys, spare []uint64  // see keyOf
}

func (r *rows) resize(n int) {
	r.starts = grow.Sized(r.starts, n+1)
	r.slots, r.weights = grow.Sized(r.slots, n), grow.Sized(r.weights, n)
	r.keys, r.spare = grow.Sized(r.keys, n), grow.Sized(r.spare, n)
}

// count sums up the weights of k classes.
func (r *rows) count(k int) {
	r.classes, r.shares = grow.Sized(r.classes, k), grow.Sized(r.shares, k)
	r.left, r.right = grow.Sized(r.left, k), grow.Sized(r.right, k)
	clear(r.classes)
	r.total = 0
	for i, c := range r.slots {
		r.classes[c] += r.weights[i]
		r.total += r.weights[i]
	}
	for c, w := range r.classes {
		r.shares[c] = w / r.total
	}
}

// divide sets left and right to the division of the points by a threshold.
func divide[T float32 | float64](r *rows, values []T, threshold T) {
	clear(r.left)
	clear(r.right)
	starts := r.starts[:len(values)+1]
	for i, v := range values {
		side := r.left
		if v > threshold {
			side = r.right
		}
		for at := starts[i]; at < starts[i+1]; at++ {
			side[r.slots[at]] += r.weights[at]
		}
	}
}

// pure reports whether left and right have one class each.
func (r *rows) pure() bool {
	present := func(side []float64) (classes int) {
		for _, w := range side {
			if w > 0 {
				classes++
			}
		}
		return classes
	}
	return present(r.left) == 1 && present(r.right) == 1
}

// cut returns the threshold of least impurity of some values, one a point, and the score of the division. It
// returns false if all are equal or one is not finite.
func (h *search) cut(values []float32) (threshold float32, score float64, ok bool) {
	clear(h.left) // all points begin on the right and go left as the threshold rises
	keys := h.keys[:len(values)]
	for i, v := range values {
		if v-v != 0 {
			return 0, 0, false
		}
		keys[i] = keyOf(v, i, true)
	}
	keys = grow.SortKeys(keys, h.spare)
	at := h.scan(keys, 0, math.Inf(-1))
	if at < 0 {
		return 0, 0, false
	}
	threshold = grow.Midpoint(grow.KeyValue(keys[at]), grow.KeyValue(keys[at+1]))
	divide(&h.rows, values, threshold)
	return threshold, h.divisionScore(), true
}

// farthest is the length of the longest move. Points that only longer ones take to the other side stay where they are.
const farthest = 0x1p60

// bestMove returns the t for which the sides of V + t·slope have the least impurity. The values
// at which points change sides, which are U − a of equation 2, are rounded to float32, and
// t is half-way between two of them. It returns false if there are fewer than two, or if every
// t has a score below the present one.
func (h *search) bestMove(slopes []float64) (t float64, ok bool) {
	clear(h.left)
	keys := h.keys[:0]
	slopes, starts := slopes[:len(h.values)], h.starts[:len(h.values)+1]
	var leftWeight float64
	for i, v := range h.values {
		slope := slopes[i]
		at := -v / slope
		left := slope > 0 // where the point is for small t
		if at >= -farthest && at <= farthest {
			keys = append(keys, keyOf(float32(at), i, !left))
		} else { // including 0/0
			left = !(v > 0)
		}
		if left {
			for row := starts[i]; row < starts[i+1]; row++ {
				h.left[h.slots[row]] += h.weights[row]
				leftWeight += h.weights[row]
			}
		}
	}
	keys = grow.SortKeys(keys, h.spare)
	at := h.scan(keys, leftWeight, h.score-float64(slack*h.total))
	if at < 0 {
		return 0, false
	}
	return (float64(grow.KeyValue(keys[at])) + float64(grow.KeyValue(keys[at+1]))) / 2, true
}

// keyOf returns the key of a value at which a point changes sides. Its payload is the point's number, then whether the
// point goes from right to left.
func keyOf(v float32, point int, toLeft bool) uint64 {
	payload := uint32(point) << 1
	if toLeft {
		payload |= 1
	}
	return grow.NewKey(v, payload)
}
