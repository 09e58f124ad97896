package grow

import "github.com/obliqua-ml/obliqua/forest"

// A WeightedDraw is a [Draw] by successive sampling without replacement: each with a
// probability in proportion to its weight among those not drawn yet. If only features of
// weight 0 are left, they are drawn uniformly.
type WeightedDraw struct {
	weights []float64
	sums    []float64 // sums[j] is the sum of the weights of features 0 … j
	guide   []int32   // guide[k] is the first feature whose sum is above k/p of the last
	drawn   []uint32  // by feature: number of the last draw that has it
	number  uint32    // of the current draw
}

// NewWeightedDraw returns a WeightedDraw of features with the given weights, which must
// be finite, nonnegative and not all 0.
func NewWeightedDraw(weights []float64) *WeightedDraw {
	p := len(weights)
	w := &WeightedDraw{weights: weights, sums: make([]float64, p), guide: make([]int32, p), drawn: make([]uint32, p)}
	sum := 0.0
	for j, weight := range weights {
		sum += weight
		w.sums[j] = sum
	}
	j := 0
	for k := range w.guide {
		for j < p-1 && w.sums[j] <= float64(float64(k)/float64(p)*sum) {
			j++
		}
		w.guide[k] = int32(j)
	}
	return w
}

// Begin makes all features drawable again.
func (w *WeightedDraw) Begin() {
	if w.number++; w.number == 0 { // after 2³² draws
		clear(w.drawn)
		w.number = 1
	}
}

// maxRejections is how often a feature that was drawn before is rejected, before Next sums
// the weights of the remaining features instead. Both ways draw from the same distribution.
const maxRejections = 6

// Next draws a feature; see [Draw].
func (w *WeightedDraw) Next(rng *forest.Rand) int32 {
	last := len(w.sums) - 1
	for range maxRejections {
		u := rng.Float64()
		x := float64(u * w.sums[last])
		j := w.guide[int(u*float64(len(w.guide)))] // indexed search (Chen and Asau 1974)
		for int(j) < last && w.sums[j] <= x {
			j++
		}
		if w.weights[j] > 0 && w.drawn[j] != w.number {
			w.drawn[j] = w.number
			return j
		}
	}
	j := w.nextOfRest(rng)
	w.drawn[j] = w.number
	return int32(j)
}

// nextOfRest draws one of the remaining features, by summing their weights.
func (w *WeightedDraw) nextOfRest(rng *forest.Rand) int {
	total, left := 0.0, 0
	for j, weight := range w.weights {
		if w.drawn[j] != w.number {
			total += weight
			left++
		}
	}
	last := -1
	if total == 0 {
		nth := rng.Intn(left)
		for j := range w.weights {
			if w.drawn[j] != w.number {
				if last = j; nth == 0 {
					break
				}
				nth--
			}
		}
		return last
	}
	x := float64(rng.Float64() * total)
	for j, weight := range w.weights {
		if w.drawn[j] != w.number && weight > 0 {
			last = j
			if x -= weight; x < 0 {
				break
			}
		}
	}
	return last
}
