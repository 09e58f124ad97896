package eval

import (
	"math"
	"testing"
)

// By hand: differences 1, 2, 3 have mean 2 and variance 1, so t = 2/√((1/3 + 1/4)·1) with 2 degrees
// of freedom, whose two-sided p-value is 1 − |t|/√(2 + t²).
func TestResampledTTestByHand(t *testing.T) {
	stderr := math.Sqrt(1./3 + 1./4)
	p := 1 - 2/stderr/math.Sqrt(2+4/stderr/stderr)
	x, y := []float64{4, 7, 10}, []float64{3, 5, 7}
	for _, c := range []struct {
		x, y []float64
		want [3]float64 // difference, standard error, p
	}{
		{x, y, [3]float64{2, stderr, p}},
		{y, x, [3]float64{-2, stderr, p}},
		{x, x, [3]float64{0, 0, 1}},
		{[]float64{3, 4}, []float64{2, 3}, [3]float64{1, 0, 0}},
		{[]float64{3, 3}, []float64{2, 4}, [3]float64{0, math.Sqrt(1 + 2./4), 1}},
		{[]float64{3}, []float64{2}, [3]float64{1, nan, nan}},
		{nil, nil, [3]float64{nan, nan, nan}},
		{[]float64{nan, 1, 2}, []float64{1, 1, 1}, [3]float64{nan, nan, nan}},
	} {
		got := ResampledTTest(c.x, c.y, 0.25)
		if !same(got.Difference, c.want[0]) || !same(got.StdErr, c.want[1]) || !same(got.P, c.want[2]) {
			t.Errorf("%v and %v: %+v, want %+v", c.x, c.y, got, c.want)
		}
	}
	infinite := ResampledTTest([]float64{math.Inf(1), 1}, []float64{1, 1}, 0.25)
	if !math.IsNaN(infinite.StdErr) || !math.IsNaN(infinite.P) {
		t.Errorf("an infinite difference: %+v; want no standard error and no p", infinite)
	}
}

// Accuracies of two methods on ten splits.
var (
	accuraciesX = []float64{.81, .79, .84, .80, .83, .78, .82, .85, .79, .80}
	accuraciesY = []float64{.78, .80, .80, .79, .80, .77, .80, .81, .80, .79}
)

// TestResampledTTestLikeSciPy: without correction it is SciPy 1.17.1's ttest_rel; with
// it, p is 2·t.sf(t, 9) of t as NumPy computes it.
func TestResampledTTestLikeSciPy(t *testing.T) {
	for _, c := range []struct{ ratio, p float64 }{
		{0, 0.01649769830177928}, {0.25, 0.15056675279264392}, {1. / 3, 0.19153966428554192},
	} {
		got := ResampledTTest(accuraciesX, accuraciesY, c.ratio)
		if !(math.Abs(got.P/c.p-1) < 1e-9) || math.Abs(got.Difference-0.017) > 1e-12 {
			t.Errorf("ratio %v: %+v, want p = %v", c.ratio, got, c.p)
		}
	}
}
