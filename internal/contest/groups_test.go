package contest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

// copies returns every loss as often as times says, in a group of its own, mixed up with the others so that the first
// ones of groups stay in order.
func copies(losses []float64, times int, rng *rand.Rand) (of []float64, groups []int32) {
	left := make([]int, len(losses))
	begun := 0
	for len(of) < times*len(losses) {
		g := rng.IntN(min(begun+1, len(losses)))
		if left[g] == times {
			continue
		}
		begun = max(begun, g+1)
		left[g]++
		of, groups = append(of, losses[g]), append(groups, int32(1000-g))
	}
	return of, groups
}

// Copies of a row tell nothing new, if they are a group.
func TestCopiesInGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.SampledFrom([]float64{0, 1, 0.25, math.NaN()})
		n := rapid.IntRange(1, 12).Draw(t, "rows")
		a, b := rapid.SliceOfN(number, n, n).Draw(t, "a"), rapid.SliceOfN(number, n, n).Draw(t, "b")
		seed, times := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 4).Draw(t, "times")
		manyA, groups := copies(a, times, rand.New(rand.NewPCG(seed, 1)))
		manyB, _ := copies(b, times, rand.New(rand.NewPCG(seed, 1)))
		same := func(got, want Difference) {
			if got.Units != want.Units || got.Higher != want.Higher || got.Lower != want.Lower ||
				math.Abs(got.Mean-want.Mean) > 1e-12 || math.Abs(got.StdErr-want.StdErr) > 1e-12 {
				t.Fatalf("%+v; want %+v", got, want)
			}
		}
		same(Compare(manyA, manyB, nil, groups), Compare(a, b, nil, nil))
		losses, many := [][]float64{a, b}, [][]float64{manyA, manyB}
		var samples, manySamples [][]int
		rule := func(samples *[][]int, losses [][]float64, groups []int32) func(rows []int) int {
			return func(rows []int) int {
				*samples = append(*samples, slices.Clone(rows))
				if Compare(losses[0], losses[1], rows, groups).Mean > 0 {
					return 1
				}
				return 0
			}
		}
		c, err := Choose(t.Context(), losses, nil, rule(&samples, losses, nil))
		d, manyErr := Choose(t.Context(), many, groups, rule(&manySamples, many, groups))
		if err != nil || manyErr != nil || len(samples) != len(manySamples) {
			t.Fatalf("errors %v, %v; %d and %d samples", err, manyErr, len(samples), len(manySamples))
		}
		for k := range samples {
			same(Compare(manyA, manyB, manySamples[k], groups), Compare(a, b, samples[k], nil))
		}
		for i, v := range []float64{d.Apparent, d.Low, d.High} {
			want := []float64{c.Apparent, c.Low, c.High}[i]
			if math.Abs(v-want) > 1e-12 || math.IsNaN(v) != math.IsNaN(want) || c.Chosen != d.Chosen {
				t.Fatalf("%+v; want %+v", d, c)
			}
		}
	})
}

// By hand: groups of 1 and 3 rows have differences 1 and 3·0 = 0. The mean over rows is 1/4, and the rests are
// 1 − 1/4 = 3/4 and 0 − 3/4, so the standard error is √(2/1·(9/16 + 9/16))/4 = 3/8.
func TestCompareGroupsOfTwoSizes(t *testing.T) {
	d := Compare([]float64{2, 2, 5, 2, nan}, []float64{2, 1, 5, 2, 1}, nil, []int32{7, 3, 7, 7, 3})
	if want := (Difference{Units: 2, Higher: 1, Mean: 0.25, StdErr: 0.375}); d != want {
		t.Errorf("%+v; want %+v", d, want)
	}
	if d := Compare([]float64{1, 2}, []float64{0, 0}, nil, []int32{0, 0}); d.Units != 1 || d.Mean != 0 || d.Z() != 0 {
		t.Errorf("one group: %+v", d)
	}
}

// Half of the groups are always right, the others always wrong: the error of new groups is 1/2. Of 40 groups of ten
// rows it has a standard error of 0.5/√40 = 0.079, which 400 independent rows would put at 0.025: an interval of ±1.96
// of these holds 1/2 with a probability of 0.46.
func TestIntervalsOfGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const trials = 300
	var with, without float64
	for range trials {
		var losses []float64
		var groups []int32
		for g := range int32(40) {
			losses = append(losses, slices.Repeat([]float64{float64(rng.IntN(2))}, 10)...)
			groups = append(groups, slices.Repeat([]int32{g}, 10)...)
		}
		first := func([]int) int { return 0 }
		c, err := Choose(t.Context(), [][]float64{losses}, groups, first)
		d, plain := Choose(t.Context(), [][]float64{losses}, nil, first)
		if err != nil || plain != nil {
			t.Fatal(err, plain)
		}
		if c.Low <= 0.5 && 0.5 <= c.High {
			with += 1. / trials
		}
		if d.Low <= 0.5 && 0.5 <= d.High {
			without += 1. / trials
		}
	}
	// The mean of the rows that are left out, 1/e of all, varies more than that of all rows: intervals are rather long.
	if with < 0.93 || without > 0.9 {
		t.Errorf("intervals hold 1/2 in %v of the trials, and %v without groups", with, without)
	}
}
