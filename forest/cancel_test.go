package forest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/sim"
)

// Every learner ends with its context, also in the middle of its work.
func TestFitStopsWithItsContext(t *testing.T) {
	d := sim.Trunk{Features: 5}.Sample(150, 1)
	for name, l := range methods(30, forest.Growth{}, 1) {
		for after := range 2 { // reports of progress
			ctx, cancel := context.WithCancel(t.Context())
			if after == 0 {
				cancel()
			}
			ctx = forest.WithProgress(ctx, func(int, int) { cancel() })
			if f, err := l.Fit(ctx, d); f != nil || !errors.Is(err, context.Canceled) {
				if single := name == "cart" || name == "oc1 tree" || name == "godt"; after == 0 || !single {
					t.Errorf("%s, cancelled after %d reports: error %v", name, after, err)
				}
			}
		}
	}
}
