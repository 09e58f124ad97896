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

const (
	maxStagnant  = 10 // P_move falls from 1 to 0 in steps of 0.1
	randomPasses = 50 // changes of a pass in the order Random, the paper's R-50
)

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

// axisSplit returns the best split on a single feature, its number among those of the node
// and its threshold, and sets score and perfect to those of the split.
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
		switch h.Order {
		case Sequential:
			for !h.perfect && h.pass() {
			}
		case BestFirst:
			for !h.perfect && h.perturbBest() {
			}
		case Random:
			for i := 0; i < randomPasses && !h.perfect; i++ {
				h.perturb(h.rng.Intn(len(h.plane)))
			}
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

// perturbBest perturbs the feature's coefficient for which that has the best score.
func (h *search) perturbBest() bool {
	best, bestScore := -1, math.Inf(-1)
	for m := range h.columns {
		if h.cancelled() {
			return false
		}
		if t, ok := h.bestMove(h.scaled[m]); ok {
			if score, _ := h.tryMove(t, h.scaled[m]); score > bestScore {
				best, bestScore = m, score
			}
		}
	}
	return best >= 0 && h.perturb(best)
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
