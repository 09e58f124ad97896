package forest

// A Sampling says which of the n training rows each tree of a forest sees. The
// draw depends on nothing but the sampling, n and the tree's number, so a
// forest needs no record of it to find its out-of-bag rows again.
type Sampling struct {
	// Fraction is the number of rows drawn over n; 0 means every tree sees
	// every row once, and there are no out-of-bag rows.
	Fraction float64

	// Replace draws with replacement; with Fraction 1 that is the bootstrap.
	Replace bool

	Seed uint64
}

// Bootstrap is the usual sampling of a forest: n rows drawn with replacement.
func Bootstrap(seed uint64) Sampling { return Sampling{Fraction: 1, Replace: true, Seed: seed} }

// Counts returns how often each of n rows is drawn for the given tree. It uses
// dst if its capacity suffices.
func (s Sampling) Counts(dst []uint16, n, tree int) []uint16 {
	if cap(dst) < n {
		dst = make([]uint16, n)
	}
	dst = dst[:n]
	if s.Fraction == 0 {
		for i := range dst {
			dst[i] = 1
		}
		return dst
	}
	clear(dst)
	m := min(max(1, int(float64(s.Fraction*float64(n))+0.5)), n*maxCount)
	rng := NewRand(s.Seed, uint64(tree))
	if s.Replace {
		for drawn := 0; drawn < m; {
			if i := rng.Intn(n); dst[i] < maxCount {
				dst[i]++
				drawn++
			}
		}
		return dst
	}
	// Selection sampling (Knuth, The Art of Computer Programming 3.4.2, Algorithm S).
	m = min(m, n)
	for i := range dst {
		if rng.Intn(n-i) < m {
			dst[i] = 1
			m--
		}
	}
	return dst
}

const maxCount = 1<<16 - 1
