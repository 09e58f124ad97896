package oc1

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
)

// A search looks at its call before each move it tries, and tries none after it was cancelled: the loops that it is
// in only look again.
func TestSearchEndsWithItsCall(t *testing.T) {
	d := table(300, 5, 3, false, 1)
	const starts, jumps = 4, 200
	for _, c := range []struct {
		jumps int
		least int // looks in a search that isn't cancelled
	}{
		{none, starts * 5},      // every feature is perturbed
		{jumps, starts * jumps}, // the last jumps fail
	} {
		run := func(count *calltest.Count) *search {
			h, _ := searchOf(d.Columns, d.Labels, 3)
			h.Restarts, h.Jumps, h.call = starts, max(0, c.jumps), count
			axis, threshold := h.axisSplit()
			h.run(axis, threshold)
			return h
		}
		whole := &calltest.Count{Left: 1 << 40}
		run(whole)
		if least := c.least + 5 + 2*starts; whole.Looks < least { // and features by themselves, and starts
			t.Errorf("%d jumps: %d looks at the call in a whole search; want %d or more", c.jumps, whole.Looks, least)
		}
		for left := 0; left < whole.Looks; left += 1 + whole.Looks/31 {
			count := &calltest.Count{Left: left}
			run(count)
			const most = 2*5 + 5 // what is left of two passes over the features
			if count.After() > most {
				t.Errorf("%d looks after the call was cancelled at look %d of %d", count.After(), left, whole.Looks)
			}
		}
	}
}

// With very many classes a single scan takes long: D is a sum over all of them at every cut.
func TestScanOfManyClassesEndsWithItsCall(t *testing.T) {
	const n = 2000
	rng := rand.New(rand.NewPCG(1, 2))
	column, labels := make([]float32, n), make([]int32, n)
	for i := range column {
		column[i], labels[i] = rng.Float32(), int32(i)
	}
	h, _ := searchOf([][]float32{column}, labels, n)
	count := &calltest.Count{}
	h.call = count
	if _, _, ok := h.cut(column); ok {
		t.Error("a scan of 2000 classes didn't see that its call was cancelled")
	}
	if count.Looks != 1 {
		t.Errorf("%d looks; want 1", count.Looks)
	}
	h.call = nil
	if _, _, ok := h.cut(column); !ok {
		t.Error("no cut")
	}
}

// Pruning needs memory in proportion to the classes at each node, not to all classes.
func TestPruningOfManyClasses(t *testing.T) {
	const n, classes = 3000, 1500 // of one row a class nothing would be learned: that is an error
	d := table(n, 2, classes, false, 3)
	for i := range d.Labels {
		d.Labels[i] = int32(i % classes)
	}
	f := must.Value(Tree{HeldOut: none, Search: Search{Restarts: 1, Jumps: none}}.Fit(t.Context(), d))
	held := make([]int32, n/10)
	for i := range held {
		held[i] = int32(10 * i)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pruned, err := prune(t.Context(), &f.Trees[0], d, held)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	// A number for each class at each of some 5,000 nodes would take 60 MB.
	if mb := float64(after.TotalAlloc-before.TotalAlloc) / 1e6; mb > 12 {
		t.Errorf("pruning %d nodes to %d took %.0f MB", len(f.Trees[0].Nodes), len(pruned.Nodes), mb)
	}
}

// A tree whose context ends while it is pruned isn't returned.
func TestPruneEndsWithItsContext(t *testing.T) {
	d := table(200, 3, 3, false, 1)
	f := must.Value(Tree{HeldOut: none, Search: Search{Restarts: 1}}.Fit(t.Context(), d))
	held := make([]int32, 40)
	for i := range held {
		held[i] = int32(5 * i)
	}
	whole := &calltest.Count{Left: 1 << 40}
	must.Value(prune(whole.Context(t.Context()), &f.Trees[0], d, held))
	if least := 2 * len(f.Trees[0].Nodes); whole.Looks < least {
		t.Errorf("%d looks at the context; want %d or more", whole.Looks, least)
	}
	for left := range whole.Looks {
		count := &calltest.Count{Left: left}
		if _, err := prune(count.Context(t.Context()), &f.Trees[0], d, held); err == nil {
			t.Fatalf("no error, cancelled at look %d of %d", left, whole.Looks)
		}
	}
}
