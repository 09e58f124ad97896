// Package parallel shares loops out among the cores.
package parallel

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls do for every i from 0 to n−1, on all cores at once and in no particular
// order, and returns when all calls have. If a call panics, For panics with the same
// value in the goroutine that called it.
func For(n int, do func(i int)) {
	// Without a context to cancel there is no error.
	_ = Workers(context.Background(), n, n, func(items iter.Seq[int]) {
		for i := range items {
			do(i)
		}
	})
}

// Errors is For with functions that may fail. It returns the error of the smallest i
// that has one, so that which error is reported depends on no scheduling.
func Errors(n int, do func(i int) error) error {
	errs := make([]error, n)
	For(n, func(i int) { errs[i] = do(i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Workers calls work once a goroutine, in as many as there are cores, but no more than
// most or n. Each of them ranges over items, and together they are given every number
// from 0 to n−1 once; so work can keep memory from one item to the next. When ctx is
// done no more items are given out, and Workers returns ctx's error, unless all were.
// A worker that breaks out of its loop takes no more items; the others do.
// If a worker panics, the others are given no more items and Workers panics with the
// same value in the goroutine that called it.
func Workers(ctx context.Context, n, most int, work func(items iter.Seq[int])) error {
	var (
		next     atomic.Int64
		group    sync.WaitGroup
		panicked atomic.Pointer[any]
	)
	items := func(yield func(int) bool) {
		for ctx.Err() == nil && panicked.Load() == nil {
			i := int(next.Add(1)) - 1
			if i >= n || !yield(i) {
				return
			}
		}
	}
	safe := func() {
		defer func() {
			if v := recover(); v != nil {
				panicked.CompareAndSwap(nil, &v)
			}
		}()
		work(items)
	}
	for range min(runtime.GOMAXPROCS(0), most, n) - 1 {
		group.Go(safe)
	}
	if n > 0 {
		safe()
	}
	group.Wait()
	if v := panicked.Load(); v != nil {
		panic(*v)
	}
	if next.Load() < int64(n) {
		return ctx.Err()
	}
	return nil
}
