package forest

import "context"

type progressKey struct{}

// WithProgress returns a context that makes a [Learner] report its progress:
// report is called with the number of trees done and in total, from one
// goroutine at a time, at most once a tree.
func WithProgress(ctx context.Context, report func(done, total int)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Progress returns the function set by [WithProgress], or one that does
// nothing. Learners call it.
func Progress(ctx context.Context) func(done, total int) {
	if report, ok := ctx.Value(progressKey{}).(func(done, total int)); ok && report != nil {
		return report
	}
	return func(int, int) {}
}
