package rotation

import (
	"context"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// SPORF tries the same number of candidates, of three features each.
func BenchmarkFit(b *testing.B) {
	d := sim.Trunk{Features: 50}.Sample(20000, 1)
	for _, bench := range []struct {
		name string
		l    forest.Learner
	}{
		{"rotation forest", Learner{Trees: 4}},
		{"sporf, all", sporf.Learner{Trees: 4, Sampling: forest.AllRows}},
		{"random rotation", Random{Trees: 4}},
		{"sporf, 7", sporf.Learner{Trees: 4, Candidates: 7}},
		{"random rotation, all", Random{Trees: 4, NodeFeatures: 50}},
		{"sporf, 50", sporf.Learner{Trees: 4, Candidates: 50}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				must.Value(bench.l.Fit(context.Background(), d))
			}
		})
	}
}

func BenchmarkHaar(b *testing.B) {
	rng := forest.NewRand(1)
	for b.Loop() {
		haar(&rng, 200, nil)
	}
}
