package parallel

import (
	"context"
	"io"
)

// A Call is work that someone waits for and may cancel.
type Call interface {
	// Cancelled reports whether nobody wants the result any more. It takes some nanoseconds.
	Cancelled() bool
}

// Until returns a call that is cancelled when ctx is.
func Until(ctx context.Context) Call { return until{ctx} }

type until struct{ ctx context.Context }

func (u until) Cancelled() bool { return u.ctx.Err() != nil }

// Cancelled reports whether a call was cancelled. A nil call never is.
func Cancelled(c Call) bool { return c != nil && c.Cancelled() }

// Reader returns a reader of r that ends with ctx's error once ctx is cancelled. It reads a megabyte at most at a time.
func Reader(ctx context.Context, r io.Reader) io.Reader { return reader{ctx, r} }

type reader struct {
	ctx context.Context
	io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b[:min(len(b), 1<<20)])
}
