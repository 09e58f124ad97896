package grow

import "math"

// A Centring holds the weights of rows for regressions by weighted least squares.
type Centring struct {
	Weights []float64
	Roots   []float64 // of the weights
	Total   float64   // of the weights
}

// SetWeights sets the weights, and keeps the slice.
func (c *Centring) SetWeights(weights []float64) {
	c.Weights, c.Roots, c.Total = weights, Sized(c.Roots, len(weights)), 0
	for i, w := range weights {
		c.Roots[i] = math.Sqrt(w)
		c.Total += w
	}
}

// Centre sets dst to √w·(v − mean) of each value v of a row of weight w, where mean is the weighted mean. dst may be
// the values.
func Centre[T float32 | float64](c *Centring, dst []float64, values []T) {
	weights, roots, dst := c.Weights[:len(values)], c.Roots[:len(values)], dst[:len(values)]
	var sum float64
	for i, v := range values {
		sum += float64(weights[i] * float64(v))
	}
	mean := sum / c.Total
	for i, v := range values {
		dst[i] = float64(roots[i] * (float64(v) - mean))
	}
}
