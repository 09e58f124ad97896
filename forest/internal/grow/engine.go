// Package grow is the top-down engine: it grows trees in parallel, each on a sample of the
// rows, and splits every node on the best of some candidates. The candidates come from
// the method; see [Source].
package grow

import (
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// Params are the parameters of growing a forest.
type Params struct {
	Method   string // prefix of every error
	Trees    int    // number of trees, 1 or more
	Growth   forest.Growth
	Sampling forest.Sampling
	Seed     uint64
	Fallback Fallback
	Averaged bool // class proportions of trees are averaged, instead of their votes counted

	// Honest has half of a tree's sample choose the splits, within the limits of Growth, and the
	// other half fill the leaves (Wager and Athey 2018). A split that sends
	// none of the second half to one side is left out: its other child takes its place.
	Honest bool

	Raw     bool           // whether cells may be missing, and columns categorical
	Options forest.Options // which trees are grown, and what helps
}

// A Fallback says what happens to a node that no candidate of the first draw splits.
type Fallback uint8

const (
	AllFeatures Fallback = iota // as Redraw; if that fails, every single feature is tried
	Redraw                      // candidates are drawn again, until one splits the node or Source.Draw returns false
	NoRedraw                    // it becomes a leaf
)

// An Engine holds prepared training data and grows trees on them. It is safe for
// concurrent use.
type Engine struct {
	params Params
	data   *data
	target *Target       // the labels or values, and weights, of the data
	header forest.Forest // the forest without its trees
}

// New checks and prepares the data, or takes them from Params.Options. It returns an error if nothing can be learned
// from them, or if the parameters are out of range or don't suit the data.
func New(d *datasets.Dataset, params Params) (*Engine, error) {
	table, err := prepare(d, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", params.Method, err)
	}
	x, target := table.data, &table.target
	e := &Engine{params: params, data: x, target: target, header: forest.Forest{
		Method:     params.Method,
		Target:     d.Target,
		Features:   d.FeatureNames(),
		Scales:     datasets.ScalesOf(d.Features),
		Rows:       x.n,
		Sampling:   params.Sampling,
		Seed:       params.Seed,
		Honest:     params.Honest,
		Fills:      x.fills,
		Categories: x.categories,
		Rule:       forest.Average,
		Base:       table.base,
	}}
	if x.groups != nil {
		e.header.Groups = x.units
	}
	if target.classes > 0 {
		e.header.Classes = append([]string(nil), d.Classes...)
		if !params.Averaged {
			e.header.Rule = forest.Plurality
		}
	}
	return e, nil
}

// Forest returns a forest of Params.Trees empty trees, to be grown by [Engine.Grow].
func (e *Engine) Forest() *forest.Forest {
	f := e.header
	f.Trees = make([]forest.Tree, e.params.Trees)
	return &f
}

// Grow grows the trees from number first on, in parallel. It calls spec once for each tree, from several goroutines at
// once; spec may return nil after ctx is cancelled. Grow returns ctx's error soon after ctx is cancelled, and an error
// if a tree has too many coefficients or the sampling of a Spec is invalid.
func (e *Engine) Grow(ctx context.Context, trees []forest.Tree, first int, spec func(t int) *Spec) error {
	return e.growBy(ctx, trees, first, newTeam(), math.MaxInt, spec)
}

// growBy grows the trees from number first on with a worker of the team on each core. Up to beginners workers begin
// trees. The others, and workers that find no more trees to begin, help with trees in progress.
func (e *Engine) growBy(ctx context.Context, trees []forest.Tree, first int, team *team, beginners int,
	spec func(t int) *Spec) error {
	defer context.AfterFunc(ctx, team.cancel)()
	var started atomic.Int64
	err := Each(ctx, first, len(trees), runtime.GOMAXPROCS(0), func(numbers iter.Seq[int]) {
		w := newWorker(e, team)
		if started.Add(1) <= int64(beginners) {
			w.beginTrees(numbers, trees, spec)
		}
		w.serve(team.ended)
	})
	if failure := team.failure.Load(); failure != nil {
		return fmt.Errorf("%s: %w", e.params.Method, *failure)
	}
	return err
}

// Forest grows a forest whose trees all draw candidates from the same kind of source. Each worker calls source for one
// of its own; see [Engine.GrowForest]. Errors, progress and reproducibility are as [forest.Learner] describes.
func Forest(ctx context.Context, d *datasets.Dataset, params Params, source func() Source) (*forest.Forest, error) {
	e, err := New(d, params)
	if err != nil {
		return nil, err
	}
	spec := &Spec{Source: source}
	return e.GrowForest(ctx, func(int) *Spec { return spec })
}

// GrowForest grows a forest as [Engine.Grow] grows its trees, with Params.Options.
func (e *Engine) GrowForest(ctx context.Context, spec func(t int) *Spec) (*forest.Forest, error) {
	f := e.Forest()
	first, last, err := e.params.Options.Begin(f)
	if err != nil {
		return nil, err
	}
	if err := e.Grow(ctx, f.Trees[:last], first, spec); err != nil {
		return nil, err
	}
	return f, nil
}

// Each calls work workers times, in parallel. The calls share the tree numbers first … trees−1; those below first count
// as done. Each number goes to one call. A call breaks out of its loop if it can't grow a tree; then no more numbers
// are given out, as when ctx is cancelled. After each number progress is reported to the function set by
// [forest.WithProgress]. Each returns ctx's error if not all trees were grown. If work or the progress function panics,
// Each panics with the same value.
func Each(ctx context.Context, first, trees, workers int, work func(numbers iter.Seq[int])) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	report := forest.Progress(ctx)
	var (
		next atomic.Int64
		mu   sync.Mutex
		done = first
	)
	next.Store(int64(first))
	grown := func() {
		mu.Lock()
		defer mu.Unlock() // even if report panics
		done++
		report(done, trees)
	}
	numbers := func(yield func(int) bool) {
		defer next.Store(int64(trees)) // a call that stops early stops all
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
