package datasets

import (
	"context"

	"github.com/obliqua-ml/obliqua/datasets/internal/progress"
)

// A Progress is the state of the download of a data set.
type Progress struct {
	Name  string // of the data set
	Done  int64  // bytes received, of all files of the set
	Total int64  // bytes of all files of the set
}

// WithProgress returns a context that makes Load of package public call report during a
// download, every few kilobytes and in the goroutine that called Load. Done
// decreases if a download has to start over.
func WithProgress(ctx context.Context, report func(Progress)) context.Context {
	return context.WithValue(ctx, progress.Key{}, report)
}
