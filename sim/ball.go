package sim

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Ball is the problem "circle" of R's package mlbench (Leisch and Dimitriadou),
// which the tables of the Heterogeneous Random Forest (Kim, Kim and Kim) call
// cir: features uniform on (−1, 1), class "0" in a ball around the origin,
// class "1" outside of it.
//
// The ball has half of the cube's volume. With four features or more it extends
// beyond the cube, so class "0" has less than half of the rows: 33.1 % with ten
// features. mlbench's manual says that the classes are equally likely, but its
// samples are like these.
type Ball struct {
	Features int // number of features p ≤ 128; 0 means 10
}

// With up to 128 features, the sum of squares of multiples of 2⁻²³ is exact.
func (b Ball) params() (p int) { return orDefault(b.Features, 10, 128, "Ball.Features") }

// radius2 returns the square of the ball's radius, (2^(p−1)·Γ(p/2+1))^(2/p)/π.
func (b Ball) radius2() float64 {
	p := float64(b.params())
	gamma, _ := math.Lgamma(p/2 + 1)
	return math.Exp(2/p*((p-1)*math.Ln2+gamma)) / math.Pi
}

// Sample returns n independent rows.
func (b Ball) Sample(n int, seed uint64) *datasets.Dataset {
	return sampleUniform("ball", n, b.params(), 2, 0, seed, b.Bayes())
}

// Bayes returns the rule. A row determines its class.
func (b Ball) Bayes() Rule {
	p, radius2 := b.params(), b.radius2()
	return withoutOverlap(2, func(x []float32) int32 {
		var square float64
		for _, v := range x[:p] {
			square += float64(v) * float64(v)
		}
		return likelier(square - radius2)
	})
}
