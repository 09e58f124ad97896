package godt_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

// Cells, values and weights of any magnitude are learned from, or refused.
func TestAnyMagnitude(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := rapid.IntRange(2, 60).Draw(t, "n"), rapid.SampledFrom([]int{1, 2, 3, 6, 40}).Draw(t, "p")
		d := table(n, p, 2, rapid.Uint64().Draw(t, "data"))
		scales := make([]float64, d.P())
		for j := range scales {
			scales[j] = math.Pow(10, float64(rapid.IntRange(-45, 38).Draw(t, "magnitude")))
		}
		d = mapped(d, func(j int, v float32) float32 {
			return float32(max(-math.MaxFloat32, min(math.MaxFloat32, scales[j]*float64(v))))
		})
		dividers := allDividers
		if rapid.Bool().Draw(t, "values") {
			dividers, d = linearDividers, valued(d)
		}
		if rapid.Bool().Draw(t, "weights") {
			scale := math.Pow(10, float64(rapid.IntRange(-44, 37).Draw(t, "magnitude of weights")))
			d = weighted(d)
			for i := range d.Weights {
				d.Weights[i] = float32(float64(d.Weights[i]) * scale)
			}
		}
		l := drawLearner(t, dividers, d.P())
		f, err := l.Fit(context.Background(), d)
		if err == nil {
			fittest.Sound(t, f, d)
		} else if !strings.HasPrefix(err.Error(), "go") && !strings.HasPrefix(err.Error(), "gq") {
			t.Fatal(err)
		}
	})
}
