package graf

import (
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/device"
)

// impurity returns Z of a region (eq. 8), given its numbers of rows by class. It is
// exactly 0 for one class.
func (g *grower) impurity(runs []device.Run) float64 {
	if len(runs) == 1 {
		return 0
	}
	if g.pairs != nil && runs[0].N <= tabulated && runs[1].N <= tabulated {
		return g.pairs[runs[0].N*(tabulated+1)+runs[1].N]
	}
	var n int32
	var sum, squares float64
	for _, r := range runs {
		n += r.N
		share := float64(float64(r.N) * g.inv[r.Class]) // the conversion keeps compilers from fusing
		sum += share
		squares += float64(share * share)
	}
	return weightedGini(n, sum, squares)
}

// weightedGini returns Z of n rows, given the sum and the sum of squares of
// n_c/N_c over classes.
func weightedGini(n int32, sum, squares float64) float64 {
	return float64(float64(n) * max(0, 1-squares/float64(sum*sum)))
}

// tabulated is the largest number of rows of each of two classes for which Z is tabulated.
const tabulated = 31

// tabulate computes Z of all small regions of two classes.
func (g *grower) tabulate() {
	g.pairs = make([]float64, (tabulated+1)*(tabulated+1))
	for a := range int32(tabulated + 1) {
		for b := range int32(tabulated + 1) {
			if a > 0 && b > 0 {
				x, y := float64(float64(a)*g.inv[0]), float64(float64(b)*g.inv[1])
				g.pairs[a*(tabulated+1)+b] = weightedGini(a+b, x+y, float64(x*x)+float64(y*y))
			}
		}
	}
}

// cuts returns which of eight planes have rows on both sides, given a byte for each row.
func cuts(sides []uint8) uint8 {
	some, all := uint8(0), uint8(255)
	for _, s := range sides {
		some |= s
		all &= s
	}
	return some &^ all
}

// addGains adds to the gain of each of up to eight planes that cuts the region the decrease
// of Z in the region. sides has a byte for each of its rows, in which bit k belongs to
// plane k.
//
// Z may also increase, although the paper says below eq. 8 that a cut never increases it:
// Z isn't concave where one class is much larger than another.
func (w *worker) addGains(r *region, sides []uint8, gains *[8]float64, planes int) {
	runs := w.runsOf(r)
	n := r.hi - r.lo
	if n > 255 {
		w.addWideGains(r, runs, sides, gains, planes)
		return
	}
	// For each class, the bytes of a word count the rows on the right of each plane.
	// No byte can overflow.
	var total uint64
	for c, run := range runs {
		var sum uint64
		for _, s := range sides[:run.N] {
			sum += spread[s]
		}
		sides = sides[run.N:]
		w.narrow[c] = sum
		total += sum
	}
	if total == 0 {
		return
	}
	if w.pairs != nil && n <= tabulated {
		w.addPairs(r, runs, gains, planes)
		return
	}
	if kernel.AddNarrowGains(gains, r.z, n, runs, w.narrow, w.inv) {
		return
	}
	for k := range planes {
		if on := int32(total >> (8 * k) & 255); on != 0 && on != n {
			for c := range runs {
				w.right[c] = int32(w.narrow[c] >> (8 * k) & 255)
			}
			gains[k] += r.z - w.splitImpurity(runs, n, on)
		}
	}
}

// addPairs is addGains for two classes and few rows, given the rows on the right in
// w.narrow. A plane that doesn't cut the region adds 0, without a branch that can't be
// predicted.
func (w *worker) addPairs(r *region, runs []device.Run, gains *[8]float64, planes int) {
	whole := int(runs[0].N)*(tabulated+1) + int(runs[1].N)
	a, b := w.narrow[0], w.narrow[1]
	for k := range planes {
		right := int(a&255)*(tabulated+1) + int(b&255)
		gains[k] += r.z - w.pairs[whole-right] - w.pairs[right]
		a, b = a>>8, b>>8
	}
}

// spread[s] has bit k of s in byte k.
var spread = func() (table [256]uint64) {
	for s := range table {
		for k := range 8 {
			table[s] |= uint64(s>>k&1) << (8 * k)
		}
	}
	return table
}()

// addWideGains is addGains for regions of more rows than a byte can count.
func (w *worker) addWideGains(r *region, runs []device.Run, sides []uint8, gains *[8]float64, planes int) {
	for c, run := range runs {
		counts := &w.wide[c]
		clear(counts[:])
		for left := int(run.N); left > 0; {
			chunk := sides[:min(255, left)]
			sides, left = sides[len(chunk):], left-len(chunk)
			var sum uint64
			for _, s := range chunk {
				sum += spread[s]
			}
			for l := range counts {
				counts[l] += int32(sum >> (8 * l) & 255)
			}
		}
	}
	n := r.hi - r.lo
	if kernel.AddWideGains(gains, r.z, n, runs, w.wide, w.inv) {
		return
	}
	for k := range planes {
		on := int32(0)
		for c := range runs {
			w.right[c] = w.wide[c][k]
			on += w.right[c]
		}
		if on != 0 && on != n {
			gains[k] += r.z - w.splitImpurity(runs, n, on)
		}
	}
}

// splitImpurity returns the sum of Z over both sides of a plane that has w.right rows of
// each run, on rows in total, on its right.
func (w *worker) splitImpurity(runs []device.Run, n, on int32) float64 {
	var leftSum, leftSquares, rightSum, rightSquares float64
	for c, run := range runs {
		inv := w.inv[run.Class]
		right := float64(float64(w.right[c]) * inv)
		left := float64(float64(run.N-w.right[c]) * inv)
		rightSum += right
		rightSquares += float64(right * right)
		leftSum += left
		leftSquares += float64(left * left)
	}
	return weightedGini(n-on, leftSum, leftSquares) + weightedGini(on, rightSum, rightSquares)
}
