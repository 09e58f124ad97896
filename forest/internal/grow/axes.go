package grow

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// NodeFeatures returns how many features Breiman's random forest draws at a node by
// default: ⌊√p⌋ for classes, ⌊p/3⌋ for values, at least 1.
func NodeFeatures(train *datasets.Dataset) int {
	p := train.P()
	if train.Values != nil {
		return max(1, p/3)
	}
	return max(1, int(math.Sqrt(float64(p))))
}

// Axes draws single features without replacement: m of them, and one more in each
// further draw.
type Axes struct {
	m, limit int
	rng      *forest.Rand
	order    []int32 // a permutation of the features; as given between nodes
	taken    []int32 // order[i] was exchanged with order[taken[i]]
	next     Candidate
}

// NewAxes returns Axes over p features, whose thresholds are found as cut says.
func NewAxes(p, m int, cut Cut) *Axes {
	features := make([]int32, p)
	for j := range features {
		features[j] = int32(j)
	}
	return newAxes(features, m, cut)
}

// newAxes returns Axes over the given features; the slice becomes its own.
func newAxes(features []int32, m int, cut Cut) *Axes {
	return &Axes{m: m, order: features, next: Candidate{Function: forest.Function{Weights: []float32{1}}, Cut: cut}}
}

// Draw begins a node or allows for one feature more.
func (a *Axes) Draw(node *Node, attempt int) bool {
	if attempt > 0 {
		a.limit = min(a.limit+1, len(a.order))
		return len(a.taken) < len(a.order)
	}
	a.rng, a.limit = node.Rand(), min(a.m, len(a.order))
	for i := len(a.taken) - 1; i >= 0; i-- {
		j := a.taken[i]
		a.order[i], a.order[j] = a.order[j], a.order[i]
	}
	a.taken = a.taken[:0]
	return true
}

// Next returns a feature that wasn't drawn in this node before, by the
// Fisher–Yates shuffle.
func (a *Axes) Next() *Candidate {
	i := len(a.taken)
	if i == a.limit {
		return nil
	}
	j := i + a.rng.Intn(len(a.order)-i)
	a.order[i], a.order[j] = a.order[j], a.order[i]
	a.taken = append(a.taken, int32(j))
	a.next.Features = a.order[i : i+1]
	return &a.next
}
