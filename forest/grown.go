package forest

import (
	"context"
	"slices"
)

type grownKey struct{}

// WithGrown returns a context with which a [Learner] may take its first trees from grown
// and grow only the others. grown must be the forest that the same learner, with fewer
// trees, made of the same data. The learner returns the same forest, byte for byte, as
// without grown. Learners that can't continue a forest ignore it.
func WithGrown(ctx context.Context, grown *Forest) context.Context {
	return context.WithValue(ctx, grownKey{}, grown)
}

// TakeGrown copies the trees of the forest set by [WithGrown] to the beginning of f.Trees
// and returns their number. It takes none and returns 0 if there is no such forest, if that
// has more trees than f, or if it was grown by another method, from data of another shape,
// or from other samples. Learners whose trees depend only on the data, the parameters, the
// seed and the tree's number call it.
func (f *Forest) TakeGrown(ctx context.Context) int {
	g, _ := ctx.Value(grownKey{}).(*Forest)
	if g == nil || len(g.Trees) > len(f.Trees) ||
		g.Method != f.Method || g.Target != f.Target || g.Rule != f.Rule || g.Rows != f.Rows ||
		g.Sampling != f.Sampling || g.Seed != f.Seed ||
		!slices.Equal(g.Features, f.Features) || !slices.Equal(g.Classes, f.Classes) {
		return 0
	}
	return copy(f.Trees, g.Trees)
}
