package grow

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
)

// search projects the node's rows on a direction and looks for a better cut.
func (w *worker) search(dir Direction, best *cut) bool {
	values := w.projected[:w.hi-w.lo]
	w.project(values, dir)
	if w.params.RandomThreshold {
		return w.tryRandom(values, best)
	}
	bounded, whole := w.traits(dir)
	if !bounded {
		return w.searchSorted(values, best)
	}
	low, high := extremes(values)
	switch {
	case low == high:
		return false
	case whole && w.counts != nil && w.params.Growth.Criterion == forest.Gini && w.fewCells(len(values), high-low):
		return w.searchCells(values, low, int(high-low)+1, best)
	case whole && len(values) > insertionMax && high-low < float32(min(len(values), maxBins)):
		return w.searchCounted(values, low, int(high-low)+1, best)
	case w.counts != nil && w.classes == 2 && len(values) >= narrowMin && w.total < 1<<32:
		return w.searchNarrowed2(values, low, high, best)
	}
	return w.searchSorted(values, best)
}

// traits tells of the values of a direction whether none can overflow, nor the
// difference of two, and whether all are whole numbers.
func (w *worker) traits(dir Direction) (bounded, whole bool) {
	var s float32
	whole = true
	for k, j := range dir.Index {
		c := max(dir.Weights[k], -dir.Weights[k])
		s += c * w.extent[j]
		whole = whole && w.whole[j] && c == 1
	}
	return s < math.MaxFloat32/4, whole && s <= 1<<23
}

// searchSorted sorts all rows and scans them.
func (w *worker) searchSorted(values []float32, best *cut) bool {
	keys := w.keys[:len(values)]
	var differ uint64
	first := newKey(values[0], 0)
	if w.packed() {
		for i, p := range w.bag.payload[w.lo:w.hi] {
			k := newKey(values[i], p)
			differ |= k ^ first
			keys[i] = k
		}
	} else {
		for i, v := range values {
			k := newKey(v, uint32(i))
			differ |= k ^ first
			keys[i] = k
		}
	}
	if order(differ) == 0 {
		return false
	}
	keys = sortKeys(keys, w.tmp)
	if !finite(value(keys[0])) || !finite(value(keys[len(keys)-1])) {
		return false // the sum overflows float32 for some rows
	}
	return w.scan(keys, best)
}

func finite(v float32) bool { return v-v == 0 }

// tryRandom scores one threshold drawn from [low, high). It sorts the rows into
// two values, below and above, and scans those.
func (w *worker) tryRandom(values []float32, best *cut) bool {
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low == high || !finite(low) || !finite(high) {
		return false
	}
	t := float32(float64(low) + w.rng.Float64()*(float64(high)-float64(low)))
	if !(t < high) {
		t = low
	}
	keys := w.keys[:len(values)]
	left, right := 0, len(keys)
	for i, v := range values {
		p := uint32(i)
		if w.packed() {
			p = w.bag.payload[w.lo+i]
		}
		if v <= t {
			keys[left] = newKey(0, p)
			left++
		} else {
			right--
			keys[right] = newKey(1, p)
		}
	}
	if !w.scan(keys, best) {
		return false
	}
	best.threshold = t
	return true
}
