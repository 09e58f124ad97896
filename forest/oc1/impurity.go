package oc1

import (
	"math"

	"github.com/obliqua-ml/obliqua/internal/portable"
)

// Impurities are computed as scores, which rank splits the other way round, and leave out what is the
// same for all splits of a node:
//
//	Gini     Σ Lᵢ²/|L| + Σ Rᵢ²/|R|
//	Twoing   D²·n/(|L|·|R|) with D = Σ |Lᵢ − nᵢ/n·|L||, which is n times the value of the Twoing Rule
//	Entropy  Σ Lᵢ ln Lᵢ − |L| ln |L| + Σ Rᵢ ln Rᵢ − |R| ln |R|
//
// With two classes Twoing has the score of Gini.

// divisionScore returns the score of the division into left and right. Equal divisions have equal
// scores, whichever side is called left.
func (h *search) divisionScore() float64 {
	var left, right float64
	for c, w := range h.left {
		left += w
		right += h.right[c]
	}
	switch {
	case h.Impurity == Entropy:
		return -(weightedEntropy(h.left, left) + weightedEntropy(h.right, right))
	case h.byGini():
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

func (h *search) byGini() bool {
	return h.Impurity == Gini || h.Impurity == Twoing && len(h.classes) == 2
}

// weightedEntropy returns the entropy of some classes, times their total weight.
func weightedEntropy(classes []float64, total float64) float64 {
	sum := timesLog(total)
	for _, w := range classes {
		sum -= timesLog(w)
	}
	return sum
}

// timesLog returns x·ln x.
func timesLog(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return float64(x * portable.Log(x))
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
	case h.Impurity == Entropy:
		return h.scanEntropy(keys, leftWeight, least)
	case h.byGini():
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

func (h *search) scanEntropy(keys []uint64, leftWeight, bestScore float64) int {
	var sum float64 // Σ Lᵢ ln Lᵢ + Σ Rᵢ ln Rᵢ
	for c, l := range h.left {
		sum += timesLog(l) + timesLog(h.classes[c]-l)
	}
	best, least := -1, negligible*h.total
	for i, key := range keys[:len(keys)-1] {
		at, sign := turn(key)
		for row := (row{}); !row.last; at++ {
			row = h.list[at]
			c, w := row.class, float64(row.weight*sign)
			l := h.left[c]
			r := h.classes[c] - l
			sum += timesLog(l+w) - timesLog(l) + timesLog(r-w) - timesLog(r)
			h.left[c] = l + w
			leftWeight += w
		}
		if key>>32 == keys[i+1]>>32 {
			continue
		}
		rightWeight := h.total - leftWeight
		score := sum - timesLog(leftWeight) - timesLog(rightWeight)
		if score > bestScore && leftWeight > least && rightWeight > least {
			best, bestScore = i, score
			copy(h.cutLeft, h.left)
		}
	}
	return best
}
