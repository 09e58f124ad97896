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

// TestTrunkMoments checks that each class has mean ±1/√j and covariance I,
// within five standard errors: a mean of n normal numbers has 1/√n, a mean
// product of two independent ones 1/√n, a mean square √2/√n.
func TestTrunkMoments(t *testing.T) {
	const n = 40000 // of each class
	d := Trunk{Features: 4}.Sample(2*n, 7)
	for class, sign := range []float64{-1, 1} {
		var mean [4]float64
		var cov [4][4]float64
		count := 0
		for i := range d.N() {
			if int(d.Labels[i]) != class {
				continue
			}
			count++
			for j := range 4 {
				zj := float64(d.At(i, j)) - sign/math.Sqrt(float64(j+1))
				mean[j] += zj / n
				for k := range 4 {
					zk := float64(d.At(i, k)) - sign/math.Sqrt(float64(k+1))
					cov[j][k] += zj * zk / n
				}
			}
		}
		if count != n {
			t.Errorf("class %d has %d rows, want %d", class, count, n)
		}
		for j := range 4 {
			if math.Abs(mean[j]) > 5/math.Sqrt(n) {
				t.Errorf("class %d, x%d: mean is off by %v", class, j+1, mean[j])
			}
			for k := range 4 {
				want, se := 0.0, 1/math.Sqrt(n)
				if j == k {
					want, se = 1, math.Sqrt(2./n)
				}
				if math.Abs(cov[j][k]-want) > 5*se {
					t.Errorf("class %d: covariance of x%d and x%d is %v, want %v", class, j+1, k+1, cov[j][k], want)
				}
			}
		}
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
