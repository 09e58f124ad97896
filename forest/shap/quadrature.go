package shap

import "gonum.org/v1/gonum/integrate/quad"

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

// gaussLegendre returns the rule of n points.
func gaussLegendre(n int) *quadrature {
	q := &quadrature{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	quad.Legendre{}.FixedLocations(q.at, q.weight, 0, 1)
	for i, t := range q.at {
		q.rest[i], q.inverseRest[i] = 1-t, 1/(1-t)
	}
	return q
}
