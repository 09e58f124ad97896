package sim

import (
	"math"
	"testing"
)

// TestBayesErrors compares with scipy 1.17.1: norm.cdf, ncx2, and quad over the boundary of Threenorm;
// norm.cdf(-sqrt(sum(1/arange(1, p+1)))) for Trunk; convolve (numpy 2.4.6) and expit for sums of integers. The settings
// of Breiman's report are compared with what is printed there, in percent: 2.3, 10.5 and 1.3.
func TestBayesErrors(t *testing.T) {
	var noise float64 // of four features that matter: the lesser probability of all rows there are
	for row := range 625 {
		eta := row%5 + row/5%5 + row/25%5 + row/125
		noise += 1 / (1 + math.Exp(math.Abs(float64(eta)-8))) / 625
	}
	for _, c := range []struct {
		of         problem
		want, most float64
	}{
		{Twonorm{}, 0.022750131948179195, 1e-15},
		{Twonorm{Features: 20}, 0.023, 0.0005},
		{Threenorm{Features: 2}, 0.10463315560799663, 1e-12},
		{Threenorm{Features: 3}, 0.11662211437320806, 1e-12},
		{Threenorm{Features: 5}, 0.10884332658790713, 1e-12},
		{Threenorm{}, 0.10463315560799663, 1e-12},
		{Threenorm{Features: 20}, 0.105, 0.0005},
		{Ringnorm{Features: 1}, 0.22669406740674247, 1e-12},
		{Ringnorm{Features: 2}, 0.18488878927688662, 1e-12},
		{Ringnorm{Features: 7}, 0.07925402189440556, 1e-12},
		{Ringnorm{}, 0.05037982221454046, 1e-12},
		{Ringnorm{Distance: 1}, 0.061778117675965485, 1e-12},
		{Ringnorm{Features: 11}, 0.04352161980790309, 1e-12},
		{Ringnorm{Features: 20}, 0.012396608103172689, 1e-12},
		{Ringnorm{Features: 20, Distance: 1}, 0.014965409065597454, 1e-12},
		{Ringnorm{Features: 20}, 0.013, 0.001},
		{Ringnorm{Distance: 1000}, 0, 1e-9}, // 333 standard deviations

		{Trunk{Features: 1}, 0.15865525393145707, 1e-12},
		{Trunk{Features: 2}, 0.11033568095992347, 1e-12},
		{Trunk{}, 0.04350153878055216, 1e-12},
		{Trunk{Features: 100}, 0.011375761696637775, 1e-12},

		{SelectionBias{}, 0.011072299420838311, 1e-12},
		{SelectionBias{EqualScale: true}, 0.09551683919979279, 1e-12},
		{SelectionBias{Null: true}, 0.5, 0},
		{NoiseFeatures{Features: 4}, noise, 1e-12},
		{NoiseFeatures{Features: 9, Noise: 5}, noise, 1e-12},
		{NoiseFeatures{}, 0.07173256047402246, 1e-12},
		{NoiseFeatures{Noise: 12}, 0.09117116611350293, 1e-12},
		{NoiseFeatures{Noise: 27}, 0.1917394653195102, 1e-12},
	} {
		if got := c.of.Bayes().Error(); math.Abs(got-c.want) > c.most || got < 0 {
			t.Errorf("%s: %v, want %v ± %v", name(c.of), got, c.want, c.most)
		}
	}
}

func TestNormMoments(t *testing.T) {
	constant := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	alternating := func(j int) float64 { return float64(1 - j%2*2) }
	opposite := func(j, k int) float64 { return 1 + diagonal(1)(j, k) } // means at (1, …) and (−1, …)
	for _, c := range []struct {
		of         sampler
		class      int32
		mean       func(j int) float64
		covariance func(j, k int) float64
	}{
		{Twonorm{Features: 4}, 0, constant(1), diagonal(1)},
		{Twonorm{Features: 4}, 1, constant(-1), diagonal(1)},
		{Threenorm{Features: 4}, 0, constant(0), opposite},
		{Threenorm{Features: 4}, 1, alternating, diagonal(1)},
		{Ringnorm{Features: 4}, 0, constant(0), diagonal(4)},
		{Ringnorm{Features: 4}, 1, constant(1), diagonal(1)},
		{Ringnorm{Features: 4, Distance: 1}, 1, constant(0.5), diagonal(1)},
	} {
		d := c.of.Sample(60000, 12)
		checkShares(t, d, func(int) float64 { return 0.5 })
		checkMoments(t, name(c.of), d, c.class, c.mean, c.covariance)
	}
}
