package sim

import (
	"math"
	"testing"
)

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
