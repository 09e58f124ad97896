package oc1

import (
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// rows are a node's rows with their classes, for searches in one dimension.
type rows struct {
	slots   []int32   // class of each row, numbered from 0 in the node
	weights []float64 // of each row, above 0
	classes []float64 // weight of each class
	shares  []float64 // the same, divided by total
	total   float64

	left, right []float64 // weight of each class on either side
	keys, spare []uint64  // see keyOf
}

func (r *rows) resize(n int) {
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

// divide sets left and right to the division of the rows by a threshold.
func divide[T float32 | float64](r *rows, values []T, threshold T) {
	clear(r.left)
	clear(r.right)
	slots, weights := r.slots[:len(values)], r.weights[:len(values)]
	for i, v := range values {
		if v > threshold {
			r.right[slots[i]] += weights[i]
		} else {
			r.left[slots[i]] += weights[i]
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

// cut returns the threshold of least impurity of some values and the score of the division. It
// returns false if all are equal or one is not finite.
func (h *search) cut(values []float32) (threshold float32, score float64, ok bool) {
	clear(h.left) // all rows begin on the right and go left as the threshold rises
	keys := h.keys[:len(values)]
	for i, v := range values {
		if v-v != 0 {
			return 0, 0, false
		}
		keys[i] = keyOf(v, i, true)
	}
	keys = grow.SortKeys(keys, h.spare)
	at := h.scan(keys, 0)
	if at < 0 {
		return 0, 0, false
	}
	threshold = grow.Midpoint(grow.KeyValue(keys[at]), grow.KeyValue(keys[at+1]))
	divide(&h.rows, values, threshold)
	return threshold, h.divisionScore(), true
}

// farthest is the length of the longest move. Rows that only longer ones take to the other side stay where they are.
const farthest = 0x1p60

// bestMove returns the t for which the sides of V + t·slope have the least impurity. The values
// at which rows change sides, which are U − a of equation 2, are rounded to float32, and
// t is half-way between two of them. It returns false if there are fewer than two.
func (h *search) bestMove() (t float64, ok bool) {
	clear(h.left)
	keys := h.keys[:0]
	slopes := h.slopes[:len(h.values)]
	var leftWeight float64
	for i, v := range h.values {
		slope := slopes[i]
		at := -v / slope
		left := slope > 0 // where the row is for small t
		if at >= -farthest && at <= farthest {
			keys = append(keys, keyOf(float32(at), i, !left))
		} else { // including 0/0
			left = !(v > 0)
		}
		if left {
			h.left[h.slots[i]] += h.weights[i]
			leftWeight += h.weights[i]
		}
	}
	keys = grow.SortKeys(keys, h.spare)
	at := h.scan(keys, leftWeight)
	if at < 0 {
		return 0, false
	}
	return (float64(grow.KeyValue(keys[at])) + float64(grow.KeyValue(keys[at+1]))) / 2, true
}

// keyOf returns the key of a value at which a row changes sides. Its payload is the row's number, then whether the row
// goes from right to left.
func keyOf(v float32, row int, toLeft bool) uint64 {
	payload := uint32(row) << 1
	if toLeft {
		payload |= 1
	}
	return grow.NewKey(v, payload)
}
