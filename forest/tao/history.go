package tao

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
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

// noHistory keeps nothing.
var noHistory *History

// Fit does what [Learner.Fit] does, and keeps the trees in h.
func (h *History) Fit(ctx context.Context, l Learner, train *datasets.Dataset) (*forest.Forest, error) {
	return h.grow(ctx, l, train, forest.Options{})
}

func (h *History) grow(ctx context.Context, l Learner, train *datasets.Dataset,
	o forest.Options) (*forest.Forest, error) {
	return first(h.train(ctx, l, train, o, nil, penalty(l.Lambda, defaultLambda)))
}

// Path does what [Learner.Path] does, and keeps the trees in h.
func (h *History) Path(ctx context.Context, l Learner, train *datasets.Dataset, lambdas ...float64) (
	[]*forest.Forest, error) {
	return h.train(ctx, l, train, forest.Options{}, nil, lambdas...)
}

// Refine does what [Learner.Refine] does, and keeps the trees in h.
func (h *History) Refine(ctx context.Context, l Learner, f *forest.Forest,
	train *datasets.Dataset) (*forest.Forest, error) {
	if err := l.checkRefine(f, train); err != nil {
		return nil, fmt.Errorf("tao: %w", err)
	}
	l.Trees, l.Depth, l.FullDepth, l.SplitProbability, l.SameStart = len(f.Trees), 0, 0, 0, false
	l.Seed, l.Sampling = f.Seed, f.Sampling
	if l.Sampling == (forest.Sampling{}) {
		l.Sampling.Fraction = 1 // the bootstrap, not the default
	}
	return first(h.train(ctx, l, train, forest.Options{}, f, penalty(l.Lambda, defaultLambda)))
}

// train trains a forest for each λ; see trainer.train.
func (h *History) train(ctx context.Context, l Learner, train *datasets.Dataset, o forest.Options, from *forest.Forest,
	lambdas ...float64) ([]*forest.Forest, error) {
	t, err := l.trainer(train)
	if err != nil {
		return nil, fmt.Errorf("tao: %w", err)
	}
	for i, lambda := range lambdas {
		if !(lambda >= 0) || math.IsInf(lambda, 1) {
			return nil, fmt.Errorf("tao: λ number %d of the path is %v; want a finite number, 0 or more", i, lambda)
		}
	}
	if l.AxisAligned { // splits of one feature have no penalty
		lambdas = make([]float64, len(lambdas))
	}
	t.options, t.history = o, h
	return t.train(ctx, from, lambdas)
}

// first returns the first of the forests, nil after an error.
func first(forests []*forest.Forest, err error) (*forest.Forest, error) {
	if err != nil {
		return nil, err
	}
	return forests[0], nil
}

// change calls f, which changes h, unless nothing is kept.
func (h *History) change(f func()) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

func (h *History) begin(empty *forest.Forest) {
	h.change(func() { h.empty, h.passes = empty, make([][]Pass, len(empty.Trees)) })
}

func (h *History) add(p Pass) {
	h.change(func() { h.passes[p.Tree] = append(h.passes[p.Tree], p) })
}

// forget removes the passes over a tree that begins again.
func (h *History) forget(tree int) {
	h.change(func() { h.passes[tree] = nil })
}

// Passes returns the states of all trees, ordered by tree, and for each tree in the order of
// its passes.
func (h *History) Passes() []Pass {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Concat(h.passes...)
}

// Forest returns the forest after the given number of passes over each tree, from 1,
// counted over the whole path for [Learner.Path]. It returns nil unless all trees have come
// so far.
func (h *History) Forest(passes int) *forest.Forest {
	h.mu.Lock()
	defer h.mu.Unlock()
	var trees []forest.Tree
	for _, done := range h.passes {
		if passes < 1 || passes > len(done) {
			return nil
		}
		trees = append(trees, done[passes-1].snapshot)
	}
	return h.with(trees)
}

// Last returns the forest of the trees as they are after their last pass, such as after
// training was interrupted. It has the first trees only, up to one without a pass, and is
// nil if there are none.
func (h *History) Last() *forest.Forest {
	h.mu.Lock()
	defer h.mu.Unlock()
	var trees []forest.Tree
	for _, done := range h.passes {
		if len(done) == 0 {
			break
		}
		trees = append(trees, done[len(done)-1].snapshot)
	}
	return h.with(trees)
}

// with returns a forest of the given trees, nil if there are none.
func (h *History) with(trees []forest.Tree) *forest.Forest {
	if len(trees) == 0 {
		return nil
	}
	f := *h.empty
	f.Trees = trees
	return &f
}
