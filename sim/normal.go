package sim

import "math/rand/v2"

// The draws below compare uniform numbers and never take a logarithm or an
// exponential, whose last bit differs between processors. So they are the same
// everywhere, and their distributions are exact but for the rounding of x.
// This is von Neumann's method (1951); Karney (2016) has the normal numbers.

// bernoulliExp is true with probability exp(−x), for x ≥ 0. The chance that n
// uniform numbers begin below u ≤ 1 and descend is uⁿ/n!, so a descent ends
// after an even number of them with probability 1 − u + u²/2 − … = exp(−u).
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

// bernoulliLogistic is true with probability 1/(1+exp(−x)).
func bernoulliLogistic(rng *rand.Rand, x float64) bool {
	// For x ≥ 0, "true" and "false" end a round with probabilities in the
	// proportion 1 to exp(−x).
	for {
		if rng.Uint64()&1 == 0 {
			return x >= 0
		}
		if bernoulliExp(rng, max(x, -x)) {
			return x < 0
		}
	}
}

// exponential returns an exponential number of mean 1. One of k ≤ x < k+1 is
// one below 1 that was refused k times.
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
