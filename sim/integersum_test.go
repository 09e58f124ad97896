package sim

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestIntegerFeatures checks by χ² that features are uniform on their values, and
// that nothing else is drawn.
func TestIntegerFeatures(t *testing.T) {
	const n = 60000
	for _, c := range []struct {
		of     sampler
		values []int     // of each feature
		step   []float64 // between values
	}{
		{SelectionBias{}, []int{129, 65, 33, 17, 9}, []float64{1, 1, 1, 1, 1}},
		{SelectionBias{EqualScale: true}, []int{129, 65, 33, 17, 9}, []float64{1. / 16, 1. / 8, 1. / 4, 1. / 2, 1}},
		{NoiseFeatures{Features: 3, Noise: 2}, []int{5, 5, 5}, []float64{1, 1, 1}},
	} {
		d := c.of.Sample(n, 6)
		if d.P() != len(c.values) {
			t.Fatalf("%s: %d features, want %d", name(c.of), d.P(), len(c.values))
		}
		for j, col := range d.Columns {
			counts := map[float64]int{}
			for _, v := range col {
				counts[float64(v)]++
			}
			var chi2 float64
			expected, seen := n/float64(c.values[j]), 0
			for k := range c.values[j] {
				count := counts[float64(k)*c.step[j]]
				seen += count
				chi2 += math.Pow(float64(count)-expected, 2) / expected
			}
			if p := 1 - (distuv.ChiSquared{K: float64(c.values[j] - 1)}).CDF(chi2); p < 1e-4 || seen != n {
				t.Errorf("%s: feature %d has χ² = %.1f, p = %.2g, and %d other values", name(c.of), j, chi2, p, n-seen)
			}
		}
	}
}

// TestIntegerLabels computes the probabilities from the definition, the median
// from the largest sums: 248/2, 40/2 and 4·3/2.
func TestIntegerLabels(t *testing.T) {
	for _, c := range []struct {
		of     problem
		used   int // features that matter
		median float64
	}{
		{SelectionBias{}, 5, 124},
		{SelectionBias{EqualScale: true}, 5, 20},
		{SelectionBias{Null: true}, 0, 0},
		{NoiseFeatures{Features: 5, Noise: 2}, 3, 6},
	} {
		d := c.of.Sample(500, 2)
		for i := range d.N() {
			x := d.Row(nil, i)
			var eta float64
			for _, v := range x[:c.used] {
				eta += float64(v)
			}
			want := 1 / (1 + math.Exp(c.median-eta))
			if got := c.of.Bayes().Posterior(x); math.Abs(got[1]-want) > 1e-12 || math.Abs(got[0]-(1-want)) > 1e-12 {
				t.Fatalf("%s at %v: %v, want %v for class 1", name(c.of), x, got, want)
			}
		}
	}
}

// TestSameFeatures checks what the settings share with one seed.
func TestSameFeatures(t *testing.T) {
	plain := SelectionBias{}.Sample(300, 1)
	if null := (SelectionBias{Null: true}).Sample(300, 1); !reflect.DeepEqual(plain.Columns, null.Columns) {
		t.Error("Null changes the features")
	}
	equal := SelectionBias{EqualScale: true}.Sample(300, 1)
	for j, scale := range []float32{1. / 16, 1. / 8, 1. / 4, 1. / 2, 1} {
		for i, v := range plain.Columns[j] {
			if equal.Columns[j][i] != v*scale {
				t.Fatalf("x%d of row %d is %v and with EqualScale %v", j+1, i, v, equal.Columns[j][i])
			}
		}
	}
	if a, b := (NoiseFeatures{}).Sample(300, 1),
		(NoiseFeatures{Noise: 27}).Sample(300, 1); !reflect.DeepEqual(a.Columns, b.Columns) {
		t.Error("Noise changes the features")
	}
}
