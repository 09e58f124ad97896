package grow

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// A FeatureMemory holds the cumulative feature depths of the trees grown so far (Kim, Kim
// and Kim, Heterogeneous Random Forest, eq. 1 and Algorithm 2), and the depths of the
// tree that is being grown.
type FeatureMemory struct {
	forest.Memory
	depths     []atomic.Int32 // by feature: the least depth of its splits, or unused
	deepest    atomic.Int32   // the depth of the deepest split, or unused
	cumulative []float64      // D_b; nil before the first tree
}

// unused is the depth of a feature without splits, less that of any split.
const unused = -1

// maxBeta is the largest Beta: an int32 holds its sum with the depth of any tree.
const maxBeta = 1 << 30

// NewFeatureMemory returns the memory of no trees, for the given number of features, or nil if m is none. It returns
// an error if m's Alpha or Beta is out of range.
func NewFeatureMemory(m forest.Memory, features int) (*FeatureMemory, error) {
	if !(m.Alpha >= 0 && m.Alpha <= 1) || m.Beta < 0 || m.Beta == 0 && m.Alpha != 0 || m.Beta > maxBeta {
		return nil, fmt.Errorf("a memory of Alpha %v and Beta %d; want Alpha in [0, 1] and Beta from 1 to %d",
			m.Alpha, m.Beta, maxBeta)
	}
	if m.Beta == 0 {
		return nil, nil
	}
	f := &FeatureMemory{Memory: m, depths: make([]atomic.Int32, features)}
	f.reset()
	return f, nil
}

func (m *FeatureMemory) reset() {
	m.deepest.Store(unused)
	for j := range m.depths {
		m.depths[j].Store(unused)
	}
}

// use records a split by a linear function. It is safe for concurrent use.
func (m *FeatureMemory) use(fn *forest.Function, depth int) {
	d := int32(depth)
	for old := m.deepest.Load(); old < d && !m.deepest.CompareAndSwap(old, d); {
		old = m.deepest.Load()
	}
	for i, j := range fn.Features {
		if fn.Weights[i] == 0 {
			continue
		}
		least := &m.depths[j]
		for old := least.Load(); (old == unused || old > d) && !least.CompareAndSwap(old, d); {
			old = least.Load()
		}
	}
}

// remember adds the depths of the tree whose splits were recorded since the last call.
func (m *FeatureMemory) remember() {
	never := max(0, m.deepest.Load()) + int32(m.Beta)
	cumulative := make([]float64, len(m.depths)) // sources keep the last one
	for j := range cumulative {
		depth := m.depths[j].Load()
		if depth == unused {
			depth = never
		}
		cumulative[j] = float64(depth)
		if m.cumulative != nil {
			cumulative[j] += float64(m.Alpha * m.cumulative[j])
		}
	}
	m.cumulative = cumulative
	m.reset()
}

// Remember adds the depths of a finished tree, none of whose splits were recorded before.
func (m *FeatureMemory) Remember(t *forest.Tree) {
	depths := make([]int32, len(m.depths))
	m.deepest.Store(int32(t.FeatureDepths(depths)))
	for j, d := range depths {
		m.depths[j].Store(d)
	}
	m.remember()
}

// Weights returns the weights of the features for the next tree. It returns nil, for equal
// weights, before the first tree and if all cumulative depths are 0.
func (m *FeatureMemory) Weights() []float64 {
	for _, d := range m.cumulative {
		if d > 0 {
			return m.cumulative
		}
	}
	return nil
}

// ForestWithMemory grows a forest as [Forest] does. With a memory it grows one tree after
// another, each on all cores, and passes the memory's feature weights for the tree to
// source, which must not change them. The weights are nonnegative, not all 0 and not
// normalised; nil means equal weights. All candidates must be linear, with Features.
func ForestWithMemory(ctx context.Context, d *datasets.Dataset, params Params, remember forest.Memory,
	source func(weights []float64) Source) (*forest.Forest, error) {
	m, err := NewFeatureMemory(remember, d.P())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", params.Method, err)
	}
	if m == nil {
		return Forest(ctx, d, params, func() Source { return source(nil) })
	}
	if o := params.Options; o.First != 0 || o.Last != 0 {
		return nil, fmt.Errorf("%s: a tree depends on those before it, so %w", params.Method, forest.ErrWhole)
	}
	e, err := New(d, params)
	if err != nil {
		return nil, err
	}
	f := e.Forest()
	spec := func(int) *Spec { return &Spec{memory: m, Source: func() Source { return source(m.Weights()) }} }
	if err := e.growBy(ctx, f.Trees, 0, newTeam().inTurn(len(f.Trees)), 2, spec); err != nil {
		return nil, err
	}
	return f, nil
}
