package old

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/sim"
)

// At the end rows of a code are of one class. Before it, weights are those of a code that isn't pure.
func TestBoostingEndsWithPureCodes(t *testing.T) {
	d := sim.Circles{Rings: 2}.Sample(150, 1)
	for seed := range uint64(20) {
		steps, code := grafBoosting(d, seed)
		class := map[int]int32{}
		for i, c := range code {
			if y, ok := class[c]; ok && y != d.Labels[i] {
				t.Fatalf("seed %d: code %d has rows of both classes", seed, c)
			}
			class[c] = d.Labels[i]
		}
		last := len(steps) - 1
		if first := steps[0]; first != (boostingStep{1, 150, 150}) || steps[last] != (boostingStep{len(class), 0, 0}) {
			t.Errorf("seed %d: the first step is %v, the last %v", seed, first, steps[last])
		}
		for k, s := range steps[:last] {
			if s.weighted < 2 || s.weighted > s.impure || s.codes > steps[k+1].codes || s.impure < steps[k+1].impure {
				t.Errorf("seed %d: step %d is %v, the next %v", seed, k, s, steps[k+1])
			}
		}
	}
}

// Algorithm 2 takes as many planes as a tree of GRAF with K = 1: the means of 200 differ by less than four standard
// errors.
func TestBoostingIsATree(t *testing.T) {
	d := sim.Circles{Rings: 2}.Sample(150, 1)
	a, b := boostedPlanes(d, 200), treePlanes(d, 200)
	stdErr := math.Sqrt(stat.Variance(a, nil)/200 + stat.Variance(b, nil)/200)
	if difference := stat.Mean(a, nil) - stat.Mean(b, nil); math.Abs(difference) > 4*stdErr || stdErr > 2 {
		t.Errorf("planes %v and %v, standard error of the difference %v", stat.Mean(a, nil), stat.Mean(b, nil), stdErr)
	}
}
