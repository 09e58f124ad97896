package shap

import "math"

// A quadrature integrates polynomials over (0, 1): the sum of weight·f(at) over its points.
type quadrature struct {
	at, rest []float64 // the points t, and 1 − t
	weight   []float64

	inverseRest []float64 // 1/(1 − t)
}

// pointsFor returns a Gauss–Legendre rule without error for games of the given number of players, whose
// integrands are polynomials of one degree less. n points are exact to degree 2n − 1.
// The number of points is a multiple of 4, as [dot] needs it.
func pointsFor(players int) *quadrature { return gaussLegendre((max(1, (players+1)/2) + 3) / 4 * 4) }

// gaussLegendre returns the rule of n points. Its points are the roots of the Legendre polynomial of degree
// n, found by Newton's method from an approximation (Abramowitz and Stegun, 22.16.6).
func gaussLegendre(n int) *quadrature {
	q := &quadrature{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range (n + 1) / 2 {
		x, slope := math.Cos(math.Pi*(float64(i)+0.75)/(float64(n)+0.5)), 0.0
		for range 100 {
			var value float64
			value, slope = legendre(n, x)
			step := value / slope
			x -= step
			if math.Abs(step) < 1e-15 {
				break
			}
		}
		_, slope = legendre(n, x)
		weight := 1 / ((1 - float64(x*x)) * slope * slope)
		near, far := (1-x)/2, (1+x)/2
		q.at[i], q.rest[i], q.weight[i] = near, far, weight
		q.inverseRest[i], q.inverseRest[n-1-i] = 1/far, 1/near
		q.at[n-1-i], q.rest[n-1-i], q.weight[n-1-i] = far, near, weight
	}
	return q
}

// legendre returns the value and the slope of the Legendre polynomial of degree n ≥ 1 at x in (−1, 1).
func legendre(n int, x float64) (value, slope float64) {
	before, value := 1.0, x
	for k := 2; k <= n; k++ {
		before, value = value, (float64(float64(2*k-1)*x*value)-float64(float64(k-1)*before))/float64(k)
	}
	return value, float64(n) * (before - float64(x*value)) / (1 - float64(x*x))
}
