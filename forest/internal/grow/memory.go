package grow

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// A featureMemory holds the cumulative feature depths of the trees grown so far (Kim, Kim
// and Kim, Heterogeneous Random Forest, eq. 1 and Algorithm 2).
type featureMemory struct {
	forest.Memory
	depths     []int32   // buffer: the feature depths of a tree
	cumulative []float64 // D_b; nil before the first tree
}

// remember adds the depths of the next tree.
func (m *featureMemory) remember(t *forest.Tree) {
	unused := max(0, t.FeatureDepths(m.depths)) + m.Beta
	first := m.cumulative == nil
	if first {
		m.cumulative = make([]float64, len(m.depths))
	}
	for j, depth := range m.depths {
		if depth < 0 {
			depth = int32(unused)
		}
		kept := float64(m.Alpha * m.cumulative[j])
		m.cumulative[j] = float64(depth) + kept
	}
}

// weights returns the weights of the features for the next tree. It returns nil, for equal
// weights, before the first tree and if all cumulative depths are 0.
func (m *featureMemory) weights() []float64 {
	sum := 0.0
	for _, d := range m.cumulative {
		sum += d
	}
	if sum == 0 {
		return nil
	}
	return append([]float64(nil), m.cumulative...)
}

// ForestWithMemory grows a forest as [Forest] does. With a memory it grows one tree after
// another, each on all cores, and passes the memory's feature weights for the tree to
// source. The weights are nonnegative, not all 0 and not normalised; nil means equal
// weights.
func ForestWithMemory(ctx context.Context, d *datasets.Dataset, params Params, remember forest.Memory,
	source func(weights []float64) Source) (*forest.Forest, error) {
	if err := remember.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", params.Method, err)
	}
	if !remember.Enabled() {
		return Forest(ctx, d, params, func() Source { return source(nil) })
	}
	e, err := New(d, params)
	if err != nil {
		return nil, err
	}
	f := e.Forest()
	m := featureMemory{Memory: remember, depths: make([]int32, d.P())}
	err = e.GrowInTurn(ctx, f.Trees, func(t int, done []forest.Tree) *Spec {
		if t > 0 {
			m.remember(&done[t-1])
		}
		weights := m.weights()
		return &Spec{Source: func() Source { return source(weights) }}
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}
