package tao

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
	"github.com/obliqua-ml/obliqua/sim"
)

// However the number of cores changes while Fit prepares, a training ends.
func TestCoresMayChange(t *testing.T) {
	d := sim.Trunk{Features: 5}.Sample(300, 1)
	for _, cores := range [][2]int{{1, 4}, {4, 1}, {2, 16}} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores[0]))
		trainer := must.Value(Learner{Trees: 3, Passes: 1}.trainer(d))
		runtime.GOMAXPROCS(cores[1])
		ended := make(chan error, 1)
		go func() {
			_, err := trainer.train(t.Context(), nil, []float64{trainer.Lambda})
			ended <- err
		}()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute): // only if it fails
			t.Fatalf("from %d to %d cores: the training hangs", cores[0], cores[1])
		}
	}
}

// No split divides rows that are equal in the features that a tree may use, so its only node is a leaf from the
// start: there is nothing to fit in every pass. The leaf has the class, or the mean, of the rows.
func TestEqualRowsNeedNoSplits(t *testing.T) {
	d := sim.Trunk{Features: 3}.Sample(40, 1)
	for _, column := range d.Columns {
		for i := range column {
			column[i] = 2
		}
	}
	for i := range d.Labels {
		d.Labels[i] = int32(min(1, i%4)) // thirty of class 1
	}
	values := *d
	values.Labels, values.Classes, values.Values = nil, nil, make([]float64, d.N())
	for i := range values.Values {
		values.Values[i] = float64(i % 4) // mean 1.5
	}
	l := Learner{Trees: 1, Sampling: forest.AllRows}
	if o, _ := started(t, l, d); len(o.nodes) != 1 {
		t.Errorf("the tree begins with %d nodes; want 1", len(o.nodes))
	}
	for _, l.Unscaled = range []bool{false, true} {
		tree := must.Value(l.Fit(t.Context(), d)).Trees[0]
		if leaf := tree.Leaf(0); len(tree.Nodes) != 1 || !slices.Equal(leaf.Dist, []float32{10, 30}) {
			t.Errorf("unscaled %v: %d nodes, leaf %v", l.Unscaled, len(tree.Nodes), leaf)
		}
		tree = must.Value(l.Fit(t.Context(), &values)).Trees[0]
		if leaf := tree.Leaf(0); len(tree.Nodes) != 1 || leaf.Value != 1.5 {
			t.Errorf("unscaled %v: values: %d nodes, leaf %v", l.Unscaled, len(tree.Nodes), leaf)
		}
	}
	d.Columns[1][7] = 3 // one row differs in one feature
	o, _ := started(t, l, d)
	if len(o.nodes) == 1 {
		t.Error("rows that differ begin with a leaf")
	}
	o.features = []int32{0, 2}
	if !o.constant() {
		t.Error("the features that the tree may use vary")
	}
}

// A training whose context ends at any look returns its error, unless the tree was whole, after a few looks more, and
// its history has only whole trees: those of the training that wasn't cancelled.
func TestTrainingEndsWithItsContext(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a Count is for one goroutine
	d := sim.Trunk{Features: 4}.Sample(120, 1)
	start := must.Value(rf.Learner{Trees: 1, Growth: forest.Growth{MaxDepth: 3}, Seed: 2}.Fit(t.Context(), d))
	for name, fit := range map[string]func(ctx context.Context, h *History) (*forest.Forest, error){
		"constant": func(ctx context.Context, h *History) (*forest.Forest, error) {
			return h.Fit(ctx, Learner{Trees: 1, Depth: 3, Passes: 3}, d)
		},
		"linear": func(ctx context.Context, h *History) (*forest.Forest, error) {
			return h.Fit(ctx, Learner{Trees: 1, Depth: 2, Passes: 3, LinearLeaves: true}, d)
		},
		"down": func(ctx context.Context, h *History) (*forest.Forest, error) {
			return h.Fit(ctx, Learner{Trees: 1, Depth: 2, Passes: 2}, d)
		},
		"refine": func(ctx context.Context, h *History) (*forest.Forest, error) {
			return h.Refine(ctx, Learner{Passes: 2}, start, d)
		},
	} {
		var whole History
		all := &calltest.Count{Left: 1 << 40}
		want := must.Value(fit(all.Context(t.Context()), &whole))
		if all.Looks < 40 {
			t.Errorf("%s: %d looks at the context; want 40 or more", name, all.Looks)
		}
		kept := 0 // passes of trainings that were cancelled
		for left := 0; left < all.Looks; left += 1 + all.Looks/60 {
			var h History
			count := &calltest.Count{Left: left}
			f, err := fit(count.Context(t.Context()), &h)
			if err == nil && !sameTree(f.Trees[0], want.Trees[0]) || err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: error %v, or another tree, cancelled at look %d of %d", name, err, left, all.Looks)
			}
			if count.After() > 40 { // one for each node on the way back
				t.Errorf("%s: %d looks after the context ended at look %d of %d", name, count.After(), left, all.Looks)
			}
			for number, p := range h.Passes() {
				kept++
				if want := whole.Passes()[number]; !sameTree(p.snapshot, want.snapshot) || p.Loss != want.Loss {
					t.Errorf("%s: pass %d is another one, cancelled at look %d of %d", name, number+1, left, all.Looks)
				}
			}
		}
		if kept == 0 {
			t.Errorf("%s: no history kept a pass", name)
		}
	}
}

func sameTree(a, b forest.Tree) bool {
	return describe(&a, 0) == describe(&b, 0)
}
