package hrf

import (
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

// Table 6 has 40, 43 and 29 significant wins of HRF on bagging, RF and ET, and 4, 2 and 11 losses, on 52 sets. A method
// has three others, so its dominance on a set is between −3 and 3.
func TestDominance(t *testing.T) {
	r := &paper.Results{Root: "../../.."}
	f := dominance(r)
	if want := (40 + 43 + 29 - 4 - 2 - 11) / 52.0; math.Abs(f.Paper.Value-want) > 1e-12 {
		t.Errorf("printed dominance %v, want %v", f.Paper.Value, want)
	}
	sum := 0.0
	for method := range order {
		for _, d := range dominances(r, method) {
			if sum += d; math.Abs(d) > 3 {
				t.Errorf("a dominance of %v among four methods", d)
			}
		}
	}
	if sum != 0 { // a win is another one's loss
		t.Errorf("dominances add up to %v", sum)
	}
}
