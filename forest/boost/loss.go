package boost

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A Loss of values is what boosting lowers. The zero value is squared error or, for classes, the log-loss.
type Loss uint8

const (
	standard Loss = iota

	// Huber is squared error up to δ and absolute error beyond, for values with outliers (Friedman 2001, algorithm 4).
	// Before each round δ is the 0.9-quantile of the residuals' absolute values or, if it is 0, of those above 0.
	Huber

	// Poisson is the deviance of counts, 0 or more, and of frequencies whose weights are exposures. Scores are logarithms
	// (see Forest.LogLink), and a leaf has ln((Σy + λ)/(Σμ + λ)), with μ what was predicted before. Where the mean of the
	// counts above 0 is below 1/16, counts are divided by it before.
	Poisson

	losses
)

// A loss is what boosting lowers.
type loss interface {
	outputs() int // scores of a row

	// base returns the scores that all rows of a member begin with.
	base(weights []float64) []float64

	// begin begins a round of a member.
	begin(m *member)

	// gradients sets a member's targets and hessian of rows [lo, hi) from its scores. It may leave the hessian alone,
	// which begins as the weights.
	gradients(m *member, lo, hi int)

	// leaf returns the value of a member's leaf, which rows reach.
	leaf(m *member, n *forest.Node, rows []int32, penalty float64) float64

	// of returns the loss of row i with these scores, which it may overwrite.
	of(i int, scores []float64) float64
}

// newLoss returns the learner's loss on a table, or an error if it isn't for the table's target.
func (l Learner) newLoss(train *datasets.Dataset) (loss, error) {
	switch {
	case train.Values == nil && (l.Loss != standard || l.Quantile > 0):
		return nil, errors.New("boost: a loss of values for classes; want values")
	case train.Values == nil:
		return logLoss{newton{train}}, nil
	case l.Quantile > 0:
		return pinball{train, l.Quantile}, nil
	case l.Loss == Huber:
		return newHuber(train), nil
	case l.Loss == Poisson:
		return poisson{newton{train}}, nil
	}
	return squared{newton{train}}, nil
}

// newton is a loss whose leaves have a step of Newton's: the sum of gradients by that of hessians and the penalty. The
// tree has their ratio and the sum of hessians.
type newton struct{ *datasets.Dataset }

func (l newton) begin(*member) {}

func (l newton) leaf(_ *member, n *forest.Node, _ []int32, penalty float64) float64 {
	w := float64(n.Weight)
	return float64(n.Value) * w / (w + penalty)
}

type squared struct{ newton }

func (l squared) outputs() int { return 1 }

func (l squared) base(weights []float64) []float64 {
	sum, total := l.sums(weights)
	return []float64{sum / total}
}

// sums returns the weighted sum of the values, and the sum of the weights.
func (l newton) sums(weights []float64) (sum, total float64) {
	for i, w := range weights {
		sum += float64(w * l.Values[i])
		total += w
	}
	return sum, total
}

func (l squared) gradients(m *member, lo, hi int) {
	for i := lo; i < hi; i++ {
		s := m.scores[0][i]
		m.targets[0][i] = l.Values[i] - s
	}
}

func (l squared) of(i int, scores []float64) float64 {
	d := l.Values[i] - scores[0]
	return d * d
}

// pinball is the loss of a quantile of a level.
type pinball struct {
	*datasets.Dataset
	level float64
}

func (l pinball) outputs() int { return 1 }

func (l pinball) base(weights []float64) []float64 {
	return []float64{quantile(l.level, allRows(len(weights)), weights, func(i int32) float64 { return l.Values[i] })}
}

func allRows(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// manyTies is the share of the weight above which rows whose values equal their scores have a gradient of their own.
const manyTies = 0.1

// begin sets the gradient of rows whose values equal their scores: any between level − 1 and level is one. If there are
// many such rows, as of values that are mostly 0, it is the one with which all gradients sum to about 0. Otherwise it
// is the level, which would hide many rows among those whose values are above their scores.
func (l pinball) begin(m *member) {
	var below, equal, above float64
	for i, w := range m.weights {
		switch cmp.Compare(l.Values[i], m.scores[0][i]) {
		case -1:
			below += w
		case 0:
			equal += w
		default:
			above += w
		}
	}
	m.tied = l.level
	if equal > manyTies*(below+equal+above) {
		m.tied = max(l.level-1, min(l.level, (float64(below*(1-l.level))-float64(above*l.level))/equal))
	}
}

func (l pinball) gradients(m *member, lo, hi int) {
	for i := lo; i < hi; i++ {
		s := m.scores[0][i]
		m.targets[0][i] = l.level
		if l.Values[i] < s {
			m.targets[0][i]--
		} else if l.Values[i] == s {
			m.targets[0][i] = m.tied
		}
	}
}

// leaf returns the quantile of the residuals of the leaf's rows, shrunk as a step of Newton's is.
func (l pinball) leaf(m *member, _ *forest.Node, rows []int32, penalty float64) float64 {
	w := m.weight(rows)
	if w == 0 {
		return 0
	}
	residual := func(i int32) float64 { return l.Values[i] - m.scores[0][i] }
	return quantile(l.level, rows, m.weights, residual) * w / (w + penalty)
}

func (m *member) weight(rows []int32) (sum float64) {
	for _, i := range rows {
		sum += m.weights[i]
	}
	return sum
}

// quantile returns the weighted quantile of the rows' values: the smallest one such that the rows up to it have at
// least a share level of the weight.
func quantile(level float64, rows []int32, weights []float64, value func(i int32) float64) float64 {
	byValue := func(i, j int32) int { return cmp.Compare(value(i), value(j)) }
	rows = slices.SortedStableFunc(slices.Values(rows), byValue)
	var total, below float64
	for _, i := range rows {
		total += weights[i]
	}
	last := 0.0
	for _, i := range rows {
		if weights[i] == 0 {
			continue
		}
		below += weights[i]
		if last = value(i); below >= level*total {
			break
		}
	}
	return last
}

func (l pinball) of(i int, scores []float64) float64 {
	d := l.Values[i] - scores[0]
	return max(l.level*d, (l.level-1)*d)
}

// huber is the loss of Friedman's M-TreeBoost (2001, algorithm 4): squared for residuals up to δ and linear beyond,
// where δ is a quantile of the residuals' absolute values before each round.
type huber struct {
	pinball         // for the median
	delta   float64 // δ before the first round, by which rounds are compared
}

// huberLevel is α of algorithm 4: the largest tenth of the residuals counts as outlying.
const huberLevel = 0.9

func newHuber(train *datasets.Dataset) huber {
	l := huber{pinball: pinball{train, 0.5}}
	weights := make([]float64, train.N())
	for i := range weights {
		weights[i] = grow.Weight(train, int32(i))
	}
	l.delta = l.deltaAt(weights, slices.Repeat(l.base(weights), train.N()))
	return l
}

// deltaAt returns δ at these scores: the quantile of the residuals' absolute values or, if it is 0, of those above 0.
func (l huber) deltaAt(weights, scores []float64) float64 {
	residual := func(i int32) float64 { return math.Abs(l.Values[i] - scores[i]) }
	rows := allRows(len(weights))
	if delta := quantile(huberLevel, rows, weights, residual); delta > 0 {
		return delta
	}
	rows = slices.DeleteFunc(rows, func(i int32) bool { return residual(i) == 0 })
	return quantile(huberLevel, rows, weights, residual)
}

func (l huber) begin(m *member) { m.delta = l.deltaAt(m.weights, m.scores[0]) }

func (l huber) gradients(m *member, lo, hi int) {
	for i := lo; i < hi; i++ {
		m.targets[0][i] = max(-m.delta, min(m.delta, l.Values[i]-m.scores[0][i]))
	}
}

// leaf returns the median of the residuals plus the mean of their deviations from it, which are cut off at ±δ. The sum
// is shrunk as a step of Newton's is.
func (l huber) leaf(m *member, n *forest.Node, rows []int32, penalty float64) float64 {
	w := m.weight(rows)
	if w == 0 {
		return 0
	}
	median, step := l.pinball.leaf(m, n, rows, 0), 0.0
	for _, i := range rows {
		d := l.Values[i] - m.scores[0][i] - median
		step += float64(m.weights[i] * max(-m.delta, min(m.delta, d)))
	}
	return (median + step/w) * w / (w + penalty)
}

func (l huber) of(i int, scores []float64) float64 {
	d := math.Abs(l.Values[i] - scores[0])
	if d <= l.delta {
		return d * d / 2
	}
	return l.delta * (d - float64(l.delta/2))
}

// poisson is the deviance of counts, whose scores are logarithms.
type poisson struct{ newton }

func (l poisson) outputs() int { return 1 }

// leastEvent is the least count of an event.
const leastEvent = 1.0 / 16

// events returns the counts of a table and nil. Where they are frequencies in a small unit, such as those of an hour,
// so that the mean of those above 0 is less than leastEvent, it returns them divided by this mean, and the mean's
// logarithm as a [forest.Forest] has it in Base. Otherwise λ would be worth many events, and nothing would be learned.
func events(train *datasets.Dataset) (counts, base []float64, err error) {
	var sum, total float64
	for i, v := range train.Values {
		if !(v >= 0 && v <= maxCount) {
			return nil, nil, fmt.Errorf("boost: row %d has the count %v; want 0 to %v", i, v, float64(maxCount))
		}
		if w := grow.Weight(train, int32(i)); v > 0 {
			sum += float64(w * v)
			total += w
		}
	}
	event := sum / total
	if !(event > 0 && event < leastEvent) {
		return train.Values, nil, nil
	}
	counts = make([]float64, len(train.Values))
	for i, v := range train.Values {
		counts[i] = v / event
	}
	return counts, []float64{portable.Log(event)}, nil
}

// base returns the logarithm of the mean. If all counts are 0, they sum to half a row's weight.
func (l poisson) base(weights []float64) []float64 {
	sum, total := l.sums(weights)
	if sum == 0 {
		sum = total / float64(2*len(weights))
	}
	return []float64{portable.Log(sum / total)}
}

func (l poisson) gradients(m *member, lo, hi int) {
	for i := lo; i < hi; i++ {
		mean := portable.Exp(m.scores[0][i])
		h := max(mean, leastHessian)
		m.targets[0][i], m.hessian[0][i] = (l.Values[i]-mean)/h, h*m.weights[i]
	}
}

// leaf returns ln((Σy + λ)/(Σμ + λ)), which lowers the loss most if λ is 0. It is ln(1 + Newton's step).
func (l poisson) leaf(m *member, n *forest.Node, rows []int32, penalty float64) float64 {
	return portable.Log(max(1+l.newton.leaf(m, n, rows, penalty), leastHessian))
}

func (l poisson) of(i int, scores []float64) float64 {
	return portable.Exp(scores[0]) - float64(l.Values[i]*scores[0])
}

// logLoss is for classes. Two have one score, the log-odds of the second.
type logLoss struct{ newton }

func (l logLoss) outputs() int {
	if len(l.Classes) == 2 {
		return 1
	}
	return len(l.Classes)
}

// base returns the logarithms of the classes' shares, or the log-odds. A class without rows counts as half a row.
func (l logLoss) base(weights []float64) []float64 {
	shares := make([]float64, len(l.Classes))
	var total float64
	for i, w := range weights {
		shares[l.Labels[i]] += w
		total += w
	}
	for c, w := range shares {
		if w == 0 {
			w = total / float64(2*len(weights))
		}
		shares[c] = portable.Log(w / total)
	}
	if len(shares) == 2 {
		return []float64{shares[1] - shares[0]}
	}
	return shares
}

// maxCount, divided by leastHessian, is a number that a tree can have.
const maxCount = 1e30

// leastHessian keeps targets within the numbers that a tree can have.
const leastHessian = 1e-6

func (l logLoss) gradients(m *member, lo, hi int) {
	if len(l.Classes) == 2 {
		l.logistic(m, lo, hi)
		return
	}
	k := float64(len(l.Classes))
	row := make([]float64, len(l.Classes))
	for i := lo; i < hi; i++ {
		for c := range row {
			row[c] = m.scores[c][i]
		}
		softmax(row)
		for c, p := range row {
			y := 0.0
			if int(l.Labels[i]) == c {
				y = 1
			}
			h := max(p*(1-p), leastHessian) * k / (k - 1) // Friedman 2001, equation 32
			m.targets[c][i], m.hessian[c][i] = (y-p)/h, h*m.weights[i]
		}
	}
}

// logistic sets gradients and second derivatives of the log-odds of two classes.
func (l logLoss) logistic(m *member, lo, hi int) {
	var odds [256]float64 // of the less likely class
	for ; lo < hi; lo += len(odds) {
		scores := m.scores[0][lo:min(lo+len(odds), hi)]
		for k, s := range scores {
			odds[k] = -math.Abs(s)
		}
		portable.Exps(odds[:len(scores)])
		for k, s := range scores {
			i, p := lo+k, 1/(1+odds[k])
			if s < 0 {
				p = odds[k] / (1 + odds[k])
			}
			h := max(p*(1-p), leastHessian)
			m.targets[0][i], m.hessian[0][i] = (float64(l.Labels[i])-p)/h, h*m.weights[i]
		}
	}
}

// exponentials replaces scores by their exponentials, relative to that of the largest. It returns the largest score and
// the sum of the exponentials.
func exponentials(scores []float64) (largest, sum float64) {
	largest = slices.Max(scores)
	for c := range scores {
		scores[c] -= largest
	}
	portable.Exps(scores)
	for _, e := range scores {
		sum += e
	}
	return largest, sum
}

// softmax replaces scores by exp(scores), divided by their sum. It takes less time than [portable.Softmax], from which
// it differs in the last bits.
func softmax(scores []float64) {
	_, sum := exponentials(scores)
	for c := range scores {
		scores[c] /= sum
	}
}

func (l logLoss) of(i int, scores []float64) float64 {
	label := l.Labels[i]
	if len(l.Classes) == 2 {
		s := scores[0]
		if label == 1 {
			s = -s
		}
		return max(s, 0) + portable.Log(1+portable.Exp(-max(s, -s))) // ln(1 + exp s)
	}
	own := scores[label]
	largest, sum := exponentials(scores)
	return largest + portable.Log(sum) - own
}
