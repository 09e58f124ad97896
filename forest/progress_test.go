package forest_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/steady"
	"github.com/obliqua-ml/obliqua/sim"
)

func TestProgressCountsTrees(t *testing.T) {
	d := sim.Trunk{}.Sample(60, 1)
	for name, l := range topDown(9, forest.Growth{}, 1) {
		var done []int // one goroutine at a time, so no lock
		trees := 9
		if name == "cart" {
			trees = 1
		}
		ctx := forest.WithProgress(context.Background(), func(k, total int) {
			if total != trees {
				t.Errorf("%s: %d trees in total, want %d", name, total, trees)
			}
			done = append(done, k)
		})
		must.Value(l.Fit(ctx, d))
		if len(done) != trees {
			t.Errorf("%s: %d reports, want %d", name, len(done), trees)
		}
		for i, k := range done {
			if k != i+1 {
				t.Errorf("%s: report %d says %d trees", name, i+1, k)
			}
		}
	}
	forest.Progress(context.Background())(1, 2) // does nothing
	forest.Progress(forest.WithProgress(context.Background(), nil))(1, 2)
}

func TestCancelBetweenTrees(t *testing.T) {
	for _, cores := range []int{1, 3} {
		steady.Cores(t, cores)
		goroutines := runtime.NumGoroutine()
		for name, l := range topDown(10000, forest.Growth{}, 1) {
			if name == "cart" {
				continue
			}
			ctx, cancel := context.WithCancel(context.Background())
			reports := 0
			ctx = forest.WithProgress(ctx, func(int, int) { reports++; cancel() })
			if f, err := l.Fit(ctx, sim.Trunk{}.Sample(60, 1)); f != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", name, err)
			}
			if reports > cores {
				t.Errorf("%s: %d trees were finished on %d cores", name, reports, cores)
			}
		}
		checkGoroutines(t, goroutines)
	}
}

// checkGoroutines waits until there are no more goroutines than before, for a minute if it fails. Those of a cancelled
// context end on their own. No other test runs meanwhile: those that call [testing.T.Parallel] wait for this one.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 60_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
