package boost

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
)

// Of large tables of classes a tree has rows of large gradients with a higher probability: minimal variance sampling
// (Ibragimov and Gusev 2019).

// sampledRows is the number of rows above which rows are drawn by their gradients.
const sampledRows = 10_000

// leastNorm is added to the square of a row's gradient, so that every row may be drawn.
const leastNorm = 1e-4

// drawByGradients draws Fraction of the rows of positive weight, with probabilities in proportion to their norms, but at
// most 1. scale divides the gradients and second derivatives of a row that is drawn by its probability.
func (g *grower) drawByGradients(rng *forest.Rand, scale func(i int32, p float64)) {
	certain := g.certainNorm()
	g.counts = g.counts[:0]
	for i, w := range g.member.weights {
		count := uint16(0)
		if p := min(1, g.norms[i]/certain); w > 0 && rng.Float64() < p {
			count = 1
			scale(int32(i), p)
		}
		g.counts = append(g.counts, count)
	}
}

// certainNorm returns the norm from which on rows are drawn with certainty.
func (g *grower) certainNorm() float64 {
	rows := 0
	for _, w := range g.member.weights {
		if w > 0 {
			rows++
		}
	}
	most, least := float64(g.Fraction*float64(rows)), math.Inf(1)
	for { // it falls, until it changes no row's probability
		sum, certain := 0.0, 0
		for i, w := range g.member.weights {
			switch {
			case w == 0:
			case g.norms[i] >= least:
				certain++
			default:
				sum += g.norms[i]
			}
		}
		next := sum / max(most-float64(certain), 0)
		if !(next < least) {
			return least
		}
		least = next
	}
}
