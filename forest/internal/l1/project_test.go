package l1

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

func TestSparseProjectEqualsTheKernel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := rapid.IntRange(1, 30).Draw(t, "n"), rapid.IntRange(1, 40).Draw(t, "p")
		rng := forest.NewRand(rapid.Uint64().Draw(t, "seed"))
		columns, w, all := make([][]float32, p), make([]float32, p), make([]int32, p)
		for j := range columns {
			columns[j], all[j] = make([]float32, n), int32(j)
			w[j] = float32(rng.Float64() - 0.5)
			for i := range n {
				if rng.Intn(3) == 0 {
					columns[j][i] = float32(rng.Float64() - 0.5)
				}
			}
		}
		rows := make([]int32, rapid.IntRange(0, 40).Draw(t, "rows"))
		for i := range rows {
			rows[i] = int32(rng.Intn(n))
		}
		want, got := make([]float32, len(rows)), make([]float32, len(rows))
		kernel.Project(want, columns, rows, all, w)
		NewSparse(columns, len(columns[0])).Project(got, w, rows)
		for i := range rows {
			if got[i] != want[i] {
				t.Fatalf("row %d: %v; want %v", rows[i], got[i], want[i])
			}
		}
	})
}
