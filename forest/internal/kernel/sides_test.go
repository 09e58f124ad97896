package kernel

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Vector instructions and Go loops compute the same sides for every row and plane, those of
// sums that are rounded product by product.
func TestSidesAreTheSameByAnyInstructions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 70).Draw(t, "M")
		n := rapid.IntRange(0, 40).Draw(t, "rows")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "cells"), 1))
		cells, weights := make([]float32, 50*m), make([]float32, Lanes*m)
		for i := range cells {
			cells[i] = float32(rng.NormFloat64())
		}
		for i := range weights {
			weights[i] = float32(rng.NormFloat64())
		}
		rows := make([]int32, n)
		var thresholds [Lanes]float32
		for i := range rows {
			rows[i] = int32(rng.IntN(50))
		}
		sum := func(row, k int) (sum float32) {
			for j, v := range cells[row*m:][:m] {
				product := float32(v * weights[Lanes*j+k])
				sum = float32(sum + product)
			}
			return sum
		}
		for k := range thresholds { // the sum of one row, so that rounding decides
			thresholds[k] = sum(0, k)
		}
		want := make([]uint8, n)
		for i, r := range rows {
			for k, threshold := range thresholds {
				if sum(int(r), k) > threshold {
					want[i] |= 1 << k
				}
			}
			if r == 0 && want[i] != 0 {
				t.Fatal("a row on its own threshold lies on the right")
			}
		}
		check := func(name string, dst []uint8, planes int) {
			for i := range dst {
				if mask := uint8(1<<planes - 1); dst[i]&mask != want[i]&mask {
					t.Fatalf("row %d: sides %08b by %s, want %08b in the last %d", i, dst[i], name, want[i], planes)
				}
			}
		}
		dst := make([]uint8, n)
		done := sidesFast(dst, cells, m, rows, weights, &thresholds)
		check("vectors", dst[:done], Lanes)
		sides8(dst, cells, m, rows, weights, &thresholds)
		check("eight", dst, Lanes)
		sides4(dst, cells, m, rows, weights, &thresholds)
		check("four", dst, 4)
		for planes := 1; planes <= Lanes; planes++ {
			clear(dst)
			Sides(dst, cells, m, rows, weights, &thresholds, planes)
			check("all of them", dst, planes)
		}
		plane := make([]float32, m)
		for k, threshold := range thresholds {
			for j := range plane {
				plane[j] = weights[Lanes*j+k]
			}
			Side1(dst, cells, m, rows, plane, threshold)
			for i := range rows {
				if dst[i] != want[i]>>k&1 {
					t.Fatalf("row %d: side %d of plane %d alone, want %d", i, dst[i], k, want[i]>>k&1)
				}
			}
		}
	})
}
