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

// Axes is a [Source] of single features, drawn uniformly without replacement: m in the
// first draw of a node, and one more in each further draw.
type Axes struct {
	m, limit int
	rng      *forest.Rand
	order    []int32 // the features, permuted by the swaps of the current node
	swaps    []int32 // order[i] was swapped with order[swaps[i]]
	next     Candidate
}

// NewAxes returns Axes over p features. cut says where their thresholds come from.
func NewAxes(p, m int, cut Cut) *Axes {
	features := make([]int32, p)
	for j := range features {
		features[j] = int32(j)
	}
	return newAxes(features, m, cut)
}

// newAxes returns Axes over the given features, which keeps and permutes the slice.
func newAxes(features []int32, m int, cut Cut) *Axes {
	return &Axes{m: m, order: features, next: Candidate{Function: forest.Function{Weights: []float32{1}}, Cut: cut}}
}

// Draw begins a node with m features, or allows one more feature.
func (a *Axes) Draw(node *Node, attempt int) bool {
	if attempt > 0 {
		a.limit = min(a.limit+1, len(a.order))
		return len(a.swaps) < len(a.order)
	}
	a.rng, a.limit = node.Rand(), min(a.m, len(a.order))
	for i := len(a.swaps) - 1; i >= 0; i-- { // undo those of the node before
		j := a.swaps[i]
		a.order[i], a.order[j] = a.order[j], a.order[i]
	}
	a.swaps = a.swaps[:0]
	return true
}

// Next returns a feature that wasn't drawn at this node before, by a step of the
// Fisher–Yates shuffle.
func (a *Axes) Next() *Candidate {
	i := len(a.swaps)
	if i == a.limit {
		return nil
	}
	j := i + a.rng.Intn(len(a.order)-i)
	a.order[i], a.order[j] = a.order[j], a.order[i]
	a.swaps = append(a.swaps, int32(j))
	a.next.Features = a.order[i : i+1]
	return &a.next
}
