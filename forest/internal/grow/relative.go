package grow

import "math"

// mostSpreads is how many standard deviations the mean of a target may be from 0 before values are taken relative to
// it. Up to there a float32, as leaves hold it, is off by at most 2⁻¹⁴ of a standard deviation, which is nothing
// beside what a forest can learn.
const mostSpreads = 1 << 10

// Relative returns the values less their weighted mean, and that mean as a [forest.Forest] has it in Base, if it is
// more than mostSpreads standard deviations from 0, unless all values are the same float32. Otherwise it returns the
// values as they are, and nil. Nil weights are 1 each.
func Relative(values, weights []float64) (relative, base []float64) {
	mean, deviation := spread(values, weights)
	exact := deviation == 0 && float64(float32(mean)) == mean
	if exact || !(math.Abs(mean) > mostSpreads*deviation) {
		return values, nil
	}
	relative = make([]float64, len(values))
	for i, v := range values {
		relative[i] = v - mean
	}
	return relative, []float64{mean}
}

// spread returns the weighted mean and standard deviation. It sums differences from the first value of positive weight,
// which are small where the mean is far from 0.
func spread(values, weights []float64) (mean, deviation float64) {
	var first, total, sum, squares float64
	for i, v := range values {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		if w == 0 {
			continue
		}
		if total == 0 {
			first = v
		}
		d := v - first
		total += w
		sum += float64(w * d)
		squares += float64(float64(w*d) * d)
	}
	shift := sum / total
	return first + shift, math.Sqrt(max(0, squares/total-float64(shift*shift)))
}
