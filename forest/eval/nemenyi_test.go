package eval

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// Demšar 2006, table 5a: critical values for 2 to 10 methods.
func TestCriticalValuesOfDemsar(t *testing.T) {
	for _, c := range []struct {
		alpha  float64
		values []float64
	}{
		{0.05, []float64{1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164}},
		{0.10, []float64{1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920}},
	} {
		for i, want := range c.values {
			k := i + 2
			// With k(k + 1) sets, √(k(k + 1)/6N) is √(1/6).
			got := Nemenyi(k, k*(k+1), c.alpha) * math.Sqrt(6)
			if math.Abs(got-want) > 0.001 {
				t.Errorf("%d methods at %v: %.4f, want %.3f", k, c.alpha, got, want)
			}
		}
	}
}

// testdata/scipy_range.json is made by scipy_range.py with SciPy 1.17.1.
func TestStudentizedRangeLikeSciPy(t *testing.T) {
	var cases []struct {
		K    int
		P, Q float64
	}
	must.Do(json.Unmarshal(must.Value(os.ReadFile("../../testdata/scipy_range.json")), &cases))
	for _, c := range cases {
		if got := studentizedRange(c.K, c.P); math.Abs(got-c.Q) > 1e-8 {
			t.Errorf("quantile %v of the range of %d: %v, SciPy has %v", c.P, c.K, got, c.Q)
		}
	}
	if len(cases) == 0 {
		t.Error("no cases")
	}
}

// TestRangeOfTwo: the range of two normal numbers is the magnitude of one with variance 2, and the
// probability that n numbers lie within a wide range is 1.
func TestRangeOfTwo(t *testing.T) {
	for _, q := range []float64{0, 0.1, 1, 2.5, 6} {
		if got, want := rangeBelow(2, q), math.Erf(q/2); math.Abs(got-want) > 1e-14 {
			t.Errorf("below %v: %v, want %v", q, got, want)
		}
	}
	for _, k := range []int{2, 3, 50, 1000} {
		if got := rangeBelow(k, 100); math.Abs(got-1) > 1e-12 {
			t.Errorf("%d numbers are in a range of 100 with probability %v", k, got)
		}
	}
}

// TestCliquesCoverPairs: two methods share a group if and only if they are less than the difference
// apart, no group is part of another, and none has one method.
func TestCliquesCoverPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quarters := rapid.Map(rapid.IntRange(0, 40), func(v int) float64 { return float64(v) / 4 })
		ranks := rapid.SliceOf(quarters).Draw(t, "ranks")
		difference := float64(rapid.IntRange(1, 20).Draw(t, "difference")) / 4
		cliques := Cliques(ranks, difference)
		for i := range ranks {
			for j := range i {
				together := slices.ContainsFunc(cliques, func(c []int) bool {
					return slices.Contains(c, i) && slices.Contains(c, j)
				})
				if together != (math.Abs(ranks[i]-ranks[j]) < difference) {
					t.Fatalf("methods %d and %d of %v in %v", i, j, ranks, cliques)
				}
			}
		}
		for i, a := range cliques {
			if len(a) < 2 {
				t.Fatalf("method %d is a group by itself", a)
			}
			for j, b := range cliques {
				inside := !slices.ContainsFunc(a, func(m int) bool { return !slices.Contains(b, m) })
				if i != j && inside {
					t.Fatalf("%v is part of %v", a, b)
				}
			}
		}
	})
}
