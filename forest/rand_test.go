package forest

import (
	"math"
	"testing"
)

// The first numbers of SplitMix64 from state 1234567, as published with
// Vigna's reference code splitmix64.c and its ports.
func TestRandIsSplitMix64(t *testing.T) {
	r := Rand{1234567}
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		if got := r.Uint64(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

func TestStreamsOfOtherNamesDiffer(t *testing.T) {
	seen := map[uint64][]uint64{}
	add := func(words ...uint64) {
		r := NewRand(words...)
		first := r.Uint64()
		if other, ok := seen[first]; ok {
			t.Errorf("streams %v and %v begin alike", words, other)
		}
		seen[first] = words
	}
	for a := range uint64(60) {
		add(a)
		for b := range uint64(60) {
			add(a, b)
			add(a, b, 1)
		}
	}
	add(math.MaxUint64)
	add(math.MaxUint64, math.MaxUint64)
}

// upper returns the 1 − 1e-5 quantile of χ² with df degrees of freedom, by
// Wilson and Hilferty.
func upper(df int) float64 {
	const z = 4.2649
	v := 2 / (9 * float64(df))
	return float64(df) * math.Pow(1-v+z*math.Sqrt(v), 3)
}

func TestIntnAndFloat64AreUniform(t *testing.T) {
	const draws = 100000
	for _, n := range []int{1, 2, 7, 10, 64} {
		// The first numbers of many streams, as trees and nodes draw them.
		ints, floats := make([]float64, n), make([]float64, n)
		for i := range draws {
			r := NewRand(5, uint64(i))
			ints[r.Intn(n)]++
			f := r.Float64()
			if f < 0 || f >= 1 {
				t.Fatalf("Float64 gives %v", f)
			}
			floats[int(f*float64(n))]++
		}
		for name, counts := range map[string][]float64{"Intn": ints, "Float64": floats} {
			chi, want := 0.0, float64(draws)/float64(n)
			for _, c := range counts {
				chi += (c - want) * (c - want) / want
			}
			if n > 1 && chi > upper(n-1) {
				t.Errorf("%s of %d: χ² = %.1f", name, n, chi)
			}
		}
	}
	r := NewRand(1)
	for range 1000 {
		if i := r.Intn(1 << 32); i < 0 || i >= 1<<32 {
			t.Fatalf("Intn(2³²) gives %d", i)
		}
	}
}

// All 10 sets of 3 of 5 numbers are equally likely.
func TestChooseIsUniform(t *testing.T) {
	const draws = 20000
	count := map[[3]int32]float64{}
	for i := range draws {
		r := NewRand(9, uint64(i))
		var set [3]int32
		r.Choose(set[:], 5)
		if !(0 <= set[0] && set[0] < set[1] && set[1] < set[2] && set[2] < 5) {
			t.Fatalf("chose %v; want three of 0 to 4, ascending", set)
		}
		count[set]++
	}
	var chi float64
	for _, c := range count {
		chi += (c - draws/10) * (c - draws/10) / (draws / 10)
	}
	if len(count) != 10 || chi > upper(9) {
		t.Errorf("%d different sets, χ² = %v; want 10, at most %v", len(count), chi, upper(9))
	}
}

// The moments of the standard normal distribution are 0, 1, 0 and 3.
func TestNormalMoments(t *testing.T) {
	skipShort(t)
	const draws = 200000
	r := NewRand(3)
	var m [5]float64
	for range draws {
		x := r.Normal()
		for k := 1; k <= 4; k++ {
			m[k] += math.Pow(x, float64(k)) / draws
		}
	}
	// standard errors: 1/√n, √2/√n, √15/√n, √96/√n
	for k, want := range []float64{1: 0, 2: 1, 3: 0, 4: 3} {
		if se := []float64{0, 1, 1.42, 3.88, 9.8}[k] / math.Sqrt(draws); k > 0 && math.Abs(m[k]-want) > 4.5*se {
			t.Errorf("moment %d is %v, want %v ± %v", k, m[k], want, se)
		}
	}
}

func TestSkip(t *testing.T) {
	for _, n := range []int{0, 1, 7} {
		a, b := NewRand(3), NewRand(3)
		for range n {
			a.Uint64()
		}
		b.Skip(n)
		if a.Skip(0) != b.Skip(0) || a.Uint64() != b.Uint64() {
			t.Errorf("skipping %d numbers isn't drawing them", n)
		}
	}
}
