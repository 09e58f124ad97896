package forest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
)

func TestCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "n")
		s := Sampling{
			Fraction: rapid.OneOf(rapid.SampledFrom([]float64{0, 1, 0.5, 1e-9}), rapid.Float64Range(0, 1)).Draw(t,
				"fraction"),
			WithoutReplacement: rapid.Bool().Draw(t, "without replacement"),
		}
		seed := rapid.Uint64().Draw(t, "seed")
		tree := rapid.IntRange(0, 1000).Draw(t, "tree")
		counts := s.Counts(nil, n, seed, tree)
		stale := slices.Repeat([]uint16{9}, n+5)
		if got := s.Counts(stale, n, seed, tree); !slices.Equal(got, counts) || &got[0] != &stale[0] {
			t.Fatalf("counts %v, into a used slice %v", counts, got)
		}
		sum := 0
		for _, c := range counts {
			sum += int(c)
		}
		want := max(1, int(math.Floor(s.Fraction*float64(n)+0.5)))
		if s.Fraction == 0 {
			want = n
		}
		if len(counts) != n || sum != want {
			t.Fatalf("%d counts, %d rows in all, want %d and %d", len(counts), sum, n, want)
		}
		if s.all(n) != (s.WithoutReplacement && want == n) {
			t.Fatalf("every tree sees every row: %v", s.all(n))
		}
		if s.WithoutReplacement && slices.Max(counts) > 1 {
			t.Fatalf("without replacement: %v", counts)
		}
	})
}

func TestSamplingCheck(t *testing.T) {
	for _, fraction := range []float64{0, 1, 0.5, 1e-300} {
		if err := (Sampling{Fraction: fraction}).Check(); err != nil {
			t.Error(err)
		}
	}
	for _, fraction := range []float64{-0.1, 1.001, math.NaN(), math.Inf(1)} {
		if err := (Sampling{Fraction: fraction}).Check(); err == nil || !strings.Contains(err.Error(), fmt.Sprint(fraction)) {
			t.Errorf("%v: error %v", fraction, err)
		}
	}
}

// Every outcome has its probability: for the bootstrap of three rows 3!/∏c!/27,
// without replacement the same for each of the C(5, 2) pairs. Outcomes of the
// trees of one forest are as independent as those of many seeds.
func TestCountsAreFair(t *testing.T) {
	factorial := []float64{1, 1, 2, 6}
	cases := []struct {
		s    Sampling
		n    int
		prob func(counts []uint16) float64
		df   int
	}{
		{Sampling{}, 3, func(c []uint16) float64 {
			return 6 / factorial[c[0]] / factorial[c[1]] / factorial[c[2]] / 27
		}, 9},
		{Sampling{Fraction: 0.4, WithoutReplacement: true}, 5, func([]uint16) float64 { return 0.1 }, 9},
	}
	const draws = 30000
	for _, c := range cases {
		for _, byTree := range []bool{true, false} {
			seen := map[string]int{}
			chi := float64(0)
			prob := map[string]float64{}
			for i := range draws {
				seed, tree := uint64(0), i
				if !byTree {
					seed, tree = uint64(i), 0
				}
				counts := c.s.Counts(nil, c.n, seed, tree)
				seen[fmt.Sprint(counts)]++
				prob[fmt.Sprint(counts)] = c.prob(counts)
			}
			for k, n := range seen {
				want := draws * prob[k]
				chi += (float64(n) - want) * (float64(n) - want) / want
			}
			if len(seen) != c.df+1 || chi > upper(c.df) {
				t.Errorf("%+v by tree %v: %d outcomes, χ²(%d) = %.1f", c.s, byTree, len(seen), c.df, chi)
			}
		}
	}
}

func TestLeafCountsOfWeightlessRows(t *testing.T) {
	train := &datasets.Dataset{Weights: []float32{0, 1, 0, 2, 0}, Labels: make([]int32, 5)}
	for seed := range uint64(40) {
		f := &Forest{Rows: 5, Seed: seed, Sampling: Sampling{Fraction: 0.2}} // one row
		want := []uint16{0, 1, 0, 1, 0}                                      // if a row of weight 0 is drawn
		if drawn := f.Sampling.Counts(nil, 5, seed, 0); drawn[1]+drawn[3] > 0 {
			want = drawn
		}
		if got := f.LeafCounts(nil, train, 0); !slices.Equal(got, want) {
			t.Errorf("seed %d: counts %v; want %v", seed, got, want)
		}
	}
}
