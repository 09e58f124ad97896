package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"pgregory.net/rapid"
)

// Any instructions give the same bounds, those of the sorted cells, and the same sums.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 40).Draw(t, "features")
		n := rapid.IntRange(1, 3*boundsRows).Draw(t, "rows")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "cells"), 1))
		p := newPlanesAndRows(rng, m, 1, 50, n)
		least, greatest, sums := make([]float32, m), make([]float32, m), make([]float64, m)
		for _, way := range ways() {
			for j := range m { // what is in them before doesn't matter
				least[j], greatest[j], sums[j] = -99, 99, math.NaN()
			}
			way.use()
			Bounds(least, greatest, sums, p.cells, p.rows)
			way.restore()
			for j := range m {
				var col []float32
				sum := 0.0
				for _, r := range p.rows {
					v := p.cells[int(r)*m+j]
					col = append(col, v)
					sum += float64(v)
				}
				slices.Sort(col)
				if least[j] != col[0] || greatest[j] != col[n-1] || sums[j] != sum {
					t.Fatalf("%s: feature %d is in %v … %v with sum %v, want %v … %v with sum %v",
						way.name, j, least[j], greatest[j], sums[j], col[0], col[n-1], sum)
				}
			}
		}
	})
}

func BenchmarkBounds(b *testing.B) {
	for _, c := range []struct{ m, rows int }{{784, 5000}, {20, 1000}, {5, 1000}} {
		p := newPlanesAndRows(rand.New(rand.NewPCG(1, 2)), c.m, 1, c.rows, c.rows)
		least, greatest, sums := make([]float32, c.m), make([]float32, c.m), make([]float64, c.m)
		for _, way := range ways() {
			b.Run(fmt.Sprintf("p=%d/%s", c.m, way.name), func(b *testing.B) {
				way.use()
				defer way.restore()
				for b.Loop() {
					Bounds(least, greatest, sums, p.cells, p.rows)
				}
				b.ReportMetric(float64(b.N)*float64(c.m*c.rows)/b.Elapsed().Seconds()/1e9, "Gcells/s")
			})
		}
	}
}
