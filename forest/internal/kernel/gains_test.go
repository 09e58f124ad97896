package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Gains by vector instructions are those of eq. 8, operation by operation.
func TestAddGains(t *testing.T) {
	one := []Run{{Class: 0, N: 1}}
	if !AddNarrowGains(new([8]float64), 0, 1, one, make([]uint64, 1), []float64{1}) {
		t.Skip("this processor or build has no AVX-512")
	}
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "counts"), 1))
		classes := rapid.IntRange(1, 30).Draw(t, "classes")
		most := rapid.SampledFrom([]int32{8, 5000}).Draw(t, "most rows of a class")
		inverse := make([]float64, classes)
		var runs []Run
		rows := int32(0)
		for c := range inverse {
			n := 1 + rng.Int32N(most)
			inverse[c] = 1 / float64(n+rng.Int32N(100))
			if c == 0 || rng.IntN(3) > 0 {
				runs = append(runs, Run{Class: int32(c), N: n})
				rows += n
			}
		}
		wide, narrow := make([][8]int32, len(runs)), make([]uint64, len(runs))
		for k := range 8 {
			all := rng.IntN(4) // none of the rows, all of them, or some
			for c, run := range runs {
				right := []int32{0, run.N, rng.Int32N(run.N + 1), rng.Int32N(run.N + 1)}[all]
				wide[c][k] = right
				narrow[c] |= uint64(right) << (8 * k)
			}
		}
		z := rng.Float64() * 100
		half := func(k int, right bool) float64 { // Z of a side
			n, sum, squares := int32(0), 0.0, 0.0
			for c, run := range runs {
				count := wide[c][k]
				if !right {
					count = run.N - count
				}
				share := float64(float64(count) * inverse[run.Class])
				n += count
				sum += share
				squares += float64(share * share)
			}
			return float64(float64(n) * max(0, 1-squares/float64(sum*sum)))
		}
		var want, a, b [8]float64
		for k := range want {
			want[k] = rng.Float64()
			a[k], b[k] = want[k], want[k]
			on := int32(0)
			for c := range runs {
				on += wide[c][k]
			}
			if on > 0 && on < rows {
				want[k] += z - (half(k, false) + half(k, true))
			}
		}
		AddWideGains(&a, z, rows, runs, wide, inverse)
		if most > 8 { // than fit in a byte
			b = a
		} else {
			AddNarrowGains(&b, z, rows, runs, narrow, inverse)
		}
		for k := range want {
			if math.Float64bits(a[k]) != math.Float64bits(want[k]) || math.Float64bits(b[k]) != math.Float64bits(want[k]) {
				t.Fatalf("plane %d: gains %v and, of bytes, %v; want %v", k, a[k], b[k], want[k])
			}
		}
	})
}
