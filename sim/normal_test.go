package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestBernoulli(t *testing.T) {
	const n = 200000
	rng := newRand(1)
	for _, c := range []struct {
		name string
		draw func(rng *rand.Rand, x float64) bool
		x    float64
		want float64
	}{
		{"exp", bernoulliExp, 0, 1},
		{"exp", bernoulliExp, 0.01, math.Exp(-0.01)},
		{"exp", bernoulliExp, 0.5, math.Exp(-0.5)},
		{"exp", bernoulliExp, 1, math.Exp(-1)},
		{"exp", bernoulliExp, 2.25, math.Exp(-2.25)},
		{"exp", bernoulliExp, 6, math.Exp(-6)},
		{"exp", bernoulliExp, 1000, 0},
		{"logistic", bernoulliLogistic, 0, 0.5},
		{"logistic", bernoulliLogistic, 0.5, 1 / (1 + math.Exp(-0.5))},
		{"logistic", bernoulliLogistic, -0.5, 1 / (1 + math.Exp(0.5))},
		{"logistic", bernoulliLogistic, 3, 1 / (1 + math.Exp(-3))},
		{"logistic", bernoulliLogistic, -4.25, 1 / (1 + math.Exp(4.25))},
		{"logistic", bernoulliLogistic, 124, 1},
		{"logistic", bernoulliLogistic, -124, 0},
	} {
		count := 0
		for range n {
			if c.draw(rng, c.x) {
				count++
			}
		}
		if got := float64(count) / n; math.Abs(got-c.want) > 5*math.Sqrt(c.want*(1-c.want)/n) {
			t.Errorf("%s(%v) is true with frequency %v, want %v", c.name, c.x, got, c.want)
		}
	}
}

// TestContinuousDraws holds draws to gonum's distribution functions: by χ² on
// 100 bins that are equally likely, on the rarest thousandth at either end, and
// by the correlation of neighbours.
func TestContinuousDraws(t *testing.T) {
	const n, bins = 400000, 100
	for _, c := range []struct {
		name string
		draw func(rng *rand.Rand) float64
		cdf  func(x float64) float64
	}{
		{"normal", normal, distuv.UnitNormal.CDF},
		{"exponential", exponential, distuv.Exponential{Rate: 1}.CDF},
	} {
		rng := newRand(5)
		var counts [bins]float64
		var low, high, correlation float64
		before := 0.
		for range n {
			u := c.cdf(c.draw(rng))
			counts[int(u*bins)]++
			if u < 0.001 {
				low++
			}
			if u > 0.999 {
				high++
			}
			correlation += (u - 0.5) * (before - 0.5) * 12 / math.Sqrt(n)
			before = u
		}
		var chi2 float64
		for _, count := range counts {
			chi2 += (count - n/bins) * (count - n/bins) / (n / bins)
		}
		if p := 1 - (distuv.ChiSquared{K: bins - 1}).CDF(chi2); p < 1e-4 {
			t.Errorf("%s: χ² = %v, p = %v", c.name, chi2, p)
		}
		if limit := 5 * math.Sqrt(n*0.001); math.Abs(low-n*0.001) > limit || math.Abs(high-n*0.001) > limit {
			t.Errorf("%s: %v and %v draws in the rarest thousandths, want %v", c.name, low, high, n*0.001)
		}
		if math.Abs(correlation) > 5 {
			t.Errorf("%s: neighbours correlate, z = %v", c.name, correlation)
		}
	}
}

func BenchmarkNormal(b *testing.B) {
	rng := newRand(1)
	for b.Loop() {
		normal(rng)
	}
}
