package oc1

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
)

// value returns minus the Twoing Rule of a division, as the paper defines it (section 3.3.1).
func value(left, right []float64) float64 {
	var l, r, difference float64
	for c := range left {
		l, r = l+left[c], r+right[c]
	}
	for c := range left {
		difference += math.Abs(left[c]/l - right[c]/r)
	}
	return -l / (l + r) * r / (l + r) * difference * difference
}

// drawRows returns a search over rows of random classes and weights.
func drawRows(t *rapid.T, n int) *search {
	classes := rapid.IntRange(2, 5).Draw(t, "classes")
	h := &search{}
	h.begin(nil, nil, n)
	weights := rapid.SampledFrom([][]float64{{1}, {1, 2, 5}, {0.3, 1.7, 0.01}}).Draw(t, "weights")
	for i := range n {
		h.list[i] = row{weights[rapid.IntRange(0, len(weights)-1).Draw(t, "weight")],
			int32(rapid.IntRange(0, classes-1).Draw(t, "class")), true}
	}
	h.whole = weights[0] == 1
	h.count(classes)
	h.separate()
	h.scale()
	h.score = math.Inf(-1)
	return h
}

// impurityOf returns the impurity of the division by the signs of some values, infinite if one side is empty.
func (h *search) impurityOf(values []float64) float64 {
	left, right := make([]float64, len(h.classes)), make([]float64, len(h.classes))
	lefts := 0
	for i, v := range values {
		if v > 0 {
			right[h.list[i].class] += h.list[i].weight
		} else {
			left[h.list[i].class] += h.list[i].weight
			lefts++
		}
	}
	if lefts == 0 || lefts == len(values) {
		return math.Inf(1)
	}
	return value(left, right)
}

// The best move has the least impurity of all midpoints between the places where rows change
// sides, by trying each, whatever the signs of the slopes, and with slopes that are 0.
func TestBestMoveAgainstAllMidpoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{2, 3, 7, 30, 212}).Draw(t, "n")
		h := drawRows(t, n)
		whole := rapid.Bool().Draw(t, "whole") // many rows change sides at equal places
		positive := rapid.Bool().Draw(t, "positive")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for i := range n {
			h.values[i], h.slopes[i] = rng.NormFloat64(), rng.NormFloat64()
			if whole {
				h.values[i], h.slopes[i] = float64(rng.IntN(9)-4), float64(rng.IntN(5)-2)
			}
			if positive {
				h.slopes[i] = math.Abs(h.slopes[i])
			}
		}
		var places []float64
		for i, v := range h.values {
			if s := h.slopes[i]; s != 0 {
				places = append(places, float64(float32(-v/s)))
			}
		}
		slices.Sort(places)
		places = slices.Compact(places)
		best := math.Inf(1)
		moved := make([]float64, n)
		at := func(move float64) float64 {
			for i, v := range h.values {
				moved[i] = v + move*h.slopes[i]
			}
			return h.impurityOf(moved)
		}
		for k := 1; k < len(places); k++ {
			best = min(best, at((places[k-1]+places[k])/2))
		}
		move, ok := h.bestMove(h.slopes)
		if !ok {
			if !math.IsInf(best, 1) {
				t.Fatalf("no move, but one has impurity %v", best)
			}
			return
		}
		if got := at(move); math.Abs(got-best) > 1e-9 {
			t.Fatalf("moving by %v leaves %v, the best midpoint %v", move, got, best)
		}
	})
}

// The threshold has the least impurity of all, and its score ranks divisions as their impurity does.
func TestCutAgainstAllThresholds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 9, 40}).Draw(t, "n")
		h := drawRows(t, n)
		values := make([]float32, n)
		for i := range values {
			values[i] = rapid.SampledFrom([]float32{-3, -0.5, 0, float32(math.Copysign(0, -1)), 1, 2.5, 7, 1e30}).Draw(t,
				"value")
		}
		signs := make([]float64, n)
		at := func(threshold float32) float64 {
			for i, v := range values {
				signs[i] = -1
				if v > threshold {
					signs[i] = 1
				}
			}
			return h.impurityOf(signs)
		}
		best := math.Inf(1)
		for _, v := range values {
			best = min(best, at(v))
		}
		threshold, score, ok := h.cut(values)
		if ok == math.IsInf(best, 1) {
			t.Fatalf("found a threshold: %v; the least impurity is %v", ok, best)
		}
		if !ok {
			return
		}
		if got := at(threshold); math.Abs(got-best) > 1e-9 {
			t.Fatalf("threshold %v leaves %v, the best one %v", threshold, got, best)
		}
		other := rapid.SampledFrom(values).Draw(t, "other")
		if impurity := at(other); !math.IsInf(impurity, 1) && impurity > best+1e-9 {
			divide(&h.rows, values, other)
			if worse := h.divisionScore(); !(worse < score) {
				t.Fatalf("impurity %v has score %v, the least, %v, has %v", impurity, worse, best, score)
			}
		}
	})
}

// Scores of the hyperplane never fall while it is improved, V stays that of the coefficients, and
// a hyperplane that isn't perfect ends where no coefficient has a better value.
func TestImpurityNeverRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(10, 60).Draw(t, "n"), rapid.IntRange(2, 4).Draw(t, "d")
		h := drawRows(t, n)
		h.Search.Restarts, h.Search.Jumps = 1, rapid.IntRange(0, 3).Draw(t, "jumps")
		rng := forest.NewRand(rapid.Uint64().Draw(t, "seed"))
		var columns [][]float32
		for range d {
			column := []float32{-5, 8}
			for range n - 2 {
				column = append(column, float32(10*rng.Normal()))
			}
			columns = append(columns, column)
		}
		list := slices.Clone(h.list)
		h.begin(&rng, columns, n)
		copy(h.list, list)
		h.scale()
		axis, threshold := h.axisSplit()
		score := h.score
		h.run(axis, threshold)
		if h.bestScore < score {
			t.Fatalf("score %v of the hyperplane is below %v of the first start", h.bestScore, score)
		}
		again := make([]float64, n)
		h.evaluate(h.plane, again)
		for i, v := range again {
			if math.Abs(v-h.values[i]) > 1e-6*(1+math.Abs(v)) {
				t.Fatalf("V of row %d is %v, its coefficients give %v", i, h.values[i], v)
			}
		}
		if h.perfect {
			return
		}
		for m := range d {
			if move, ok := h.bestMove(h.scaled[m]); ok {
				if better, _ := h.tryMove(move, h.scaled[m]); better > h.score {
					t.Fatalf("coefficient %d can be improved from %v to %v", m, h.score, better)
				}
			}
		}
	})
}

// A move to an equal score is made with a probability that falls from 1 to 0.1 in ten steps, as in figure 6, until the
// score rises.
func TestStagnantMoves(t *testing.T) {
	rng := forest.NewRand(1)
	h := &search{rng: &rng, score: 5}
	var made [12]int
	const trials = 4000
	for range trials {
		if !h.accepts(6) || h.accepts(4) {
			t.Fatal("a better score must be accepted, a worse one not")
		}
		for k := range made {
			if h.accepts(5) {
				made[k]++
			}
		}
	}
	for k, count := range made {
		p := max(0, 1-0.1*float64(k))
		if math.Abs(float64(count)-trials*p) > 4*math.Sqrt(trials*p*(1-p)) {
			t.Errorf("move %d is made %d times of %d, want a part of %v", k+1, count, trials, p)
		}
	}
}
