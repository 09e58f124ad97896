package grow

import (
	"slices"
	"sort"
)

// Most thresholds can be ruled out without sorting, which is called narrowing here. The
// rows are counted into bins of equal width by their values. A cut within a bin has on its
// left all rows of the bins before and some of the bin's own, so the class counts (n0, n1)
// of its left side lie in the rectangle between the counts at the bin's two boundaries.
// The weighted impurity is a concave function of these counts, so its minimum over the
// rectangle is at a corner. If all corners of a bin are worse than a known cut, the bin
// can't contain the best cut. The rows of the remaining bins are sorted and scanned: mostly
// few bins of a promising candidate, and none of any other. The cut found is the one that
// sorting all rows would find.

// Calibrated on trunk, sparse parity and similar problems with 10 to 1024 features, where
// a factor of two in any of the first three costs at most 5 %.
const (
	narrowMin  = 24 // number of rows from which narrowing pays off
	rowsPerBin = 6
	minBins    = 8
	maxBins    = 1024
)

// Nodes of clipMin rows or more are checked for outliers. Bins then cover the range up to
// clipReach interquartile ranges beyond the quartiles, which includes nearly all of a
// Gaussian.
const (
	clipMin   = 400
	clipReach = 2.5
)

// bins is the memory of searches that count rows instead of sorting all.
type bins struct {
	below [maxBins + 1]uint64 // number of rows below bin b; above bit 32, that of class 1
	alive [maxBins]bool       // whether bin b may contain the best cut

	values []valueBin

	starts [maxBins]uint32 // for sorting by counting
	cells  []uint32        // counts by whole number, or bin, and class
}

// A binning maps values to bins, monotonically. Values below low are in the first bin,
// values above high in the last.
type binning struct {
	low, high, scale float32
	count            int // number of bins
}

// of returns the bin of a value.
func (b binning) of(v float32) uint32 { return b.bin(min(max(v, b.low), b.high)) }

// bin returns the bin of a value in [low, high].
func (b binning) bin(v float32) uint32 { return uint32(int32((v-b.low)*b.scale)) & (maxBins - 1) }

// searchNarrowed2 searches the best cut of two classes by narrowing. low and high are the
// extremes of the values; their difference must not overflow.
func (s *searcher) searchNarrowed2(values []float32, low, high float32, best *bestCut) bool {
	clipped, to, ok := s.binning(values, low, high)
	if !ok {
		return s.searchSorted(values, best)
	}
	s.fill(clipped, to)
	var alive int64
	if s.node.target.entropy {
		alive = s.ruleOutEntropy2(to.count, -best.score)
	} else {
		alive = s.ruleOut(to.count, -best.score)
	}
	if alive == 0 {
		return false
	}
	if 2*alive > s.node.drawn {
		return s.searchRange(values, low, high, best)
	}
	return s.scanAlive(SortKeys(s.aliveKeys(values, clipped, to), s.tmp), to, best)
}

// binning returns bins of equal width for the values, and the values clipped to the bins' range. ok is false if the
// bins are too narrow for float32. Bins times classes are at most half as many as rows, unless there are only minBins.
func (s *searcher) binning(values []float32, low, high float32) (clipped []float32, to binning, ok bool) {
	clipped = values
	if len(values) >= clipMin {
		if l, h := nearQuartiles(values, low, high); l < h && 2*(h-l) < high-low {
			low, high = l, h
			clipped = memoryOf[float32](s.tmp)[:len(values)]
			for i, v := range values {
				clipped[i] = min(max(v, low), high)
			}
		}
	}
	classes := s.node.target.classes
	count := min(maxBins, maxCells/max(1, classes), len(values)/max(rowsPerBin, 2*classes))
	to = newBinning(low, high, max(minBins, count))
	return clipped, to, finite(to.scale)
}

// newBinning divides the range from low to high, which differ, into count bins. The scale
// is slightly less than count over the range, so that rounding never yields bin count.
func newBinning(low, high float32, count int) binning {
	return binning{low, high, (float32(count) - 0.5) / (high - low), count}
}

// aliveKeys returns the keys of the rows in bins that are alive.
func (s *searcher) aliveKeys(values, clipped []float32, to binning) []key {
	n := s.node
	keys := s.keys[:len(values)]
	packed := n.sample.packed[n.lo:n.hi][:len(values)]
	m := 0
	for i, v := range values {
		if s.bins.alive[to.bin(clipped[i])] {
			keys[m] = NewKey(v, packed[i])
			m++
		}
	}
	return keys[:m]
}

// nearQuartiles returns the range that the bins should cover. It is the range of the
// values or, if this is many times the spread of a sample of the values, the part within
// clipReach interquartile ranges of the sample's quartiles. Otherwise a few outliers could
// leave most rows in few bins, and nothing would be ruled out.
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

// fill sets bins.below.
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

// slack is the relative margin for rounding: bins are ruled out only if they are worse by
// more. It is wide enough for [sharedSearch], too.
const slack = 1e-6

// ruleOut sets bins.alive: it marks the bins that may contain a cut whose weighted impurity
// is below least and no worse than the best cut between two bins. It returns the number of
// their rows.
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
		// the corner where the bin's rows of class 1 are on the left, those of class 0 on the right
		k, k1 := l+m1, l1+m1
		r, r1 := n-k, n1-k1
		z := gini2(k, k1, r, r1)
		ok := z <= least*(k*r)
		// the opposite corner
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

// scanAlive scans the sorted keys of the rows in bins that are alive. It scans one run of bins after another, between
// which there are other rows.
func (s *searcher) scanAlive(keys []key, to binning, best *bestCut) (found bool) {
	below, alive := &s.bins.below, &s.bins.alive
	for len(keys) > 0 {
		first := to.of(KeyValue(keys[0]))
		end := first + 1
		for int(end) < to.count && (alive[end] || below[end] == below[end+1]) {
			end++
		}
		run := sort.Search(len(keys), func(i int) bool { return to.of(KeyValue(keys[i])) >= end })
		found = s.node.target.scan(s, keys[:run], below[first], best) || found
		keys = keys[run:]
	}
	return found
}
