package tao

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
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

// Without a penalty and with exact fits no pass raises the loss, though all fits are accepted. Splits have one feature.
func TestAxisAlignedTreesNeverGetWorse(t *testing.T) {
	d := sim.XOR{Cells: 3, Degrees: 20}.Sample(300, 1)
	for seed := range uint64(10) {
		var h History
		f := must.Value(h.Fit(t.Context(), Learner{Trees: 1, Depth: 5, Passes: 12, AxisAligned: true, Acceptance: Free,
			Seed: seed}, d))
		last := math.Inf(1)
		for _, p := range h.Passes() {
			if p.Loss > last+1e-9 {
				t.Errorf("seed %d, pass %d: loss %v after %v", seed, p.Number, p.Loss, last)
			}
			last = p.Loss
		}
		for _, n := range f.Trees[0].Nodes {
			if !n.IsLeaf() && len(f.Trees[0].Splits.At(n.Split).Features) != 1 {
				t.Errorf("seed %d: a split of %d features", seed, len(f.Trees[0].Splits.At(n.Split).Features))
			}
		}
	}
}
