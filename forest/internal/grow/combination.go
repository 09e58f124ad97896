package grow

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
)

// A Combination is memory for the linear combination that a source proposes.
type Combination struct {
	Features []int32 // ascending
	Weights  []float32
}

// Set sets the features and coefficients, rounded to float32. It leaves out coefficients that round to 0.
func (c *Combination) Set(features []int32, coefficients []float64) {
	c.Features, c.Weights = c.Features[:0], c.Weights[:0]
	for k, v := range coefficients {
		if w := float32(v); w != 0 {
			c.Features, c.Weights = append(c.Features, features[k]), append(c.Weights, w)
		}
	}
}

// SetScaled is Set for coefficients of any size. It multiplies them by a power of two that makes the largest at least
// 1/2 and less than 1, so that units which are powers of two have no effect on rounding. It returns false if all are 0
// or one isn't finite.
func (c *Combination) SetScaled(features []int32, coefficients []float64) bool {
	var largest float64
	for _, v := range coefficients {
		largest = max(largest, math.Abs(v))
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return false
	}
	_, exponent := math.Frexp(largest)
	for k, v := range coefficients {
		coefficients[k] = math.Ldexp(v, -exponent)
	}
	c.Set(features, coefficients)
	return true
}

// Function returns the combination as a split function. The weight of a single feature is 1.
func (c *Combination) Function() forest.Function {
	if len(c.Weights) == 1 {
		c.Weights[0] = 1
	}
	return forest.Linear(c.Features, c.Weights)
}
