package parallel

import "context"

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
