package eval

import (
	"math"
	"testing"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"pgregory.net/rapid"
)

// drawModels returns predictions of at least two models among up to four
// classes, and the truth.
func drawModels(t *rapid.T) (predictions [][]int32, truth []int32) {
	n := rapid.IntRange(1, 12).Draw(t, "rows")
	labels := rapid.SliceOfN(rapid.Int32Range(0, 3), n, n)
	return rapid.SliceOfN(labels, 2, 8).Draw(t, "predictions"), labels.Draw(t, "truth")
}

// TestKohaviWolpertByDefinition computes equations 26 to 29 of the GRAF paper as they
// are written.
func TestKohaviWolpertByDefinition(t *testing.T) {
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	rapid.Check(t, func(t *rapid.T) {
		predictions, truth := drawModels(t)
		models, rows := float64(len(predictions)), float64(len(truth))
		var bias2, squares, err float64
		for i, y := range truth {
			for j := range int32(4) {
				var p float64 // (26)
				for _, pred := range predictions {
					p += is(pred[i] == j) / models
				}
				bias2 += math.Pow(is(y == j)-p, 2) - p*(1-p)/(models-1) // (27)
				squares += p * p
			}
		}
		for _, pred := range predictions {
			err += Error(pred, truth) / models // (29)
		}
		got := KohaviWolpert(predictions, truth)
		if !same(got.Bias2, bias2/rows) || !same(got.Variance, 1-squares/rows) || !same(got.Error, err) {
			t.Fatalf("%+v; want bias² %v, variance %v, error %v", got, bias2/rows, 1-squares/rows, err)
		}
		if !same(got.Bias2+got.Variance*models/(models-1), 2*got.Error) {
			t.Fatalf("%+v of %v models: bias² and variance don't add up to twice the error", got, models)
		}
	})
}

func TestKohaviWolpertByHand(t *testing.T) {
	for i, c := range []struct {
		predictions [][]int32
		truth       []int32
		want        BiasVariance
	}{
		// Always right, and always wrong in the same way.
		{[][]int32{{0, 1}, {0, 1}}, []int32{0, 1}, BiasVariance{0, 0, 0}},
		{[][]int32{{1, 1}, {1, 1}, {1, 1}}, []int32{0, 0}, BiasVariance{2, 0, 1}},
		// Three of four models are right: p = (¾, ¼), so bias² is 2/16 less
		// 2·3/16/3, and the variance 1 − 10/16.
		{[][]int32{{5}, {5}, {2}, {5}}, []int32{5}, BiasVariance{0, 0.375, 0.25}},
		// A fair coin between two classes: bias² ½ less ½/(2 − 1).
		{[][]int32{{0}, {1}}, []int32{0}, BiasVariance{0, 0.5, 0.5}},
	} {
		got := KohaviWolpert(c.predictions, c.truth)
		if !same(got.Bias2, c.want.Bias2) || !same(got.Variance, c.want.Variance) || !same(got.Error, c.want.Error) {
			t.Errorf("%d: %+v, want %+v", i, got, c.want)
		}
	}
	if got := KohaviWolpert([][]int32{{0, 1}}, []int32{0, 0}); !math.IsNaN(got.Bias2) || got.Variance != 0 || got.Error != 0.5 {
		t.Errorf("a single model: %+v", got)
	}
}
