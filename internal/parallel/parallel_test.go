package parallel

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/internal/must"
)

func TestForCallsEachOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 7} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		for _, n := range []int{0, 1, 2, 1000} {
			calls := make([]atomic.Int32, n)
			For(n, func(i int) { calls[i].Add(1) })
			for i := range calls {
				if c := calls[i].Load(); c != 1 {
					t.Fatalf("%d cores, n = %d: %d was called %d times", procs, n, i, c)
				}
			}
		}
	}
}

func TestErrorsReturnsTheFirst(t *testing.T) {
	err := Errors(100, func(i int) error {
		if i >= 40 {
			return fmt.Errorf("item %d", i)
		}
		time.Sleep(10 * time.Microsecond)
		return nil
	})
	if err == nil || err.Error() != "item 40" {
		t.Errorf("got %v, want item 40", err)
	}
	cores := runtime.GOMAXPROCS(0)
	var calls atomic.Int32
	_ = Errors(1000, func(int) error { calls.Add(1); return errors.New("all fail") })
	if n := int(calls.Load()); n > cores {
		t.Errorf("%d calls on %d cores; want one for each core at most", n, cores)
	}
	if err := Errors(3, func(int) error { return nil }); err != nil {
		t.Errorf("got %v, want none", err)
	}
}

func TestWorkersStopWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var done atomic.Int32
	err := Workers(ctx, 1000, 1000, func(items iter.Seq[int]) {
		for range items {
			if done.Add(1) == 10 {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if n := int(done.Load()); n < 10 || n > 10+runtime.GOMAXPROCS(0) {
		t.Errorf("%d items after cancelling at 10", n)
	}
	all := func(items iter.Seq[int]) {
		for range items {
		}
	}
	if err := Workers(ctx, 0, 5, all); err != nil {
		t.Errorf("nothing to do: got %v", err)
	}
	late, cancel := context.WithCancel(context.Background())
	err = Workers(late, 5, 5, func(items iter.Seq[int]) {
		for i := range items {
			if i == 4 {
				cancel()
			}
		}
	})
	if err != nil {
		t.Errorf("cancelled after the last item: got %v", err)
	}
}

func TestWorkersAreLimited(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for _, test := range []struct{ n, most, want int }{{100, 3, 3}, {2, 5, 2}, {100, 100, 8}, {100, 1, 1}} {
		var workers atomic.Int32
		must.Do(Workers(context.Background(), test.n, test.most, func(items iter.Seq[int]) {
			workers.Add(1)
			for range items {
			}
		}))
		if got := int(workers.Load()); got != test.want {
			t.Errorf("n %d, most %d: %d workers, want %d", test.n, test.most, got, test.want)
		}
	}
}

func TestPanicsReachTheCaller(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, at := range []int{0, 99} {
		got := func() (v any) {
			defer func() { v = recover() }()
			For(100, func(i int) {
				if i == at {
					panic("here")
				}
			})
			return nil
		}()
		if got != "here" {
			t.Errorf("item %d panics: the caller sees %v", at, got)
		}
	}
}
