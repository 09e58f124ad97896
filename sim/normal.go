package sim

import "math/rand/v2"

// The functions below only compare uniform numbers. They take no logarithm or
// exponential, whose last bit differs between processors, so they return the same
// numbers everywhere, and their distributions are exact except for rounding. The
// method is von Neumann's (1951), for normal numbers Karney's (2016).

// bernoulliExp returns true with probability exp(−x), for x ≥ 0. The probability
// that n uniform numbers descend and the first is below u ≤ 1 is uⁿ/n!, so such a
// run has even length with probability 1 − u + u²/2 − … = exp(−u).
func bernoulliExp(rng *rand.Rand, x float64) bool {
	for ; x > 0; x-- {
		even := true
		for u := min(x, 1); ; even = !even {
			next := rng.Float64()
			if next >= u {
				break
			}
			u = next
		}
		if !even {
			return false
		}
	}
	return true
}

// bernoulliLogistic returns true with probability 1/(1+exp(−x)).
func bernoulliLogistic(rng *rand.Rand, x float64) bool {
	// For x ≥ 0, a round returns true with probability 1/2 and false with
	// probability exp(−x)/2; otherwise another round follows.
	for {
		if rng.Uint64()&1 == 0 {
			return x >= 0
		}
		if bernoulliExp(rng, max(x, -x)) {
			return x < 0
		}
	}
}

// exponential returns an exponential number of mean 1. Its integer part is the
// number of fractional parts rejected before one was accepted.
func exponential(rng *rand.Rand) float64 {
	for k := 0.0; ; k++ {
		if x := rng.Float64(); bernoulliExp(rng, x) {
			return k + x
		}
	}
}

// normal returns a standard normal number. Its absolute value is an exponential
// number x that is accepted with probability exp(−(x−1)²/2).
func normal(rng *rand.Rand) float64 {
	for {
		x := exponential(rng)
		d := x - 1
		if !bernoulliExp(rng, d*d/2) {
			continue
		}
		if rng.Uint64()&1 == 0 {
			return -x
		}
		return x
	}
}
