package forest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "n")
		s := Sampling{
			Fraction: rapid.OneOf(rapid.SampledFrom([]float64{0, 1, 0.5, 1e-9}), rapid.Float64Range(0, 3)).Draw(t, "fraction"),
			Replace:  rapid.Bool().Draw(t, "replace"),
			Seed:     rapid.Uint64().Draw(t, "seed"),
		}
		tree := rapid.IntRange(0, 1000).Draw(t, "tree")
		counts := s.Counts(nil, n, tree)
		stale := slices.Repeat([]uint16{9}, n+5)
		if got := s.Counts(stale, n, tree); !slices.Equal(got, counts) || &got[0] != &stale[0] {
			t.Fatalf("counts %v, into a used slice %v", counts, got)
		}
		sum := 0
		for _, c := range counts {
			sum += int(c)
		}
		want := max(1, int(math.Floor(s.Fraction*float64(n)+0.5)))
		switch {
		case s.Fraction == 0:
			want = n
		case !s.Replace:
			want = min(want, n)
		}
		if len(counts) != n || sum != want {
			t.Fatalf("%d counts, %d rows in all, want %d and %d", len(counts), sum, n, want)
		}
		if (!s.Replace || s.Fraction == 0) && slices.Max(counts) > 1 {
			t.Fatalf("without replacement: %v", counts)
		}
	})
}

func TestCountsStopAtWhatTheyHold(t *testing.T) {
	counts := Sampling{Fraction: 1e5, Replace: true}.Counts(nil, 2, 0)
	if counts[0] != math.MaxUint16 || counts[1] != math.MaxUint16 {
		t.Errorf("counts %v", counts)
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
		{Bootstrap(0), 3, func(c []uint16) float64 {
			return 6 / factorial[c[0]] / factorial[c[1]] / factorial[c[2]] / 27
		}, 9},
		{Sampling{Fraction: 0.4}, 5, func([]uint16) float64 { return 0.1 }, 9},
	}
	const draws = 30000
	for _, c := range cases {
		for _, byTree := range []bool{true, false} {
			seen := map[string]int{}
			chi := float64(0)
			prob := map[string]float64{}
			for i := range draws {
				s, tree := c.s, i
				if !byTree {
					s.Seed, tree = uint64(i), 0
				}
				counts := s.Counts(nil, c.n, tree)
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
