package forest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/readtest"
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

// Each class has as many draws as the sampling draws of so many rows, and its rows are drawn as rows of a table of
// their own: of two classes of 3 rows and 1, the outcomes for the 3 have the bootstrap's probabilities.
func TestCountsWithinClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.Int32Range(0, 4), 1, 60).Draw(t, "labels")
		s := Sampling{Fraction: rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "fraction"),
			WithoutReplacement: rapid.Bool().Draw(t, "without replacement"), WithinClasses: true}
		counts := s.CountsOf(nil, labels, len(labels), rapid.Uint64().Draw(t, "seed"), 3)
		var rows, drawn [5]int
		for i, c := range counts {
			rows[labels[i]]++
			drawn[labels[i]] += int(c)
			if s.WithoutReplacement && c > 1 {
				t.Fatalf("without replacement: %v", counts)
			}
		}
		for class, n := range rows {
			if n > 0 && drawn[class] != s.size(n) {
				t.Fatalf("class %d has %d rows and %d draws; want %d", class, n, drawn[class], s.size(n))
			}
		}
	})
	seen, chi := map[string]int{}, 0.0
	const draws = 30000
	for i := range draws {
		counts := Sampling{WithinClasses: true}.CountsOf(nil, []int32{1, 0, 1, 1}, 4, 1, i)
		seen[fmt.Sprint(counts[0], counts[2], counts[3])]++
	}
	for text, n := range seen {
		ways := 6.0 // to draw each row once
		switch {
		case strings.Contains(text, "2"):
			ways = 3
		case strings.Contains(text, "3"):
			ways = 1
		}
		want := ways * draws / 27
		chi += (float64(n) - want) * (float64(n) - want) / want
	}
	if len(seen) != 10 || chi > upper(9) {
		t.Errorf("%d outcomes, χ²(9) = %.1f", len(seen), chi)
	}
}

func TestSamplingWithinClassesIsRefused(t *testing.T) {
	s := Sampling{WithinClasses: true}
	for _, d := range []*datasets.Dataset{{Values: []float64{1, 2}}, {Labels: []int32{0, 1}, Groups: []int32{0, 1}}} {
		if err := s.CheckData(d); err == nil {
			t.Errorf("no error for %+v", d)
		}
	}
	readtest.WantPanic(t, "forest: Counts of a sampling within classes", func() { s.Counts(nil, 2, 1, 0) })
}

func TestSamplingCheck(t *testing.T) {
	for _, fraction := range []float64{0, 1, 0.5, 1e-300} {
		if err := (Sampling{Fraction: fraction}).Check(); err != nil {
			t.Error(err)
		}
	}
	for _, fraction := range []float64{-0.1, 1.001, math.NaN(), math.Inf(1)} {
		readtest.WantError(t, (Sampling{Fraction: fraction}).Check(), fmt.Sprint(fraction))
	}
}

// Every outcome has its probability: for the bootstrap of three rows 3!/∏c!/27,
// without replacement the same for each of the C(5, 2) pairs. Outcomes of the
// trees of one forest are as independent as those of many seeds.
func TestCountsAreFair(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it")
	}
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
