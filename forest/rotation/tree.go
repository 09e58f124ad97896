package rotation

import (
	"context"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A rotation returns a tree's rotated features, as functions of the features. They may be wrong if its call is
// cancelled. It is safe for concurrent use.
type rotation func(rng *forest.Rand) []forest.Function

// stream distinguishes the random numbers of rotations from those of samples.
const stream = 3

// fit grows a forest whose nodes are split on the best of m rotated features.
func fit(ctx context.Context, train *datasets.Dataset, params grow.Params, m int,
	prepare func(*scaled) (rotation, error)) (*forest.Forest, error) {
	params.Fallback = grow.Redraw
	e, err := grow.New(train, params) // checks everything
	if err != nil {
		return nil, err
	}
	rotate, err := prepare(newScaled(train, parallel.Until(ctx)))
	if err != nil {
		return nil, err
	}
	return e.GrowForest(ctx, func(t int) *grow.Spec {
		rng := forest.NewRand(params.Seed, uint64(t), stream)
		seed := rng.Uint64()
		rotated := rotate(&rng)
		if ctx.Err() != nil {
			return nil
		}
		return &grow.Spec{
			Functions: rotated,
			Seed:      &seed,
			Source:    func() grow.Source { return grow.NewAxes(nil, len(rotated), m, grow.Search) },
		}
	})
}
