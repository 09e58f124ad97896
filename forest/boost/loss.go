package boost

import (
	"cmp"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A loss is what boosting lowers.
type loss interface {
	outputs() int // scores of a row

	// base returns the scores that all rows of a member begin with.
	base(weights []float64) []float64

	// gradients sets a member's targets and hessian of rows [lo, hi) from its scores. It may leave the hessian alone,
	// which begins as the weights.
	gradients(m *member, lo, hi int)

	// leaf returns the value of a member's leaf, which rows reach.
	leaf(m *member, n *forest.Node, rows []int32, penalty float64) float64

	// of returns the loss of row i with these scores.
	of(i int, scores []float64) float64
}

func newLoss(train *datasets.Dataset, level float64) loss {
	switch {
	case train.Values == nil:
		return logLoss{newton{train}}
	case level > 0:
		return pinball{train, level}
	}
	return squared{newton{train}}
}

// newton is a loss whose leaves have a step of Newton's: the sum of gradients by that of hessians and the penalty. The
// tree has their ratio and the sum of hessians.
type newton struct{ *datasets.Dataset }

func (l newton) leaf(_ *member, n *forest.Node, _ []int32, penalty float64) float64 {
	w := float64(n.Weight)
	return float64(n.Value) * w / (w + penalty)
}

type squared struct{ newton }

func (l squared) outputs() int { return 1 }

func (l squared) base(weights []float64) []float64 {
	var sum, total float64
	for i, w := range weights {
		sum += float64(w * l.Values[i])
		total += w
	}
	return []float64{sum / total}
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
	rows := make([]int32, len(weights))
	for i := range rows {
		rows[i] = int32(i)
	}
	return []float64{l.quantile(rows, weights, make([]float64, len(weights)))}
}

func (l pinball) gradients(m *member, lo, hi int) {
	for i := lo; i < hi; i++ {
		s := m.scores[0][i]
		m.targets[0][i] = l.level
		if l.Values[i] < s {
			m.targets[0][i]--
		}
	}
}

// leaf returns the quantile of what is left over of the leaf's rows, shrunk as a step of Newton's is.
func (l pinball) leaf(m *member, _ *forest.Node, rows []int32, penalty float64) float64 {
	var w float64
	for _, i := range rows {
		w += m.weights[i]
	}
	if w == 0 {
		return 0
	}
	return l.quantile(rows, m.weights, m.scores[0]) * w / (w + penalty)
}

// quantile returns the smallest value less score, of the given rows, that their share of the level is not above.
func (l pinball) quantile(rows []int32, weights, scores []float64) float64 {
	left := func(i int32) float64 { return l.Values[i] - scores[i] }
	rows = slices.SortedStableFunc(slices.Values(rows), func(i, j int32) int { return cmp.Compare(left(i), left(j)) })
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
		if last = left(i); below >= l.level*total {
			break
		}
	}
	return last
}

func (l pinball) of(i int, scores []float64) float64 {
	d := l.Values[i] - scores[0]
	return max(l.level*d, (l.level-1)*d)
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

// leastHessian keeps targets within the numbers that a tree can have.
const leastHessian = 1e-6

func (l logLoss) gradients(m *member, lo, hi int) {
	if len(l.Classes) == 2 {
		for i := lo; i < hi; i++ {
			s := m.scores[0][i]
			p := logistic(s)
			h := max(p*(1-p), leastHessian)
			m.targets[0][i], m.hessian[0][i] = (float64(l.Labels[i])-p)/h, h*m.weights[i]
		}
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

func (l logLoss) of(i int, scores []float64) float64 {
	label := l.Labels[i]
	if len(l.Classes) == 2 {
		s := scores[0]
		if label == 1 {
			s = -s
		}
		return max(s, 0) + portable.Log(1+portable.Exp(-max(s, -s))) // ln(1 + exp s)
	}
	largest, sum := slices.Max(scores), 0.0
	for _, s := range scores {
		sum += portable.Exp(s - largest)
	}
	return largest + portable.Log(sum) - scores[label]
}

func logistic(x float64) float64 {
	if x < 0 {
		e := portable.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + portable.Exp(-x))
}

// softmax turns scores into probabilities.
func softmax(scores []float64) {
	largest, sum := slices.Max(scores), 0.0
	for c, s := range scores {
		scores[c] = portable.Exp(s - largest)
		sum += scores[c]
	}
	for c := range scores {
		scores[c] /= sum
	}
}
