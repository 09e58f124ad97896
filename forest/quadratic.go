package forest

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// quadratic returns a quadratic function's values of some rows of the block.
func (w *walker) quadratic(fn *Function, rows []uint16) []float32 {
	x := resized(&w.cells, len(fn.Features))
	values := w.sums[:len(rows)]
	var four [4]float32
	for lo := 0; lo < len(rows); lo += 4 {
		group := rows[lo:min(lo+4, len(rows))]
		for i, j := range fn.Features {
			col := w.slanted(j)
			for k, r := range group {
				x[i][k] = col[r]
			}
		}
		kernel.Quadratic4(&four, x, fn.Q, fn.Weights, fn.Bias)
		copy(values[lo:], four[:len(group)])
	}
	return values
}

// addProducts adds half of each of a Quadratic's coefficients to the magnitudes of its two features.
func (fn *Function) addProducts(magnitude []float64) {
	k := 0
	for i := range magnitude {
		for j := 0; j <= i; j++ {
			half := float64(math.Abs(float64(fn.Q[k])) / 2)
			magnitude[i] += half
			magnitude[j] += half
			k++
		}
	}
}

// products yields a Quadratic's squares and products. It returns false if yield did.
func (fn *Function) products(names []string, yield func(float64, string) bool) bool {
	k := 0
	for i, second := range fn.Features {
		for j, first := range fn.Features[:i+1] {
			product := featureName(names, first) + "·" + featureName(names, second)
			if i == j {
				product = featureName(names, second) + "²"
			}
			if !yield(float64(fn.Q[k]), product) {
				return false
			}
			k++
		}
	}
	return true
}
