// Package calltest counts how often work asks whether its call was cancelled. So tests see whether it stops without
// measuring time.
package calltest

import "context"

// A Count is a [parallel.Call] and, by [Count.Context], a context that counts the looks at it.
type Count struct {
	Left  int // looks before it is cancelled
	Looks int // so far
}

// Cancelled is false for the first Left looks.
func (c *Count) Cancelled() bool {
	c.Looks++
	return c.Looks > c.Left
}

// After returns the number of looks that saw the cancellation.
func (c *Count) After() int { return max(0, c.Looks-c.Left) }

// Context returns a context whose Err is a look. Its Done channel is never closed, and one goroutine may use it.
func (c *Count) Context(ctx context.Context) context.Context { return counted{ctx, c} }

type counted struct {
	context.Context
	count *Count
}

func (c counted) Err() error {
	if c.count.Cancelled() {
		return context.Canceled
	}
	return nil
}
