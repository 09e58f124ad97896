package rotation

import (
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// SPORF tries the same number of candidates, of three features each.
func BenchmarkFit(b *testing.B) {
	fittest.Benchmark(b, map[string]*datasets.Dataset{"trunk": sim.Trunk{Features: 50}.Sample(20000, 1)},
		Learner{Trees: 4}, sporf.Learner{Trees: 4, Sampling: forest.AllRows},
		Random{Trees: 4}, sporf.Learner{Trees: 4, Candidates: 7},
		Random{Trees: 4, NodeFeatures: 50}, sporf.Learner{Trees: 4, Candidates: 50})
}

func BenchmarkHaar(b *testing.B) {
	rng := forest.NewRand(1)
	for b.Loop() {
		haar(&rng, 200, nil)
	}
}
