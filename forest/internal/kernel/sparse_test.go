package kernel

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The cells of four rows, added in two parts, make the sums of Linear over as many cells, by either implementation.
func TestAddSparse4(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, p := rapid.IntRange(0, 30).Draw(t, "cells"), 50
		part := rapid.IntRange(0, n).Draw(t, "cells of the first part")
		w := normals(rng, p)
		var rows [4][]Cell
		var want [4]float32
		for k := range rows {
			x, weights := make([]float32, p), []float32{}
			features := []int32{}
			for j := range p {
				if rng.IntN(p-j) < n-len(features) {
					x[j] = float32(rng.NormFloat64())
					rows[k] = append(rows[k], Cell{int32(j), x[j]})
					features, weights = append(features, int32(j)), append(weights, w[j])
				}
			}
			want[k] = Linear(x, features, weights)
			Prefetch(rows[k])
		}
		var fast, plain [4]float32
		for _, of := range [2][2]int{{0, part}, {part, n}} {
			var cells [4][]Cell
			for k := range rows {
				cells[k] = rows[k][of[0]:of[1]]
			}
			AddSparse4(&fast, w, cells[0], cells[1], cells[2], cells[3], len(cells[0]))
			addSparse4Go(&plain, w, cells[0], cells[1], cells[2], cells[3])
		}
		if fast != want || plain != want {
			t.Fatalf("sums %v and %v, want %v", fast, plain, want)
		}
	})
}
