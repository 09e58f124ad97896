package sim

import (
	"math"
	"testing"
)

// TestNormBayesError compares with scipy 1.17.1 (norm.cdf, ncx2, and quad over
// the boundary of Threenorm), and the settings of Breiman's report with what is
// printed there, in percent: 2.3, 10.5 and 1.3.
func TestNormBayesError(t *testing.T) {
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
	} {
		if got := c.of.Bayes().Error(); math.Abs(got-c.want) > c.most || got < 0 {
			t.Errorf("%s: %v, want %v ± %v", name(c.of), got, c.want, c.most)
		}
	}
}

// TestNormMoments checks means and covariances of the classes within five
// standard errors. The variance of a mean is the feature's variance v by the
// number of rows; that of a mean product of normal numbers is v·v + c², c being
// their covariance. (In class "0" of Threenorm, a mixture, it is less.)
func TestNormMoments(t *testing.T) {
	const n = 60000
	for _, c := range []struct {
		of         sampler
		class      int32
		mean       func(j int) float64
		variance   float64
		covariance func(j, k int) float64
	}{
		{Twonorm{Features: 4}, 0, func(int) float64 { return 1 }, 1, nil},
		{Twonorm{Features: 4}, 1, func(int) float64 { return -1 }, 1, nil},
		{Threenorm{Features: 4}, 0, func(int) float64 { return 0 }, 2, func(j, k int) float64 { return 1 }},
		{Threenorm{Features: 4}, 1, func(j int) float64 { return float64(1 - j%2*2) }, 1, nil},
		{Ringnorm{Features: 4}, 0, func(int) float64 { return 0 }, 4, nil},
		{Ringnorm{Features: 4}, 1, func(int) float64 { return 1 }, 1, nil},
		{Ringnorm{Features: 4, Distance: 1}, 1, func(int) float64 { return 0.5 }, 1, nil},
	} {
		d := c.of.Sample(n, 12)
		checkShares(t, d, func(int) float64 { return 0.5 })
		var mean [4]float64
		var products [4][4]float64
		var rows float64
		for i := range n {
			if d.Labels[i] != c.class {
				continue
			}
			rows++
			for j := range mean {
				zj := float64(d.At(i, j)) - c.mean(j)
				mean[j] += zj
				for k := range mean {
					products[j][k] += zj * (float64(d.At(i, k)) - c.mean(k))
				}
			}
		}
		for j := range mean {
			if got := mean[j] / rows; math.Abs(got) > 5*math.Sqrt(c.variance/rows) {
				t.Errorf("%s, class %d: the mean of x%d is off by %v", name(c.of), c.class, j+1, got)
			}
			for k := range mean {
				want := 0.
				switch {
				case j == k:
					want = c.variance
				case c.covariance != nil:
					want = c.covariance(j, k)
				}
				if got := products[j][k] / rows; math.Abs(got-want) > 5*math.Sqrt((c.variance*c.variance+want*want)/rows) {
					t.Errorf("%s, class %d: covariance of x%d and x%d is %v, want %v", name(c.of), c.class, j+1, k+1, got, want)
				}
			}
		}
	}
}
