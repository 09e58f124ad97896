package forest

import "fmt"

// A Sampling says how the sample that each tree is grown on is drawn from the n training
// rows. The zero value is the bootstrap: n rows drawn with replacement. A sample depends
// only on the sampling, n, the forest's seed and the tree's number, so out-of-bag rows can
// be found without storing the samples.
type Sampling struct {
	Fraction           float64 // size of a sample divided by n, in (0, 1]; 0 means 1. A sample has at least one row
	WithoutReplacement bool    // no row is drawn twice
}

// AllRows is the sampling that gives every tree all rows, once each. No row is out of bag.
var AllRows = Sampling{Fraction: 1, WithoutReplacement: true}

// Check returns an error if the fraction is negative, above 1, or not a number.
func (s Sampling) Check() error {
	if !(s.Fraction >= 0 && s.Fraction <= 1) {
		return fmt.Errorf("a sampling fraction of %v; want one above 0, at most 1, or 0 for 1", s.Fraction)
	}
	return nil
}

// size returns the size of a sample of n rows.
func (s Sampling) size(n int) int {
	if s.Fraction == 0 {
		return n
	}
	return max(1, int(float64(s.Fraction*float64(n))+0.5))
}

// all reports whether every sample holds all of n rows.
func (s Sampling) all(n int) bool { return s.WithoutReplacement && s.size(n) >= n }

// Counts returns how often each of n rows is drawn for the given tree of a forest with the
// given seed, length n. It uses the memory of dst if its capacity suffices.
func (s Sampling) Counts(dst []uint16, n int, seed uint64, tree int) []uint16 {
	if cap(dst) < n {
		dst = make([]uint16, n)
	}
	dst = dst[:n]
	if s.all(n) {
		for i := range dst {
			dst[i] = 1
		}
		return dst
	}
	clear(dst)
	m := s.size(n)
	rng := NewRand(seed, uint64(tree))
	if !s.WithoutReplacement {
		for drawn := 0; drawn < m; {
			if i := rng.Intn(n); dst[i] < maxCount {
				dst[i]++
				drawn++
			}
		}
		return dst
	}
	// Selection sampling (Knuth, The Art of Computer Programming 3.4.2, Algorithm S).
	for i := range dst {
		if rng.Intn(n-i) < m {
			dst[i] = 1
			m--
		}
	}
	return dst
}

// maxCount is how often a row can be drawn for a tree at most.
const maxCount = 1<<16 - 1
