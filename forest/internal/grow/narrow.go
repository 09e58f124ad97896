package grow

import "slices"

// Most thresholds can be ruled out without sorting. Let a candidate's rows be
// counted into bins of equal width. A cut within a bin leaves on the left all
// rows of the bins before and some of its own, so its class counts (n0, n1) lie
// in a rectangle between the counts at the bin's two boundaries. Weighted
// impurity is a concave function of these counts: nowhere in the rectangle is it
// lower than at the best of its corners. A bin whose corners are all worse than
// a cut that is already known holds no best cut. What is left, mostly a few
// bins of a promising candidate and nothing of any other, is sorted and scanned:
// the cut found is the one that sorting all rows would find.

// Calibrated on trunk, sparse parity and their like with 10 to 1024 features,
// where a factor of two in any of the first three costs at most 5 %.
const (
	narrowMin  = 24 // rows from which narrowing pays
	rowsPerBin = 6
	minBins    = 8
	maxBins    = 1024
)

// Outliers are looked for from clipMin rows on; they lie clipReach quartile
// distances from the quartiles, which leaves Gaussians whole.
const (
	clipMin   = 400
	clipReach = 2.5
)

// bins is the scratch of searches that count instead of sorting.
type bins struct {
	below [maxBins + 1]uint64 // weight of the rows below bin b, and of class 1 among them above bit 32
	alive [maxBins]bool

	values []valueBin

	starts [maxBins]uint32 // for sorting by counting
	cells  []uint32        // by whole number and class
}

// A binning maps values to bins, monotonically, those below low to the first and
// those above high to the last.
type binning struct {
	low, high, scale float32
	count            int // of bins
}

func (b binning) of(v float32) uint32 { return b.bin(min(max(v, b.low), b.high)) }

// bin is of for values from low to high.
func (b binning) bin(v float32) uint32 { return uint32(int32((v-b.low)*b.scale)) & (maxBins - 1) }

// searchNarrowed2 searches the best cut of two classes. Sums of values must not
// overflow.
func (s *searcher) searchNarrowed2(values []float32, low, high float32, best *bestCut) bool {
	clipped, to, ok := s.binning(values, low, high)
	if !ok {
		return s.searchSorted(values, best)
	}
	s.fill(clipped, to)
	ruleOut, scan := (*searcher).ruleOut, (*searcher).scanNarrowed2
	if s.node.target.entropy {
		ruleOut, scan = (*searcher).ruleOutEntropy2, (*searcher).scanNarrowedEntropy2
	}
	alive := ruleOut(s, to.count, -best.score)
	if alive == 0 {
		return false
	}
	if 2*alive > s.node.drawn {
		return s.searchSorted(values, best)
	}
	return scan(s, sortKeys(s.aliveKeys(values, clipped, to), s.tmp), to, best)
}

// binning returns how values are divided into bins of equal width, and the values, at
// most as far out as the first and the last bin. It returns false where float32 can't
// tell the bins apart.
func (s *searcher) binning(values []float32, low, high float32) (clipped []float32, to binning, ok bool) {
	clipped = values
	if len(values) >= clipMin {
		if l, h := nearQuartiles(values, low, high); l < h && 2*(h-l) < high-low {
			low, high = l, h
			clipped = memory[float32](s.tmp)[:len(values)]
			for i, v := range values {
				clipped[i] = min(max(v, low), high)
			}
		}
	}
	to = newBinning(low, high, min(maxBins, max(minBins, len(values)/rowsPerBin)))
	return clipped, to, finite(to.scale)
}

// newBinning divides the range from low to high, which differ. The scale is a little
// less than count over the range, so that rounding never gives a bin too many.
func newBinning(low, high float32, count int) binning {
	return binning{low, high, (float32(count) - 0.5) / (high - low), count}
}

// aliveKeys returns the keys of the rows of the bins that are left.
func (s *searcher) aliveKeys(values, clipped []float32, to binning) []key {
	n := s.node
	keys := s.keys[:len(values)]
	packed := n.sample.packed[n.lo:n.hi][:len(values)]
	m := 0
	for i, v := range values {
		if s.bins.alive[to.bin(clipped[i])] {
			keys[m] = newKey(v, packed[i])
			m++
		}
	}
	return keys[:m]
}

// nearQuartiles returns the part of the values' span that bins should divide: a
// few outliers would leave most rows in few bins, ruling out nothing. That is
// all of it unless it is many times the spread of a sample of the values; then
// what is within clipReach of the sample's quartiles.
func nearQuartiles(values []float32, low, high float32) (l, h float32) {
	var sample [32]float32
	step := len(values) / len(sample)
	spread := float32(0)
	for i := range sample {
		sample[i] = values[i*step]
		spread += max(sample[i]-sample[0], sample[0]-sample[i])
	}
	if high-low < 16*spread/float32(len(sample)) {
		return low, high
	}
	slices.Sort(sample[:])
	q1, q3 := sample[len(sample)/4], sample[len(sample)*3/4-1]
	reach := float32(clipReach * (q3 - q1))
	return max(low, q1-reach), min(high, q3+reach)
}

// fill counts the rows below every bin.
func (s *searcher) fill(values []float32, to binning) {
	below := s.bins.below[:to.count+1]
	clear(below)
	packed := s.node.sample.packed[s.node.lo:s.node.hi][:len(values)]
	for i, v := range values {
		p := packed[i]
		// count and, for class 1, the same above bit 32
		below[to.bin(v)] += uint64(p&0xffff) * (1 + uint64(p>>16)<<32)
	}
	var sum uint64
	for b, h := range below {
		below[b] = sum
		sum += h
	}
}

// slack makes up for rounding: bins are ruled out only if they are worse by more. It
// is wide enough for [sharedSearch], too.
const slack = 1e-6

// ruleOut marks the bins that may hold a cut of impurity times weight below
// least, and returns the weight of their rows.
func (s *searcher) ruleOut(count int, least float64) int64 {
	below := s.bins.below[:count+1]
	alive := s.bins.alive[:count]
	n, n1 := float64(s.node.drawn), float64(s.node.counts[1])
	minLeaf := float64(s.node.minLeaf)
	for _, at := range below[1:count] {
		l, l1 := float64(uint32(at)), float64(at>>32)
		r, r1 := n-l, n1-l1
		if z := gini2(l, l1, r, r1); z < least*(l*r) && l >= minLeaf && r >= minLeaf {
			least = z / (l * r)
		}
	}
	least *= 1 + slack
	var rows int64
	for b := range alive {
		at, next := below[b], below[b+1]
		alive[b] = false
		if at == next {
			continue
		}
		l, l1 := float64(uint32(at)), float64(at>>32)
		m, m1 := float64(uint32(next))-l, float64(next>>32)-l1
		// all of class 1 go left, none of class 0
		k, k1 := l+m1, l1+m1
		r, r1 := n-k, n1-k1
		z := gini2(k, k1, r, r1)
		ok := z <= least*(k*r)
		// all of class 0 go left, none of class 1
		k, k1 = l+m-m1, l1
		r, r1 = n-k, n1-k1
		z = gini2(k, k1, r, r1)
		if ok || z <= least*(k*r) {
			alive[b] = true
			rows += int64(m)
		}
	}
	return rows
}

// scanNarrowed2 is scanGini2 for the rows of some bins.
func (s *searcher) scanNarrowed2(keys []key, to binning, best *bestCut) bool {
	below := &s.bins.below
	n, n1 := float64(s.node.drawn), float64(s.node.counts[1])
	minLeaf := float64(s.node.minLeaf)
	b := to.of(value(keys[0]))
	l, l1 := float64(uint32(below[b])), float64(below[b]>>32)
	at, least := -1, -best.score
	for i := 0; i < len(keys)-1; i++ {
		k := keys[i]
		c := uint32(k) & 0xffff
		l += float64(c)
		l1 += float64(c & -(uint32(k) >> 16))
		if order(k) == order(keys[i+1]) {
			continue
		}
		if next := to.of(value(keys[i+1])); next != b {
			b = next
			if start := float64(uint32(below[b])); start != l {
				l, l1 = start, float64(below[b]>>32)
				continue
			}
		}
		r, r1 := n-l, n1-l1
		if z := gini2(l, l1, r, r1); z < least*(l*r) && l >= minLeaf && r >= minLeaf {
			least, at = z/(l*r), i
		}
	}
	return best.take(keys, at, -least, least == 0)
}
