package forest

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/obliqua-ml/obliqua/internal/portable"
)

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

// Skip drops the next n numbers and returns the state s before, for code that draws them all
// at once: they are mix(s + i·0x9e3779b97f4a7c15) for i = 1, … n.
func (r *Rand) Skip(n int) (state uint64) {
	state = r.state
	r.state += uint64(n) * golden
	return state
}

// Intn returns a uniform integer in [0, n), for 0 < n ≤ 2³², by Lemire's multiplication
// without its rejection step; the bias is below n/2⁶⁴.
func (r *Rand) Intn(n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// Float64 returns a uniform number in [0, 1).
func (r *Rand) Float64() float64 { return float64(float64(r.Uint64()>>11) * 0x1p-53) }

// Normal returns a number of the standard normal distribution, by Marsaglia's polar
// method. math/rand/v2 has one whose last bits depend on the processor.
func (r *Rand) Normal() float64 {
	for {
		x, y := float64(2*r.Float64())-1, float64(2*r.Float64())-1
		if s := float64(x*x) + float64(y*y); s > 0 && s < 1 {
			return float64(x * math.Sqrt(float64(-2*portable.Log(s))/s))
		}
	}
}

// Choose sets dst to len(dst) different numbers from 0 to n−1, ascending; every such set has the same probability. It
// panics if n is less than len(dst). It is selection sampling (Knuth, The Art of Computer Programming 3.4.2, Algorithm
// S), and always takes n numbers of the stream.
func (r *Rand) Choose(dst []int32, n int) {
	if len(dst) > n {
		panic(fmt.Sprintf("forest: %d different numbers of %d", len(dst), n))
	}
	i := 0
	for j := range n {
		if r.Intn(n-j) < len(dst)-i {
			dst[i] = int32(j)
			i++
		}
	}
}
