package forest

import "fmt"

// A Sampling says which of the n training rows each tree of a forest sees. The zero
// value is the bootstrap: n rows drawn with replacement. The draw depends on nothing but
// the sampling, n, the forest's seed and the tree's number, so a forest needs no record
// of it to find its out-of-bag rows again.
type Sampling struct {
	Fraction           float64 // rows drawn over n, in (0, 1], at least one row; 0 means 1
	WithoutReplacement bool    // no row is drawn twice
}

// AllRows is the sampling by which every tree sees every row once. No row is out of bag.
var AllRows = Sampling{Fraction: 1, WithoutReplacement: true}

// Check returns an error if the fraction is negative, above 1, or not a number.
func (s Sampling) Check() error {
	if !(s.Fraction >= 0 && s.Fraction <= 1) {
		return fmt.Errorf("a sampling fraction of %v; want one above 0, at most 1, or 0 for 1", s.Fraction)
	}
	return nil
}

// size returns how many of n rows are drawn.
func (s Sampling) size(n int) int {
	if s.Fraction == 0 {
		return n
	}
	return max(1, int(float64(s.Fraction*float64(n))+0.5))
}

// all reports whether a tree sees all of n rows.
func (s Sampling) all(n int) bool { return s.WithoutReplacement && s.size(n) >= n }

// Counts returns how often each of n rows is drawn for the given tree of a forest with
// that seed. It uses dst if its capacity suffices.
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

// maxCount is how often a row can be drawn for a tree.
const maxCount = 1<<16 - 1
