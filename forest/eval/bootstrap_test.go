package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

type bootstrapCase struct {
	Name, Statistic string
	X               []float64
	Level           float64
	Percentile, BCa Interval
}

func (c bootstrapCase) statistic() func([]float64) float64 {
	return map[string]func([]float64) float64{"mean": Mean, "median": Median}[c.Statistic]
}

// An effect holds the results of PairedEffect.
type effect struct {
	Estimate        float64
	Percentile, BCa Interval
}

func of(estimate float64, percentile, bca Interval) effect { return effect{estimate, percentile, bca} }

// apart returns the largest distance of the ends of two intervals.
func apart(a, b Interval) float64 { return max(math.Abs(a.Low-b.Low), math.Abs(a.High-b.High)) }

// allSamples returns the statistic of every sample with replacement, each as often as it can be drawn.
func allSamples(x []float64, statistic func([]float64) float64) (values []float64) {
	sample := make([]float64, len(x))
	var draw func(i int)
	draw = func(i int) {
		if i == len(x) {
			values = append(values, statistic(sample))
			return
		}
		for _, v := range x {
			sample[i] = v
			draw(i + 1)
		}
	}
	draw(0)
	return values
}

// TestIntervalsLikeSciPy compares with SciPy 1.17.1's bootstrap for the exact distribution, of all
// samples, and then checks that random samples give nearly the same percentiles.
func TestIntervalsLikeSciPy(t *testing.T) {
	for _, c := range readSciPyCompare(t).Exact {
		b := Bootstrap{Level: c.Level, Samples: 50_000, Seed: 1}
		got := of(b.effect(c.X, allSamples(c.X, c.statistic()), c.statistic()))
		if !(apart(got.Percentile, c.Percentile) < 1e-12) || !(apart(got.BCa, c.BCa) < 1e-12) {
			t.Errorf("%s: %+v, SciPy has percentile %v, BCa %v", c.Name, got, c.Percentile, c.BCa)
		}
		drawn := of(b.PairedEffect(c.X, make([]float64, len(c.X)), c.statistic()))
		if drawn.Estimate != got.Estimate || !(apart(drawn.Percentile, got.Percentile) < 0.02) ||
			!(apart(drawn.BCa, got.BCa) < 0.03) {
			t.Errorf("%s: %+v of random samples, %+v of all", c.Name, drawn, got)
		}
	}
}

// TestRandomIntervalsLikeSciPy: 31 differences, of which SciPy and we draw 100,000 samples each.
// The standard error of such a quantile is about 0.003, and differences of the median are steps.
func TestRandomIntervalsLikeSciPy(t *testing.T) {
	for _, c := range readSciPyCompare(t).Random {
		got := of(Bootstrap{Samples: 100_000, Seed: 1}.PairedEffect(c.X, make([]float64, len(c.X)), c.statistic()))
		if !(apart(got.Percentile, c.Percentile) < 0.015) || !(apart(got.BCa, c.BCa) < 0.015) {
			t.Errorf("%s of %s: %+v, SciPy has percentile %v, BCa %v", c.Statistic, c.Name, got, c.Percentile, c.BCa)
		}
	}
}

// TestEffectMirrors: swapping the methods mirrors exact intervals of the mean, and adding a constant shifts
// them. Numbers are small multiples of 1/8, and there are four of them, so that no sum is rounded.
func TestEffectMirrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eighths := rapid.Map(rapid.IntRange(-20, 20), func(v int) float64 { return float64(v) / 8 })
		x := rapid.SliceOfN(eighths, 4, 4).Draw(t, "x")
		mirrored, shifted := make([]float64, 4), make([]float64, 4)
		for i, v := range x {
			mirrored[i], shifted[i] = -v, v+3
		}
		exact := func(x []float64) effect {
			return of(Bootstrap{Level: 0.9}.effect(x, allSamples(x, Mean), Mean))
		}
		e, m, s := exact(x), exact(mirrored), exact(shifted)
		for _, pair := range [][2]Interval{
			{m.Percentile, {-e.Percentile.High, -e.Percentile.Low}}, {m.BCa, {-e.BCa.High, -e.BCa.Low}},
			{s.Percentile, {e.Percentile.Low + 3, e.Percentile.High + 3}}, {s.BCa, {e.BCa.Low + 3, e.BCa.High + 3}},
		} {
			if !(apart(pair[0], pair[1]) < 1e-9) {
				t.Fatalf("%v: %+v; mirrored %+v, shifted %+v", x, e, m, s)
			}
		}
	})
}

func TestOddEffects(t *testing.T) {
	equal := of(Bootstrap{}.PairedEffect([]float64{0.1, 0.1, 0.1}, []float64{0, 0, 0}, Median))
	one := of(Bootstrap{}.PairedEffect([]float64{0.1}, []float64{0}, Mean))
	at := Interval{0.1, 0.1}
	if want := (effect{0.1, at, at}); equal != want || one != want {
		t.Errorf("equal differences: %+v, one: %+v", equal, one)
	}
	for _, e := range []effect{
		of(Bootstrap{}.PairedEffect(nil, nil, Mean)),
		of(Bootstrap{}.PairedEffect([]float64{1, math.NaN()}, []float64{0, 0}, Mean)),
	} {
		if !math.IsNaN(e.Estimate + e.Percentile.Low + e.Percentile.High + e.BCa.Low + e.BCa.High) {
			t.Errorf("no numbers: %+v", e)
		}
	}
	// With ties in the middle, leaving one out never changes the median; SciPy has NaN.
	ties := of(Bootstrap{}.PairedEffect([]float64{1, 2, 2, 2, 9}, make([]float64, 5), Median))
	if ties.Estimate != 2 || !(ties.BCa.Low >= 1 && ties.BCa.High <= 9) {
		t.Errorf("ties: %+v", ties)
	}
	above := of(Bootstrap{Level: 0.9}.effect([]float64{1, 2}, []float64{1, 2}, func([]float64) float64 { return 0 }))
	if !math.IsNaN(above.BCa.Low) || !math.IsNaN(above.BCa.High) || apart(above.Percentile, Interval{1.05, 1.95}) > 1e-12 {
		t.Errorf("all samples above the estimate: %+v", above)
	}
	for i, f := range []func(){
		func() { Bootstrap{}.PairedEffect([]float64{1}, nil, Mean) },
		func() { Bootstrap{Level: 1}.PairedEffect(nil, nil, Mean) },
		func() { Bootstrap{Level: math.NaN()}.PairedEffect(nil, nil, Mean) },
		func() { Bootstrap{Samples: -1}.PairedEffect(nil, nil, Mean) },
	} {
		mustPanic(t, i, f)
	}
}

func TestMedianByHand(t *testing.T) {
	x := []float64{5, 1, 3, 10}
	if Median(x) != 4 || Median(x[:3]) != 3 || x[0] != 5 || !math.IsNaN(Median(nil)) ||
		!math.IsNaN(Median([]float64{1, math.NaN()})) {
		t.Errorf("medians %v, %v of %v", Median(x), Median(x[:3]), x)
	}
}

func BenchmarkPairedEffect(b *testing.B) {
	x := make([]float64, 100)
	for i := range x {
		x[i] = float64(i * i % 37)
	}
	for name, statistic := range map[string]func([]float64) float64{"mean": Mean, "median": Median} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Bootstrap{}.PairedEffect(x, make([]float64, 100), statistic)
			}
		})
	}
}
