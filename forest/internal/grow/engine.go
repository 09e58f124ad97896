// Package grow is the top-down engine: it grows trees in parallel, each from a
// sample of the rows, by searching the best of a few candidate splits at every
// node. What the candidates are is the method's own rule, see [Source].
package grow

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// Params says how trees are grown.
type Params struct {
	Method   string // begins every error
	Trees    int    // of the forest
	Growth   forest.Growth
	Sampling forest.Sampling
	Seed     uint64
	Fallback Fallback
}

// A Fallback says what becomes of a node that none of the candidates first drawn
// splits.
type Fallback uint8

const (
	AllFeatures Fallback = iota // Redraw and, if that fails too, try every feature by itself
	Redraw                      // draw candidates again, as often as the source does
	NoRedraw                    // make it a leaf
)

// ConstantFallback returns the fallback of a method that draws single features, so that
// drawing on comes to all of them in the end. It returns an error if there is no such rule.
func ConstantFallback(rule, methods forest.ConstantRule) (Fallback, error) {
	if rule == forest.MethodsRule {
		rule = methods
	}
	switch rule {
	case forest.DrawOn:
		return Redraw, nil
	case forest.MakeLeaf:
		return NoRedraw, nil
	}
	return 0, fmt.Errorf("rule %d for constant features; want MethodsRule, DrawOn or MakeLeaf", rule)
}

// An Engine holds training data, prepared once, and grows trees from them. It is
// safe for concurrent use.
type Engine struct {
	params Params
	data   *data
	target *Target // what the data hold
	header forest.Forest
}

// New prepares the data. It returns an error if they can't be learned from or the
// parameters don't suit them.
func New(d *datasets.Dataset, params Params) (*Engine, error) {
	x, target, err := prepare(d, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", params.Method, err)
	}
	e := &Engine{params: params, data: x, target: target, header: forest.Forest{
		Method:   params.Method,
		Target:   d.Target,
		Features: d.FeatureNames(),
		Rows:     x.n,
		Sampling: params.Sampling,
		Seed:     params.Seed,
		Rule:     forest.Average,
	}}
	if target.classes > 0 {
		e.header.Classes = append([]string(nil), d.Classes...)
		e.header.Rule = forest.Plurality
	}
	return e, nil
}

// Forest returns a forest of Params.Trees trees that are still to be grown.
func (e *Engine) Forest() *forest.Forest {
	f := e.header
	f.Trees = make([]forest.Tree, e.params.Trees)
	return &f
}

// Grow grows all trees in parallel. It calls spec for each tree, from several
// goroutines. It returns ctx's error soon after ctx is cancelled, and an error if a
// tree gets too large.
func (e *Engine) Grow(ctx context.Context, trees []forest.Tree, spec func(t int) *Spec) error {
	return e.grow(ctx, trees, runtime.GOMAXPROCS(0), spec)
}

// GrowInTurn is Grow for trees that depend on those before: it grows one after
// another, each on all cores. spec gets the trees that are done.
func (e *Engine) GrowInTurn(ctx context.Context, trees []forest.Tree, spec func(t int, done []forest.Tree) *Spec) error {
	return e.grow(ctx, trees, 1, func(t int) *Spec { return spec(t, trees[:t:t]) })
}

// grow has as many workers begin trees as given. The others, and those that find
// no tree left to begin, help.
func (e *Engine) grow(ctx context.Context, trees []forest.Tree, beginners int, spec func(t int) *Spec) error {
	team := newTeam()
	defer context.AfterFunc(ctx, func() { team.cancelled.Store(true) })()
	var started atomic.Int64
	err := Each(ctx, len(trees), runtime.GOMAXPROCS(0), func(numbers iter.Seq[int]) {
		w := newWorker(e, team)
		if started.Add(1) <= int64(beginners) {
			w.beginTrees(numbers, trees, spec)
		}
		w.serve()
	})
	if failure := team.failure.Load(); failure != nil {
		return fmt.Errorf("%s: %w", e.params.Method, *failure)
	}
	return err
}

// Forest grows a forest whose trees all draw candidates by the same rule. See
// [forest.Learner] for what it promises.
func Forest(ctx context.Context, d *datasets.Dataset, params Params, source func() Source) (*forest.Forest, error) {
	e, err := New(d, params)
	if err != nil {
		return nil, err
	}
	f := e.Forest()
	spec := &Spec{Source: source}
	if err := e.Grow(ctx, f.Trees, func(int) *Spec { return spec }); err != nil {
		return nil, err
	}
	return f, nil
}

// Each calls work as many times as there are workers, in parallel. All calls together
// are given the numbers of the trees, each once. A call breaks out of its loop if it
// could not grow a tree; then no more numbers are given out, just as when ctx is done.
// Progress is reported as by [forest.WithProgress]. Each returns ctx's error if trees
// are missing in the end. If work or the progress function panics, Each panics with the
// same value.
func Each(ctx context.Context, trees, workers int, work func(numbers iter.Seq[int])) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	report := forest.Progress(ctx)
	var (
		next atomic.Int64
		mu   sync.Mutex
		done int
	)
	grown := func() {
		mu.Lock()
		defer mu.Unlock() // even if report panics
		done++
		report(done, trees)
	}
	numbers := func(yield func(int) bool) {
		defer next.Store(int64(trees)) // whoever stops early stops all
		for {
			t := int(next.Add(1)) - 1
			if t >= trees || ctx.Err() != nil || !yield(t) {
				return
			}
			grown()
		}
	}
	parallel.For(workers, func(int) { work(numbers) })
	if done < trees {
		return ctx.Err()
	}
	return nil
}
