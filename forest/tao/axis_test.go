package tao

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/must"
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

// Axis-aligned splits have no penalty, so they don't depend on the units of features, and no pass raises the loss,
// whatever Lambda is. Powers of 2 leave rounding as it is.
func TestAxisSplitsHaveNoPenalty(t *testing.T) {
	ctx := t.Context()
	for name, d := range problems() {
		times := fittest.Times(d, 20)
		for _, acceptance := range []Acceptance{Strict, Free} {
			l := Learner{Trees: 3, Depth: 4, Passes: 8, AxisAligned: true, Lambda: 5, Acceptance: acceptance, Seed: 1}
			var h History
			f, g := must.Value(h.Fit(ctx, l, d)), must.Value(l.Fit(ctx, times))
			fittest.SameLeaves(t, fmt.Sprintf("%s, acceptance %d", name, acceptance), f, d, g, times)
			before := map[int]float64{}
			for _, p := range h.Passes() {
				if last, ok := before[p.Tree]; p.Penalty != 0 || ok && p.Loss > last*(1+1e-12) {
					t.Errorf("%s, acceptance %d, tree %d, pass %d: loss %v after %v, penalty %v", name, acceptance, p.Tree,
						p.Number, p.Loss, last, p.Penalty)
				}
				before[p.Tree] = p.Loss
			}
		}
	}
}
