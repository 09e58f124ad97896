package sim_test

import (
	"fmt"

	"github.com/obliqua-ml/obliqua/sim"
)

// The fewer features matter, the less the class depends on them.
func ExampleNoiseFeatures() {
	for _, noise := range []int{0, 12, 27} {
		problem := sim.NoiseFeatures{Noise: noise}
		fmt.Printf("%2d of %d noise features: error at least %.3f\n", noise, problem.Sample(700, 1).P(),
			problem.Bayes().Error())
	}
	// Output:
	//  0 of 30 noise features: error at least 0.072
	// 12 of 30 noise features: error at least 0.091
	// 27 of 30 noise features: error at least 0.192
}

// All segments are lit: an 8, or a digit that has all but one and one wrong.
func ExampleRule_Posterior() {
	display := []float32{1, 1, 1, 1, 1, 1, 1}
	for digit, p := range (sim.LED{}).Bayes().Posterior(display) {
		if p > 0.05 {
			fmt.Printf("%d: %.2f\n", digit, p)
		}
	}
	// Output:
	// 0: 0.08
	// 6: 0.08
	// 8: 0.73
	// 9: 0.08
}
