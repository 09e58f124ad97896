package forest

import "math/bits"

// A Rand is a stream of random numbers that is seeded by a few words (such as seed, tree,
// node), so that draws don't depend on scheduling. It is SplitMix64 (Steele, Lea and
// Flood, OOPSLA 2014), which is small enough to be inlined in the loop over nodes;
// math/rand/v2 would take a function call for each number.
type Rand struct{ state uint64 }

const golden = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// NewRand returns the stream that the given words seed.
func NewRand(words ...uint64) Rand {
	var s uint64
	for _, w := range words {
		s = mix(s+golden) ^ mix(w+golden)*golden
	}
	return Rand{s}
}

// Uint64 returns a uniform 64-bit number.
func (r *Rand) Uint64() uint64 {
	r.state += golden
	return mix(r.state)
}

// Intn returns a uniform integer in [0, n), for 0 < n ≤ 2³², by Lemire's multiplication
// without its rejection step; the bias is below n/2⁶⁴.
func (r *Rand) Intn(n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// Float64 returns a uniform number in [0, 1).
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) * 0x1p-53 }
