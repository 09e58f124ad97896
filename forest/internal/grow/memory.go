package grow

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// A featureMemory is what the trees that are grown leave to the next (Kim, Kim and Kim,
// Heterogeneous Random Forest, eq. 1 and Algorithm 2).
type featureMemory struct {
	forest.Memory
	depths     []int32   // feature depths of a tree
	cumulative []float64 // D_b; empty before the first tree
}

// remember adds the next tree.
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

// weights returns the weights of the features for the next tree, nil if they are equal:
// before the first tree, and if all cumulative depths are 0.
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

// ForestWithMemory grows a forest like [Forest], but if there is a memory, one tree after
// another, each on all cores, from a source of the weights that the memory gives the
// features. Weights nil are equal; others are at least 0, are not all 0, and don't sum to 1.
func ForestWithMemory(ctx context.Context, d *datasets.Dataset, params Params, remember forest.Memory,
	source func(weights []float64) Source) (*forest.Forest, error) {
	if err := remember.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", params.Method, err)
	}
	if !remember.On() {
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
