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
