package forest

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func TestDecideByHand(t *testing.T) {
	proba := [][]float64{{0.95, 0.05}, {0.85, 0.15}, {0.5, 0.5}, {0.1, 0.9}}
	for _, c := range []struct {
		costs [][]float64
		want  []int32
	}{
		{[][]float64{{0, 1}, {1, 0}}, []int32{0, 0, 0, 1}},
		{[][]float64{{0, 1}, {10, 0}}, []int32{0, 1, 1, 1}}, // from a probability of 1/11 on
		{[][]float64{{0, 1}, {0, 0}}, []int32{0, 0, 0, 0}},
		{[][]float64{{1, 0}, {0, 1}}, []int32{1, 1, 0, 0}},        // mistakes pay
		{BalancedCosts([]float64{0.9, 0.1}), []int32{0, 1, 1, 1}}, // from a probability of 0.1 on
		{BalancedCosts([]float64{1, 0}), []int32{0, 0, 0, 0}},
	} {
		if got := Decide(proba, c.costs); !slices.Equal(got, c.want) {
			t.Errorf("costs %v: %v; want %v", c.costs, got, c.want)
		}
	}
	inf := math.Inf(1) // what may be of class 0 isn't predicted to be of class 1
	if got, want := Decide([][]float64{{0, 1}, {0.01, 0.99}}, [][]float64{{0, inf}, {1, 0}}),
		[]int32{1, 0}; !slices.Equal(got, want) {
		t.Errorf("with an infinite cost: %v; want %v", got, want)
	}
	three := [][]float64{{0.4, 0.35, 0.25}}
	costs := [][]float64{{0, 1, 1}, {1, 0, 1}, {4, 4, 0}} // 1.35, 1.4, 0.75
	if got := Decide(three, costs); got[0] != 2 {
		t.Errorf("class %d; want 2", got[0])
	}
	if got, want := BalancedCosts([]float64{0.5, 0.25, 0}), [][]float64{{0, 2, 2}, {4, 0, 4},
		{0, 0, 0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("costs %v; want %v", got, want)
	}
	if got := Decide(nil, nil); len(got) != 0 {
		t.Error(got)
	}
}

// No other prediction for the same row has a lower expected cost.
func TestDecideIsNotBeaten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 5).Draw(t, "classes")
		costs := matrix(rapid.SliceOfN(rapid.Float64Range(-3, 9), k*k, k*k).Draw(t, "costs"), k)
		proba := rapid.SliceOfN(rapid.Float64Range(0, 1), k, k).Draw(t, "probabilities")
		of := func(c int) (sum float64) {
			for t, p := range proba {
				sum += p * costs[t][c]
			}
			return sum
		}
		got := Decide([][]float64{proba}, costs)[0]
		for c := range k {
			if of(c) < of(int(got))-1e-9 {
				t.Fatalf("class %d costs %v, class %d only %v", got, of(int(got)), c, of(c))
			}
		}
	})
}

func TestDecideMisuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, costs := range [][][]float64{nil, {{0, 1}}, {{0, 1}, {1}}, {{0}, {1}}, {{0, nan}, {1, 0}},
		{{0, 1}, {-inf, 0}}} {
		readtest.WantPanic(t, "forest: ", func() { Decide([][]float64{{0.5, 0.5}}, costs) })
	}
	for _, share := range []float64{-0.1, nan} {
		readtest.WantPanic(t, "forest: a share of", func() { BalancedCosts([]float64{1, share}) })
	}
}
