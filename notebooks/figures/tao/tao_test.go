package tao

import (
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

// Ten trees of seven splits have 10·(3·7 + 1) numbers, leaves included, of which 10·2·7 are those of splits.
func TestParametersOfSplits(t *testing.T) {
	r := paper.Record{Result: paper.Result{More: map[string]float64{"parameters": 220, "parameters.10.40": 220}}}
	for method, want := range map[string]float64{"rf": 140, "tao-c": 220} {
		if got := (forest{method, 10, 10, ""}).parameters(r); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v parameters, want %v", method, got, want)
		}
	}
}

// Table 2 prints 9904, 310k, 4.2M and 10M.
func TestRounding(t *testing.T) {
	for v, want := range map[float64]float64{9904: 0.5, 310e3: 500, 4.2e6: 0.05e6, 10e6: 0.5e6} {
		if got := rounding(v); got != want {
			t.Errorf("%v is rounded by %v, want %v", v, got, want)
		}
	}
}
