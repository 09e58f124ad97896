package figures

import (
	"context"
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/sim"
)

// By hand: differences 1, 2, 3 have mean 2 and variance 1, so t = 2/√((1/3 + 1/4)·1) =
// 2.6186 with 2 degrees of freedom, whose distribution function is ½ + t/(2√(2 + t²)).
func TestResampledT(t *testing.T) {
	x := 2 / math.Sqrt(1./3+1./4)
	want := 2 * (0.5 - x/(2*math.Sqrt(2+x*x)))
	for _, d := range [][]float64{{1, 2, 3}, {-3, -1, -2}} {
		if got := resampledT(d, 0.25); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: p = %v, want %v", d, got, want)
		}
	}
	if got := resampledT([]float64{0, 0, 0}, 0.25); got != 1 {
		t.Errorf("equal: p = %v, want 1", got)
	}
}

// Contenders that are the same learner differ by nothing; the first is the reference.
func TestComparison(t *testing.T) {
	c := comparison{
		contenders: []contender{hrfBagging, leafRules[0], {"again", hrfBagging.learner}},
		data:       simulated(func(n int, seed uint64) *datasets.Dataset { return sim.NoiseFeatures{Features: 4}.Sample(n/5, seed) }),
	}
	r, err := c.run(context.Background(), 4)
	if err != nil {
		t.Fatal(err)
	}
	if r.Score != 0 || r.More["diff.again"] != 0 || r.More["se.again"] != 0 {
		t.Errorf("the same learner differs: %v", r.More)
	}
	if got, want := r.More["diff.rf"], r.More["err.rf"]-r.More["err.bagging"]; math.Abs(got-want) > 1e-12 || r.More["se.rf"] <= 0 {
		t.Errorf("difference %v ± %v, want %v", got, r.More["se.rf"], want)
	}
}
