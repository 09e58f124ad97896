package grow

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
)

// A source sees that its call was cancelled while it draws. Without Node.Cancelled this source would never end.
func TestSourceSeesTheCancellation(t *testing.T) {
	d := noise(40, 1, 2)
	for name, in := range map[string]string{"in Draw": "draw", "in Next": "next"} {
		ctx, cancel := context.WithCancel(t.Context())
		var after atomic.Int32 // draws of other nodes after the cancellation was seen
		var seen atomic.Bool
		search := func(n *Node) {
			if seen.Load() {
				after.Add(1)
			}
			cancel()
			for !n.Cancelled() {
				runtime.Gosched()
			}
			seen.Store(true)
		}
		source := func() Source {
			return &rule{
				draw: func(n *Node, attempt int) bool {
					if in == "draw" {
						search(n)
					}
					return attempt == 0
				},
				next: func(n *Node) *Candidate {
					if in == "next" {
						search(n)
					}
					return axis(0, Search)
				},
			}
		}
		ended := make(chan error, 1)
		go func() {
			_, err := Forest(ctx, d, Params{Method: "test", Trees: 50}, source)
			ended <- err
		}()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v, want context.Canceled", name, err)
			}
		case <-time.After(time.Minute): // only if it fails
			t.Fatalf("%s: the source doesn't see that its call was cancelled", name)
		}
		if most := int32(runtime.GOMAXPROCS(0)); after.Load() > most {
			t.Errorf("%s: %d draws after the cancellation", name, after.Load())
		}
	}
}

// With very many classes one cut takes as long to score as a search with few: a scan of them looks at its call.
func TestScanOfManyClassesEndsWithItsCall(t *testing.T) {
	const classes = 20000 // 2·classes terms a cut
	d := ramp(10)
	d.Labels, d.Classes = []int32{0, 1, 2, 3, classes - 1, 5, 6, 7, 8, 9}, make([]string, classes)
	d.Weights = slices.Repeat([]float32{1}, d.N()) // not packed
	for _, criterion := range []forest.Criterion{forest.Gini, forest.Entropy} {
		growth := forest.Growth{Criterion: criterion}
		w, _ := atRoot(t, d, Params{Trees: 1, Sampling: forest.AllRows, Growth: growth})
		for _, cancelled := range []bool{false, true} {
			if cancelled {
				w.team.cancel()
			}
			best := noCut()
			if found := w.searcher.search(axis(0, Search), &best); found == cancelled {
				t.Errorf("criterion %v, cancelled %v: found a cut: %v", criterion, cancelled, found)
			}
		}
	}
}

// What isn't wanted any more isn't copied: with many classes a tree may take gigabytes.
func TestCancelledTreesAreNotCopied(t *testing.T) {
	e := newEngine(t, noise(64, 1, 3), Params{Method: "test", Trees: 1, Sampling: forest.AllRows, Honest: true})
	w := newWorker(e, newTeam())
	from := origin{spec: &Spec{Source: allAxes(1)}, data: e.data, target: e.target}
	from.sample = w.sampler.draw(0, forest.AllRows, 1, e.target)
	root := task{hi: len(from.sample.ids), parent: -1, name: 1}
	whole, _ := w.growFrom(from, root)
	if len(whole.Nodes) < 3 {
		t.Fatalf("%d nodes", len(whole.Nodes))
	}
	if _, ok := w.refill(&whole, from); !ok {
		t.Error("not refilled")
	}
	draws := 0
	from.spec = ruled(func(n *Node, attempt int) bool {
		if draws++; draws == 4 {
			w.team.cancel()
		}
		return true
	}, func(*Node) *Candidate { return axis(0, Search) })
	if trunk, _ := w.growFrom(from, root); trunk.Nodes != nil || len(w.builder.tree.Nodes) < 3 {
		t.Errorf("a trunk of %d nodes was copied, of %d", len(trunk.Nodes), len(w.builder.tree.Nodes))
	}
	if _, ok := w.refill(&whole, from); ok {
		t.Error("refilled after the call was cancelled")
	}
}

// The class weights of a tree are copied piece by piece, and its parts joined node by node, until the call is
// cancelled.
func TestCopiesEndWithTheirCall(t *testing.T) {
	const classes, leaves = 1 << 18, 16 // four leaves a piece
	var b builder
	b.begin(classes)
	dist := make([]float32, classes)
	var all []float32
	for i := range leaves {
		dist[i] = float32(i + 1)
		b.add(forest.MixedLeaf(b.mixed.add(dist), 1))
		all = append(all, dist...)
	}
	whole, ok := b.trimmed(nil)
	if !ok || !slices.Equal(whole.Dist, all) || !slices.Equal(whole.Nodes, b.tree.Nodes) {
		t.Error("another tree")
	}
	for left := range 1 + leaves/4 {
		count := &calltest.Count{Left: left}
		if _, ok := b.trimmed(count); ok || count.After() != 1 {
			t.Errorf("cancelled at look %d: %d looks after, ok %v", left, count.After(), ok)
		}
	}
	var joined builder
	count := &calltest.Count{Left: 5}
	if joined.join(&whole, nil, count) || len(joined.tree.Nodes) != 5 {
		t.Errorf("%d nodes were joined; want 5", len(joined.tree.Nodes))
	}
}

// No more functions are computed after the call was cancelled, and no more blocks of rows of those that are computed
// together.
func TestProjectionsEndWithTheirCall(t *testing.T) {
	const n = 1000
	columns := [][]float32{make([]float32, n), make([]float32, n)}
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
		columns[0][i], columns[1][i] = 1, 1
	}
	both := []int32{0, 1}
	for name, c := range map[string]struct {
		functions []forest.Function
		left      int
		computed  int // cells
	}{
		"one by one": {[]forest.Function{
			forest.Linear([]int32{0}, []float32{1}),
			forest.Linear([]int32{1}, []float32{1}),
		}, 1, n},
		"together": {[]forest.Function{
			{Kind: forest.Sparse, Features: both, Weights: []float32{1, 2}},
			{Kind: forest.Sparse, Features: both, Weights: []float32{2, 1}},
		}, 1 + 3, 3 * 64 * 2},
	} {
		values := [][]float32{make([]float32, n), make([]float32, n)}
		projectAll(values, c.functions, columns, rows, &calltest.Count{Left: c.left})
		computed := 0
		for _, v := range slices.Concat(values...) {
			if v != 0 {
				computed++
			}
		}
		if computed != c.computed {
			t.Errorf("%s: %d cells were computed; want %d", name, computed, c.computed)
		}
	}
}
