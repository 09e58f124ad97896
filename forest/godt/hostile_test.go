package godt_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// sound fails the test unless f can be written to a file and read again, and predicts classes or finite numbers for
// every row of d.
func sound(t rapid.TB, f *forest.Forest, d *datasets.Dataset) {
	t.Helper()
	var read forest.Forest
	if err := read.UnmarshalBinary(encoded(f)); err != nil {
		t.Fatal("the forest can't be read: ", err)
	}
	if d.Labels == nil {
		for i, v := range must.Value(f.PredictValues(context.Background(), d)) {
			if v-v != 0 {
				t.Fatalf("row %d: value %v; want a finite one", i, v)
			}
		}
		return
	}
	for i, y := range must.Value(f.Predict(context.Background(), d)) {
		if y < 0 || int(y) >= len(d.Classes) {
			t.Fatalf("row %d: label %d", i, y)
		}
	}
}

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
			sound(t, f, d)
		} else if !strings.HasPrefix(err.Error(), "go") && !strings.HasPrefix(err.Error(), "gq") {
			t.Fatal(err)
		}
	})
}
