package grow

import (
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

// The weights of Table 1 of the HRF paper, w = (0, 1, 2, 4, 4)/11: the first two features
// of 10⁶ draws have the probabilities w_i·w_j/(1 − w_i) of successive sampling without
// replacement, and the feature of weight 0 is never among them.
func TestWeightedDrawOfTheWeightsOfTable1(t *testing.T) {
	const draws = 1_000_000
	weights := []float64{0, 1. / 11, 2. / 11, 4. / 11, 4. / 11}
	features, rng := NewWeightedDraw(weights), forest.NewRand(1)
	var counts [5][5]int
	for range draws {
		features.Begin()
		i := features.Next(&rng)
		counts[i][features.Next(&rng)]++
	}
	chi, pairs := 0.0, 0
	for i, wi := range weights {
		for j, wj := range weights {
			n, want := float64(counts[i][j]), draws*wi*wj/(1-wi)
			if i == j || want == 0 {
				if n > 0 {
					t.Errorf("features %d and %d are drawn %v times, want never", i, j, n)
				}
				continue
			}
			chi += (n - want) * (n - want) / want
			pairs++
		}
	}
	// The 0.999 quantile of χ² with 11 degrees of freedom is 31.26 (SciPy 1.17.1).
	if pairs != 12 || chi > 31.26 {
		t.Errorf("χ² of %d pairs is %.2f, want at most 31.26 of 12: %v", pairs, chi, counts)
	}
}
