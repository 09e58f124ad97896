package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Draw gives the weights and sums of a plain loop over planes and features, with the numbers
// of SplitMix64 as Steele, Lea and Flood define it.
func TestDraw(t *testing.T) {
	if one := []float64{1}; !Draw(make([]float32, Panel), new([8]float64), new([8]float64), 0, one, one, one, 1) {
		t.Skip("this processor or build has no AVX-512")
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 50).Draw(t, "features")
		state := rapid.Uint64().Draw(t, "state")
		scale := math.Ldexp(1, rapid.IntRange(-130, 100).Draw(t, "scale"))
		rng := rand.New(rand.NewPCG(state, 1))
		least, width, mean := make([]float64, m), make([]float64, m), make([]float64, m)
		for j := range m {
			least[j], width[j] = rng.NormFloat64(), math.Abs(rng.NormFloat64())
			if rng.IntN(4) == 0 {
				width[j] = 0
			}
			mean[j] = least[j] + width[j]/3
		}
		first := rapid.SampledFrom([]int{0, 8}).Draw(t, "first plane")
		weights := make([]float32, Panel*m)
		for i := range weights {
			weights[i] = 99
		}
		var at, squares [8]float64
		Draw(weights[first:], &at, &squares, state, least, width, mean, scale)
		for k := range 8 {
			wantAt, wantSquares := 0.0, 0.0
			for j := range m {
				state += 0x9e3779b97f4a7c15
				z := state
				z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
				z = (z ^ z>>27) * 0x94d049bb133111eb
				u := float64((z^z>>31)>>11) / (1 << 53)
				inside := least[j] + float64(u*width[j])
				want := float32(inside * scale)
				if got := weights[Panel*j+first+k]; math.Float32bits(got) != math.Float32bits(want) {
					t.Fatalf("weight %d of plane %d is %v, want %v", j, k, got, want)
				}
				v := float64(want)
				wantAt += float64(v * mean[j])
				wantSquares += float64(v * v)
			}
			if at[k] != wantAt || squares[k] != wantSquares {
				t.Fatalf("plane %d: sums %v and %v, want %v and %v", k, at[k], squares[k], wantAt, wantSquares)
			}
		}
		for i, w := range weights {
			if i%Panel/8 != first/8 && w != 99 {
				t.Fatalf("weight %d of another plane was written", i)
			}
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	const m = 784
	rng := rand.New(rand.NewPCG(1, 2))
	least, width, mean := make([]float64, m), make([]float64, m), make([]float64, m)
	for j := range m {
		least[j], width[j], mean[j] = rng.NormFloat64(), rng.Float64(), rng.NormFloat64()
	}
	weights := make([]float32, Panel*m)
	var at, squares [8]float64
	for b.Loop() {
		if !Draw(weights, &at, &squares, 1, least, width, mean, 1) {
			b.Skip("this processor or build has no AVX-512")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*8*m), "ns/weight")
}
