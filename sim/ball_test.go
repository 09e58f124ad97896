package sim

import (
	"math"
	"testing"
)

// TestBallShares compares the share of rows in the ball with one half, where it
// lies in the cube, and else with that of 2·10⁶ rows of mlbench 2.1.3 (R 4.2.2,
// seed 2).
func TestBallShares(t *testing.T) {
	const n, theirs = 200000, 2e6
	for p, want := range map[int]float64{
		1: 0.5, 2: 0.5, 3: 0.5,
		5:  915160 / theirs,
		10: 660960 / theirs,
		20: 338246 / theirs,
	} {
		counts := Ball{Features: p}.Sample(n, 1).ClassCounts()
		got := float64(counts[0]) / n
		if math.Abs(got-want) > 5*math.Sqrt(want*(1-want)*(1./n+1/theirs)) {
			t.Errorf("%d features: a share of %v in the ball, want %v", p, got, want)
		}
	}
}

// TestBallRadius has the radii from the areas of half a square, πr² = 2, and of
// half a cube, 4πr³/3 = 4, and for 10 features, π⁵r¹⁰/120 = 512.
func TestBallRadius(t *testing.T) {
	for p, radius := range map[int]float64{
		1:  0.5,
		2:  math.Sqrt(2 / math.Pi),
		3:  math.Cbrt(3 / math.Pi),
		10: math.Pow(512*120/math.Pow(math.Pi, 5), 0.1),
	} {
		x := make([]float32, p)
		for k, want := range []int32{0, 1} {
			x[p-1] = -float32(radius * (1 + 1e-6*float64(2*k-1)))
			if got := (Ball{Features: p}).Bayes().Class(x); got != want {
				t.Errorf("%d features: class %d at a distance of %v", p, got, -x[p-1])
			}
		}
	}
}
