package tao

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/l1"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

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

// solveAxis fits the split of one feature and threshold that sends the least weight to the wrong side of its
// pseudolabel. All rows go to one side if that is better than any split.
func (o *optimizer) solveAxis(s *scratch, n *node) {
	all, right := 0.0, 0.0 // weights
	for k, side := range s.sides {
		all += s.weights[k]
		if side > 0 {
			right += s.weights[k]
		}
	}
	order, least := resized(&s.order, len(s.rows)), math.Inf(1)
	feature, sign, threshold := int32(0), float32(0), float32(0)
	for _, j := range n.features {
		o.sortBy(s, order, j)
		wrong := all - right // if every row goes right
		for i, k := range order[:len(order)-1] {
			wrong += float64(float64(s.sides[k]) * s.weights[k])
			low, high := o.columns[j][s.rows[k]], o.columns[j][s.rows[order[i+1]]]
			if low == high {
				continue
			}
			if wrong < least {
				least, feature, sign, threshold = wrong, j, 1, between(low, high)
			}
			if all-wrong < least {
				least, feature, sign, threshold = all-wrong, j, -1, between(-high, -low)
			}
		}
	}
	switch {
	case min(right, all-right) >= least:
		n.fn, n.threshold = forest.Linear([]int32{feature}, []float32{sign}), threshold
	case right < all-right:
		n.oneSide(-1)
	default:
		n.oneSide(1)
	}
}

// oneSide makes a split that sends every row to a side, −1 for left and 1 for right.
func (n *node) oneSide(side int8) {
	n.fn, n.threshold = forest.Function{Kind: forest.Sparse}, -float32(side)
}

// sortBy orders the numbers of s.rows by the rows' cells of a feature.
func (o *optimizer) sortBy(s *scratch, order []int32, feature int32) {
	column := o.columns[feature]
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(column[s.rows[a]], column[s.rows[b]]) })
}

// between returns the middle of two numbers, which rounding keeps from low and below high.
func between(low, high float32) float32 {
	middle := low + float32((high-low)/2)
	if middle-middle != 0 || middle >= high {
		return low
	}
	return middle
}

// worstLoss bounds the cross-entropy of a row in a forest with linear leaves. It is the
// loss of a row whose class the leaf has no score for.
const worstLoss = 5

// fitLeaf fits a leaf to its rows and sets their loss.
func (o *optimizer) fitLeaf(s *scratch, n *node, rows []int32) {
	if o.rescaling {
		o.lose(s, &n.leaf, rows, o.loss)
		return
	}
	fitted := *n
	switch {
	case o.LinearLeaves && o.labels == nil:
		o.fitValues(s, &fitted, rows)
	case o.labels == nil:
		fitted.leaf = forest.Leaf{Kind: forest.LeafValue, Value: float32(o.average(rows))}
	default:
		o.fitClasses(s, &fitted, rows)
	}
	if fitted.leaf.Kind == forest.LeafLinear && !finite(o.unstandardised(fitted.leaf.Scores)) {
		fitted = *n // too large for float32s
	}
	fitted.penalised = o.penalisedLeaf(&fitted.leaf)
	if o.strict && o.LinearLeaves {
		old := o.objective(s, n, rows)
		if o.objective(s, &fitted, rows) > old {
			o.lose(s, &n.leaf, rows, o.loss)
			return
		}
	} else {
		o.lose(s, &fitted.leaf, rows, o.loss)
	}
	*n = fitted
}

// finite reports whether all numbers of the scores are finite.
func finite(scores []forest.Score) bool {
	var sum float64
	for _, score := range scores {
		sum += math.Abs(float64(score.Bias))
		for _, w := range score.Weights {
			sum += math.Abs(float64(w))
		}
	}
	return sum-sum == 0
}

// penalisedLeaf returns the sum of the absolute weights of a leaf, as those of standardised
// features.
func (o *optimizer) penalisedLeaf(l *forest.Leaf) (sum float64) {
	for _, score := range l.Scores {
		sum += o.penalised(score.Features, score.Weights)
	}
	return sum
}

// objective returns a leaf's part of the tree's objective, and sets the loss of its rows.
func (o *optimizer) objective(s *scratch, n *node, rows []int32) float64 {
	o.lose(s, &n.leaf, rows, o.loss)
	sum := float64(o.LeafLambda * n.penalised)
	for _, r := range rows {
		sum += float64(o.weight[r] * o.loss[r])
	}
	return sum
}

// fitClasses fits a class or scores of classes. The class of a constant leaf is the largest
// one; of several the present one, if it is among them, otherwise the first.
func (o *optimizer) fitClasses(s *scratch, n *node, rows []int32) {
	largest, present := o.majority(s, rows), 0
	for _, count := range s.counts {
		if count > 0 {
			present++
		}
	}
	if o.LinearLeaves && present > 1 {
		o.fitSoftmax(s, n, rows, present)
		return
	}
	if n.leaf.Kind == forest.LeafClass && s.counts[n.leaf.Class] == s.counts[largest] {
		return
	}
	n.leaf = forest.Leaf{Kind: forest.LeafClass, Class: largest}
}

// fitSoftmax fits scores of the classes that occur, by softmax regression or, for two, by
// logistic regression.
func (o *optimizer) fitSoftmax(s *scratch, n *node, rows []int32, present int) {
	o.fill(s, o.features, rows)
	m, weights := len(o.features), resized(&s.weights, len(rows))
	for k, r := range rows {
		weights[k] = o.weight[r]
	}
	// The score that each class has now; −1 in position for a class that doesn't occur.
	position := resized(&s.classes, len(s.counts))
	w, b := resized(&s.model, present*m), resized(&s.biases, present)
	clear(w)
	clear(b)
	var classes []int32
	for c, count := range s.counts {
		position[c] = -1
		if count > 0 {
			position[c] = int32(len(classes))
			classes = append(classes, int32(c))
		}
	}
	for _, score := range n.leaf.Scores {
		if k := int(position[score.Class]); k >= 0 {
			b[k] = float64(score.Bias) + o.unpack(w[k*m:(k+1)*m], o.features, score.Features, score.Weights)
		}
	}
	penalty := o.penalties(s, o.LeafLambda, o.features)
	if present == 2 {
		o.fitTwo(s, rows, classes, weights, penalty, w, b)
	} else {
		labels := resized(&s.labels, len(rows))
		for k, r := range rows {
			labels[k] = position[o.labels[r]]
		}
		s.solver.Softmax(&s.matrix, labels, present, weights, penalty, l1.Limits{}, w, b)
	}
	n.leaf = forest.Leaf{Kind: forest.LeafLinear}
	for k, c := range classes {
		n.leaf.Scores = append(n.leaf.Scores, o.score(c, w[k*m:(k+1)*m], b[k]))
	}
}

// fitTwo fits the difference of the scores of two classes: that of the first becomes 0.
func (o *optimizer) fitTwo(s *scratch, rows, classes []int32, weights, penalty, w, b []float64) {
	m := len(penalty)
	first, second := w[:m], w[m:]
	for k := range first {
		second[k] -= first[k]
		first[k] = 0
	}
	b[1] -= b[0]
	b[0] = 0
	sides := resized(&s.sides, len(rows))
	for k, r := range rows {
		sides[k] = -1
		if o.labels[r] == classes[1] {
			sides[k] = 1
		}
	}
	s.solver.Logistic(&s.matrix, sides, weights, penalty, l1.Limits{}, second, &b[1])
}

// fitValues fits a linear function to the values of the rows by least squares.
func (o *optimizer) fitValues(s *scratch, n *node, rows []int32) {
	o.fill(s, o.features, rows)
	weights, targets := resized(&s.weights, len(rows)), resized(&s.targets, len(rows))
	for k, r := range rows {
		weights[k], targets[k] = o.weight[r], o.values[r]
	}
	w := resized(&s.model, len(o.features))
	clear(w)
	b := o.average(rows)
	if n.leaf.Kind == forest.LeafLinear {
		score := n.leaf.Scores[0]
		b = float64(score.Bias) + o.unpack(w, o.features, score.Features, score.Weights)
	}
	s.solver.LeastSquares(&s.matrix, targets, weights, o.penalties(s, o.LeafLambda, o.features), l1.Limits{}, w, &b)
	n.leaf = forest.Leaf{Kind: forest.LeafLinear, Scores: []forest.Score{o.score(0, w, b)}}
}

// score returns the score of a class with the given weights and bias of the tree's shifted features.
func (o *optimizer) score(class int32, w []float64, b float64) forest.Score {
	score := forest.Score{Class: class}
	var offset float64
	score.Features, score.Weights, offset = o.pack(w, o.features)
	score.Bias = float32(b - offset)
	return score
}

// average returns the mean value of the rows.
func (o *optimizer) average(rows []int32) float64 {
	var sum, total float64
	for _, r := range rows {
		sum += float64(o.weight[r] * o.values[r])
		total += o.weight[r]
	}
	return sum / total
}

// lose writes the loss of each row in a leaf to loss.
func (o *optimizer) lose(s *scratch, l *forest.Leaf, rows []int32, loss []float64) {
	switch {
	case l.Kind == forest.LeafValue:
		for _, r := range rows {
			e := o.values[r] - float64(l.Value)
			loss[r] = float64(e * e)
		}
	case l.Kind == forest.LeafLinear && o.labels == nil:
		scores := o.scores(s, l, rows)
		for k, r := range rows {
			e := o.values[r] - scores[k]
			loss[r] = float64(e * e)
		}
	case l.Kind == forest.LeafLinear:
		o.loseEntropy(s, l, rows, loss)
	default:
		wrong := o.wrong()
		for _, r := range rows {
			loss[r] = wrong
			if o.labels[r] == l.Class {
				loss[r] = 0
			}
		}
	}
}

// wrong returns the loss of a row of a class that the leaf doesn't predict.
func (o *optimizer) wrong() float64 {
	if o.LinearLeaves {
		return worstLoss
	}
	return 1
}

// loseEntropy writes the cross-entropy of each row in a linear leaf to loss.
func (o *optimizer) loseEntropy(s *scratch, l *forest.Leaf, rows []int32, loss []float64) {
	scores, k := o.scores(s, l, rows), len(l.Scores)
	between := max(1, 1<<15/k) // rows between looks at the context
	for i, r := range rows {
		if i%between == between-1 && o.ctx.Err() != nil {
			return
		}
		loss[r] = worstLoss
		at := slices.IndexFunc(l.Scores, func(score forest.Score) bool { return score.Class == o.labels[r] })
		if at < 0 {
			continue
		}
		largest := math.Inf(-1)
		for c := range k {
			largest = max(largest, scores[c*len(rows)+i])
		}
		var sum float64
		for c := range k {
			sum += portable.Exp(scores[c*len(rows)+i] - largest)
		}
		loss[r] = min(worstLoss, portable.Log(sum)+largest-scores[at*len(rows)+i])
	}
}

// scores returns the scores of rows in a linear leaf, score after score, summed as in
// prediction.
func (o *optimizer) scores(s *scratch, l *forest.Leaf, rows []int32) []float64 {
	scores := resized(&s.scores, len(l.Scores)*len(rows))
	for c, score := range l.Scores {
		if c%16 == 15 && o.ctx.Err() != nil {
			break
		}
		of := scores[c*len(rows):][:len(rows)]
		for k := range of {
			of[k] = float64(score.Bias)
		}
		for k, j := range score.Features {
			w, column := float64(score.Weights[k]), o.columns[j]
			for i, r := range rows {
				of[i] += w * float64(column[r]) // exact before it is added, fused or not
			}
		}
	}
	return scores
}
