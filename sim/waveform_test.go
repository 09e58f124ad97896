package sim

import (
	"math"
	"testing"
)

// triangle returns the wave of height 6 at place j.
func triangle(j, peak int) float64 { return math.Max(6-math.Abs(float64(j-peak)), 0) }

// waveMeans holds the classes' means in UCI's waveform data, rounded to one half
// (its 5000 rows, by class).
var waveMeans = [3][21]float64{
	{0, .5, 1, 1.5, 2, 2.5, 3, 2.5, 2, 2, 2, 2, 2, 2.5, 3, 2.5, 2, 1.5, 1, .5, 0},
	{0, .5, 1, 1.5, 2, 3, 4, 4, 4, 4, 4, 3, 2, 1.5, 1, .5, 0, 0, 0, 0, 0},
	{0, 0, 0, 0, 0, .5, 1, 1.5, 2, 3, 4, 4, 4, 4, 4, 3, 2, 1.5, 1, .5, 0},
}

// With g and h the class's waves, the covariance of two features is the product of their
// entries of g − h times the variance of u, 1/12, plus 1 on the diagonal.
func TestWaveformMoments(t *testing.T) {
	d := Waveform{}.Sample(90000, 5)
	checkShares(t, d, func(int) float64 { return 1. / 3 })
	for class, peaks := range [][2]int{{7, 15}, {7, 11}, {15, 11}} {
		difference := func(j int) float64 { return triangle(j+1, peaks[0]) - triangle(j+1, peaks[1]) }
		checkMoments(t, "waveform", d, int32(class), func(j int) float64 { return waveMeans[class][j] },
			func(j, k int) float64 { return difference(j)*difference(k)/12 + diagonal(1)(j, k) })
	}
}

// TestWaveformBayesError integrates the likeliest class's density over a grid of
// the plane that the waves lie in. The density is summed over u by Simpson's
// rule. Breiman et al. (1984) estimate an error of 0.14.
func TestWaveformBayesError(t *testing.T) {
	// The distances of the waves, computed from their places.
	distance := func(a, b int) float64 {
		var sum float64
		for j := range 21 {
			sum += math.Pow(triangle(j+1, a)-triangle(j+1, b), 2)
		}
		return math.Sqrt(sum)
	}
	// The first two waves at (±base, 0), the third, as far from both, at (0, height).
	base := distance(7, 15) / 2
	height := math.Sqrt(math.Pow(distance(7, 11), 2) - base*base)
	if math.Abs(distance(7, 11)-distance(15, 11)) > 1e-12 {
		t.Fatal("the third wave is nearer to one of the others")
	}
	waves := [3][2]float64{{-base, 0}, {base, 0}, {0, height}}
	density := func(x, y float64, a, b int) float64 {
		return simpson(60, func(u float64) float64 {
			dx := x - u*waves[a][0] - (1-u)*waves[b][0]
			dy := y - u*waves[a][1] - (1-u)*waves[b][1]
			return math.Exp(-(dx*dx + dy*dy) / 2)
		}) / (2 * math.Pi)
	}
	const step = 0.15
	var right, mass float64
	for x := -base - 5; x < base+5; x += step {
		for y := -5.; y < height+5; y += step {
			a, b, c := density(x, y, 0, 1), density(x, y, 0, 2), density(x, y, 1, 2)
			right += max(a, b, c) * step * step / 3
			mass += (a + b + c) * step * step / 3
		}
	}
	if math.Abs(mass-1) > 1e-5 {
		t.Fatalf("the densities' integral is %v", mass)
	}
	got := Waveform{}.Bayes().Error()
	if want := 1 - right; math.Abs(got-want) > 1e-4 {
		t.Errorf("%v, want %v", got, want)
	}
	if math.Abs(got-0.14) > 0.01 {
		t.Errorf("%v, want 0.14", got)
	}
}

// TestLogPhiBetween: scipy 1.17.1, from log_ndtr of both ends.
func TestLogPhiBetween(t *testing.T) {
	for _, c := range []struct{ lo, hi, want, most float64 }{
		{-1, 1, -0.38171514630212616, 1e-12},
		{-3, -1, -1.8495664205476081, 1e-12},
		{1, 3, -1.8495664205476081, 1e-12},
		{-20, -8, -35.01343715991456, 1e-9},
		{8, 20, -35.01343715991456, 1e-9},
		{31, 47, -484.8539636271794, 2e-3},
		{50, 60, -1254.8313611394199, 1e-3}, // where erfc is 0
		{-2000, -1990, -1980058.5148287034, 1e-6},
	} {
		if got := logPhiBetween(c.lo, c.hi); !(math.Abs(got-c.want) <= c.most) {
			t.Errorf("from %v to %v: %v, want %v", c.lo, c.hi, got, c.want)
		}
	}
}
