package oc1

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// rows are a node's rows with their classes, for searches in one dimension. Rows of equal features, which are
// always on the same side, are one point. Whole weights have sums that don't depend on the order of
// rows; if there are others, every row is a point of its own.
type rows struct {
	starts  []int32   // of each point: the place of its first row in list; then the number of rows
	list    []row     // one point after another
	classes []float64 // weight of each class
	shares  []float64 // the same, divided by total
	total   float64

	whole       bool      // whether all weights are whole numbers
	left, right []float64 // weight of each class on either side
	cutLeft     []float64 // that on the left side of the last cut that scan has found
	keys, spare []uint64  // see keyOf
}

// A row is a row with others of equal features and class, if they are one.
type row struct {
	weight float64 // above 0
	class  int32   // numbered from 0 in the node
	last   bool    // whether it is the last of its point
}

func (r *rows) resize(n int) {
	r.starts = grow.Sized(r.starts, n+1)
	r.list = grow.Sized(r.list, n)
	r.keys, r.spare = grow.Sized(r.keys, n), grow.Sized(r.spare, n)
}

// count sums up the weights of k classes.
func (r *rows) count(k int) {
	r.classes, r.shares = grow.Sized(r.classes, k), grow.Sized(r.shares, k)
	r.left, r.right, r.cutLeft = grow.Sized(r.left, k), grow.Sized(r.right, k), grow.Sized(r.cutLeft, k)
	clear(r.classes)
	r.total = 0
	for _, row := range r.list {
		r.classes[row.class] += row.weight
		r.total += row.weight
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
		for _, row := range r.list[starts[i]:starts[i+1]] {
			side[row.class] += row.weight
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
		keys[i] = keyOf(v, h.starts[i], true)
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
	keys, n := h.keys[:len(h.values)], 0
	slopes, starts := slopes[:len(h.values)], h.starts[:len(h.values)+1]
	if h.whole {
		copy(h.left, h.classes)
	} else {
		clear(h.left)
	}
	for i, v := range h.values {
		slope := slopes[i]
		at := -v / slope
		left := slope > 0 // where the point is for small t
		if at >= -farthest && at <= farthest {
			keys[n] = keyOf(float32(at), starts[i], !left)
			n++
		} else { // including 0/0
			left = !(v > 0)
		}
		if left != h.whole {
			for _, row := range h.list[starts[i]:starts[i+1]] {
				if left {
					h.left[row.class] += row.weight
				} else {
					h.left[row.class] -= row.weight
				}
			}
		}
	}
	var leftWeight float64
	for _, w := range h.left {
		leftWeight += w
	}
	least := h.score - float64(slack*h.total)
	keys = grow.SortKeys(keys[:n], h.spare)
	at := h.scan(keys, leftWeight, least)
	if at < 0 {
		return 0, false
	}
	return (float64(grow.KeyValue(keys[at])) + float64(grow.KeyValue(keys[at+1]))) / 2, true
}

// keyOf returns the key of a value at which a point changes sides. Its payload is the place of the point's first
// row, then whether the point goes from right to left.
func keyOf(v float32, start int32, toLeft bool) uint64 {
	payload := uint32(start) << 1
	if toLeft {
		payload |= 1
	}
	return grow.NewKey(v, payload)
}
