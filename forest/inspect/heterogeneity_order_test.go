package inspect_test

import (
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// Figure 4 of the HRF paper: the trees of bagging are the least different, those of HRF the
// most, sample by sample.
func TestOrderOfFigure4(t *testing.T) {
	if testing.Short() {
		t.Skip("3000 trees, for a statistic")
	}
	for seed := range uint64(10) {
		train := sim.SelectionBias{}.Sample(700, seed)
		var scores []float64
		for _, l := range []forest.Learner{rf.Bagging{Trees: 100, Seed: seed}, rf.Learner{Trees: 100, Seed: seed},
			rf.HRF{Trees: 100, Seed: seed}} {
			f := must.Value(l.Fit(t.Context(), train))
			scores = append(scores, inspect.TreeDiversity(f, false).Dissimilarity)
		}
		if !(scores[0] < scores[1] && scores[1] < scores[2]) {
			t.Errorf("seed %d: dissimilarity of bagging, RF and HRF is %.3f; want it to rise", seed, scores)
		}
	}
}
