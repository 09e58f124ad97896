package sim

import (
	"math"
	"math/rand/v2"
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

func TestTrunkProjectionError(t *testing.T) {
	trunk := Trunk{Features: 6}
	all := []int32{0, 1, 2, 3, 4, 5}
	best := make([]float32, 6)
	for j := range best {
		best[j] = float32(1 / math.Sqrt(float64(j+1)))
	}
	if got, want := trunk.ProjectionError(all, best), trunk.Bayes().Error(); math.Abs(got-want) > 1e-9 {
		t.Errorf("along μ: %v, want the Bayes error %v", got, want)
	}
	if got := trunk.ProjectionError(nil, nil); got != 0.5 {
		t.Errorf("along nothing: %v, want 1/2", got)
	}
	// x1 alone: two normal variables of variance 1 at ±1, whose error is the
	// one of Trunk in one dimension.
	if got, want := trunk.ProjectionError([]int32{0}, []float32{-3}), (Trunk{Features: 1}).Bayes().Error(); got != want {
		t.Errorf("along x1: %v, want %v", got, want)
	}

	const n = 40000
	d := trunk.Sample(n, 11)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		index := []int32{int32(rng.IntN(3)), int32(3 + rng.IntN(3))}
		weights := []float32{float32(rng.NormFloat64()), float32(rng.NormFloat64())}
		wrong := 0
		for i := range n {
			v := weights[0]*d.At(i, int(index[0])) + weights[1]*d.At(i, int(index[1]))
			if (v > 0) != (d.Labels[i] == 1) {
				wrong++
			}
		}
		got := min(float64(wrong)/n, 1-float64(wrong)/n) // the side of class 1 is the rule's choice
		want := trunk.ProjectionError(index, weights)
		if math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/n) {
			t.Errorf("along %v %v: %v of the rows on the wrong side, want %v", index, weights, got, want)
		}
	}
}
