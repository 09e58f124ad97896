package tao

import (
	"math"
	"math/bits"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/l1"
)

// indifferent is the largest difference of two losses that counts as none.
const indifferent = 1e-9

// fitSplit fits a split to send each row to the child through which its loss is lower. This
// is the reduced problem of the paper (Section 3), a binary classification with
// pseudolabels, weighted by the difference of the losses, and solved with the logistic loss
// instead of the 0/1 loss. left and right are the rows that go there now. It sets the loss
// of each row, by the split that is kept.
func (o *optimizer) fitSplit(s *scratch, n *node, left, right []int32) {
	o.keepSides(left, right)
	if o.ctx.Err() != nil || !o.reduce(s, left, right) {
		return
	}
	if o.rescaling {
		o.rescale(s, n)
		return
	}
	var problem uint64
	if o.strict {
		if problem = o.problem(s); n.refused == problem {
			return // it would be refused again
		}
	}
	fitted := *n
	switch {
	case slices.Min(s.sides) == slices.Max(s.sides):
		fitted.oneSide(s.sides[0])
	case o.AxisAligned:
		o.solveAxis(s, &fitted)
	default:
		o.solve(s, &fitted)
	}
	fitted.fitted, fitted.refused = true, 0
	fitted.penalised = o.penalisedSplit(&fitted)
	if sum := fitted.penalised + math.Abs(float64(fitted.threshold)); sum-sum != 0 {
		return // too large for float32s
	}
	values := resized(&s.values, len(s.rows))
	o.project(s, &fitted.fn, values, s.rows)
	if o.strict {
		rise := float64(o.lambda * (fitted.penalised - n.penalised))
		for k, r := range s.rows {
			rise += float64(o.weight[r] * (o.through[sideOf(values[k], fitted.threshold)][r] - o.loss[r]))
		}
		if rise > 0 {
			n.refused = problem
			return
		}
	}
	for k, r := range s.rows {
		o.loss[r] = o.through[sideOf(values[k], fitted.threshold)][r]
	}
	*n = fitted
}

// keepSides sets the loss of each row by its present side.
func (o *optimizer) keepSides(left, right []int32) {
	for _, r := range left {
		o.loss[r] = o.through[0][r]
	}
	for _, r := range right {
		o.loss[r] = o.through[1][r]
	}
}

// reduce sets s.rows, s.sides and s.weights to the rows that count, those whose losses
// through the children differ, with their pseudolabels, −1 for left and 1 for right, and
// weights. It returns false if there are none.
func (o *optimizer) reduce(s *scratch, left, right []int32) bool {
	n := len(left) + len(right)
	rows, sides, weights := resized(&s.rows, n)[:0], resized(&s.sides, n)[:0], resized(&s.weights, n)[:0]
	for _, part := range [2][]int32{left, right} {
		for _, r := range part {
			gain := o.through[0][r] - o.through[1][r] // of going right
			if math.Abs(gain) <= indifferent {
				continue
			}
			side := int8(1)
			if gain < 0 {
				side = -1
			}
			rows, sides, weights = append(rows, r), append(sides, side), append(weights, float64(o.weight[r]*math.Abs(gain)))
		}
	}
	s.rows, s.sides, s.weights = rows, sides, weights
	return len(rows) > 0
}

// problem returns a hash of the reduced problem. A split that hasn't changed since the fit of the same problem was
// refused gets the same fit.
func (o *optimizer) problem(s *scratch) uint64 {
	hash := math.Float64bits(o.lambda)
	for k, r := range s.rows {
		hash = (hash ^ uint64(uint32(r))<<1 ^ uint64(s.sides[k]>>1&1)) * 0x9e3779b97f4a7c15
		hash = (bits.RotateLeft64(hash, 31) ^ math.Float64bits(s.weights[k])) * 0xbf58476d1ce4e5b9
	}
	return hash
}

// sideOf returns 0 for left, 1 for right.
func sideOf(value, threshold float32) int {
	if value <= threshold {
		return 0
	}
	return 1
}

// solve fits the function and threshold of n to the pseudolabels by ℓ1-penalised logistic
// regression. It starts from n's own where that is a fit, otherwise from 0. A bias that is penalised is the weight of a
// column of ones.
func (o *optimizer) solve(s *scratch, n *node) {
	o.fill(s, n.features, s.rows)
	p := len(n.features)
	all := resized(&s.model, p+1)
	clear(all)
	w, b := all[:p], &all[p]
	if n.fitted {
		*b = -float64(n.threshold) + o.unpack(w, n.features, n.fn.Features, n.fn.Weights)
	}
	penalties := o.penalties(s, o.lambda, n.features)
	if o.PenalisedBias {
		s.matrix.AddOnes()
		s.penalty = append(penalties, o.lambda)
		s.solver.LogisticNoBias(&s.matrix, s.sides, s.weights, s.penalty, l1.Limits{}, all)
	} else {
		s.solver.Logistic(&s.matrix, s.sides, s.weights, penalties, l1.Limits{}, w, b)
	}
	var offset float64
	n.fn = forest.Function{Kind: forest.Sparse}
	n.fn.Features, n.fn.Weights, offset = o.pack(w, n.features)
	n.threshold = float32(offset - *b)
}

// fill fills s.matrix with the given rows and features.
func (o *optimizer) fill(s *scratch, features, rows []int32) {
	if o.sparse != nil {
		s.matrix.SetSparse(o.sparse, rows, features)
		return
	}
	shift := resized(&s.shift, len(features))
	for k, j := range features {
		shift[k] = o.shift[j]
	}
	s.matrix.SetDense(o.columns, rows, features, shift)
}

// penalties returns λ times the scale of each feature: the penalty of its weight.
func (o *optimizer) penalties(s *scratch, lambda float64, features []int32) []float64 {
	penalty := resized(&s.penalty, len(features))
	for k, j := range features {
		penalty[k] = float64(lambda * o.scale[j])
	}
	return penalty
}

// unpack writes weights of some features to w, which has an element for each of features,
// and returns what shifting the features adds to the bias.
func (o *optimizer) unpack(w []float64, features, of []int32, weights []float32) (offset float64) {
	at := 0
	for k, j := range of {
		for features[at] != j {
			at++
		}
		w[at] = float64(weights[k])
		if o.sparse == nil {
			offset += float64(w[at] * float64(o.shift[j]))
		}
	}
	return offset
}

// pack returns the weights that aren't 0 as float32s, with their features, and what
// shifting the features took from the bias.
func (o *optimizer) pack(w []float64, features []int32) (of []int32, weights []float32, offset float64) {
	for k, j := range features {
		rounded := float32(w[k])
		if rounded == 0 {
			continue
		}
		of, weights = append(of, j), append(weights, rounded)
		if o.sparse == nil {
			offset += float64(float64(rounded) * float64(o.shift[j]))
		}
	}
	return of, weights, offset
}

// penalisedSplit returns the sum of the absolute coefficients of a split, as those of
// standardised features, and of its bias if that is penalised. A split without weights has no penalty, since its bias
// can be as small as one likes.
func (o *optimizer) penalisedSplit(n *node) float64 {
	fn := &n.fn
	sum := o.penalised(fn.Features, fn.Weights)
	if o.PenalisedBias && sum > 0 {
		sum += math.Abs(float64(n.threshold) - float64(fn.Bias))
	}
	for _, numbers := range [][]float32{fn.Q, fn.Factors} {
		for _, a := range numbers {
			sum += math.Abs(float64(a))
		}
	}
	return sum
}

func (o *optimizer) penalised(features []int32, weights []float32) float64 {
	var sum float64
	for k, w := range weights {
		sum += float64(math.Abs(float64(w)) * o.scale[features[k]])
	}
	return sum
}
