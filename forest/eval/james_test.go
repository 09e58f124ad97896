package eval

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func sameJames(a, b James) bool {
	return same(a.Bias, b.Bias) && same(a.Variance, b.Variance) && same(a.SystematicEffect, b.SystematicEffect) &&
		same(a.VarianceEffect, b.VarianceEffect) && same(a.Bayes, b.Bayes) && same(a.Error, b.Error)
}

// TestJamesByDefinition enumerates every row, model and label with its probability.
func TestJamesByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, models := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 7).Draw(t, "models")
		classes := rapid.IntRange(1, 4).Draw(t, "classes")
		model := rapid.SliceOfN(rapid.Int32Range(0, int32(classes-1)), rows, rows)
		predictions := rapid.SliceOfN(model, models, models).Draw(t, "predictions")
		posterior := make([][]float64, rows)
		for i := range posterior {
			weights := rapid.SliceOfN(rapid.IntRange(0, 4), classes, classes).Draw(t, "weights")
			weights[0]++
			sum := 0
			for _, w := range weights {
				sum += w
			}
			for _, w := range weights {
				posterior[i] = append(posterior[i], float64(w)/float64(sum))
			}
		}
		var want James
		for i, p := range posterior {
			var counts [4]int
			for _, pred := range predictions {
				counts[pred[i]]++
			}
			mode := slices.Index(counts[:], slices.Max(counts[:]))
			share := 1 / float64(rows*models) // of a row and a model
			for _, pred := range predictions {
				if pred[i] != int32(mode) {
					want.Variance += share
				}
				if p[mode] != slices.Max(p) {
					want.Bias += share
				}
				for y, py := range p {
					if int(pred[i]) != y {
						want.Error += share * py
					}
					if y != mode { // the error of h̄, less that of h*
						want.SystematicEffect += share * py
					}
				}
				want.Bayes += share * (1 - slices.Max(p))
			}
		}
		want.VarianceEffect = want.Error - want.SystematicEffect // the error of the models, less that of h̄
		want.SystematicEffect -= want.Bayes
		got := JamesDecomposition(predictions, posterior)
		if !sameJames(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
		if !same(got.Error, got.Bayes+got.SystematicEffect+got.VarianceEffect) {
			t.Fatalf("%+v: the parts don't add up to the error", got)
		}
	})
}
