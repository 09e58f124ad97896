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
		gotBias2, gotVariance, gotError := KohaviWolpert(predictions, truth)
		if !same(gotBias2, bias2/rows) || !same(gotVariance, 1-squares/rows) || !same(gotError, err) {
			t.Fatalf("bias² %v, variance %v, error %v; want %v, %v, %v",
				gotBias2, gotVariance, gotError, bias2/rows, 1-squares/rows, err)
		}
		if !same(gotBias2+gotVariance*models/(models-1), 2*gotError) {
			t.Fatalf("bias² %v and variance %v of %v models don't add up to twice the error, %v",
				gotBias2, gotVariance, models, gotError)
		}
	})
}

func TestKohaviWolpertByHand(t *testing.T) {
	for i, c := range []struct {
		predictions [][]int32
		truth       []int32
		want        [3]float64 // bias², variance, error
	}{
		// Always right, and always wrong in the same way.
		{[][]int32{{0, 1}, {0, 1}}, []int32{0, 1}, [3]float64{0, 0, 0}},
		{[][]int32{{1, 1}, {1, 1}, {1, 1}}, []int32{0, 0}, [3]float64{2, 0, 1}},
		// Three of four models are right: p = (¾, ¼), so bias² is 2/16 less
		// 2·3/16/3, and the variance 1 − 10/16.
		{[][]int32{{5}, {5}, {2}, {5}}, []int32{5}, [3]float64{0, 0.375, 0.25}},
		// A fair coin between two classes: bias² ½ less ½/(2 − 1).
		{[][]int32{{0}, {1}}, []int32{0}, [3]float64{0, 0.5, 0.5}},
	} {
		bias2, variance, err := KohaviWolpert(c.predictions, c.truth)
		if !same(bias2, c.want[0]) || !same(variance, c.want[1]) || !same(err, c.want[2]) {
			t.Errorf("%d: %v, %v, %v, want %v", i, bias2, variance, err, c.want)
		}
	}
	bias2, variance, err := KohaviWolpert([][]int32{{0, 1}}, []int32{0, 0})
	if !math.IsNaN(bias2) || variance != 0 || err != 0.5 {
		t.Errorf("a single model: %v, %v, %v", bias2, variance, err)
	}
}
