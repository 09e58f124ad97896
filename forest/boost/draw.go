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

// drawByGradients draws Fraction of the rows of positive weight, with probabilities in proportion to their norms, but
// at most 1. scale divides the gradients and second derivatives of a row that is drawn by its probability.
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

// The norm of certainty is found in about normedRows evenly spaced rows, or in all if there are fewer.
const normedRows = 1 << 16

// certainNorm returns the norm from which on rows are drawn with certainty.
func (g *grower) certainNorm() float64 {
	stride := max(1, len(g.norms)/normedRows)
	rows := 0
	for i := 0; i < len(g.norms); i += stride {
		if g.member.weights[i] > 0 {
			rows++
		}
	}
	most, least := float64(g.Fraction*float64(rows)), math.Inf(1)
	for { // it falls, until it changes no row's probability
		sum, certain := 0.0, 0
		for i := 0; i < len(g.norms); i += stride {
			switch norm := g.norms[i]; {
			case g.member.weights[i] == 0:
			case norm >= least:
				certain++
			default:
				sum += norm
			}
		}
		next := sum / max(most-float64(certain), 0)
		if !(next < least) {
			return least
		}
		least = next
	}
}
