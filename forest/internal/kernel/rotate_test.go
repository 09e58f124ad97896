package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Rotate computes the bits that Linear does for each row and function alone, by vector
// instructions and without.
func TestRotate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTable(t, 1, 12)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "weights"), 2))
		for range rapid.SampledFrom([]int{0, 40, 44, 64, 150}).Draw(t, "more rows") {
			s.rows = append(s.rows, int32(rng.IntN(len(s.columns[0]))))
		}
		specials := []float32{float32(math.Copysign(0, -1)), 1, -1, 0x1p-149, math.MaxFloat32}
		weights := make([][]float32, rapid.IntRange(1, 9).Draw(t, "functions"))
		values := make([][]float32, len(weights))
		for o := range weights {
			values[o], weights[o] = make([]float32, len(s.rows)), normals(rng, len(s.features))
			for j := range s.features {
				if rng.IntN(6) == 0 {
					weights[o][j] = specials[rng.IntN(len(specials))]
				}
			}
		}
		Rotate(values, s.columns, s.rows, s.features, weights, nil)
		for o, w := range weights {
			for i, r := range s.rows {
				got, want := values[o][i], Linear(row(s.columns, r), s.features, w)
				if math.Float32bits(got) != math.Float32bits(want) && !(got != got && want != want) {
					t.Fatalf("function %d, row %d: %v, want %v", o, i, got, want)
				}
			}
		}
	})
}

func TestSumFourIsTheSameByAnyInstructions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for m := 1; m <= 20; m++ {
		cells, weights := normals(rng, m*RotateRows), normals(rng, 4*m)
		var fast, plain [4][RotateRows]float32
		sumFour(&fast, cells, weights)
		sumFourGo(&plain, cells, weights)
		if fast != plain {
			t.Fatalf("%d features: %v, want %v", m, fast, plain)
		}
	}
}

func BenchmarkRotate(b *testing.B) {
	const n, p = 10000, 50
	rng := rand.New(rand.NewPCG(4, 4))
	numbers := func(rows, cols int) [][]float32 {
		x := make([][]float32, rows)
		for i := range x {
			x[i] = normals(rng, cols)
		}
		return x
	}
	columns, weights, values := numbers(p, n), numbers(p, p), numbers(p, n)
	rows, features := make([]int32, n), make([]int32, p)
	for i := range rows {
		rows[i] = int32(i)
	}
	for j := range features {
		features[j] = int32(j)
	}
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			Rotate(values, columns, rows, features, weights, nil)
		}
	})
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			for o := range weights {
				Project(values[o], columns, rows, features, weights[o])
			}
		}
	})
}
