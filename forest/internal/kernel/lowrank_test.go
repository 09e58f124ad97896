package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// nearest returns the exact value of the float64 nearest to v.
func nearest(v *big.Float) *big.Float {
	f, _ := v.Float64()
	return new(big.Float).SetPrec(400).SetFloat64(f)
}

// lowRankByDefinition rounds exact products, differences and sums to float64 one by one.
func lowRankByDefinition(x []float32, s *table) float32 {
	sum := func(a, b *big.Float) *big.Float { return nearest(new(big.Float).SetPrec(400).Add(a, b)) }
	times := func(a, b *big.Float) *big.Float { return nearest(new(big.Float).SetPrec(400).Mul(a, b)) }
	var z []*big.Float
	for i, j := range s.features {
		z = append(z, sum(exact(x[j]), exact(-s.centre[i])))
	}
	v := exact(s.bias)
	for i, w := range s.weights {
		v = sum(v, times(exact(w), z[i]))
	}
	for at := 0; at < len(s.factors); at += len(z) {
		inner := exact(0)
		for i := range z {
			inner = sum(inner, times(exact(s.factors[at+i]), z[i]))
		}
		square := times(inner, inner)
		if at >= s.positive*len(z) {
			square.Neg(square)
		}
		v = sum(v, square)
	}
	f, _ := v.Float64()
	return float32(f)
}

func (s *table) lowRank(x []float32) float32 {
	return LowRank(x, s.features, s.centre, s.weights, s.factors, s.positive, s.bias)
}

func TestLowRankIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTable(t, 0, 7)
		for _, r := range s.rows {
			x := row(s.columns, r)
			if got, want := s.lowRank(x), lowRankByDefinition(x, s); got != want {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	})
	// At x = 2, y = −3, with the centre (1, −1), z is (1, −2):
	// 2 + 3·1 + 5·(−2) + (7 − 22)² − (13 − 34)² = −5 + 225 − 441.
	got := LowRank([]float32{2, 9, -3}, []int32{0, 2}, []float32{1, -1}, []float32{3, 5}, []float32{7, 11, 13, 17}, 1, 2)
	if got != -221 {
		t.Errorf("%v, want −221", got)
	}
}

// The largest numbers overflow to an infinity, but never to NaN.
func TestLowRankOfHugeNumbers(t *testing.T) {
	const huge = math.MaxFloat32
	x, centre, factors := []float32{huge, -huge}, []float32{-huge, huge}, []float32{huge, -huge, huge, -huge}
	for positive, want := range []float64{math.Inf(-1), 0, math.Inf(1)} {
		if got := LowRank(x, []int32{0, 1}, centre, []float32{huge, huge}, factors, positive, 0); float64(got) != want {
			t.Errorf("with %d positive rows: %v, want %v", positive, got, want)
		}
	}
}

// The assembly and the loop in Go have the same bits, also where sums overflow.
func TestCombineIsItsPlainForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTable(t, 1, 40)
		z := make([][4]float64, len(s.features))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "cells"), 1))
		for i := range z {
			for k := range z[i] {
				z[i][k] = math.Ldexp(rng.NormFloat64(), rng.IntN(257)-128)
			}
		}
		var got, want [4][4]float64
		for rows := newQuads(s.factors, len(z)); rows.next(); {
			combine(&got, z, &rows)
			combineGo(&want, z, &rows)
			for r := range rows.count {
				for k := range got[r] {
					if math.Float64bits(got[r][k]) != math.Float64bits(want[r][k]) {
						t.Fatalf("row %d of factors, lane %d: %v, want %v", rows.first+r, k, got[r][k], want[r][k])
					}
				}
			}
		}
	})
}

// A node of 1000 rows, by the triangle and by factors. ns/row is the time of a row.
func BenchmarkProjectQuadratics(b *testing.B) {
	const n = 1000
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float32 { return normals(rng, n) }
	values, rows := make([]float32, n), make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
		})
	}
	for _, k := range []int{4, 32, 256} {
		var columns [][]float32
		features := make([]int32, k)
		for j := range k {
			columns, features[j] = append(columns, draw(n)), int32(j)
		}
		q, w, centre := draw(k*(k+1)/2), draw(k), draw(k)
		run(fmt.Sprintf("k=%d/triangle", k), func() { ProjectQuadratic(values, columns, rows, features, q, w, 1) })
		for _, rank := range []int{2, 10, 100} {
			if rank > k {
				continue
			}
			factors := draw(rank * k)
			run(fmt.Sprintf("k=%d/rank=%d", k, rank), func() {
				ProjectLowRank(values, columns, rows, features, centre, w, factors, rank/2, 1)
			})
		}
		factors, x := draw(min(k, 100)*k), draw(k)
		b.Run(fmt.Sprintf("k=%d/rank=%d/single", k, min(k, 100)), func(b *testing.B) {
			for b.Loop() {
				values[0] = LowRank(x, features, centre, w, factors, k/4, 1)
			}
		})
	}
}
