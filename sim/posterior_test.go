package sim

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestPosterior checks that probabilities add up to 1, that the Bayes rule takes
// a largest one, and that samples follow them: of the rows whose class c has a
// probability in a tenth of [0, 1], as many have class c as the probabilities
// add up to, within five standard deviations.
func TestPosterior(t *testing.T) {
	const n = 15000
	for _, p := range problems {
		d := p.Sample(n, 8)
		var sum, variance, hits [11]float64
		x, rule := make([]float32, d.P()), p.Bayes()
		for i := range n {
			probabilities := rule.Posterior(d.Row(x, i))
			if len(probabilities) != len(d.Classes) {
				t.Fatalf("%s: %d probabilities for %d classes", name(p), len(probabilities), len(d.Classes))
			}
			var total, largest float64
			for c, v := range probabilities {
				total += v
				largest = max(largest, v)
				bin := int(v * 10)
				sum[bin] += v
				variance[bin] += v * (1 - v)
				if int(d.Labels[i]) == c {
					hits[bin]++
				}
			}
			if math.Abs(total-1) > 1e-12 {
				t.Fatalf("%s: probabilities %v", name(p), probabilities)
			}
			if probabilities[rule.Class(x)] < largest-1e-12 {
				t.Fatalf("%s: the Bayes rule takes class %d of %v", name(p), rule.Class(x), probabilities)
			}
		}
		for bin := range sum {
			if math.Abs(hits[bin]-sum[bin]) > 5*math.Sqrt(variance[bin])+1e-6 {
				t.Errorf("%s: %v rows where %.1f are likely, probabilities in tenth %d", name(p), hits[bin], sum[bin], bin)
			}
		}
	}
}

// gaussian returns the density at x of independent normal numbers.
func gaussian(x []float32, sigma float64, mean func(j int) float64) float64 {
	density := 1.
	for j, v := range x {
		density *= distuv.Normal{Mu: mean(j), Sigma: sigma}.Prob(float64(v))
	}
	return density
}

// TestPosteriorFromDensities computes probabilities from the definitions of the
// problems: products of normal densities, and for Waveform an integral over the
// share of the first wave, by Simpson's rule.
func TestPosteriorFromDensities(t *testing.T) {
	constant := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	alternating := func(j int) float64 { return 2 / math.Sqrt(5) * float64(1-j%2*2) }
	for _, c := range []struct {
		of        problem
		densities func(x []float32) []float64
	}{
		{Twonorm{Features: 4}, func(x []float32) []float64 {
			return []float64{gaussian(x, 1, constant(1)), gaussian(x, 1, constant(-1))}
		}},
		{Threenorm{Features: 5}, func(x []float32) []float64 {
			return []float64{
				gaussian(x, 1, constant(2/math.Sqrt(5)))/2 + gaussian(x, 1, constant(-2/math.Sqrt(5)))/2,
				gaussian(x, 1, alternating),
			}
		}},
		{Ringnorm{Features: 4}, func(x []float32) []float64 {
			return []float64{gaussian(x, 2, constant(0)), gaussian(x, 1, constant(1))}
		}},
		{Ringnorm{Features: 9, Distance: 1}, func(x []float32) []float64 {
			return []float64{gaussian(x, 2, constant(0)), gaussian(x, 1, constant(1./3))}
		}},
		{Waveform{}, func(x []float32) []float64 {
			var densities []float64
			for _, peaks := range [][2]int{{7, 15}, {7, 11}, {11, 15}} {
				densities = append(densities, simpson(200, func(u float64) float64 {
					return gaussian(x, 1, func(j int) float64 {
						return u*triangle(j+1, peaks[0]) + (1-u)*triangle(j+1, peaks[1])
					})
				}))
			}
			return densities
		}},
	} {
		d := c.of.Sample(200, 4)
		for i := range d.N() {
			x := d.Row(nil, i)
			densities := c.densities(x)
			var sum float64
			for _, v := range densities {
				sum += v
			}
			for class, got := range c.of.Bayes().Posterior(x) {
				if want := densities[class] / sum; math.Abs(got-want) > 1e-6 {
					t.Fatalf("%s: class %d at %v has probability %v, want %v", name(c.of), class, x, got, want)
				}
			}
		}
	}
}

// simpson integrates f over [0, 1] with an even number of steps.
func simpson(steps int, f func(u float64) float64) float64 {
	sum := f(0) + f(1)
	for k := 1; k < steps; k++ {
		sum += f(float64(k)/float64(steps)) * float64(2+k%2*2)
	}
	return sum / float64(3*steps)
}

// TestPosteriorFarAway checks rows that no sample has: there probabilities stay
// numbers, and the class of the nearest mean (of the widest, for Ringnorm) wins.
func TestPosteriorFarAway(t *testing.T) {
	row := func(p int, v float32, at ...int) []float32 {
		x := make([]float32, p)
		for _, j := range at {
			x[j-1] = v
		}
		return x
	}
	for _, c := range []struct {
		of   problem
		x    []float32
		want int32
	}{
		{Twonorm{Features: 2}, row(2, 1e6, 1), 0},
		{Twonorm{Features: 2}, row(2, -1e6, 1, 2), 1},
		{Threenorm{Features: 2}, row(2, 1e6, 1, 2), 0},
		{Threenorm{Features: 2}, row(2, -1e6, 1, 2), 0},
		{Threenorm{Features: 2}, []float32{1e6, -1e6}, 1},
		{Ringnorm{}, row(10, 1e6, 3), 0},
		{GaussianClasses{}, row(2, 1e6, 1), 1},
		{quadraticClasses, row(2, 1e6, 1), 0},
		{Waveform{}, row(21, 1e4, 7, 15), 0},
		{Waveform{}, row(21, 1e4, 7, 11), 1},
		{Waveform{}, row(21, 1e4, 11, 15), 2},
	} {
		probabilities := c.of.Bayes().Posterior(c.x)
		if got := probabilities[c.want]; !(got > 0.99 && got <= 1) {
			t.Errorf("%s at %v: %v, want class %d", name(c.of), c.x, probabilities, c.want)
		}
	}
}
