package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// planesAndRows are planes in panels and rows, for tests of [Sides].
type planesAndRows struct {
	m, planes           int
	cells               []float32
	rows                []int32
	weights, thresholds []float32
}

func newPlanesAndRows(rng *rand.Rand, m, planes, all, n int) *planesAndRows {
	panels := (planes + Panel - 1) / Panel
	p := &planesAndRows{
		m: m, planes: planes, cells: normals(rng, all*m), rows: make([]int32, n),
		weights: normals(rng, panels*Panel*m), thresholds: make([]float32, panels*Panel),
	}
	for i := range p.rows {
		p.rows[i] = int32(rng.IntN(all))
	}
	return p
}

// sum returns the sum of a row for plane k, rounded product by product.
func (p *planesAndRows) sum(row, k int) (sum float32) {
	for j, v := range p.cells[row*p.m:][:p.m] {
		product := float32(v * p.weights[(k/Panel*p.m+j)*Panel+k%Panel])
		sum = float32(sum + product)
	}
	return sum
}

// Vector instructions and Go loops compute the same sides for every row and plane, those of
// sums that are rounded product by product.
func TestSidesAreTheSameByAnyInstructions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 70).Draw(t, "M")
		n := rapid.IntRange(0, 80).Draw(t, "rows")
		planes := rapid.IntRange(1, 3*Panel).Draw(t, "planes")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "cells"), 1))
		p := newPlanesAndRows(rng, m, planes, 50, n)
		for k := range p.thresholds { // the sum of one row, so that rounding decides
			p.thresholds[k] = p.sum(0, k)
		}
		want := func(i, k int) uint8 {
			if p.sum(int(p.rows[i]), k) > p.thresholds[k] {
				return 1
			}
			return 0
		}
		check := func(name string, dst []uint8) {
			for i, r := range p.rows {
				for k := range planes {
					got := dst[k/8*n+i] >> (k % 8) & 1
					if got != want(i, k) {
						t.Fatalf("%s: row %d is on side %d of plane %d, want %d", name, i, got, k, want(i, k))
					}
					if r == 0 && got != 0 {
						t.Fatalf("%s: a row on its own threshold lies on the right", name)
					}
				}
			}
		}
		const guard = 0xa5
		fresh := func() []uint8 {
			dst := make([]uint8, (planes+7)/8*n+16)
			for i := range dst {
				dst[i] = guard
			}
			return dst
		}
		for _, way := range ways() {
			dst := fresh()
			way.use()
			Sides(dst, p.cells, m, p.rows, p.weights, p.thresholds, planes)
			way.restore()
			check(way.name, dst)
			for _, b := range dst[(planes+7)/8*n:] {
				if b != guard {
					t.Fatalf("%s: bytes beyond the last were written", way.name)
				}
			}
		}
	})
}

// Rows of MNIST's width and of a narrow table's, in a cache and beyond it.
func BenchmarkSides(b *testing.B) {
	for _, c := range []struct{ m, all, rows, planes int }{
		{784, 30000, 2000, 784}, {784, 64, 64, 784}, {20, 100000, 100000, 20}, {20, 1000, 1000, 20}, {5, 1000, 1000, 5},
	} {
		p := newPlanesAndRows(rand.New(rand.NewPCG(1, 2)), c.m, c.planes, c.all, c.rows)
		dst := make([]uint8, (c.planes+7)/8*c.rows)
		for _, way := range ways() {
			b.Run(fmt.Sprintf("p=%d/n=%d/rows=%d/%s", c.m, c.all, c.rows, way.name), func(b *testing.B) {
				way.use()
				defer way.restore()
				for b.Loop() {
					Sides(dst, p.cells, c.m, p.rows, p.weights, p.thresholds, c.planes)
				}
				products := float64(c.rows) * float64(c.m*c.planes) * float64(b.N)
				b.ReportMetric(products/b.Elapsed().Seconds()/1e9, "Gproducts/s")
			})
		}
	}
}
