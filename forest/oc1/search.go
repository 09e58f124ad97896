package oc1

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A search looks for the hyperplane Σ a_m·x_m + a_{d+1} = 0 that divides the rows of a node
// into sides of least impurity. Features are scaled to [0, 1]. A row is on the right if its V, the
// value of the sum, is above 0.
type search struct {
	Search
	call    parallel.Call // which the search ends with
	rng     *forest.Rand
	columns [][]float32
	first   []int32     // of each point: one of its rows in columns
	low     []float64   // of each feature: the value that is scaled to 0,
	units   []float64   // and the factor of the scaling
	scaled  [][]float64 // of each feature: its scaled values, by point; then 1 for the constant
	rows

	plane   []float64 // a, d + 1 numbers
	values  []float64 // V of each point
	score   float64   // of the hyperplane; the larger, the less impure are its sides
	perfect bool      // whether both of its sides are pure

	slopes   []float64 // of each point: how V changes along the direction
	moved    []float64 // V after a move
	stagnant int       // moves tried since the score last rose that would have left it equal
	random   []float64 // a random direction
	moves    int       // made since the node began, starts included
	settled  []int     // of each coefficient: the moves made when no other value could be accepted

	cells []float32 // a value of each point

	best      []float64 // the best hyperplane of all starts
	bestScore float64
}

// maxStagnant is 10, so P_move falls from 1 to 0 in steps of 0.1.
const maxStagnant = 10

// begin prepares for the n rows of a node.
func (h *search) begin(rng *forest.Rand, columns [][]float32, n int) {
	d := len(columns)
	h.rng, h.columns = rng, columns
	h.low, h.units, h.scaled = grow.Sized(h.low, d), grow.Sized(h.units, d), grow.Sized(h.scaled, d+1)
	h.plane, h.random, h.best = grow.Sized(h.plane, d+1), grow.Sized(h.random, d+1), grow.Sized(h.best, d+1)
	h.moves, h.settled = 1, grow.Sized(h.settled, d+1)
	clear(h.settled)
	h.resize(n)
}

// scale scales the features of the points.
func (h *search) scale() {
	n := len(h.first)
	h.slopes, h.values, h.moved = grow.Sized(h.slopes, n), grow.Sized(h.values, n), grow.Sized(h.moved, n)
	h.cells = grow.Sized(h.cells, n)
	for k, column := range h.columns {
		low, high := column[0], column[0]
		for _, v := range column {
			low, high = min(low, v), max(high, v)
		}
		h.low[k], h.units[k] = float64(low), 1/(float64(high)-float64(low))
		h.scaled[k] = grow.Sized(h.scaled[k], n)
		for i, row := range h.first {
			h.scaled[k][i] = (float64(column[row]) - h.low[k]) * h.units[k]
		}
	}
	d := len(h.columns)
	h.scaled[d] = grow.Sized(h.scaled[d], n)
	for i := range h.scaled[d] {
		h.scaled[d][i] = 1
	}
}

// axisSplit returns the best split on a single feature: the feature's number among the node's, and the threshold. It
// sets score and perfect.
func (h *search) axisSplit() (feature int, threshold float32) {
	h.score, h.perfect = math.Inf(-1), false
	for k, column := range h.columns {
		if h.cancelled() {
			break
		}
		for i, row := range h.first {
			h.cells[i] = column[row]
		}
		if t, score, ok := h.cut(h.cells); ok && score > h.score {
			feature, threshold, h.score, h.perfect = k, t, score, h.pure()
		}
	}
	return feature, threshold
}

// run improves the hyperplanes of all starts and sets best and bestScore.
func (h *search) run(axis int, threshold float32) {
	h.bestScore = math.Inf(-1)
	for start := range h.Restarts {
		if start == 0 {
			clear(h.plane)
			h.plane[axis] = 1
			h.plane[len(h.columns)] = -float64((float64(threshold) - h.low[axis]) * h.units[axis])
		} else {
			h.drawDirection(h.plane)
		}
		h.moves++
		h.evaluate(h.plane, h.values)
		divide(&h.rows, h.values, 0)
		h.score, h.perfect = h.divisionScore(), h.pure()
		h.improve()
		if h.score > h.bestScore {
			h.bestScore = h.score
			copy(h.best, h.plane)
		}
		if h.perfect || h.cancelled() {
			return
		}
	}
}

// cancelled reports whether the hyperplane isn't wanted any more.
func (h *search) cancelled() bool { return parallel.Cancelled(h.call) }

// improve moves the hyperplane to a local minimum of the impurity from which no random jump leads further down.
func (h *search) improve() {
	h.stagnant = 0
	for {
		for !h.perfect && h.pass() {
		}
		if h.perfect || h.cancelled() || !h.jump() {
			return
		}
	}
}

// pass perturbs the coefficients of all features in turn. It returns whether any changed.
func (h *search) pass() (changed bool) {
	for m := range h.columns {
		if h.perturb(m) {
			changed = true
			if h.perfect {
				return true
			}
		}
	}
	return changed
}

// perturb gives coefficient m its best value (figure 6). It returns whether it changed.
func (h *search) perturb(m int) bool {
	if h.cancelled() || h.settled[m] == h.moves {
		return false
	}
	t, ok := h.bestMove(h.scaled[m])
	if ok {
		score, perfect := h.tryMove(t, h.scaled[m])
		if h.accepts(score) {
			h.move(t, h.scaled[m], score, perfect)
			h.plane[m] += t
			return true
		}
		ok = score == h.score && h.stagnant < maxStagnant // chance may accept it the next time
	}
	if !ok {
		h.settled[m] = h.moves
	}
	return false
}

// accepts reports whether to make a move to a hyperplane with the given score.
func (h *search) accepts(score float64) bool {
	switch {
	case score > h.score:
		h.stagnant = 0
		return true
	case score == h.score && h.stagnant < maxStagnant:
		h.stagnant++
		return h.rng.Float64()*maxStagnant < float64(maxStagnant+1-h.stagnant)
	}
	return false
}

// jump tries random directions until moving along one raises the score, and returns whether one did.
func (h *search) jump() bool {
	for range h.Jumps {
		if h.cancelled() {
			return false
		}
		h.drawDirection(h.random)
		h.evaluate(h.random, h.slopes)
		t, ok := h.bestMove(h.slopes)
		if !ok {
			continue
		}
		score, perfect := h.tryMove(t, h.slopes)
		if !(score > h.score) {
			continue
		}
		h.stagnant = 0
		h.move(t, h.slopes, score, perfect)
		for m, r := range h.random {
			h.plane[m] += float64(t * r)
		}
		return true
	}
	return false
}

func (h *search) drawDirection(direction []float64) {
	for m := range direction {
		direction[m] = float64(2*h.rng.Float64()) - 1
	}
}

// evaluate writes the value of a hyperplane, or of the change of V in a direction, for each point.
func (h *search) evaluate(plane, values []float64) {
	constant := plane[len(h.columns)]
	for i := range values {
		values[i] = constant
	}
	for m := range h.columns {
		a, scaled := plane[m], h.scaled[m][:len(values)]
		if a == 0 {
			continue
		}
		for i, x := range scaled {
			values[i] += float64(a * x)
		}
	}
}

// tryMove returns the score after a move by t along slopes, the last that bestMove has found.
func (h *search) tryMove(t float64, slopes []float64) (score float64, perfect bool) {
	if h.whole {
		copy(h.left, h.cutLeft)
		for c, w := range h.classes {
			h.right[c] = w - h.left[c]
		}
	} else {
		moved := h.moved[:len(h.values)]
		for i, v := range h.values {
			moved[i] = v + float64(t*slopes[i])
		}
		divide(&h.rows, moved, 0)
	}
	return h.divisionScore(), h.pure()
}

// move moves by t along slopes, to a hyperplane of the given score.
func (h *search) move(t float64, slopes []float64, score float64, perfect bool) {
	slopes = slopes[:len(h.values)]
	for i, s := range slopes {
		h.values[i] += float64(t * s)
	}
	h.score, h.perfect = score, perfect
	h.moves++
}

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

// Impurities are computed as scores, which rank splits the other way round, and leave out what is the
// same for all splits of a node:
//
//	Gini     Σ Lᵢ²/|L| + Σ Rᵢ²/|R|
//	Twoing   D²·n/(|L|·|R|) with D = Σ |Lᵢ − nᵢ/n·|L||, which is n times the value of the Twoing Rule
//
// Twoing has the score of Gini with two classes.

// divisionScore returns the score of the division into left and right. Equal divisions have equal
// scores, whichever side is called left.
func (h *search) divisionScore() float64 {
	var left, right float64
	for c, w := range h.left {
		left += w
		right += h.right[c]
	}
	switch {
	case len(h.classes) == 2:
		return meanSquare(h.left, left) + meanSquare(h.right, right)
	case left == 0 || right == 0:
		return 0
	}
	var d float64
	for c, w := range h.left {
		d += math.Abs(float64(w*right) - float64(h.right[c]*left))
	}
	return d / left * (d / right) / h.total
}

// meanSquare returns the sum of squares of some classes' weights, divided by their total.
func meanSquare(classes []float64, total float64) float64 {
	if total == 0 {
		return 0
	}
	var squares float64
	for _, w := range classes {
		squares += float64(w * w)
	}
	return squares / total
}

// scan moves points from side to side in the order of the keys, and returns the number of the last key before the best
// cut; a cut lies between different values. It returns −1 if no score is above least, or if one side is always empty.
// left has the weights of the classes that are on the left at the beginning; their sum is
// leftWeight. scan sets cutLeft to those at the best cut.
func (h *search) scan(keys []uint64, leftWeight, least float64) (best int) {
	switch {
	case len(keys) == 0:
		return -1
	case len(h.classes) == 2:
		return h.scanGini(keys, leftWeight, least)
	}
	return h.scanTwoing(keys, leftWeight, least/h.total)
}

const (
	// negligible is the part of a node's weight that a side must exceed, because sums of weights are rounded.
	negligible = 1e-12

	// slack is the part of a score, which is at most the node's weight, by which rounding may change it.
	slack = 1e-9
)

// turn returns the place of the first row of a key's point, and the sign of its rows' weights: negative if they leave
// the left side.
func turn(key uint64) (place uint32, sign float64) {
	return uint32(key) >> 1, float64(2*int(key&1) - 1)
}

func (h *search) scanGini(keys []uint64, leftWeight, bestScore float64) int {
	var leftSquares, rightSquares float64
	for c, l := range h.left {
		r := h.classes[c] - l
		leftSquares += float64(l * l)
		rightSquares += float64(r * r)
	}
	best, least := -1, negligible*h.total
	for i, key := range keys[:len(keys)-1] {
		at, sign := turn(key)
		for row := (row{}); !row.last; at++ {
			row = h.list[at]
			c, w := row.class, float64(row.weight*sign)
			l := h.left[c]
			leftSquares += float64(w * (2*l + w))
			rightSquares += float64(w * (w - 2*(h.classes[c]-l)))
			h.left[c] = l + w
			leftWeight += w
		}
		if key>>32 == keys[i+1]>>32 {
			continue
		}
		rightWeight := h.total - leftWeight
		score := (float64(leftSquares*rightWeight) + float64(rightSquares*leftWeight)) / (leftWeight * rightWeight)
		if score > bestScore && leftWeight > least && rightWeight > least {
			best, bestScore = i, score
			copy(h.cutLeft, h.left)
		}
	}
	return best
}

// scanTwoing computes D only where it might have grown enough: a row of weight w changes it by 2w at most.
func (h *search) scanTwoing(keys []uint64, leftWeight, bestScore float64) int {
	best, least := -1, negligible*h.total
	bound := 2 * h.total // of D
	terms := 0           // of the sums D since the last look at the call
	for i, key := range keys[:len(keys)-1] {
		at, sign := turn(key)
		for row := (row{}); !row.last; at++ {
			row = h.list[at]
			w := float64(row.weight * sign)
			h.left[row.class] += w
			leftWeight += w
			bound += 2 * row.weight
		}
		if key>>32 == keys[i+1]>>32 {
			continue
		}
		rightWeight := h.total - leftWeight
		if !(leftWeight > least && rightWeight > least) {
			continue
		}
		product := leftWeight * rightWeight
		if float64(bound*bound) < float64(bestScore*product) {
			continue
		}
		if terms += len(h.shares); terms > 1<<18 {
			if terms = 0; h.cancelled() {
				return -1
			}
		}
		var d float64
		for c, share := range h.shares {
			d += math.Abs(h.left[c] - float64(share*leftWeight))
		}
		bound = d * (1 + slack)
		if score := float64(d*d) / product; score > bestScore {
			best, bestScore = i, score
			copy(h.cutLeft, h.left)
		}
	}
	return best
}
