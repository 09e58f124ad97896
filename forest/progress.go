package forest

import "context"

type progressKey struct{}

// WithProgress returns a context with which a [Learner] reports its progress: it calls
// report with the numbers of steps done and in total, never from two goroutines at once. A
// step is a tree or, for methods that improve trees in passes, a pass over a tree.
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
