// Package progress is how work tells who waits for it how far it has come: by a function in the context.
package progress

import "context"

// A Report is called with the numbers of steps done and in total. If state isn't empty, it
// is shown in place of the numbers.
type Report func(done, total int, state string)

type key struct{}

// With returns a context in which work calls report.
func With(ctx context.Context, report Report) context.Context {
	return context.WithValue(ctx, key{}, report)
}

// Of returns the function that [With] set, or one that does nothing.
func Of(ctx context.Context) Report {
	if report, ok := ctx.Value(key{}).(Report); ok {
		return report
	}
	return func(int, int, string) {}
}
