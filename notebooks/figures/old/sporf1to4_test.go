package old

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

func TestCandidatesAreThoseOfTheGrid(t *testing.T) {
	// 20^¼ = 2.1, 20^½ = 4.5, 20^¾ = 9.5
	if got := candidates(20); !slices.Equal(got, []int{2, 4, 9, 20, 400}) {
		t.Errorf("candidates(20) = %v", got)
	}
	// 6^¼ = 1.6, 6^½ = 2.4, 6^¾ = 3.8
	if got := candidates(6); !slices.Equal(got, []int{2, 4, 6, 36}) {
		t.Errorf("candidates(6) = %v", got)
	}
}

// Along x1 the means are ±1, so the error is Φ(−1) = 0.158655; along x4 they are ±1/2. Along x1 + x2 they
// are ±(1 + 1/√2)/√2 = ±1.2071, Φ(−1.2071) = 0.113696; along x1 − x2 ±0.2071, Φ(−0.2071) = 0.417963.
func TestTrunkBayes(t *testing.T) {
	train := sim.Trunk{Features: 10}.Sample(1000, 1)
	axis := must.Value(rf.Learner{Trees: 20, Seed: 1}.Fit(t.Context(), train))
	oblique := must.Value(sporf.Learner{Trees: 20, Candidates: 100, Seed: 1}.Fit(t.Context(), train))
	known := map[string]float64{"[0][1]": 0.158655, "[3][1]": 0.308538, "[0 1][1 1]": 0.113696, "[0 1][1 -1]": 0.417963}
	found := 0
	for _, f := range []*forest.Forest{axis, oblique} {
		for _, p := range f.Projections() {
			want, ok := known[fmt.Sprint(p.Index)+fmt.Sprint(p.Weights)]
			if !ok {
				continue
			}
			found++
			if bayes := TrunkBayes(p); math.Abs(bayes-want) > 1e-6 {
				t.Errorf("Bayes error along %v %v is %v; want %v", p.Index, p.Weights, bayes, want)
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d of the known projections are in the forests", found)
	}
}
