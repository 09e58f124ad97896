package grow

import "github.com/obliqua-ml/obliqua/forest"

// Axes draws single features without replacement: m of them, and more until one
// splits the node.
type Axes struct {
	m     int
	rng   *forest.Rand
	order []int32 // a permutation of the features; the identity between nodes
	taken []int32 // taken[i] was swapped with place i
	one   []float32
}

// NewAxes returns Axes over p features.
func NewAxes(p, m int) *Axes {
	a := &Axes{m: m, order: make([]int32, p), one: []float32{1}}
	for j := range a.order {
		a.order[j] = int32(j)
	}
	return a
}

// Begin starts a node.
func (a *Axes) Begin(rng *forest.Rand) {
	a.rng = rng
	for i := len(a.taken) - 1; i >= 0; i-- {
		j := a.taken[i]
		a.order[i], a.order[j] = a.order[j], a.order[i]
	}
	a.taken = a.taken[:0]
}

// Next returns a feature that wasn't drawn in this node before, by the
// Fisher–Yates shuffle.
func (a *Axes) Next(found bool) (Direction, bool) {
	i := len(a.taken)
	if i == len(a.order) || i >= a.m && found {
		return Direction{}, false
	}
	j := i + a.rng.Intn(len(a.order)-i)
	a.order[i], a.order[j] = a.order[j], a.order[i]
	a.taken = append(a.taken, int32(j))
	return Direction{Index: a.order[i : i+1], Weights: a.one}, true
}
