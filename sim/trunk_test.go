package sim

import (
	"math"
	"testing"
)

// TestTrunkBayesError: scipy 1.17.1, norm.cdf(-sqrt(sum(1/arange(1, p+1)))).
func TestTrunkBayesError(t *testing.T) {
	for p, want := range map[int]float64{
		1:   0.15865525393145707,
		2:   0.11033568095992347,
		10:  0.04350153878055216,
		100: 0.011375761696637775,
	} {
		if got := (Trunk{Features: p}).Bayes().Error(); math.Abs(got-want) > 1e-12 {
			t.Errorf("p = %d: %v, want %v", p, got, want)
		}
	}
}

// Each class has mean ±1/√j and covariance I.
func TestTrunkMoments(t *testing.T) {
	d := Trunk{Features: 4}.Sample(80000, 7)
	for class, sign := range []float64{-1, 1} {
		mean := func(j int) float64 { return sign / math.Sqrt(float64(j+1)) }
		checkMoments(t, "trunk", d, int32(class), mean, diagonal(1))
	}
}

// diagonal returns the covariances of independent features of a variance.
func diagonal(variance float64) func(j, k int) float64 {
	return func(j, k int) float64 {
		if j == k {
			return variance
		}
		return 0
	}
}

func TestTrunkIsBalanced(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 1001} {
		counts := Trunk{}.Sample(n, 1).ClassCounts()
		if counts[1] != n/2 || counts[0] != n-n/2 {
			t.Errorf("n = %d: classes of %v rows", n, counts)
		}
	}
}
