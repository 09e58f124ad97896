// Package parallel runs loops on all cores.
package parallel

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls do for every i from 0 to n−1, on all cores and in no particular order, and
// returns when all calls have returned. If a call panics, For panics with the same value
// in the caller's goroutine.
func For(n int, do func(i int)) {
	// Workers returns only the context's error, and this one is never cancelled.
	_ = Workers(context.Background(), n, n, func(items iter.Seq[int]) {
		for i := range items {
			do(i)
		}
	})
}

// Errors is like [For], but do may fail. After a call has failed no more are begun. Since calls begin in ascending
// order, all those for smaller i have begun by then. So Errors returns the error of the smallest i, whatever the
// scheduling.
func Errors(n int, do func(i int) error) error {
	errs := make([]error, n)
	var failed atomic.Bool
	_ = Workers(context.Background(), n, n, func(items iter.Seq[int]) { // the context is never cancelled
		for i := range items {
			if errs[i] = do(i); errs[i] != nil {
				failed.Store(true)
			}
			if failed.Load() { // looked at after a call, since the next one would have to be made
				return
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Workers calls work in as many goroutines as there are cores, but in no more than most
// or n. Each call ranges over items; together they receive every number from 0 to n−1
// once. So work can reuse memory from one item to the next. After ctx is cancelled no
// more items are given out, and Workers returns ctx's error unless all had been. A worker
// may leave its loop early; the others go on. If a worker panics, no more items are given
// out, and Workers panics with the same value in the caller's goroutine.
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
