package tao

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/obliqua-ml/obliqua/forest"
)

// A Pass is the state of a tree after a pass.
type Pass struct {
	Tree    int     // number of the tree
	Number  int     // of the pass over it for this λ, from 1; 0 is the beginning
	Lambda  float64 // λ
	Strict  bool    // whether fits that raise the objective were refused; see [Acceptance]
	Loss    float64 // Σ weight·loss over the rows of its sample
	Penalty float64 // the ℓ1 penalties of all splits and linear leaves, also of those that no row reaches

	snapshot forest.Tree
}

// Objective returns E, the loss and the penalty.
func (p Pass) Objective() float64 { return p.Loss + p.Penalty }

// A History keeps the trees of a training as they are after each pass. Use one for each
// training. The zero value is empty. It may be read while training goes on.
type History struct {
	mu     sync.Mutex
	empty  *forest.Forest // the forest without its trees
	passes [][]Pass       // by tree
}

type historyKey struct{}

// Record returns a context in which training keeps its trees in h.
func (h *History) Record(ctx context.Context) context.Context {
	return context.WithValue(ctx, historyKey{}, h)
}

func historyOf(ctx context.Context) *History {
	h, _ := ctx.Value(historyKey{}).(*History)
	return h
}

func (h *History) begin(empty *forest.Forest) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.empty, h.passes = empty, make([][]Pass, len(empty.Trees))
}

func (h *History) add(p Pass) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passes[p.Tree] = append(h.passes[p.Tree], p)
}

// forget removes the passes over a tree that begins again.
func (h *History) forget(tree int) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passes[tree] = nil
}

// Passes returns the states of all trees, ordered by tree, and for each tree in the order of
// its passes.
func (h *History) Passes() []Pass {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Concat(h.passes...)
}

// Forest returns the forest after the given number of passes over each tree, counted over
// the whole path for [Learner.Path]. It returns nil unless all trees have come so far.
func (h *History) Forest(passes int) *forest.Forest {
	f := h.after(passes)
	if f != nil && len(f.Trees) < len(h.passes) {
		return nil
	}
	return f
}

// Last returns the forest of the trees as they are after their last pass, such as after
// training was interrupted. It has the first trees only, up to one without a pass, and is
// nil if there are none.
func (h *History) Last() *forest.Forest { return h.after(-1) }

// after returns the forest after the given number of passes, −1 for all there are.
func (h *History) after(passes int) *forest.Forest {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.empty == nil {
		return nil
	}
	f := *h.empty
	f.Trees = nil
	for _, done := range h.passes {
		at := cmp.Or(max(passes, 0), len(done))
		if passes == 0 || at > len(done) || at == 0 {
			break
		}
		f.Trees = append(f.Trees, done[at-1].snapshot)
	}
	if len(f.Trees) == 0 {
		return nil
	}
	return &f
}
