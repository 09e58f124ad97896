package tao

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The fitted split has the least loss of all features, thresholds and orientations, and of sending all rows to one
// side, by trying all.
func TestAxisSplitIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := rapid.IntRange(2, 12).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "features")
		o, s := &optimizer{trainer: &trainer{}}, &scratch{}
		split := node{}
		for j := range p {
			column := rapid.SliceOfN(rapid.SampledFrom([]float32{-1, 0, 0.5, 3, math.MaxFloat32}), n, n).Draw(t, "cells")
			o.columns, split.features = append(o.columns, column), append(split.features, int32(j))
		}
		for i := range n {
			s.rows = append(s.rows, int32(i))
			s.sides = append(s.sides, rapid.SampledFrom([]int8{-1, 1}).Draw(t, "side"))
			s.weights = append(s.weights, float64(rapid.IntRange(1, 4).Draw(t, "weight")))
		}
		loss := func(right func(row int) bool) (sum float64) {
			for i, side := range s.sides {
				if right(i) != (side > 0) {
					sum += s.weights[i]
				}
			}
			return sum
		}
		least := min(loss(func(int) bool { return true }), loss(func(int) bool { return false }))
		for _, column := range o.columns {
			for i := range n {
				above := loss(func(row int) bool { return column[row] > column[i] })
				below := loss(func(row int) bool { return column[row] <= column[i] })
				if column[i] < slices.Max(column) {
					least = min(least, above, below)
				}
			}
		}
		o.solveAxis(s, &split)
		got := loss(func(row int) bool {
			var value float32
			for k, j := range split.fn.Features {
				value += split.fn.Weights[k] * o.columns[j][row]
			}
			return value > split.threshold
		})
		if got != least {
			t.Fatalf("loss %v, the least is %v", got, least)
		}
	})
}
