package tao

import (
	"bytes"
	"context"
	"runtime"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// After k free passes a tree is what a training of k passes makes.
func TestHistoryKeepsWhatShorterTrainingsMake(t *testing.T) {
	for name, d := range problems() {
		l := Learner{Trees: 3, Depth: 3, Passes: 5, Acceptance: Free, LinearLeaves: true}
		var h History
		steps := 0
		f := must.Value(h.Fit(forest.WithProgress(t.Context(), func(done, total int) {
			if steps++; done != steps || total != 15 {
				t.Errorf("%s: step %d of %d; want %d of 3 trees × 5 passes", name, done, total, steps)
			}
		}), l, d))
		if !bytes.Equal(encoded(h.Last()), encoded(f)) {
			t.Errorf("%s: the last trees of the history aren't the forest's", name)
		}
		for l.Passes = range 7 {
			kept := h.Forest(l.Passes)
			if l.Passes < 1 || l.Passes > 5 {
				if kept != nil {
					t.Errorf("%s: a forest after %d passes of 5; want none", name, l.Passes)
				}
				continue
			}
			f := must.Value(l.Fit(context.Background(), d))
			if !bytes.Equal(encoded(kept), encoded(f)) {
				t.Errorf("%s: the forest after %d passes isn't that of a training of so many", name, l.Passes)
			}
		}
	}
	if h := new(History); h.Last() != nil || h.Forest(1) != nil || len(h.Passes()) != 0 {
		t.Error("an empty history has forests or passes")
	}
}

// The history of an interrupted training has the first trees.
func TestHistoryOfAnInterruptedTraining(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one tree after another
	ctx, cancel := context.WithCancel(t.Context())
	ctx = forest.WithProgress(ctx, func(done, _ int) {
		if done == 2 {
			cancel()
		}
	})
	var h History
	if _, err := h.Fit(ctx, Learner{Trees: 3, Depth: 3, Passes: 5}, problems()["classes"]); err != context.Canceled {
		t.Errorf("error %v; want the context's", err)
	}
	if last := h.Last(); last == nil || len(last.Trees) != 1 {
		t.Errorf("the last forest is %v; want one of the first tree", last)
	}
}

// The last quarter of the passes, rounded up, is strict.
func TestLastQuarterOfPassesIsStrict(t *testing.T) {
	d := problems()["classes"]
	for passes, strict := range map[int]int{1: 1, 2: 1, 3: 1, 4: 1, 5: 2, 8: 2, 9: 3} {
		l := Learner{Trees: 1, Depth: 4, Passes: passes, Lambda: 0.5}
		var h History
		must.Value(h.Fit(context.Background(), l, d))
		o, _ := started(t, l, d)
		for k, p := range h.Passes() {
			o.strict = k >= passes-strict
			o.step(new(scratch), 0, o.sample)
			if got, want := p.Objective(), o.state().Objective(); got != want {
				t.Errorf("%d passes: the objective is %v after pass %d; want %v, with the last %d strict", passes, got, p.Number,
					want, strict)
				break
			}
		}
	}
}
