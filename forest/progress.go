package forest

import (
	"context"

	"github.com/obliqua-ml/obliqua/internal/progress"
)

// WithProgress returns a context with which a [Learner] and other long work report their progress: they call report
// with the numbers of steps done and in total, never from two goroutines at once. A step is a tree or, for methods that
// improve trees in passes, a pass over a tree. Load of package datasets/public reports the bytes of a download, every
// few kilobytes; what is done decreases if it has to start over. A nil report does nothing.
func WithProgress(ctx context.Context, report func(done, total int)) context.Context {
	return progress.With(ctx, func(done, total int, _ string) {
		if report != nil {
			report(done, total)
		}
	})
}

// Progress returns the function set by [WithProgress], or one that does
// nothing. Learners call it.
func Progress(ctx context.Context) func(done, total int) {
	report := progress.Of(ctx)
	return func(done, total int) { report(done, total, "") }
}
