package old

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

// Runs of figure 13 that are done at the same time share what is computed once for their pattern,
// and give the results that they give one after another.
func TestApproximationInParallel(t *testing.T) {
	of := func() []Run { return graf13(fast)[:2] } // of the same pattern and seed
	alone := make([]Result, 2)
	for i, run := range of() {
		var err error
		if alone[i], err = run.Do(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
	var models atomic.Int32
	var begun sync.WaitGroup
	begun.Add(2)
	ctx := forest.WithProgress(t.Context(), func(done, total int) {
		begun.Wait()
		if done == total {
			models.Add(1)
		}
	})
	var group sync.WaitGroup
	for i, run := range of() {
		group.Go(func() {
			begun.Done()
			got, err := run.Do(ctx, run)
			if err != nil || got.Score != alone[i].Score {
				t.Errorf("%v: score %v, error %v; alone it is %v", run, got.Score, err, alone[i].Score)
			}
		})
	}
	group.Wait()
	if n := models.Load(); n != 3 {
		t.Errorf("%d forests were grown; want one for the sensitivities and one for each run", n)
	}
}
