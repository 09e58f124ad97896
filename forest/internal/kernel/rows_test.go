package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// drawRows draws five rows of up to 40 cells of very different sizes.
func drawRows(t *rapid.T) (w, a, b, c, d []float64) {
	n := rapid.IntRange(0, 40).Draw(t, "cells")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	rows := make([][]float64, 5)
	for i := range rows {
		for range n {
			rows[i] = append(rows[i], math.Ldexp(rng.NormFloat64(), rng.IntN(40)-20))
		}
	}
	return rows[0], rows[1], rows[2], rows[3], rows[4]
}

// Dot4 and Dot agree in every bit, and with the exact sum within the rounding of its terms.
func TestDot4(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, a, b, c, d := drawRows(t)
		sums := Dot4(w, a, b, c, d)
		for i, row := range [][]float64{a, b, c, d} {
			if got := Dot(w, row); got != sums[i] {
				t.Fatalf("row %d: Dot %v, Dot4 %v", i, got, sums[i])
			}
			exact, size := new(big.Float).SetPrec(300), 0.0
			for k, v := range row {
				term := new(big.Float).SetPrec(300).Mul(big.NewFloat(w[k]), big.NewFloat(v))
				exact.Add(exact, term)
				size += math.Abs(w[k] * v)
			}
			want, _ := exact.Float64()
			if math.Abs(sums[i]-want) > size*float64(len(w)+1)*0x1p-53 {
				t.Fatalf("row %d: %v, want %v", i, sums[i], want)
			}
		}
	})
}

// AddRows4 and its plain form agree in every bit; the plain form is its definition.
func TestAddRows4(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum, a, b, c, d := drawRows(t)
		g := [4]float64{0.1, -3, 0, 1e5}
		want := make([]float64, len(sum))
		for k := range want {
			x, y := float64(g[0]*a[k])+float64(g[1]*b[k]), float64(g[2]*c[k])+float64(g[3]*d[k])
			want[k] = sum[k] + (x + y)
		}
		AddRows4(sum, a, b, c, d, &g)
		for k := range want {
			if sum[k] != want[k] {
				t.Fatalf("cell %d: %v, want %v", k, sum[k], want[k])
			}
		}
	})
}

func BenchmarkDot4(b *testing.B) {
	x := make([]float64, 5*256)
	for k := range x {
		x[k] = float64(k)
	}
	for b.Loop() {
		Dot4(x[:256], x[256:512], x[512:768], x[768:1024], x[1024:])
	}
}

func BenchmarkAddRows4(b *testing.B) {
	x := make([]float64, 5*256)
	for b.Loop() {
		AddRows4(x[:256], x[256:512], x[512:768], x[768:1024], x[1024:], &[4]float64{1, 2, 3, 4})
	}
}
