// Package grow is the top-down engine: it grows the trees of a forest in
// parallel, each from a sample of the rows, by drawing candidate directions at
// every node and searching the threshold that decreases impurity most. What the
// directions are is the method's own rule, see [Directions].
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
)

// A Direction is a candidate split function Σ Weights[k]·x[Index[k]], with
// Index ascending. A single feature has weight 1.
type Direction struct {
	Index   []int32
	Weights []float32
}

// Directions draws the candidate directions of one node after another. It must
// depend on nothing but rng and, if it is [Supervised], the node's rows, so that
// a node's draw is the same whichever worker grows it.
type Directions interface {
	// Begin starts a node.
	Begin(rng *forest.Rand)

	// Next returns the next candidate, which is valid until the next call, or
	// false when there is none left. found tells whether an earlier candidate
	// of the node splits it: a method may draw more until one does.
	Next(found bool) (Direction, bool)
}

// Params says how to grow a forest.
type Params struct {
	Method   string
	Trees    int
	Growth   forest.Growth
	Sampling forest.Sampling

	// RandomThreshold draws one threshold uniformly between the smallest and
	// the largest value of a direction, as extremely randomised trees do,
	// instead of searching the best.
	RandomThreshold bool

	// Directions makes the source of directions for a worker, for p features.
	Directions func(p int) Directions
}

// Forest grows a forest. See [forest.Learner] for what it promises.
func Forest(ctx context.Context, d *datasets.Dataset, params Params) (*forest.Forest, error) {
	data, err := newData(d, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", params.Method, err)
	}
	f := &forest.Forest{
		Method:   params.Method,
		Target:   d.Target,
		Features: d.FeatureNames(),
		Trees:    make([]forest.Tree, params.Trees),
		Rows:     data.n,
		Sampling: params.Sampling,
		Rule:     forest.Average,
	}
	if data.classes > 0 {
		f.Classes = append([]string(nil), d.Classes...)
		f.Rule = forest.Plurality
	}
	if err := growTrees(ctx, data, params, f.Trees); err != nil {
		return nil, err
	}
	return f, nil
}

func growTrees(ctx context.Context, data *data, params Params, trees []forest.Tree) error {
	c := newCrew()
	defer context.AfterFunc(ctx, func() { c.cancelled.Store(true) })()
	var busy atomic.Int64 // workers that grow trees, not only grafts
	busy.Store(int64(runtime.GOMAXPROCS(0)))
	err := Each(ctx, len(trees), int(busy.Load()), func(numbers iter.Seq[int]) {
		w := newWorker(data, params, c)
		for t := range numbers {
			if !w.grow(t, &trees[t]) {
				break
			}
		}
		if busy.Add(-1) == 0 {
			close(c.grafts)
		}
		w.serve()
	})
	if failure := c.failure.Load(); failure != nil {
		return fmt.Errorf("%s: %w", params.Method, *failure)
	}
	return err
}

// Each runs work in parallel, in as many goroutines as there are workers. Each
// of them is given numbers of trees to grow, below the given count, as it asks
// for them; it breaks off the loop if it didn't grow one. Progress is reported
// as by [forest.WithProgress]. Each returns ctx's error if trees are missing in
// the end.
func Each(ctx context.Context, trees, workers int, work func(numbers iter.Seq[int])) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	report := forest.Progress(ctx)
	var (
		wg   sync.WaitGroup
		next atomic.Int64
		mu   sync.Mutex
		done int
	)
	numbers := func(yield func(int) bool) {
		for {
			t := int(next.Add(1)) - 1
			if t >= trees || ctx.Err() != nil || !yield(t) {
				return
			}
			mu.Lock()
			done++
			report(done, trees)
			mu.Unlock()
		}
	}
	for range workers {
		wg.Go(func() { work(numbers) })
	}
	wg.Wait()
	if done < trees {
		return ctx.Err()
	}
	return nil
}
